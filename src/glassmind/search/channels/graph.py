"""The graph channel: what the links of good hits, and of a root note, lead to.

Two things make a link count. A note that good hits lead to gets part of their strength,
less of it where a hit has many links or the note is linked from everywhere. And a link
whose own line says what was asked speaks for its target, however weak the note it
stands in: the line is a description of the target by the person who wrote it.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from glassmind.model.graph import CONFIDENCE, KINDS, Edge
from glassmind.model.search import Candidate, ChannelName
from glassmind.search.plan import Channel, GraphRoute, HitPlace, Reason, Run

if TYPE_CHECKING:
    from glassmind.store.protocol import KeywordQuery, Rows

SEEDS = 20  # hits whose links are followed; 10 to 30 measure the same
LINKING_CHUNKS = 50  # chunks, of each channel, whose links are read line by line
WHOLE_SENTENCE = 8
"""Words from which a question counts as a sentence. A short one is mostly a name, and
the note of that name is wanted rather than those it leads to."""

DECAY = 0.5  # what one more hop leaves of a vote
MOST_VISITED = 1_000  # notes that a walk visits at most; a hub leads everywhere
LINE_SHOWN = 120  # characters of the line around a link that a reason quotes
ROOT = "the note asked about"


class Vote(NamedTuple):
    """What the graph says for a note: how strongly, how far away, through what.

    `via` are the notes on the way, from where it began, and `steps` the links between
    them, the last one that to the note or from it.
    """

    note_id: int
    score: float
    depth: int
    via: tuple[int, ...]
    line: str = ""
    backward: bool = False
    steps: tuple[Edge, ...] = ()


def confidence(edge: Edge) -> float:
    return CONFIDENCE["property" if edge.property else edge.kind]


def plainness(edge: Edge) -> tuple[float, int, str]:
    """Return what links between the same notes are sorted by: that which says most."""
    return (-confidence(edge), KINDS.index(edge.kind), edge.property)


def spread(
    seeds: Sequence[tuple[int, float]], notes: "Rows", words: int
) -> dict[int, Vote]:
    """Return what the best hits lead to; `seeds` are notes with their strength.

    `words` is how many the question has.
    """
    strengths = dict(seeds[:SEEDS])
    edges = notes.edges(strengths)
    if not edges:
        return {}
    outward: dict[int, dict[int, Edge]] = {}
    for edge in edges:
        targets = outward.setdefault(edge.source, {})
        known = targets.get(edge.target)
        if known is None or plainness(edge) < plainness(known):
            targets[edge.target] = edge
    inbound = notes.inbound({edge.target for edge in edges})
    much = min(words, WHOLE_SENTENCE) / WHOLE_SENTENCE
    scores: dict[int, float] = {}
    strongest: dict[int, tuple[float, Edge]] = {}
    for source, strength in strengths.items():  # best first: sums are always the same
        targets = outward.get(source, {})
        for target, edge in sorted(targets.items()):
            share = much * strength * confidence(edge)
            share /= sqrt(len(targets)) * sqrt(inbound.get(target, 1))
            scores[target] = scores.get(target, 0.0) + share
            if share > (strongest[target][0] if target in strongest else 0.0):
                strongest[target] = (share, edge)
    return {
        target: Vote(target, min(1.0, scores[target]), 1, (edge.source,), steps=(edge,))
        for target, (_, edge) in strongest.items()
    }


def described(
    notes: "Rows", query: "KeywordQuery", chunks: Iterable[int]
) -> dict[int, Vote]:
    """Return the notes that lines of some chunks link to, by what those lines say."""
    known: dict[str, float] = {}
    votes: dict[int, Vote] = {}
    for source, target, line, name, kind in notes.link_lines(list(chunks)):
        if line not in known:
            known[line] = query.coverage(line)
        score, best = known[line], votes.get(target)
        if score > 0 and (best is None or score > best.score):
            step = Edge(source, target, name, kind)
            votes[target] = Vote(
                target, score, 1, (source,), line.strip(), steps=(step,)
            )
    return votes


def together(spreading: dict[int, Vote], lines: dict[int, Vote]) -> list[Vote]:
    votes = []
    for note_id in {**spreading, **lines}:
        one, other = spreading.get(note_id), lines.get(note_id)
        score = ((one.score if one else 0.0) + (other.score if other else 0.0)) / 2
        shown = other or one
        if shown is not None:
            votes.append(shown._replace(score=score))
    return sorted(votes, key=lambda vote: (-vote.score, vote.note_id))


def walk(
    roots: Sequence[int], notes: "Rows", *, hops: int, backward_only: bool = False
) -> list[Vote]:
    """Return what is linked with the roots, nearest first, both ways or to them alone.

    Each hop halves a vote. The roots themselves stand first unless only what leads to
    them is wanted; then that is the answer, and votes in full.
    """
    votes = {} if backward_only else {r: Vote(r, 1.0, 0, ()) for r in roots}
    reached = {root: Vote(root, 1.0, 0, ()) for root in roots}
    edge_of = set(roots)
    for depth in range(1, hops + 1):
        steps = [
            (e.target, e.source, True, e) for e in notes.edges(edge_of, backward=True)
        ]
        if not backward_only:
            forward = notes.edges(edge_of)
            steps += [(e.source, e.target, False, e) for e in forward]
        steps.sort(key=lambda step: (step[0], step[1], plainness(step[3]), step[2]))
        level: dict[int, Vote] = {}
        for origin, note_id, backward, edge in steps:
            if note_id in reached:
                continue
            before = reached[origin]
            part = 1.0 if backward_only and depth == 1 else DECAY
            vote = Vote(
                note_id,
                before.score * part * confidence(edge),
                depth,
                (*before.via, origin),
                backward=backward,
                steps=(*before.steps, edge),
            )
            known = level.get(note_id)
            if known is None or vote.score > known.score:
                level[note_id] = vote
        reached |= level
        votes |= level
        edge_of = set(level)
        if not edge_of or len(reached) > MOST_VISITED:
            break
    return sorted(votes.values(), key=order_of)[:MOST_VISITED]


def order_of(vote: Vote) -> tuple[float, int, int]:
    return (-vote.score, vote.depth, vote.note_id)


class GraphChannel(Channel):
    name: ChannelName = "graph"

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._votes: dict[int, Vote] = {}

    def candidates(self) -> Iterable[Candidate]:
        run, notes = self.run, self.run.rows
        votes = {vote.note_id: vote for vote in self._walked()}
        if run.intent != "backlink":
            words = len(run.text.split())
            spreading = spread(run.leaders, notes, words)
            leading = (run.votes.get(name, ()) for name in ("lexical", "semantic"))
            best = chain.from_iterable(
                candidate[:LINKING_CHUNKS] for candidate in leading
            )
            chunks = dict.fromkeys(candidate.chunk_id for candidate in best)
            lines = described(notes, run.query, chunks)
            for vote in together(spreading, lines):
                known = votes.get(vote.note_id)
                if known is None or vote.score > known.score:
                    votes[vote.note_id] = vote
        allowed = run.allowed_notes
        if allowed is not None:
            votes = {note: vote for note, vote in votes.items() if note in allowed}
        self._votes = votes
        ordered = sorted(votes.values(), key=order_of)
        return [Candidate(0, vote.note_id, vote.score) for vote in ordered]

    def _walked(self) -> list[Vote]:
        run = self.run
        backward, hops = run.intent == "backlink", run.wish.hop_depth
        return walk(
            run.roots,
            run.rows,
            hops=min(hops, 1) if backward else hops,  # what links there is one away
            backward_only=backward,
        )

    def route(self, note_id: int) -> GraphRoute:
        vote = self._votes.get(note_id)
        return (
            GraphRoute()
            if vote is None
            else GraphRoute(vote.depth, vote.via, vote.steps)
        )

    def reason(self, place: HitPlace) -> Reason:
        vote = self._votes.get(place.note_id)
        if vote is None:
            return Reason(ROOT)
        via = [place.names[note] for note in vote.via if note in place.names]
        quoted = via[-1][0] if vote.line and via else ""
        return Reason(_linked(vote, [title for _, title in via]), quoted)


def _linked(vote: Vote, titles: Sequence[str]) -> str:
    if not vote.via:
        return ROOT
    if not titles:
        return "linked with a good hit"
    if vote.line:
        is_long = len(vote.line) > LINE_SHOWN
        line = f"{vote.line[:LINE_SHOWN]}…" if is_long else vote.line
        return f"linked from {titles[-1]}: {line}"
    way = " > ".join(titles)
    said = f"links to {way}" if vote.backward else f"linked from {way}"
    last = vote.steps[-1].property if vote.steps else ""
    return f"{said} as {last}" if last else said
