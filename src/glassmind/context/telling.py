"""What there is to tell of a project: its sentences by weight, decisions, questions.

A sentence counts by how near it is to the centre of all that the notes say, more where
it opens a note, says what something is, stands in a note that many link to or that was
changed lately. What says the same again is left out, and no note may speak for all.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import log1p

from glassmind.context.central import centrality, is_alike, words_of
from glassmind.context.decisions import decisions
from glassmind.context.items import changed_day, day_of
from glassmind.context.questions import questions
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.shortening import shortened
from glassmind.context.spoken import Spoken, spoken
from glassmind.model import NotePath, Span
from glassmind.model.context import Item
from glassmind.model.sections import SectionNote

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
class Told:
    """What there is to tell, by section, the best first."""

    short: tuple[Spoken, ...] = ()
    decisions: tuple[Item, ...] = ()
    points: tuple[Spoken, ...] = ()
    questions: tuple[Item, ...] = ()


def told_of(rows: SectionRows, notes: Mapping[int, SectionNote], scope: Scope) -> Told:
    """Return what the notes of a project tell; `scope.query` is what it is called.

    Decisions are those of its notes, and of what the note of its own name links to.
    """
    unasked = replace(scope, query="")  # its name is no question
    decided = [*_told(decisions(rows, unasked))]
    asked = [*_told(questions(rows, unasked))]
    taken = _spans((*decided, *asked))
    free = [one for one in spoken(rows, notes) if not _is_among(one, taken)]
    best = _best(free, _weights(rows, notes, scope))
    return Told(
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


def _is_among(said: Spoken, taken: Mapping[NotePath, Sequence[Span]]) -> bool:
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
    rows: SectionRows, notes: Mapping[int, SectionNote], scope: Scope
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


def _best(said: Sequence[Spoken], weights: Mapping[int, float]) -> list[Spoken]:
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


def _weight(said: Spoken) -> float:
    """Return what a sentence counts more, or less, by what it is itself."""
    weight = OPENING if said.rank == 0 else 1.0
    if _LEANS.match(said.text):
        weight *= LEANING
    elif _IS.search(said.text, 0, DEFINED_CHARS):
        weight *= DEFINING
    return weight * (BRIEF if len(said.text.split()) < BRIEF_WORDS else 1.0)
