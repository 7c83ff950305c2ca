"""Project summaries: sentences of a project's own notes, each cited.

A sentence counts more the nearer it is to the beginning of its note, if it says what
something is, and if its note was changed lately. What repeats another is left out, as
are captures that no person approved, summaries, and notes that another one supersedes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from msgspec import structs

from glassmind.context.briefing import APART
from glassmind.context.budget import made_within
from glassmind.context.items import (
    BundleScope,
    changed_day,
    day_of,
    decisions,
    is_pattern,
    is_superseded,
    questions,
)
from glassmind.context.markdown import (
    answer_line,
    item_line,
    numbered,
    summary_as_markdown,
)
from glassmind.context.note_lines import ITEM, NoteLines
from glassmind.context.parts import ContextParts, StaleCheck, day_or_today
from glassmind.context.sections import Parts, parts_within, shortened
from glassmind.errors import ProjectUnknown
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    UNAPPROVED,
    AnswerSentence,
    Item,
    SectionNote,
    Summary,
)
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.properties import parse_project
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import sentences_in

MOST_NOTES, MOST_EACH = 500, 300
"""Notes that are read, those changed last: about a second for a large project; and
sentences of one note."""

SHORT, EACH = 3, 3
"""Sentences of the first section, and the most of any one note of many."""

LIMITS = {"short": SHORT, "decisions": 6, "points": 15, "questions": 5}
"""The most of each section: two pages."""

FEWEST_WORDS, LONGEST_CHARS, LONGEST_ITEM = 5, 400, 600
"""Shorter is a label, longer is not a sentence to quote; and characters of an item."""

MOST_SIGNS = 0.4
"""Share of digits and signs: what has more is a list of links, numbers or code."""

FADING, DEFINING, OWN = 0.3, 1.2, 1.4
"""How much less each sentence of a note counts than the first; and the weights of one
that says what something is, and that is in the note of the project's own name."""

RECENT, RECENT_DAYS = 0.3, 90
"""What a note of today gains, and the days until that halves."""

SAME = 0.6
"""Share of the words of the shorter from which two sentences say the same."""

SHORT_WORD = 3
"""Letters of a word that may say something, in scripts of letters."""

DEFINED_CHARS = 60
"""How far into a sentence it may say that something is."""

_WORD = re.compile(r"[^\W_]+")
_NO_LETTER = re.compile(r"[\d_]|[^\w\s]")
_ADDRESS = re.compile(r"https?://\S+")
_IS = re.compile(r"\b(?:is|are|was|means|ist|sind|war|heißt|est|es)\b", re.IGNORECASE)
_NO_END = (":", ",", ";", "?", "\uff1f", "\u061f")
_CLOSERS = "*_~\"')]}\u201d\u2019\u00bb "
_POINTS_BACK = re.compile(
    r"\W*(?:he|she|they|him|them|his|hers?|it|its|their|theirs|which|whose|these"
    r"|this(?! (?:project|note|page|vault)\b)"
    r"|those|that|there|then|therefore|so|but|and|er|sie|ihn|ihm|ihre?[mnrs]?|dann|aber"
    r"|seine?[mnrs]?|es(?! gibt\b)|dies(?:e[mnrs]?)?|und"
    r"|the (?:former|latter|above|same))\b",
    re.IGNORECASE,
)
"""How a sentence begins that continues one before it."""
_ASIDE = re.compile(r"[\s>\[(]*[\w -]+::|\(.*\)\W*$|[\u2013\u2014]\s")
"""A field, a sentence in brackets, or the rest of one behind a dash."""


class NoteSentence(NamedTuple):
    """A sentence of a note; `rank` is 0 for the first of the note."""

    note: SectionNote
    page: NoteLines
    text: str
    span: Span
    rank: int

    @property
    def path(self) -> NotePath:
        return NotePath(self.note.path)

    @property
    def sentence(self) -> AnswerSentence:
        under = self.page.heading_path(self.span.start)
        heading = under[-1] if under else ""
        raw = self.page.raw(self.span)
        receipt = receipt_of(self.path, heading, self.span, raw)
        return AnswerSentence(self.text, self.path, receipt)


def summarize(
    parts: ContextParts,
    project: str,
    budget_tokens: int | None,
    today: date | None,
    *,
    save: bool,
) -> Summary:
    """Summarize a project in sentences of its notes, and save that if asked to."""
    budget = parts.budget(budget_tokens)
    called = parse_project(project).name.rpartition("/")[2] or project
    counter, stale = parts.counter, StaleCheck(parts)
    with parts.vault.rows().still():
        day = day_or_today(today)
        found, notices = _found(parts, project, called, day)
        stale.look(sentence.path for sentence in _cited(found))
    notices = (*stale.notices(), *notices)

    def markdown(shown: Parts) -> str:
        return _text(called, shown, notices)

    shown = made_within(
        budget, lambda most: parts_within(found, most, counter, markdown, _line)
    )
    text = markdown(shown)
    summary = Summary(
        project=project,
        text=text,
        sentences=tuple(_cited(shown)),
        tokens=counter.count(text),
        tokenizer=counter.name,
        notices=notices,
    )
    if not (save and summary.sentences):
        return summary
    receipts = list(dict.fromkeys(sentence.receipt for sentence in summary.sentences))
    title = f"Summary of {called}"
    path = parts.renew(title, summary.project, summary.text, receipts)
    return structs.replace(summary, saved=path)


def _line(_: str, one: Item | NoteSentence) -> str:
    if isinstance(one, Item):
        return item_line(one, numbered)
    return answer_line(one.sentence, numbered)


