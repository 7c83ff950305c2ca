"""What a bundle says beside its passages, each section within a share of the budget.

What a section does not use is left to the passages.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from glassmind.context.budget import Counter
from glassmind.context.conflicts.rules import conflicts
from glassmind.context.cutting import NUMBER, numbered
from glassmind.context.decisions import decisions
from glassmind.context.items import names_in
from glassmind.context.markdown import (
    conflict_line,
    item_line,
    read_line,
    section,
    source_line,
)
from glassmind.context.questions import questions
from glassmind.context.relevance import asked_terms, section_asked, shared
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.section_words import SUPERSEDED_BY
from glassmind.context.shortening import cut_to
from glassmind.context.suggested import next_reads
from glassmind.context.tasks import tasks
from glassmind.model import NotePath
from glassmind.model.context import Conflict, Dropped, Item, NextRead
from glassmind.obsidian.tokens import estimate_tokens

One = TypeVar("One")

LEAST_LINE = 20
"""Tokens that the shortest line of a section takes, its source included."""

LEAST_CUT = 50
"""Room below which no item is worth cutting: its source takes most of that."""

SHARES: Mapping[str, float] = MappingProxyType(
    {
        "decisions": 0.1,
        "questions": 0.08,
        "tasks": 0.07,
        "suggested": 0.05,
        "conflicts": 0.1,
    }
)
"""The most of a budget that a section takes: two fifths for all of them, so that
passages have the bulk whatever a vault is full of."""

ALL = sum(SHARES.values())
FIRST: Mapping[str, int] = MappingProxyType(
    {"conflicts": 180, "questions": 90, "tasks": 160, "decisions": 160}
)
"""Tokens that a section may take where its share is less: one conflict with both its
sources, one question, one task of a long name or two others, one decision. What comes
last has the less."""

IF_NEAR = ("tasks", "decisions")
"""Sections that may do so if their first has to do with the question: passages of
another note come before any task."""

ASKED = 0.2
"""Of a budget, for the section that the question asks for by its name, which comes
before the others: half of what all may take."""

BY_DAY = frozenset(("tasks",))
"""Sections whose order is one of days: what is due later does not come in the place of
what is due, because it is shorter."""

MOST: Mapping[str, int] = MappingProxyType(
    {"decisions": 8, "questions": 6, "tasks": 10, "suggested": 6, "conflicts": 6}
)
"""The most of each, however large a budget is: more is a list, not context."""


COMPARED = 8
"""Notes, from the best, whose neighbours are suggested and whose statements are
compared: both cost more than all other sections together."""


class Whole(NamedTuple):
    """All that was found for a section, and what the part of it that fits takes."""

    name: str
    found: Collection[Any]
    tokens: int


class Sections(NamedTuple):
    """What fits of each section, what it takes, and what was left out.

    `wholes` are the sections for which something was found, in the order in which
    they get room. `replaced` has the notes that do not hold any more, each with the
    title of the one in its place, whether there is room to tell why or not.
    """

    decisions: tuple[Item, ...] = ()
    questions: tuple[Item, ...] = ()
    tasks: tuple[Item, ...] = ()
    suggested: tuple[NextRead, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    tokens: int = 0
    dropped: tuple[Dropped, ...] = ()
    wholes: tuple[Whole, ...] = ()
    replaced: Mapping[NotePath, str] = MappingProxyType({})


def sections_of(
    rows: SectionRows, scope: Scope, counter: Counter, budget_tokens: int
) -> Sections:
    """Return what notes and project say beside their passages, as far as it fits."""
    near = replace(scope, note_ids=scope.note_ids[:COMPARED])
    found: dict[str, Collection[Any]] = {
        "conflicts": conflicts(rows, near),
        "questions": questions(rows, scope),
        "tasks": tasks(rows, scope),
        "decisions": decisions(rows, scope),
    }
    asked = section_asked(scope.query)
    words = _words_of_first(found, scope.query, budget_tokens)
    order = sorted(  # in which they get room
        found,
        key=lambda name: (name != asked, name != "conflicts", -words.get(name, 0)),
    )
    far = {name for name in IF_NEAR if name != asked and words.get(name) == 0}
    fitting = _Fitting(counter, budget_tokens, asked=asked, far=far)
    fits: dict[str, Any] = {name: fitting.of(name, found[name]) for name in order}
    made = fitting.told(Sections(**fits))
    return made._replace(replaced=_replaced(made, rows, scope))


def _words_of_first(
    found: Mapping[str, Collection[Any]], query: str, budget_tokens: int
) -> dict[str, int]:
    """Return how many words of the question the first of each section has.

    Nothing of conflicts; nor where that does not matter, since each has its share.
    """
    tight = any(SHARES[name] * budget_tokens < first for name, first in FIRST.items())
    terms = asked_terms(query) if tight or section_asked(query) else None
    if terms is None:
        return {}
    firsts = {name: next(iter(all_of), None) for name, all_of in found.items()}
    return {
        name: shared(first, terms)
        for name, first in firsts.items()
        if isinstance(first, Item)
    }


def _replaced(
    made: Sections, rows: SectionRows, scope: Scope
) -> Mapping[NotePath, str]:
    """Return the selected notes that another is in the place of, with its title.

    Of those whose statements are not compared, as far as they say so themselves.
    """
    later = rows.held(scope.note_ids[COMPARED:], SUPERSEDED_BY)
    said = {
        NotePath(path): names[0].rpartition("/")[2]
        for path, value in later
        if (names := names_in(value))
    }
    for whole in made.wholes:
        for one in whole.found if whole.name == "conflicts" else ():
            if one.kind == "superseded":
                said[one.sides[1].path] = one.sides[0].title
    return said


def suggested_for(
    rows: SectionRows, shown: Scope, counter: Counter, room: int
) -> Sections:
    """Return what to read beside the notes that are shown, as far as a room goes.

    Asked once it is known which these are: no other is a reason.
    """
    fitting = _Fitting(counter, int(room / SHARES["suggested"]))
    near = replace(shown, note_ids=shown.note_ids[:COMPARED])
    found = next_reads(rows, near, MOST["suggested"], shown.note_ids)
    return fitting.told(Sections(suggested=fitting.of("suggested", found)))


def refitted(made: Sections, counter: Counter, room: int) -> Sections:
    """Return sections with more of what they left out, in order, as a room allows."""
    short = {one.section: one for one in made.dropped}
    for name, found, tokens in made.wholes:
        if name in short and room >= LEAST_LINE:
            fitting = _Fitting(counter, 0, most=tokens + room)
            kept = fitting.of(name, found)
            if fitting.tokens > tokens:
                room -= fitting.tokens - tokens
                more: dict[str, Any] = {name: kept}
                total = made.tokens + fitting.tokens - tokens
                made = made._replace(tokens=total, **more)
                count, size = fitting.left_out
                short[name] = replace(short[name], count=count, tokens=size)
    return made._replace(dropped=tuple(one for one in short.values() if one.count))


class _Fitting:
    """Takes of each section what fits its share, and counts what it takes."""

    def __init__(
        self,
        counter: Counter,
        budget_tokens: int,
        most: int | None = None,
        asked: str = "",
        far: Collection[str] = (),
    ) -> None:
        self._asked, self._far = asked, far
        self._counter, self._budget, self._most = counter, budget_tokens, most
        self.tokens = 0
        self.dropped: list[Dropped] = []
        self._wholes: list[Whole] = []

    def told(self, found: Sections) -> Sections:
        """Return sections with what is known of them."""
        dropped, wholes = tuple(self.dropped), tuple(self._wholes)
        return found._replace(tokens=self.tokens, dropped=dropped, wholes=wholes)

    @property
    def left_out(self) -> tuple[int, int]:
        """How many things were left out, and about how many tokens."""
        count = sum(one.count for one in self.dropped)
        return count, sum(one.tokens for one in self.dropped)

    def of(self, name: str, found: Collection[Any]) -> tuple[Any, ...]:
        """Return what fits of a section."""
        before = self.tokens
        if name == "conflicts":
            kept = self.fit(name, found, _sides_sourced)
        elif name == "suggested":
            kept = self.fit(name, found, read_line)
        else:
            kept = self.items(name, found)
        if found:
            self._wholes.append(Whole(name, found, self.tokens - before))
        return kept

    def _share(self, name: str) -> int:
        """Return the most that a section may take, after those before it."""
        if self._most is not None:
            return self._most
        part = ASKED if name == self._asked else SHARES[name]
        least = 0 if name in self._far else FIRST.get(name, 0)
        share = max(int(part * self._budget), least)
        return min(share, int(ALL * self._budget) - self.tokens)

    def items(self, name: str, found: Collection[Item]) -> tuple[Item, ...]:
        """Return the items that fit; each comes with a source."""
        return self.fit(name, found, _sourced, self._shortened)

    def _shortened(self, item: Item, room: int) -> Item | None:
        """Return what of an item fits a room, to the end of a sentence."""
        return cut_to(item, room, _sourced, self._counter.count)

    def fit(
        self,
        name: str,
        found: Collection[One],
        line: Callable[[One], str],
        shorter: Callable[[One, int], One | None] = lambda *_: None,
    ) -> tuple[One, ...]:
        """Return the first of a section, as many as fit.

        One too long is made shorter where that can be, and else passed by; in a section
        by day it is the last that is looked at.
        """
        if not found:
            return ()
        share = self._share(name)
        room = share - self._counter.count(section(name, ["-\n"]))
        kept: list[One] = []
        left = ""  # the line of the first that is left out
        looked = iter(found)
        for one in islice(looked, MOST[name]):
            text = line(one)
            cost = share if room < LEAST_LINE else self._counter.count(text)
            if cost <= room:
                kept.append(one)
                room -= cost
            elif room >= LEAST_CUT and (cut := shorter(one, room)):
                kept.append(cut)
                room -= self._counter.count(line(cut))
            else:
                left = left or text
                if room < LEAST_LINE or name in BY_DAY:  # nor does any other fit
                    break
        if more := len(found) - len(kept):
            size = estimate_tokens(left or line(next(looked)))
            self.dropped.append(Dropped(name, more, more * size))
        if kept:
            self.tokens += share - room
        return tuple(kept)


def _sourced(item: Item) -> str:
    return item_line(item, numbered) + source_line(item.receipt, NUMBER)


def _sides_sourced(conflict: Conflict) -> str:
    sources = (source_line(side.receipt, NUMBER) for side in conflict.sides)
    return conflict_line(conflict, numbered) + "".join(sources)


def without_items(found: Sections) -> Sections:
    """Return the sections empty, with all that they held among what is left out."""
    held = {name: len(getattr(found, name)) for name in SHARES}
    known = {one.section: one for one in found.dropped}
    each = found.tokens // max(1, sum(held.values()))
    dropped = []
    for name, count in held.items():
        old = known.get(name, Dropped(name, 0, 0))
        if old.count + count:
            tokens = old.tokens + count * each
            dropped.append(replace(old, count=old.count + count, tokens=tokens))
    wholes = tuple(one._replace(tokens=0) for one in found.wholes)
    return Sections(dropped=tuple(dropped), wholes=wholes, replaced=found.replaced)
