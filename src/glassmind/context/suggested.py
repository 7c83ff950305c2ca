"""The notes that are worth reading next, by links and by likeness.

A note counts for more the more of the selected notes it touches, and for less the more
links it has, or those have that it touches: an index of everything says nothing about a
question, nor does standing in one.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, log2, sqrt
from typing import TypeAlias

from glassmind.context.items import is_pattern
from glassmind.context.scope import Scope, SectionRows
from glassmind.model import NotePath
from glassmind.model.context import NextRead
from glassmind.obsidian.days import first_day

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
    rows: SectionRows, scope: Scope, limit: int, shown: Collection[int] = ()
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


def _ties(rows: SectionRows, scope: Scope) -> dict[int, Ties]:
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


def _share(path: str, scope: Scope) -> float:
    """Return how much of that is left for a note of its kind."""
    aside = first_day(path.rpartition("/")[2]) or is_pattern(path)
    return ASIDE if aside or path.startswith(f"{scope.agent}/") else 1.0


def _why(ties: Ties, titles: Mapping[int, str], scope: Scope) -> str:
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
