"""The notes that are worth reading next, by links and by likeness.

A note counts for more the more of the selected notes it touches, and for less the more
links it has: an index of everything says nothing about a question.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from math import fsum, log2

from glassmind.context.items import is_pattern
from glassmind.context.scope import Scope, SectionRows
from glassmind.markdown.days import first_day
from glassmind.types import NotePath
from glassmind.types.context import NextRead
from glassmind.types.sections import SectionNote

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

NAMED = 3
"""Notes that a reason names."""


class _Ties:
    """What ties a note to the selected ones: how much each, and in which way."""

    def __init__(self) -> None:
        self.shares: dict[int, float] = {}
        self.ways: dict[int, str] = {}

    def add(self, selected: int, share: float, way: str) -> None:
        """Take a tie on; of several to one note the strongest counts."""
        if share > self.shares.get(selected, 0.0):
            self.shares[selected], self.ways[selected] = share, way


def next_reads(rows: SectionRows, scope: Scope, limit: int) -> list[NextRead]:
    """Return notes near the selected ones and not among them, the best first."""
    ties = _ties(rows, scope)
    most = max(limit, 0)
    likely = sorted(ties, key=lambda at: (-fsum(ties[at].shares.values()), at))
    likely = likely[: most * WIDER * WIDER]
    degrees = rows.degrees(likely)
    spread = {at: _promise(ties[at], degrees.get(at, 0)) for at in likely}
    likely = sorted(spread, key=lambda at: (-spread[at], at))[: most * WIDER]
    notes = rows.notes(likely)
    scored = [
        (spread[at] * _share(notes[at], scope), notes[at].path, at)
        for at in likely
        if at in notes
    ]
    best = sorted(scored, key=lambda one: (-one[0], one[1]))[:most]
    titles = {at: note.title for at, note in rows.notes(scope.note_ids).items()}
    return [
        NextRead(NotePath(path), notes[at].title, _why(ties[at], titles, scope))
        for _, path, at in best
    ]


def _ties(rows: SectionRows, scope: Scope) -> Mapping[int, _Ties]:
    selected = {note_id: FADING**at for at, note_id in enumerate(scope.note_ids)}
    found: dict[int, _Ties] = defaultdict(_Ties)
    for link in rows.links(scope.note_ids):
        strength = TYPED if link.property else 1.0
        source, target = link.source_id, link.target_id
        if source in selected and target not in selected:
            found[target].add(source, strength * selected[source], "linked from")
        elif target in selected and source not in selected:
            found[source].add(target, strength * selected[target], "links to")
    for like in rows.likenesses(scope.note_ids):
        if like.other_id not in selected:
            strength = LIKE * like.similarity * selected[like.note_id]
            found[like.other_id].add(like.note_id, strength, "similar to")
    return found


def _promise(ties: _Ties, degree: int) -> float:
    """Return how much a note promises; one that has to do with everything less."""
    others = max(0, degree - len(ties.shares))
    return fsum(ties.shares.values()) / log2(2 + others)


def _share(note: SectionNote, scope: Scope) -> float:
    """Return how much of that is left for a note of its kind."""
    name = note.path.rpartition("/")[2]
    aside = first_day(name) or is_pattern(note.path)
    return ASIDE if aside or note.path.startswith(f"{scope.agent}/") else 1.0


def _why(ties: _Ties, titles: Mapping[int, str], scope: Scope) -> str:
    """Return the reason in a sentence: `linked from Atlas plan and Budget`."""
    said = []
    for way in ("linked from", "links to", "similar to"):
        names = [
            titles[at]
            for at in scope.note_ids
            if ties.ways.get(at) == way and at in titles
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
