"""Pairs of notes in the order of their scores, looked at as far as somebody asks."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from heapq import heapify, heappop, heappush
from threading import Lock

from glassmind.graph.suggest import scoring as rank
from glassmind.graph.suggest.desk import Desk, Glance, Look
from glassmind.model import NotePath
from glassmind.model.suggestions import Suggestion

ROUNDING = 1e-9
"""What two ways to add the same shares may differ by."""


class Ranking:
    """Owns how far some pairs were looked at, and what came of it.

    For any number of threads. Nothing below `least` is looked at but what is paired.
    `seen` are digests of the notes that this stands on.
    """

    def __init__(self, glances: Iterable[Glance], *, least: float = rank.LEAST) -> None:
        self._least = least
        self._heap = [(-one.score, one.node, one.other, one) for one in glances]
        heapify(self._heap)
        self._looks: list[Look] = []
        self._pairs: set[frozenset[int]] = set()
        self._made: dict[object, Suggestion | None] = {}
        self._looking = Lock()
        self.seen: dict[NotePath, str] = {}

    def first(self, desk: Desk, note: NotePath | None, limit: int) -> list[Suggestion]:
        """Return the best suggestions, with the properties that should lead back.

        What was dismissed is passed by.
        """
        with self._looking:
            found = list(self._first(desk, limit))
            for missing in desk.missing(note)[:limit]:
                made = self._once(missing, partial(desk.answer, missing))
                if made is not None:
                    found.append(made)
            self.seen.update(desk.pages.seen())
        found.sort(key=lambda one: (-one.score, one.source, one.target))
        return found[:limit]

    def _first(self, desk: Desk, limit: int) -> Iterator[Suggestion]:
        looks, places = self._all(desk), set[tuple[NotePath, int]]()
        while limit and (look := next(looks, None)) is not None:
            ends = look.glance.node, look.glance.other
            if desk.is_dismissed(*ends):
                continue
            made = self._once(ends, partial(desk.suggested, look))
            place = _place(made)
            if place not in places:  # a namesake's is told with the first
                limit -= 1
                if place is not None:
                    places.add(place)
                if made is not None:
                    yield made

    def _once(
        self, key: object, make: Callable[[], Suggestion | None]
    ) -> Suggestion | None:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _all(self, desk: Desk) -> Iterator[Look]:
        """Yield the pairs that are worth suggesting, the best first."""
        yield from self._looks
        while self._heap:
            below, node, other, glance = heappop(self._heap)
            if -below < self._least and not glance.paired:
                continue
            if frozenset((node, other)) in self._pairs:
                continue
            look = desk.look(glance)
            if look.score < -below - ROUNDING:  # a name was not where it seemed to be
                heappush(self._heap, (-look.score, node, other, glance))
                continue
            if not look.is_worth:
                continue
            self._pairs.add(frozenset((node, other)))
            self._looks.append(look)
            yield look


def _place(made: Suggestion | None) -> tuple[NotePath, int] | None:
    """Return where a suggestion would put its link around a name."""
    if made is None or made.mention is None:
        return None
    return made.source, made.mention.bytes[0]
