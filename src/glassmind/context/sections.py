"""An item that is too long for its room, cut at the end of a sentence or a line."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import fsum, log2, sqrt
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from msgspec import structs

from glassmind.context.budget import TokenCounter
from glassmind.context.conflicts import conflicts
from glassmind.context.excerpts import NUMBER, numbered
from glassmind.context.items import (
    SUPERSEDED_BY,
    BundleScope,
    SectionRows,
    is_pattern,
    names_in,
)
from glassmind.context.markdown import (
    conflict_line,
    item_line,
    read_line,
    section,
    source_line,
)
from glassmind.context.note_lines import HEADING
from glassmind.context.open_work import decisions, questions, tasks
from glassmind.context.question_words import asked_terms, section_asked, shared
from glassmind.model import NotePath
from glassmind.model.context import Conflict, Dropped, Item, NextRead
from glassmind.obsidian.text import estimate_tokens, first_day, one_line, sentence_spans

CAREFUL = 0.9
"""Of the characters that would fit by measure: tokens are not evenly long."""

TRIES, NEXT = 4, 0.75
"""How often an item is cut shorter where its beginning takes more tokens than the rest
of it, and to which part of the length before."""

LEAST_CHARS = 36
"""Characters that a task is worth cutting to: half a dozen words say what it is."""


def cut_to(
    item: Item, room: int, line: Callable[[Item], str], count: Callable[[str], int]
) -> Item | None:
    """Return an item whose line takes a room at most, cut where it has to be.

    None where no sentence of it fits.
    """
    cost = count(line(item))
    if cost <= room:
        return item
    said = max(1, count(one_line(item.text)))
    share = (room - (cost - said)) / said
    for _ in range(TRIES):
        cut = shortened(item, share) if share > 0 else None
        if cut is None or count(line(cut)) <= room:
            return cut
        share *= NEXT
    return None


def shortened(item: Item, share: float) -> Item | None:
    """Return an item with so much of its text at most; None where no sentence fits.

    A task is mostly one, and is cut behind a word. What has no sentence so soon, such
    as a list, is cut behind a line.
    """
    most = int(len(item.text) * share * CAREFUL)
    ends = [end for _, end in sentence_spans(item.text[: most + 1]) if end <= most]
    text = item.text[: ends[-1]] if ends else ""
    if not text.strip() and item.kind == "task":
        text = _words(item.text, most)
    if not text.strip():
        text = _lines(item.text, most)
    return structs.replace(item, text=text, trimmed=True) if text.strip() else None


def _words(text: str, most: int) -> str:
    """Return the first words of a text, no link or field cut through; "" for few."""
    cut = text[: most + 1].rpartition(" ")[0]
    if cut.rfind("[") > cut.rfind("]"):
        cut = cut[: cut.rfind("[")].rstrip("[( ")
    return cut if len(cut) >= LEAST_CHARS else ""


def _lines(text: str, most: int) -> str:
    """Return the first lines of a text; a heading is none that they could end with."""
    lines = text[: most + 1].split("\n")[:-1]
    while lines and (not lines[-1].strip() or HEADING.match(lines[-1])):
        lines.pop()
    return "\n".join(lines)


TYPED = 1.5
"""What a link that a property holds counts, against 1 in the text: it was meant."""

LIKE = 0.8
"""What full likeness counts: less than a link, which a person made."""

ASIDE = 0.4
"""What is left for daily notes, templates and notes of agents."""

FADING = 0.9
"""What the next selected note counts against the one before it, which fits better."""

WIDER = 2
"""How many times as many notes are looked at as are wanted, at each of two steps."""

LEAST = 0.2
"""Of what the best is worth, what another has to be: below it stand notes that a list
of everything leads to, as read in two vaults."""

NAMED = 3
"""Notes that a reason names."""


Ties: TypeAlias = dict[int, tuple[float, str]]
"""What ties a note to each of the selected ones: how much, and in which way."""


def next_reads(
    rows: SectionRows, scope: BundleScope, limit: int, shown: Collection[int] = ()
) -> list[NextRead]:
    """Return notes near the selected ones and not among them, the best first.

    Nor are those that are `shown` beside them.
    """
    ties = _ties(rows, scope)
    for note_id in shown:
        ties.pop(note_id, None)
    most = max(limit, 0)
    # from here on worth is below zero, so that plain sorting has the best first
    held = sorted([(-_held(tied), at) for at, tied in ties.items()])
    likely = held[: most * WIDER * WIDER]
    degrees = rows.degrees([at for _, at in likely])
    spread = sorted(
        [
            (_promise(worth, degrees.get(at, 0) - len(ties[at])), at)
            for worth, at in likely
        ]
    )[: most * WIDER]
    notes = rows.named([*(at for _, at in spread), *scope.note_ids])
    scored = [
        (worth * _share(notes[at][0], scope), notes[at][0], at)
        for worth, at in spread
        if at in notes
    ]
    scored.sort()
    least = LEAST * scored[0][0] if scored else 0.0
    best = [one for one in scored[:most] if one[0] <= least]
    titles = {at: title for at, (_, title) in notes.items()}
    return [
        NextRead(NotePath(path), titles[at], _why(ties[at], titles, scope))
        for _, path, at in best
    ]


def _ties(rows: SectionRows, scope: BundleScope) -> dict[int, Ties]:
    selected = {note_id: FADING**at for at, note_id in enumerate(scope.note_ids)}
    found: dict[int, Ties] = defaultdict(dict)
    links, likes = rows.links(scope.note_ids), rows.likenesses(scope.note_ids)
    pairs = {(source, target) for source, _, target, _ in links}
    leads = _divided(selected, [source for source, _ in pairs])
    led = _divided(selected, [target for _, target in pairs])
    liked = _divided(selected, [like.note_id for like in likes])
    for source, _, target, held in links:
        if source in leads:
            if target not in selected:
                share = leads[source] * (TYPED if held else 1.0)
                _tie(found[target], source, share, "linked from")
        elif target in led:
            share = led[target] * (TYPED if held else 1.0)
            _tie(found[source], target, share, "links to")
    for like in likes:
        if like.other_id not in selected:
            share = LIKE * like.similarity * liked[like.note_id]
            _tie(found[like.other_id], like.note_id, share, "similar to")
    return found


def _divided(selected: Mapping[int, float], ends: Sequence[int]) -> dict[int, float]:
    """Return what each tie of a selected note is worth, by the root of how many it has.

    So does the graph channel of a search, where the root was measured. `ends` has each
    note once for every tie.
    """
    times = Counter(ends)
    return {at: worth / sqrt(times[at]) for at, worth in selected.items() if times[at]}


def _tie(ties: Ties, selected: int, share: float, way: str) -> None:
    """Take a tie on; of several to one note the strongest counts."""
    if selected not in ties or share > ties[selected][0]:
        ties[selected] = (share, way)


def _held(ties: Ties) -> float:
    """Return what all ties of a note are worth; most have one."""
    if len(ties) == 1:
        ((share, _),) = ties.values()
        return share
    return fsum([share for share, _ in ties.values()])


def _promise(held: float, others: int) -> float:
    """Return how much of its worth a note keeps; one that has many links less."""
    return held / log2(2 + max(0, others))


def _share(path: str, scope: BundleScope) -> float:
    """Return how much of that is left for a note of its kind."""
    aside = first_day(path.rpartition("/")[2]) or is_pattern(path)
    return ASIDE if aside or path.startswith(f"{scope.agent}/") else 1.0


def _why(ties: Ties, titles: Mapping[int, str], scope: BundleScope) -> str:
    """Return the reason in a sentence: `linked from Atlas plan and Budget`."""
    said = []
    for way in ("linked from", "links to", "similar to"):
        names = [
            titles[at]
            for at in scope.note_ids
            if at in ties and ties[at][1] == way and at in titles
        ]
        if names:
            said.append(f"{way} {_listed(names)}")
    return "; ".join(said)


def _listed(names: Collection[str]) -> str:
    """Return names as a sentence lists them."""
    unique: Iterable[str] = dict.fromkeys(names)
    shown = list(unique)
    if len(shown) > NAMED:
        shown = [*shown[: NAMED - 1], f"{len(shown) - NAMED + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


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
    rows: SectionRows, scope: BundleScope, counter: TokenCounter, budget_tokens: int
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
    made: Sections, rows: SectionRows, scope: BundleScope
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
    rows: SectionRows, shown: BundleScope, counter: TokenCounter, room: int
) -> Sections:
    """Return what to read beside the notes that are shown, as far as a room goes.

    Asked once it is known which these are: no other is a reason.
    """
    fitting = _Fitting(counter, int(room / SHARES["suggested"]))
    near = replace(shown, note_ids=shown.note_ids[:COMPARED])
    found = next_reads(rows, near, MOST["suggested"], shown.note_ids)
    return fitting.told(Sections(suggested=fitting.of("suggested", found)))


def refitted(made: Sections, counter: TokenCounter, room: int) -> Sections:
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
        counter: TokenCounter,
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
