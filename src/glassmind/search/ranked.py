"""Votes for chunks put under what is ranked, and the ranking they become.

What is ranked are notes, each by its best passage in every channel, or single chunks.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple, TypeAlias

from glassmind.model.adjustments import Adjustment
from glassmind.model.search import Candidate, ChannelName

Votes: TypeAlias = dict[int, Candidate]
"""The best candidate under each key, best first; a key is a note or a chunk."""


class Ranked(NamedTuple):
    """One place of a ranking: its score, what that is made of, and its best chunks."""

    key: int
    note_id: int
    score: float
    shares: Mapping[ChannelName, float]
    chunks: Mapping[ChannelName, int]
    adjustments: tuple[Adjustment, ...] = ()

    def with_adjustments(self, made: Sequence[Adjustment]) -> "Ranked":
        """Return it with more added to its score."""
        adjustments = (*self.adjustments, *made)
        score = fsum((*self.shares.values(), *(one.share for one in adjustments)))
        return self._replace(score=score, adjustments=adjustments)


def by_note(candidates: Iterable[Candidate], limit: int) -> Votes:
    """Return the best chunk of each of the first `limit` notes, best first."""
    found: Votes = {}
    for one in candidates:
        if one.note_id not in found:
            if len(found) == limit:
                break
            found[one.note_id] = one
    return found


def by_chunk(
    candidates: Iterable[Candidate], limit: int, homes: Mapping[int, int]
) -> Votes:
    """Return the first `limit` chunks, best first.

    A vote for a note as a whole is one for its chunk in `homes`, if there is one.
    """
    found: Votes = {}
    for one in candidates:
        key = one.chunk_id or homes.get(one.note_id, 0)
        if key and key not in found:
            if len(found) == limit:
                break
            found[key] = one._replace(chunk_id=key)
    return found


def homes_of(votes: Iterable[Iterable[Candidate]]) -> dict[int, int]:
    """Return the best chunk of each note that a channel named."""
    homes: dict[int, int] = {}
    for candidates in votes:
        for one in candidates:
            if one.chunk_id:
                homes.setdefault(one.note_id, one.chunk_id)
    return homes


def placed(
    fused: Iterable[tuple[int, Mapping[ChannelName, float]]],
    votes: Mapping[ChannelName, Votes],
) -> list[Ranked]:
    """Return fused shares with the notes and chunks they were given for."""
    notes: dict[int, int] = {}
    chunks: dict[int, dict[ChannelName, int]] = {}
    for name, found in votes.items():
        for key, one in found.items():
            notes[key] = one.note_id
            if one.chunk_id:
                chunks.setdefault(key, {})[name] = one.chunk_id
    return [
        Ranked(key, notes[key], fsum(shares.values()), shares, chunks.get(key, {}))
        for key, shares in fused
    ]
