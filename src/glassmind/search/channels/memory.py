"""The memory channel: the notes of the agent folder, without summaries."""

from collections.abc import Iterable

from glassmind.model.search import Candidate, ChannelName, Filter
from glassmind.search.hits import is_in_inbox
from glassmind.search.plan import Channel, HitPlace, Reason

MOST = 20  # chunks by words, and by meaning, that are looked at


class MemoryChannel(Channel):
    """Finds what was captured, by how much of the question it says.

    That is the better of two: its words against the best of all notes, and the cosine,
    squared, since that of two texts with nothing in common is not 0. What nobody has
    approved yet counts half. The weight is small: of two notes that say the same, what
    was worth remembering comes first (docs/ranking.md).
    """

    name: ChannelName = "memory"
    weight = 0.05
    is_faint = True

    def candidates(self) -> Iterable[Candidate]:
        folder, notes = self.run.vault.agent_folder, self.run.rows
        ours = notes.note_ids(folder=folder)
        ours -= notes.note_ids(folder=f"{folder}/summaries")
        if not ours:
            return []
        words = self.run.words
        here = Filter("path", f"{folder}/")
        summaries = Filter("path", f"{folder}/summaries/", negated=True)
        query = words._replace(filters=(*words.filters, here, summaries))
        by_words = self.run.index.ask(query).best(MOST)
        best = self.run.votes.get("lexical") or self.run.query.best(1)
        most = (
            max((candidate.score for candidate in (*best[:1], *by_words)), default=0.0)
            or 1.0
        )
        scored = {
            candidate.chunk_id: candidate._replace(score=candidate.score / most)
            for candidate in by_words
        }
        chunks = [chunk for held in notes.chunk_ids_of(ours).values() for chunk in held]
        for chunk, note, cosine in self.run.nearest(chunks, MOST):
            score = max(0.0, cosine) ** 2
            if chunk not in scored or score > scored[chunk].score:
                scored[chunk] = Candidate(chunk, note, score)
        waiting = notes.note_ids(folder=f"{folder}/inbox")
        candidates = [
            Candidate(chunk, note, score / 2 if note in waiting else score)
            for chunk, note, score in scored.values()
            if note in ours
        ]
        return sorted(
            candidates, key=lambda candidate: (-candidate.score, candidate.chunk_id)
        )

    def reason(self, place: HitPlace) -> Reason:
        waits = is_in_inbox(place.path, self.run.vault.agent_folder)
        return Reason("captured by an agent, not approved" if waits else "remembered")
