"""The graph channel: what the links of good hits, and of a root note, lead to.

Two things make a link count. A note that good hits lead to gets part of their strength,
less of it where a hit has many links or the note is linked from everywhere. And a link
whose own line says what was asked speaks for its target, however weak the note it
stands in: the line is a description of the target by the person who wrote it.
"""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from glassmind.ports.retrieval import AskedWords, NoteFacts
from glassmind.types.graph import Edge
from glassmind.types.search import Candidate

SEEDS = 20
"""Hits whose links are followed; 10 to 30 measure the same."""

LINKING_CHUNKS = 50
"""Chunks, of each channel, whose links are read line by line."""

WHOLE_SENTENCE = 8
"""Words from which a question counts as a sentence. A short one is mostly a name, and
the note of that name is wanted rather than those it leads to."""

DECAY = 0.5
"""What one more hop leaves of a vote."""

PROPERTY_CONFIDENCE = 0.7
"""A link in a property says less than one in a sentence; that one counts 1."""

MOST_VISITED = 1_000
"""Notes that a walk visits at most; a hub leads everywhere."""


class Vote(NamedTuple):
    """What the graph says for a note: how strongly, how far away, through what.

    `via` are the notes on the way, from where it began.
    """

    note_id: int
    score: float
    depth: int
    via: tuple[int, ...]
    line: str = ""
    backward: bool = False


def confidence(edge: Edge) -> float:
    """Return how much a link says of what it leads to."""
    return PROPERTY_CONFIDENCE if edge.property else 1.0


def spread(
    seeds: Sequence[tuple[int, float]], notes: NoteFacts, words: int
) -> dict[int, Vote]:
    """Return what the best hits lead to; `seeds` are notes with their strength.

    `words` is how many the question has.
    """
    strengths = dict(seeds[:SEEDS])
    edges = notes.edges_from(strengths)
    if not edges:
        return {}
    outward: dict[int, dict[int, float]] = {}
    for edge in edges:
        targets = outward.setdefault(edge.source, {})
        targets[edge.target] = max(targets.get(edge.target, 0.0), confidence(edge))
    inbound = notes.inbound({edge.target for edge in edges})
    much = min(words, WHOLE_SENTENCE) / WHOLE_SENTENCE
    scores: dict[int, float] = {}
    strongest: dict[int, tuple[float, int]] = {}
    for source, strength in strengths.items():  # best first: sums are always the same
        targets = outward.get(source, {})
        for target, sure in sorted(targets.items()):
            share = much * strength * sure
            share /= sqrt(len(targets)) * sqrt(inbound.get(target, 1))
            scores[target] = scores.get(target, 0.0) + share
            if share > strongest.get(target, (0.0, 0))[0]:
                strongest[target] = (share, source)
    return {
        target: Vote(target, min(1.0, score), 1, (strongest[target][1],))
        for target, score in scores.items()
        if target in strongest
    }


class Described:
    """The notes that lines of some chunks link to, by what those lines say.

    Chunks can be read as they are found; each is read once.
    """

    def __init__(self, notes: NoteFacts, asked: AskedWords) -> None:
        self._notes, self._asked = notes, asked
        self._read: set[int] = set()
        self._known: dict[str, float] = {}
        self.votes: dict[int, Vote] = {}

    def read(self, chunks: Iterable[int]) -> None:
        """Take in the lines of more chunks."""
        new = [chunk for chunk in chunks if chunk not in self._read]
        self._read.update(new)
        for source, target, line in self._notes.link_lines(new) if new else ():
            if line not in self._known:
                self._known[line] = self._asked.coverage(line)
            score, best = self._known[line], self.votes.get(target)
            if score > 0 and (best is None or score > best.score):
                self.votes[target] = Vote(target, score, 1, (source,), line.strip())


def together(spreading: dict[int, Vote], lines: dict[int, Vote]) -> list[Vote]:
    """Return both kinds of votes as one, from 0 to 1, best first."""
    votes = []
    for note_id in {**spreading, **lines}:
        one, other = spreading.get(note_id), lines.get(note_id)
        score = ((one.score if one else 0.0) + (other.score if other else 0.0)) / 2
        shown = other or one
        if shown is not None:
            votes.append(shown._replace(score=score))
    return sorted(votes, key=lambda vote: (-vote.score, vote.note_id))


def walk(
    roots: Sequence[int], notes: NoteFacts, *, hops: int, backward_only: bool = False
) -> list[Vote]:
    """Return what is linked with the roots, nearest first, both ways or to them alone.

    Each hop halves a vote. The roots themselves stand first unless only what leads to
    them is wanted; then that is the answer, and votes in full.
    """
    found = {} if backward_only else {r: Vote(r, 1.0, 0, ()) for r in roots}
    reached = {root: Vote(root, 1.0, 0, ()) for root in roots}
    edge_of = set(roots)
    for depth in range(1, hops + 1):
        steps = [
            (e.target, e.source, confidence(e), True) for e in notes.edges_to(edge_of)
        ]
        if not backward_only:
            forward = notes.edges_from(edge_of)
            steps += [(e.source, e.target, confidence(e), False) for e in forward]
        level: dict[int, Vote] = {}
        for origin, note_id, sure, backward in sorted(steps):
            if note_id in reached:
                continue
            before = reached[origin]
            part = 1.0 if backward_only and depth == 1 else DECAY
            vote = Vote(
                note_id,
                before.score * part * sure,
                depth,
                (*before.via, origin),
                backward=backward,
            )
            known = level.get(note_id)
            if known is None or vote.score > known.score:
                level[note_id] = vote
        reached |= level
        found |= level
        edge_of = set(level)
        if not edge_of or len(reached) > MOST_VISITED:
            break
    return sorted(found.values(), key=order_of)[:MOST_VISITED]


def order_of(vote: Vote) -> tuple[float, int, int]:
    """Return what votes are sorted by: of equal ones the nearer comes first."""
    return (-vote.score, vote.depth, vote.note_id)


def as_candidates(votes: Sequence[Vote]) -> list[Candidate]:
    """Return votes for notes as a channel's candidates; none names a chunk."""
    return [Candidate(0, vote.note_id, vote.score) for vote in votes]
