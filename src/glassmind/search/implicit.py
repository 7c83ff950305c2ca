"""The implicit channel: notes that are much like a good hit, without a link to it."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from glassmind.model.graph import CONFIDENCE
from glassmind.model.pairs import Partner
from glassmind.model.search import Candidate, ChannelName
from glassmind.search.plan import Question

FOLLOWED = 10
"""Hits whose partners are looked at; 5 to 20 measure the same."""

PARTNERS = 3
"""Notes that each of them brings; one measures the same."""

Partners = Callable[[Collection[int]], Sequence[Partner]]
"""Returns what each note is like and has no link with, the most similar first."""


class Likeness(NamedTuple):
    """A note that is like a hit: which, and how much."""

    note_id: int
    score: float
    via: int
    similarity: float


def likenesses(
    leaders: Sequence[tuple[int, float]], partners: Sequence[Partner]
) -> list[Likeness]:
    """Return the partners of the best hits, strongest first, each by its best hit.

    A vote is the strength of the hit times how alike the two are, and counts less than
    a link that somebody wrote.
    """
    strengths = dict(leaders)
    taken: dict[int, int] = {}
    best: dict[int, Likeness] = {}
    for note_id, other_id, similarity in partners:
        if taken.get(note_id, 0) == PARTNERS:
            continue
        taken[note_id] = taken.get(note_id, 0) + 1
        score = strengths[note_id] * similarity * CONFIDENCE["implicit"]
        known = best.get(other_id)
        if known is None or score > known.score:
            best[other_id] = Likeness(other_id, score, note_id, similarity)
    return sorted(best.values(), key=lambda one: (-one.score, one.note_id))


class Implicit:
    """Finds notes by links that nobody wrote; keeps what each is like."""

    name: ChannelName = "implicit"

    def __init__(
        self,
        leaders: Sequence[tuple[int, float]],
        partners: Partners,
        passing: Callable[[], Collection[int] | None],
    ) -> None:
        self._leaders, self._partners = leaders[:FOLLOWED], partners
        self._passing = passing
        self.votes: dict[int, Likeness] = {}

    def candidates(self, _: Question) -> list[Candidate]:
        """Return what the leaders are like, as notes."""
        found = self._partners([note for note, _ in self._leaders])
        passing = self._passing()
        for one in likenesses(self._leaders, found):
            if passing is None or one.note_id in passing:
                self.votes[one.note_id] = one
        return [Candidate(0, one.note_id, one.score) for one in self.votes.values()]
