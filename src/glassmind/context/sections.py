"""What a bundle says beside its passages, each section within a share of the budget.

These are conflicts, open questions, open tasks, decisions and notes to read next. What
a section does not use is left to the passages.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import fsum, log2, sqrt
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from msgspec import structs

from glassmind.context.budget import TokenCounter, most_within
from glassmind.context.conflicts import conflicts
from glassmind.context.items import (
    SUPERSEDED_BY,
    BundleRows,
    BundleScope,
    decisions,
    is_pattern,
    names_in,
    questions,
    tasks,
)
from glassmind.context.markdown import (
    NUMBER,
    conflict_line,
    item_line,
    numbered,
    read_line,
    section,
    source_line,
)
from glassmind.context.note_lines import HEADING
from glassmind.context.question_words import asked_terms, section_asked, shared
from glassmind.errors import BudgetTooSmall
from glassmind.model import NotePath
from glassmind.model.context import Conflict, Item, NextRead, OmittedSection
from glassmind.obsidian.text import estimate_tokens, first_day, one_line, sentence_spans

SHARES: Mapping[str, float] = MappingProxyType(
    {
        "conflicts": 0.1,
        "questions": 0.08,
        "tasks": 0.07,
        "decisions": 0.1,
        "suggested": 0.05,
    }
)
"""The most of a budget that each section takes, in the order in which they get room."""

ALL, ASKED = sum(SHARES.values()), 0.2
"""The most of a budget for all sections, and for the one that the question asks for by
name, which comes first."""

FIRST: Mapping[str, int] = MappingProxyType(
    {"conflicts": 180, "questions": 90, "tasks": 160, "decisions": 160}
)
"""Tokens that a section may take where its share is less, so that one item fits, if
that has a word of the question."""

MOST: Mapping[str, int] = MappingProxyType(
    {"decisions": 8, "questions": 6, "tasks": 10, "suggested": 6, "conflicts": 6}
)
"""The most items of each section: more is a list, not context."""

BY_DAY = frozenset(("tasks",))
"""Sections in the order of days: no later item takes the place of one that is too
long."""

COMPARED = 8
"""Notes, from the best, that are compared for conflicts and lead to other notes."""

LEAST_LINE, LEAST_CUT = 20, 50
"""Tokens of the shortest line with its source, and of one that is worth cutting to."""


class BundleSection(NamedTuple):
    """All that was found for a section, what of it fits, and the tokens of that."""

    name: str
    found: Sequence[Any]
    kept: tuple[Any, ...] = ()
    tokens: int = 0

    def dropped(self, cut: Collection[str] = ()) -> list[OmittedSection]:
        """Return what was left out; `cut` are sections that were not read fully."""
        more = len(self.found) - len(self.kept)
        if not more:
            return []
        line = _sourced(self.found[len(self.kept)])
        size = more * estimate_tokens(line)
        return [OmittedSection(self.name, more, size, self.name in cut)]


Sections: TypeAlias = dict[str, BundleSection]


def sections_of(
    rows: BundleRows, scope: BundleScope, counter: TokenCounter, budget_tokens: int
) -> Sections:
    near = replace(scope, note_ids=scope.note_ids[:COMPARED])
    found: dict[str, Sequence[Any]] = {
        "conflicts": conflicts(rows, near),
        "questions": questions(rows, scope),
        "tasks": tasks(rows, scope),
        "decisions": decisions(rows, scope),
    }
    asked, terms = section_asked(scope.query), asked_terms(scope.query)
    near_ones = {asked}
    for name, items in found.items():
        first = items[0] if items else None
        if terms is None or not isinstance(first, Item) or shared(first, terms):
            near_ones.add(name)
    left, sections = int(ALL * budget_tokens), {}
    for name in sorted(found, key=lambda name: (name != asked, name not in near_ones)):
        share = int((ASKED if name == asked else SHARES[name]) * budget_tokens)
        if name in near_ones:
            share = max(share, FIRST[name])
        sections[name] = _fit(name, found[name], min(share, left), counter)
        left -= sections[name].tokens
    return {name: sections[name] for name in found}


def suggested_for(
    rows: BundleRows, shown: BundleScope, counter: TokenCounter, room: int
) -> BundleSection:
    """Return what to read beside the notes that are shown, as far as a room goes."""
    near = replace(shown, note_ids=shown.note_ids[:COMPARED])
    reads = next_reads(rows, near, MOST["suggested"], shown.note_ids)
    return _fit("suggested", reads, room, counter)


def refitted(made: Sections, counter: TokenCounter, room: int) -> Sections:
    new = dict(made)
    for name, old in made.items():
        if len(old.kept) < len(old.found) and room >= LEAST_LINE:
            more = _fit(name, old.found, old.tokens + room, counter)
            if more.tokens > old.tokens:
                new[name] = more
                room -= more.tokens - old.tokens
    return new


def replaced_notes(
    made: Sections, rows: BundleRows, scope: BundleScope
) -> Mapping[NotePath, str]:
    later = rows.store.held_values(scope.note_ids[COMPARED:], SUPERSEDED_BY)
    said = {
        NotePath(path): names[0].rpartition("/")[2]
        for path, value in later
        if (names := names_in(value))
    }
    for conflict in made["conflicts"].found:
        if conflict.kind == "superseded":
            newer, older = conflict.sides
            said[older.path] = newer.title
    return said


def _fit(
    name: str, found: Sequence[Any], share: int, counter: TokenCounter
) -> BundleSection:
    """Return the first items of a section that fit; long ones are cut or passed by."""
    if not found:
        return BundleSection(name, found)
    room = share - counter.count(section(name, ["-\n"]))
    kept: list[Any] = []
    for one in islice(found, MOST[name]):
        if room < LEAST_LINE:
            break
        shorter = None
        if room >= LEAST_CUT or counter.count(_sourced(one)) <= room:
            shorter = cut_to(one, room, _sourced, counter.count)
        if shorter is not None:
            kept.append(shorter)
            room -= counter.count(_sourced(shorter))
        elif name in BY_DAY:
            break
    return BundleSection(name, found, tuple(kept), share - room if kept else 0)


def _sourced(one: Item | Conflict | NextRead) -> str:
    if isinstance(one, NextRead):
        return read_line(one)
    if isinstance(one, Conflict):
        sources = (source_line(side.receipt, NUMBER) for side in one.sides)
        return conflict_line(one, numbered) + "".join(sources)
    return item_line(one, numbered) + source_line(one.receipt, NUMBER)


# --- items that are too long --------------------------------------------------------

CAREFUL, TRIES, NEXT = 0.9, 4, 0.75
"""Of the characters that would fit by measure; and how often, and to which part, an
item is cut shorter where its beginning takes more tokens than the rest of it."""


LEAST_CHARS = 36
"""Characters that a task is worth cutting to."""


Parts: TypeAlias = Mapping[str, Sequence[Any]]
"""Sections by name, each with its items, the best first."""

ITEM_SHARES = (4, 2, 1)
"""Of a budget that does not hold all, the part that one item may take at most, so that
one long decision is not the whole answer; larger parts where nothing is shorter."""


def parts_within(
    parts: Parts,
    budget: int,
    counter: TokenCounter,
    text: Callable[[Parts], str],
    line: Callable[[str, Any], str],
) -> Parts:
    """Return as much of some sections as fits, an item of each section in turn.

    `text` returns sections as they are shown, and `line` one item of a section.
    """

    def size(some: Parts, count: int) -> int:
        return counter.count(text(_in_turn(some, count)))

    if counter.count(text(parts)) <= budget:
        return parts
    least = 0
    for share in ITEM_SHARES:
        small = {
            name: tuple(
                _shorter(partial(line, name), counter, name, found, budget // share)
            )
            for name, found in parts.items()
        }
        total = sum(map(len, small.values()))
        count = most_within(total, partial(size, small), budget)
        if count:
            return _in_turn(small, count)
        least = size(small, 1)
    raise BudgetTooSmall(budget, least)


def _in_turn(parts: Parts, count: int) -> Parts:
    """Return so many items of some sections, one of each section in turn."""
    turns = [(at, name) for name in parts for at in range(len(parts[name]))]
    turns.sort(key=itemgetter(0))
    kept = Counter(name for _, name in turns[:count])
    return {name: found[: kept[name]] for name, found in parts.items()}


def _shorter(
    line: Callable[[Any], str],
    counter: TokenCounter,
    name: str,
    found: Iterable[Any],
    room: int,
) -> Iterator[Any]:
    """Yield what of a section takes a room at most, items cut to that."""
    for item in found:
        shorter = cut_to(item, room, line, counter.count)
        if shorter is not None:
            yield shorter
        elif name in BY_DAY:
            return


def cut_to(
    item: Any, room: int, line: Callable[[Any], str], count: Callable[[str], int]
) -> Any:
    """Return what fits a room: an item cut to that; None for anything else."""
    cost = count(line(item))
    if cost <= room:
        return item
    if not isinstance(item, Item):
        return None
    said = max(1, count(one_line(item.text)))
    share = (room - (cost - said)) / said
    for _ in range(TRIES):
        cut = shortened(item, share) if share > 0 else None
        if cut is None or count(line(cut)) <= room:
            return cut
        share *= NEXT
    return None


def shortened(item: Item, share: float) -> Item | None:
    """Return an item with a share of its text at most; None if no sentence fits.

    A task is cut behind a word, a list behind a line.
    """
    most = int(len(item.text) * share * CAREFUL)
    ends = [end for _, end in sentence_spans(item.text[: most + 1]) if end <= most]
    text = item.text[: ends[-1]] if ends else ""
    if not text.strip() and item.kind == "task":
        text = _words(item.text, most)
    if not text.strip():
        lines = item.text[: most + 1].split("\n")[:-1]
        while lines and (not lines[-1].strip() or HEADING.match(lines[-1])):
            lines.pop()
        text = "\n".join(lines)
    return structs.replace(item, text=text, trimmed=True) if text.strip() else None


def _words(text: str, most: int) -> str:
    cut = text[: most + 1].rpartition(" ")[0]
    if cut.rfind("[") > cut.rfind("]"):
        cut = cut[: cut.rfind("[")].rstrip("[( ")
    return cut if len(cut) >= LEAST_CHARS else ""


# --- notes to read next -------------------------------------------------------------

IN_PROPERTY, SIMILAR = 1.5, 0.8
"""What a link in a property, and full similarity, count against a link in the text."""

FADING, ASIDE, LEAST = 0.9, 0.4, 0.2
"""What each selected note counts against the one before it; what is left for daily
notes, templates and notes of agents; and of the best, what another must be worth."""

LOOKED_AT, NAMED = 4, 3
"""How many times as many notes are looked at as are wanted; notes a reason names."""

Ties: TypeAlias = dict[int, tuple[float, str]]
"""What links a note to each selected one: how strongly, and in which way."""


def next_reads(
    rows: BundleRows, scope: BundleScope, limit: int, shown: Collection[int] = ()
) -> list[NextRead]:
    """Return notes that selected notes link to, are linked from or are similar to.

    A note counts for less the more links it has, or those have that lead to it: an
    index of everything says nothing about a question.
    """
    ties = _ties(rows, scope)
    for note_id in shown:
        ties.pop(note_id, None)
    held = {
        at: fsum([share for share, _ in tied.values()]) for at, tied in ties.items()
    }
    likely = sorted(held, key=lambda at: (-held[at], at))[: max(limit, 0) * LOOKED_AT]
    degrees = rows.store.degrees(likely)
    notes = rows.names([*likely, *scope.note_ids])
    scored = []
    for at in likely:
        if at in notes:
            others = max(0, degrees.get(at, 0) - len(ties[at]))
            path = notes[at][0]
            aside = first_day(path.rpartition("/")[2]) or is_pattern(path)
            aside = aside or path.startswith(f"{scope.agent}/")
            worth = held[at] / log2(2 + others) * (ASIDE if aside else 1.0)
            scored.append((-worth, path, at))
    scored.sort()
    best = [one for one in scored[: max(limit, 0)] if one[0] <= LEAST * scored[0][0]]
    titles = {at: title for at, (_, title) in notes.items()}
    return [
        NextRead(NotePath(path), titles[at], _why(ties[at], titles, scope))
        for _, path, at in best
    ]


def _ties(rows: BundleRows, scope: BundleScope) -> dict[int, Ties]:
    worth = {note_id: FADING**at for at, note_id in enumerate(scope.note_ids)}
    links, likes = (
        rows.section_links(scope.note_ids),
        rows.store.partners(scope.note_ids),
    )
    pairs = {(source, target) for source, _, target, _ in links}
    out = Counter(source for source, _ in pairs)
    back = Counter(target for _, target in pairs)
    like = Counter(partner.note_id for partner in likes)
    found: dict[int, Ties] = defaultdict(dict)

    def tie(note: int, selected: int, strength: float, many: int, way: str) -> None:
        share = strength * worth[selected] / sqrt(many)
        if note not in worth and share > found[note].get(selected, (0.0, ""))[0]:
            found[note][selected] = (share, way)

    for source, _, target, held in links:
        strength = IN_PROPERTY if held else 1.0
        if source in worth:
            tie(target, source, strength, out[source], "linked from")
        elif target in worth:
            tie(source, target, strength, back[target], "links to")
    for partner in likes:
        strength = SIMILAR * partner.similarity
        tie(
            partner.other_id,
            partner.note_id,
            strength,
            like[partner.note_id],
            "similar to",
        )
    return found


def _why(ties: Ties, titles: Mapping[int, str], scope: BundleScope) -> str:
    said = []
    for way in ("linked from", "links to", "similar to"):
        there = (at for at in scope.note_ids if at in ties and at in titles)
        names = list(dict.fromkeys(titles[at] for at in there if ties[at][1] == way))
        if len(names) > NAMED:
            names = [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"]
        if names:
            *others, last = names
            said.append(f"{way} {', '.join(others)}{' and ' * bool(others)}{last}")
    return "; ".join(said)