def _text(called: str, found: Parts, notices: Sequence[str]) -> str:
    # the sentences of a note are together, behind those of better notes
    places = {one.path: at for at, one in reversed([*enumerate(found["points"])])}
    points = sorted(found["points"], key=lambda one: (places[one.path], one.rank))
    return summary_as_markdown(
        called,
        short=[one.sentence for one in found["short"]],
        decisions=found["decisions"],
        points=[(point.note.title, point.sentence) for point in points],
        questions=found["questions"],
        notices=notices,
    )


def _cited(found: Parts) -> Iterator[AnswerSentence]:
    for said in (*found["short"], *found["points"]):
        yield said.sentence
    for item in (*found["decisions"], *found["questions"]):
        yield AnswerSentence(item.text, item.path, item.receipt, item.trimmed)


def _found(
    parts: ContextParts, project: str, called: str, today: date
) -> tuple[Parts, tuple[str, ...]]:
    rows, agent = parts.sections(), parts.agent
    members = parts.members_of(project)
    if not members:
        raise ProjectUnknown(project)
    every = rows.section_notes([note.note_id for note in members])
    ours = [note for note in every.values() if _is_source(note, agent)]
    ours.sort(key=lambda note: (-note.mtime_ns, note.path))
    notes = {note.note_id: note for note in ours[:MOST_NOTES]}
    own = [at for at, note in notes.items() if note.title.lower() == called.lower()]
    scope = BundleScope(tuple(sorted(own)), frozenset(notes), "", today, agent)
    left = len(ours) - len(notes)
    notices = (f"{left:,} older notes of the project were not read",) if left else ()
    decided, items = _items(decisions(rows, scope)), _items(questions(rows, scope))
    shown = {
        (item.path, line)
        for item in (*decided, *items)
        for line in range(item.lines.start, item.lines.end + 1)
    }
    plain = [at for at, note in notes.items() if not is_pattern(note.path)]
    pages = rows.pages(plain)
    free = [
        sentence
        for at in sorted(pages, key=lambda at: notes[at].path)
        for sentence in _sentences(notes[at], pages[at])
        if (sentence.path, sentence.span.start) not in shown
    ]
    best = _best(free, called, today)
    found = {
        "short": tuple(best[:SHORT]),
        "decisions": tuple(decided[: LIMITS["decisions"]]),
        "points": tuple(best[SHORT:]),
        "questions": tuple(items[: LIMITS["questions"]]),
    }
    return found, notices


def _is_source(note: SectionNote, agent: str) -> bool:
    apart = tuple(f"{agent}/{part}/" for part in APART)
    made = note.properties.get("generated") is True
    barred = made or note.path.startswith(apart) or note.path.endswith(".base")
    return not (barred or is_superseded(note))


def _items(items: Iterable[Item]) -> list[Item]:
    """Return items that a person wrote or approved, cut where they are too long."""
    kept = []
    for item in items:
        long = len(item.text) > LONGEST_ITEM
        short = shortened(item, LONGEST_ITEM / len(item.text)) if long else item
        if short is not None and item.rule != UNAPPROVED:
            kept.append(short)
    return kept


def _best(said: Sequence[NoteSentence], called: str, today: date) -> list[NoteSentence]:
    most = SHORT + LIMITS["points"]
    each = max(EACH, most // max(1, len({sentence.note.note_id for sentence in said})))
    sentences: list[NoteSentence] = []
    spent: Counter[int] = Counter()
    for sentence in sorted(
        said, key=lambda sentence: -_weight(sentence, called, today)
    ):
        words = words_of(sentence.text)
        again = any(
            len(words & others) >= SAME * max(1, min(len(words), len(others)))
            for others in (words_of(other.text) for other in sentences)
        )
        if spent[sentence.note.note_id] < each and not again:
            sentences.append(sentence)
            spent[sentence.note.note_id] += 1
        if len(sentences) == most:
            break
    return sentences


def _weight(said: NoteSentence, called: str, today: date) -> float:
    note = said.note
    day = date.fromisoformat(day_of(note) or changed_day(note))
    age = max(0, (today - day).days)
    recent: float = 1 + RECENT * 2.0 ** (-age / RECENT_DAYS)
    own = OWN if note.title.casefold() == called.casefold() else 1.0
    defines = DEFINING if _IS.search(said.text, 0, DEFINED_CHARS) else 1.0
    return recent * own * defines / (1 + FADING * said.rank)


def words_of(text: str) -> frozenset[str]:
    found = _WORD.findall(text.lower())
    return frozenset([w for w in found if len(w) >= SHORT_WORD or not w.isascii()])


def _sentences(note: SectionNote, page: NoteLines) -> Iterator[NoteSentence]:
    """Yield the sentences that are understood by themselves.

    Tasks, tables, code and comments have none.
    """
    rank = 0
    for span in page.blocks(Span(page.body, len(page.lines))):
        raw, text = page.raw(span), page.text(span)
        item = ITEM.match(raw)
        is_task = item is not None and item["box"] is not None
        if is_task or raw.lstrip(" \t>").startswith("|") or holds_hidden(raw):
            continue
        if page.callout(span.start) and "\n" in text:  # without its title
            text = text.partition("\n")[2]
        for sentence in sentences_in(" ".join(text.split())):
            if _is_sentence(sentence) and rank < MOST_EACH:
                yield NoteSentence(note, page, sentence, span, rank)
                rank += 1


def _is_sentence(text: str) -> bool:
    if len(text) > LONGEST_CHARS or _ADDRESS.search(text):
        return False
    if len(_NO_LETTER.findall(text)) > MOST_SIGNS * len(text):
        return False
    if text.rstrip(_CLOSERS).endswith(_NO_END) or _ASIDE.match(text):
        return False
    if _POINTS_BACK.match(text):
        return False
    return len(text.split()) >= FEWEST_WORDS or not text.isascii()
