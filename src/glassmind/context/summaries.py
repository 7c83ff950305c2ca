"""Whether a sentence is understood without those around it.

Told by its words alone: how it ends, how it begins, and what stands right behind it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise
from math import fsum, log, log1p, sqrt
from typing import NamedTuple

from msgspec import structs

from glassmind.context.briefing import APART, SHARES
from glassmind.context.budget import TokenCounter, made_within, most_within
from glassmind.context.excerpts import numbered
from glassmind.context.items import (
    BundleScope,
    SectionRows,
    changed_day,
    day_of,
    is_pattern,
    is_superseded,
    pages_of,
)
from glassmind.context.markdown import item_line, summary_as_markdown
from glassmind.context.note_lines import ITEM, NoteLines
from glassmind.context.open_work import decisions, questions
from glassmind.context.parts import ContextParts, StaleCheck, members_of
from glassmind.context.sections import cut_to, shortened
from glassmind.errors import BudgetTooSmall, ProjectUnknown
from glassmind.model import NotePath, Span
from glassmind.model.context import AnswerSentence, Item, SectionNote, Summary
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.properties import parse_project
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import sentences_in

NO_END = (":", ",", ";", "?", "\uff1f", "\u061f")
"""How a text ends that goes on, or that asks itself and answers nothing."""

CLOSERS = "*_~\"')]}\u201d\u2019\u00bb "
"""What may stand behind the last sign of a sentence."""

_ITSELF = (
    r"(?:note|page|vault|project|folder|document|file|list|guide|article|section|wiki"
    r"|year|month|week|day|morning|evening|time)s?\b"
)
"""What `this` may be without a sentence before: where it stands, and when."""

_POINTS = re.compile(
    rf"""\W*(?:
    he | she | they | him | them | his | hers? | its | their | theirs | which | whose
    | it (?! (?:['\u2019]s|\s+(?:is|was|seems|takes|took)) \s+ [\w-]+ \s+ (?:to|that)\b)
    | (?:this|these|those) (?! \s+ {_ITSELF})
    | that (?! \s+ (?:an?|the|{_ITSELF})\b)
    | the \s+ (?:former|latter|above|same)
    | er | sie | ihn | ihm | ihre?[mnrs]? | seine?[mnrs]? | dies (?:e[mnrs]?)?
    | es (?! \s+ gibt\b) | das \s+ (?:ist|sind|war|waren|hat|wird)
    | da(?:bei|durch|f\u00fcr|her|mit|nach|rum|von|zu) | des(?:halb|wegen)
    | il (?! \s+ (?:faut|y)\b) | elles? | ils | \u00e7a | cela | c['\u2019]est
    | eso | esto | ellos | ellas
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a sentence begins whose subject is in another, in English and German, and by the
most frequent words of French and Spanish."""

_POINTS_SOON = re.compile(
    rf"""\W*(?:[\w'\u2019-]+\s+){{0,3}}
    (?:after|at|before|behind|besides?|by|for|from|in|like|of|on|to|under|with|without)
    \s+ (?:it|him|her|them|(?:this|that|these|those)(?!\s+{_ITSELF}))\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The same within its first words, before it can have named anything else."""

_FIELD = re.compile(r"[\s>\[(]*[\w -]+::")
_ASIDE = re.compile(r"\(.*\)\W*$|[\u2013\u2014]\s")
"""A sentence in brackets, or the rest of one behind a dash."""

_ONCE = re.compile(
    r"\W*(?:I|we)\s+(?:had\s+)?(?:said|told|thought|believed|assumed|guessed|claimed"
    r"|supposed|was\s+sure|were\s+sure)\b",
    re.IGNORECASE,
)
"""What somebody once said or thought: it seldom stands unless what follows says so."""

_TAKES_BACK = re.compile(
    r"\W*(?:actually|correction|wrong|in\s+fact|no\s+longer|not\s+any\s?more"
    r"|(?:I|we)\s+(?:was|were)\s+wrong|(?:I|we)\s+did(?:\s+not|n['\u2019]t)\s+know"
    r"|(?:it|that|this|which)\s+(?:is|was|turned\s+out)\s+"
    r"(?:to\s+be\s+)?(?:not\b|wrong|false|untrue|a\s+mistake))",
    re.IGNORECASE,
)
"""How a sentence begins that says that the one before it does not hold."""


def stands_alone(text: str, behind: str = "") -> bool:
    """Whether a sentence says something by itself.

    `behind` is the next one of its paragraph, which may take it back.
    """
    if text.rstrip(CLOSERS).endswith(NO_END) or _FIELD.match(text):
        return False
    if any(sign.match(text) for sign in (_ASIDE, _POINTS, _POINTS_SOON, _TAKES_BACK)):
        return False
    return not (behind and (_ONCE.match(text) or _TAKES_BACK.match(behind)))


SAME = 0.6
"""Share of the words of the shorter from which two sentences say the same."""

_WORD = re.compile(r"[^\W_]+")
_SHORT = 2
"""Letters of words that say nothing, such as `of`; in other scripts two say much."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a sentence that may say what it is about."""
    found = _WORD.findall(text.lower())
    return frozenset([w for w in found if len(w) > _SHORT or not w.isascii()])


def centrality(sentences: Sequence[frozenset[str]]) -> list[float]:
    """Return how near each sentence is to the centre of all, from 0 to 1."""
    held = Counter(word for words in sentences for word in sorted(words))
    total = len(sentences)
    weights = {word: log((1 + total) / count) for word, count in sorted(held.items())}
    lengths = [sqrt(fsum(weights[w] ** 2 for w in words)) for words in sentences]
    parts: dict[str, list[float]] = {word: [] for word in weights}
    for words, length in zip(sentences, lengths, strict=True):
        for word in words:
            parts[word].append(weights[word] / length)
    centre = {word: fsum(shares) for word, shares in parts.items()}
    far = sqrt(fsum(value**2 for value in centre.values())) or 1.0
    return [
        fsum(centre[w] * weights[w] for w in words) / (length * far) if words else 0.0
        for words, length in zip(sentences, lengths, strict=True)
    ]


def is_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two sentences say the same."""
    return len(words & others) >= SAME * max(1, min(len(words), len(others)))


FEWEST_WORDS, LONGEST_CHARS = 5, 400
"""Less is a label, and more is no sentence to be quoted."""

MOST_SIGNS = 0.4
"""Share of digits and signs: what has more is a list of links, numbers or code."""

MOST_EACH = 300
"""Sentences of one note that are looked at: thirty pages of it."""

_CALLOUT = re.compile(r"(?:[ \t]*>)+[ \t]*\[!")
_NO_LETTER = re.compile(r"[\d_]|[^\w\s]")
_ADDRESS = re.compile(r"https?://\S+")


class NoteSentence(NamedTuple):
    """A sentence of a note; `rank` counts from 0 for what the note begins with."""

    note: SectionNote
    page: NoteLines
    text: str
    span: Span
    rank: int

    @property
    def path(self) -> NotePath:
        """Where the note stands."""
        return NotePath(self.note.path)

    @property
    def sentence(self) -> AnswerSentence:
        """The sentence with its source."""
        under = self.page.heading_path(self.span.start)
        heading = under[-1] if under else ""
        raw = self.page.raw(self.span)
        receipt = receipt_of(self.path, heading, self.span, raw)
        return AnswerSentence(self.text, self.path, receipt)


def note_sentences(
    rows: SectionRows, notes: Mapping[int, SectionNote]
) -> list[NoteSentence]:
    """Return the sentences of some notes, by path and line.

    Tasks, tables, code and what a reader in Obsidian does not see are none, nor what is
    not understood without the sentences around it.
    """
    plain = {at: note for at, note in notes.items() if not is_pattern(note.path)}
    pages = pages_of(rows, [*plain])
    order = sorted(pages, key=lambda at: plain[at].path)
    return [one for at in order for one in _of_note(plain[at], pages[at])]


def _of_note(note: SectionNote, page: NoteLines) -> Iterator[NoteSentence]:
    rank = 0
    for span in page.blocks(Span(page.body, len(page.lines))):
        raw = page.raw(span)
        if _is_barred(raw):
            continue
        said = [*_sentences(raw, page.text(span)), ""]
        for sentence, behind in pairwise(said):
            if not (_is_sentence(sentence) and stands_alone(sentence, behind)):
                continue
            yield NoteSentence(note, page, sentence, span, rank)
            rank += 1
            if rank == MOST_EACH:
                return


def _sentences(raw: str, text: str) -> Iterator[str]:
    """Yield the sentences of a block; the title of a callout is none of its text."""
    title, _, rest = text.partition("\n")
    if rest and _CALLOUT.match(raw):
        yield from sentences_in(" ".join(title.split()))
        text = rest
    yield from sentences_in(" ".join(text.split()))


def _is_barred(raw: str) -> bool:
    """Whether a block is a task, a row of a table, or holds what is not seen."""
    item = ITEM.match(raw)
    box = item is not None and item["box"] is not None
    return box or raw.lstrip(" \t>").startswith("|") or holds_hidden(raw)


def _is_sentence(text: str) -> bool:
    if len(text) > LONGEST_CHARS or _ADDRESS.search(text):
        return False
    if len(_NO_LETTER.findall(text)) > MOST_SIGNS * len(text):
        return False
    return len(text.split()) >= FEWEST_WORDS or not text.isascii()


SHORT, EACH = 3, 3
"""Sentences that tell it in short, and the most of any one note of many."""

LIMITS = {"short": SHORT, "decisions": 6, "points": 15, "questions": 5}
"""The most of each section: two pages, and no more sources than a memo takes."""

OPENING, DEFINING, OWN = 1.3, 1.2, 1.4
"""What a sentence counts more by that opens its note, that says what something is, and
that stands in the note of the project's own name: judgements, each less than a half."""

LEANING, BRIEF, BRIEF_WORDS = 0.6, 0.8, 8
"""What one counts less by that goes on from the sentence before it, and one of so few
words that it seldom stands alone."""

RECENT, RECENT_DAYS = 0.3, 90
"""What a note of today counts more, and the days after which that is a half of it."""

LINKED = 0.1
"""What a note counts more for every time that its links are nearly trebled."""

UNAPPROVED = "unapproved capture"
"""The rule of what an agent captured and no person has looked at."""

LONGEST_ITEM = 600
"""Characters of a decision or a question: of a longer one, what stands before; more is
a treatise, which has no place in a page or two."""

DEFINED_CHARS = 60
"""How far into a sentence it says that something is: further on it is a clause."""

_LEANS = re.compile(
    r"\W*(?:there|then|therefore|so|but|and|dann|aber|und|puis|mais|et|pero|y)\b",
    re.IGNORECASE,
)
_IS = re.compile(r"\b(?:is|are|was|means|ist|sind|war|heißt|est|es)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SummaryParts:
    """What there is to tell, by section, the best first."""

    short: tuple[NoteSentence, ...] = ()
    decisions: tuple[Item, ...] = ()
    points: tuple[NoteSentence, ...] = ()
    questions: tuple[Item, ...] = ()


def summary_parts(
    rows: SectionRows, notes: Mapping[int, SectionNote], scope: BundleScope
) -> SummaryParts:
    """Return what the notes of a project tell; `scope.query` is what it is called.

    Decisions are those of its notes, and of what the note of its own name links to.
    """
    unasked = replace(scope, query="")  # its name is no question
    decided = [*_told(decisions(rows, unasked))]
    asked = [*_told(questions(rows, unasked))]
    taken = _spans((*decided, *asked))
    free = [one for one in note_sentences(rows, notes) if not _is_among(one, taken)]
    best = _best(free, _weights(rows, notes, scope))
    return SummaryParts(
        short=tuple(best[:SHORT]),
        decisions=tuple(decided[: LIMITS["decisions"]]),
        points=tuple(best[SHORT:]),
        questions=tuple(asked[: LIMITS["questions"]]),
    )


def _spans(items: Iterable[Item]) -> Mapping[NotePath, Sequence[Span]]:
    """Return which lines of which notes are told as items."""
    found: dict[NotePath, list[Span]] = {}
    for item in items:
        found.setdefault(item.path, []).append(item.lines)
    return found


def _is_among(said: NoteSentence, taken: Mapping[NotePath, Sequence[Span]]) -> bool:
    start, end = said.span
    spans = taken.get(said.path, ())
    return any(first <= start and end <= last for first, last in spans)


def _told(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items that a person wrote or approved, cut where they are too long."""
    for item in items:
        long = len(item.text) > LONGEST_ITEM
        kept = shortened(item, LONGEST_ITEM / len(item.text)) if long else item
        if kept is not None and item.rule != UNAPPROVED:
            yield kept


def _weights(
    rows: SectionRows, notes: Mapping[int, SectionNote], scope: BundleScope
) -> dict[int, float]:
    """Return what the sentences of each note count more by."""
    degrees = rows.degrees([*notes])
    called = scope.query.casefold()
    found = {}
    for note_id, note in notes.items():
        day = day_of(note) or changed_day(note)
        age = (scope.today - date.fromisoformat(day)).days
        weight = 1 + RECENT * 2.0 ** (-max(0, age) / RECENT_DAYS)
        weight *= 1 + LINKED * log1p(degrees.get(note_id, 0))
        found[note_id] = weight * (OWN if note.title.casefold() == called else 1.0)
    return found


def _best(
    said: Sequence[NoteSentence], weights: Mapping[int, float]
) -> list[NoteSentence]:
    """Return the sentences to tell, best first, each saying something of its own."""
    words = [words_of(one.text) for one in said]
    near = centrality(words)
    scores = [
        score * weights[one.note.note_id] * _weight(one)
        for one, score in zip(said, near, strict=True)
    ]
    order = sorted(range(len(said)), key=lambda at: (-scores[at], at))
    most = SHORT + LIMITS["points"]
    each = max(EACH, most // max(1, len({one.note.note_id for one in said})))
    chosen: list[int] = []
    spent: Counter[int] = Counter()
    for at in order:
        if len(chosen) == most or not scores[at]:
            break
        note_id = said[at].note.note_id
        again = any(is_alike(words[at], words[other]) for other in chosen)
        if spent[note_id] < each and not again:
            chosen.append(at)
            spent[note_id] += 1
    return [said[at] for at in chosen]


def _weight(said: NoteSentence) -> float:
    """Return what a sentence counts more, or less, by what it is itself."""
    weight = OPENING if said.rank == 0 else 1.0
    if _LEANS.match(said.text):
        weight *= LEANING
    elif _IS.search(said.text, 0, DEFINED_CHARS):
        weight *= DEFINING
    return weight * (BRIEF if len(said.text.split()) < BRIEF_WORDS else 1.0)


MOST_NOTES = 500
"""Notes that are read, those changed last: about a second for a large project."""


def summarize(
    shelf: ContextParts,
    project: str,
    *,
    budget_tokens: int | None,
    save: bool,
    today: date | None,
) -> Summary:
    """Return a project in sentences of its own notes, and keep it where asked to.

    Raises:
        ProjectUnknown: no note belongs to the project.
        BudgetTooSmall: nothing useful fits.
        WriteRefused: it is to be saved, and nothing may be written.
    """
    usual = shelf.config.context.budget_tokens
    budget = usual if budget_tokens is None else budget_tokens
    called = parse_project(project).name.rpartition("/")[2] or project
    counter, lookout = shelf.counter(), StaleCheck(shelf)
    with shelf.still():
        told, notices = _told_summaries(shelf, project, called, today or _today())
        lookout.look(one.path for one in _sentences_summaries(told))
    notices = (*lookout.notices(), *notices)

    def within(most: int) -> tuple[str, SummaryParts]:
        return _fitted(told, lambda told: _text(called, told, notices), counter, most)

    text, shown = made_within(budget, within)
    made = Summary(
        project=project,
        text=text,
        sentences=tuple(_sentences_summaries(shown)),
        tokens=counter.count(text),
        tokenizer=counter.name,
        notices=notices,
    )
    return _kept(shelf, made, f"Summary of {called}") if save else made


def _fitted(
    told: SummaryParts,
    written: Callable[[SummaryParts], str],
    counter: TokenCounter,
    budget: int,
) -> tuple[str, SummaryParts]:
    """Return as much of what there is to tell as a budget holds, as text too.

    Raises:
        BudgetTooSmall: none of it fits.
    """
    if counter.count(written(told)) > budget:
        told = _lean(told, counter, budget // SHARES[0])
    turns = _turns(told)

    def size(count: int) -> int:
        return counter.count(written(_first(told, turns[:count])))

    count = most_within(len(turns), size, budget)
    if (turns and not count) or size(count) > budget:
        raise BudgetTooSmall(budget, size(min(1, len(turns))))
    shown = _first(told, turns[:count])
    return written(shown), shown


def _lean(told: SummaryParts, counter: TokenCounter, room: int) -> SummaryParts:
    """Return what there is to tell, its items cut to a room where that can be."""

    def line(item: Item) -> str:
        return item_line(item, numbered)

    def cut(items: Iterable[Item]) -> tuple[Item, ...]:
        return tuple(cut_to(one, room, line, counter.count) or one for one in items)

    return replace(told, decisions=cut(told.decisions), questions=cut(told.questions))


def _today() -> date:
    return datetime.now().astimezone().date()


def _kept(shelf: ContextParts, made: Summary, title: str) -> Summary:
    if not made.sentences:
        return made
    receipts = list(dict.fromkeys(one.receipt for one in made.sentences))
    path = shelf.sources.renew(title, made.project, made.text, receipts)
    return structs.replace(made, saved=path)


def _told_summaries(
    shelf: ContextParts, project: str, called: str, today: date
) -> tuple[SummaryParts, tuple[str, ...]]:
    """Return what there is to tell, and what of the project was not read."""
    rows, agent = shelf.sections(), shelf.config.writes.agent_dir.strip("/")
    members = members_of(shelf.projects, project)
    if not members:
        raise ProjectUnknown(project)
    every = rows.notes([note.note_id for note in members])
    ours = [note for note in every.values() if _is_source(note, agent)]
    ours.sort(key=lambda note: (-note.mtime_ns, note.path))
    notes = {note.note_id: note for note in ours[:MOST_NOTES]}
    own = [at for at, note in notes.items() if note.title.lower() == called.lower()]
    scope = BundleScope(tuple(sorted(own)), frozenset(notes), called, today, agent)
    left = len(ours) - len(notes)
    notices = (f"{left:,} older notes of the project were not read",) if left else ()
    return summary_parts(rows, notes, scope), notices


def _is_source(note: SectionNote, agent: str) -> bool:
    """Whether a note may be summarized: a person's own, or approved, and it holds."""
    apart = tuple(f"{agent}/{part}/" for part in APART)
    made = note.properties.get("generated") is True
    barred = made or note.path.startswith(apart) or note.path.endswith(".base")
    return not (barred or is_superseded(note))


def _turns(told: SummaryParts) -> list[str]:
    """Return the sections in the order in which each is given one thing more."""
    turns = ["short"] * len(told.short)
    for at in range(max(LIMITS.values())):
        others = (name for name in LIMITS if name != "short")
        turns += [name for name in others if at < len(getattr(told, name))]
    return turns


def _first(told: SummaryParts, turns: Iterable[str]) -> SummaryParts:
    counts = dict.fromkeys(LIMITS, 0)
    for name in turns:
        counts[name] += 1
    return SummaryParts(
        **{name: getattr(told, name)[:count] for name, count in counts.items()}
    )


def _text(called: str, told: SummaryParts, notices: Sequence[str]) -> str:
    # the sentences of a note stand together, in its order, behind those of better ones
    places = {one.path: at for at, one in reversed([*enumerate(told.points)])}
    points = sorted(told.points, key=lambda one: (places[one.path], one.rank))
    return summary_as_markdown(
        called,
        short=[one.sentence for one in told.short],
        decisions=told.decisions,
        points=[(one.note.title, one.sentence) for one in points],
        questions=told.questions,
        notices=notices,
    )


def _sentences_summaries(told: SummaryParts) -> Iterator[AnswerSentence]:
    for said in (*told.short, *told.points):
        yield said.sentence
    for item in (*told.decisions, *told.questions):
        yield AnswerSentence(item.text, item.path, item.receipt, item.trimmed)
