"""The lexical channel: passages by their words."""

from collections.abc import Iterable

from glassmind.model.search import Candidate, ChannelName
from glassmind.search.hits import word_reason
from glassmind.search.plan import Channel, HitPlace, Reason


class LexicalChannel(Channel):
    name: ChannelName = "lexical"

    def candidates(self) -> Iterable[Candidate]:
        return self.run.query.best(self.run.depth)

    def reason(self, place: HitPlace) -> Reason:
        return Reason(word_reason(1.0, place.snippet, self.run.query))
