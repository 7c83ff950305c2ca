"""The recent channel: what was written in the days that a question names."""

from collections.abc import Iterable

from glassmind.model.search import Candidate, ChannelName, Filter
from glassmind.search.plan import CHUNKS, Channel, HitPlace, Reason


class RecentChannel(Channel):
    """Finds passages of notes of those days: half for the day, half for words.

    A question about the days alone is answered by all there is, the newest first.
    """

    name: ChannelName = "recent"

    def candidates(self) -> Iterable[Candidate]:
        run = self.run
        if run.days is None:
            return []
        first, after = run.days
        filters = list(run.words.filters)
        if first is not None:
            filters.append(Filter("after", first.isoformat(), day=first))
        if after is not None:
            filters.append(Filter("before", after.isoformat(), day=after))
        dated = run.words._replace(filters=tuple(filters))
        if run.is_about_days:
            dated = dated._replace(words=(), prefixes=())
        candidates = run.index.ask(dated).best(CHUNKS)
        most = max((candidate.score for candidate in candidates), default=0.0) or 1.0
        return [
            candidate._replace(score=0.5 + 0.5 * candidate.score / most)
            for candidate in candidates
        ]

    def reason(self, _: HitPlace) -> Reason:
        return Reason("from the days asked for")
