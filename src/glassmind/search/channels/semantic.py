"""The semantic channel: passages by what they mean."""

from collections.abc import Iterable

from glassmind.errors import OtherWidth
from glassmind.model.search import Candidate, ChannelName
from glassmind.obsidian.secrets import redacted
from glassmind.search.plan import Channel, HitPlace, Reason

CLOSE = 0.25
"""Cosine of the default model that questions about other things rarely reach."""


class SemanticChannel(Channel):
    """Finds the passages nearest to the question; leaves its vector to the others."""

    name: ChannelName = "semantic"

    def begin(self) -> None:
        if "semantic" in self.run.weights:
            try:
                self.run.semantic = self.run.models.index()
            except Exception as error:  # noqa: BLE001 - the other channels still answer
                self.run.fail(self.name, error)

    def candidates(self) -> Iterable[Candidate]:
        if self.run.semantic is None:
            return []
        semantic = self.run.semantic
        vector = semantic.vector_of(redacted(self.run.text))
        if len(vector) != (width := semantic.space.width):
            raise OtherWidth(semantic.embedder.space, found=len(vector), known=width)
        allowed = self.run.allowed
        among = None if allowed is None else allowed.keys()
        candidates = semantic.vectors.best(vector, self.run.depth, among=among)
        self.run.vector = vector  # from here on others may rely on the vectors
        return candidates

    def reason(self, place: HitPlace) -> Reason:
        return Reason(meaning_reason(place.similarity))


def meaning_reason(similarity: float | None) -> str:
    """Say how near a passage is; the nearest of a vault may still be far away."""
    if similarity is None:
        return "close in meaning"
    is_close = similarity >= CLOSE
    said = "close in meaning" if is_close else "nearest in meaning, not close"
    return f"{said} (cosine {similarity:.2f})"
