"""The implicit channel: notes that are much like a good hit, without a link to it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from glassmind.model.graph import CONFIDENCE, Edge
from glassmind.model.search import Candidate, ChannelName
from glassmind.model.suggestions import Partner
from glassmind.search.plan import Channel, GraphRoute, HitPlace, Reason, Run

FOLLOWED = 10  # hits whose partners are looked at; 5 to 20 measure the same
PARTNERS = 3  # notes that each of them brings; one measures the same


class SimilarMatch(NamedTuple):
    note_id: int
    score: float
    via: int
    similarity: float


class ImplicitChannel(Channel):
    name: ChannelName = "implicit"

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._votes: dict[int, SimilarMatch] = {}

    def candidates(self) -> Iterable[Candidate]:
        run, leaders = self.run, self.run.leaders[:FOLLOWED]
        pairs = run.vault.store.rows()
        partners = pairs.partners([note for note, _ in leaders])
        dismissals = run.vault.hooks.dismissals(run.vault)
        if dismissals.pairs:
            named = run.rows.names(
                {note for partner in partners for note in partner[:2]}
            )
            paths = {note: path for note, (path, _) in named.items()}
            partners = [
                partner
                for partner in partners
                if not dismissals.has_pair(
                    paths[partner.note_id], paths[partner.other_id]
                )
            ]
        space = run.vault.store.rows().answering_space()
        lag = pairs.pair_lag(space.name if space else "").notice
        lacks = [*([lag] if lag else []), *dismissals.problems]
        run.degraded += [f"{self.name}: {lack}" for lack in lacks]
        allowed = run.allowed_notes
        for like in likenesses(leaders, partners):
            if allowed is None or like.note_id in allowed:
                self._votes[like.note_id] = like
        return [
            Candidate(0, match.note_id, match.score) for match in self._votes.values()
        ]

    def route(self, note_id: int) -> GraphRoute:
        like = self._votes.get(note_id)
        if like is None:
            return GraphRoute()
        return GraphRoute(1, (like.via,), (Edge(like.via, note_id, "", "implicit"),))

    def reason(self, place: HitPlace) -> Reason:
        like = self._votes.get(place.note_id)
        if like is None or like.via not in place.names:
            return Reason("similar to a good hit")
        _, title = place.names[like.via]
        return Reason(f"similar to {title} ({like.similarity:.2f})")


def likenesses(
    leaders: Sequence[tuple[int, float]], partners: Sequence[Partner]
) -> list[SimilarMatch]:
    """Return the partners of the best hits, strongest first, each by its best hit.

    A vote is the strength of the hit times how alike the two are, and counts less than
    a link that somebody wrote.
    """
    strengths = dict(leaders)
    taken: dict[int, int] = {}
    best: dict[int, SimilarMatch] = {}
    for note_id, other_id, similarity in partners:
        if taken.get(note_id, 0) == PARTNERS:
            continue
        taken[note_id] = taken.get(note_id, 0) + 1
        score = strengths[note_id] * similarity * CONFIDENCE["implicit"]
        known = best.get(other_id)
        if known is None or score > known.score:
            best[other_id] = SimilarMatch(other_id, score, note_id, similarity)
    return sorted(best.values(), key=lambda match: (-match.score, match.note_id))
