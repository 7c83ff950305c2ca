"""The channels: each one way of finding notes, small, and allowed to fail alone."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from glassmind.errors import OtherWidth
from glassmind.model.search import Candidate, ChannelName, Filter
from glassmind.model.vectors import Embeddable
from glassmind.obsidian.secrets import redacted
from glassmind.ports.models import Embedder
from glassmind.ports.retrieval import (
    AskedWords,
    NoteFacts,
    VectorSearch,
    WordSearch,
)
from glassmind.search import graph
from glassmind.search.plan import Question, is_by_days

if TYPE_CHECKING:
    from glassmind.model.vectors import Vector

DEPTH = 300
"""Chunks that words and meaning vote for, each. They belong to 100 to 200 notes, the
pool that scores are stretched over."""

MEMORIES = 20
"""Chunks that the memory channel votes for."""


class Meaning(NamedTuple):
    """What a search by meaning asks: a model, and vectors that it made.

    Each of those has `width` numbers.
    """

    embedder: Embedder
    vectors: VectorSearch
    width: int


class Channel(Protocol):
    """One way of finding notes."""

    @property
    def name(self) -> ChannelName:
        """What the channel is called in answers."""

    def candidates(self, question: Question, /) -> Sequence[Candidate]:
        """Return what the channel votes for, best first."""


class Lexical:
    """Finds passages by their words."""

    name: ChannelName = "lexical"

    def __init__(self, asked: AskedWords, depth: int = DEPTH) -> None:
        self._asked, self._depth = asked, depth

    def candidates(self, _: Question) -> list[Candidate]:
        """Return the passages with the most of the words."""
        return self._asked.best(self._depth)


class Semantic:
    """Finds passages by what they mean; keeps the question's vector for others."""

    name: ChannelName = "semantic"

    def __init__(
        self,
        meaning: Meaning,
        allowed: Callable[[], list[Candidate] | None],
        depth: int = DEPTH,
    ) -> None:
        self._meaning, self._allowed, self._depth = meaning, allowed, depth
        self.vector: Vector | None = None

    def candidates(self, question: Question) -> list[Candidate]:
        """Return the passages nearest to the question.

        Raises:
            ModelFault: there is no model, or it gives no answer.
            OtherWidth: it is another than the one that made the vectors.
            IndexFault: there are no vectors.
        """
        embedder, width = self._meaning.embedder, self._meaning.width
        vector = embedder.query(redacted(question.meaning))
        if len(vector) != width:
            raise OtherWidth(embedder.space, found=len(vector), known=width)
        allowed = self._allowed()
        among = None if allowed is None else {one.chunk_id for one in allowed}
        found = self._meaning.vectors.best(vector, self._depth, among=among)
        self.vector = vector  # from here on others may rely on the vectors
        return found

    @property
    def space(self) -> str:
        """What its vectors depend on."""
        return self._meaning.embedder.space

    def best_of(self, chunk_ids: Collection[int], limit: int) -> list[Candidate]:
        """Return the nearest of some chunks that pass the filters.

        Nothing when no vector was made.
        """
        if self.vector is None or not chunk_ids:
            return []
        among, allowed = set(chunk_ids), self._allowed()
        if allowed is not None:
            among &= {one.chunk_id for one in allowed}
        return self._meaning.vectors.best(self.vector, limit, among=among)

    def cosines(self, texts: Sequence[str]) -> list[float]:
        """Return how near texts are that stand in no note; none without a vector.

        Raises:
            ModelFault: the model gives no answer.
        """
        vector = self.vector
        if vector is None:
            return []
        parts = [Embeddable("", redacted(one)) for one in texts]
        made = self._meaning.embedder.passages(parts)
        return [float((rows @ vector).max()) for rows in made]

    def near(self, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Return the cosines of some chunks; none when no vector was made."""
        if self.vector is None or not chunk_ids:
            return {}
        return self._meaning.vectors.near(self.vector, chunk_ids)


class Memory:
    """Finds what was captured: the notes of the agent folder, without summaries.

    `best` is the best score by words that any note has.
    """

    name: ChannelName = "memory"

    def __init__(
        self,
        folder: str,
        words: WordSearch,
        notes: NoteFacts,
        semantic: Semantic | None,
        best: Callable[[], float],
    ) -> None:
        self._folder, self._words, self._notes = folder, words, notes
        self._semantic, self._best = semantic, best

    def candidates(self, question: Question) -> list[Candidate]:
        """Return the agent's notes, by how much of the question they say.

        The better of two: their words against the best of all notes, and the cosine,
        squared, since that of two texts with nothing in common is not 0. What nobody
        has approved yet counts half.
        """
        made, waiting = f"{self._folder}/summaries", f"{self._folder}/inbox"
        ours = self._notes.under(self._folder) - self._notes.under(made)
        if not ours:
            return []
        scored = {one.chunk_id: one for one in self._by_words(question, made)}
        for one in self._by_meaning(ours):
            known = scored.get(one.chunk_id)
            if known is None or one.score > known.score:
                scored[one.chunk_id] = one
        unapproved = self._notes.under(waiting)
        found = [
            one._replace(score=one.score / 2) if one.note_id in unapproved else one
            for one in scored.values()
            if one.note_id in ours
        ]
        return sorted(found, key=lambda one: (-one.score, one.chunk_id))

    def _by_words(self, question: Question, made: str) -> list[Candidate]:
        here = Filter("path", f"{self._folder}/")
        captured = Filter("path", f"{made}/", negated=True)
        words = question.words
        asked = words._replace(filters=(*words.filters, here, captured))
        found = self._words.ask(asked).best(MEMORIES)
        most = max((self._best(), *(one.score for one in found))) or 1.0
        return [one._replace(score=one.score / most) for one in found]

    def _by_meaning(self, notes: Collection[int]) -> list[Candidate]:
        if self._semantic is None:
            return []
        chunks = [c for held in self._notes.chunks_of(notes).values() for c in held]
        return [
            one._replace(score=max(0.0, one.score) ** 2)
            for one in self._semantic.best_of(chunks, MEMORIES)
        ]


class Recent:
    """Finds what was written in the days that a question names."""

    name: ChannelName = "recent"

    def __init__(self, words: WordSearch) -> None:
        self._words = words

    def candidates(self, question: Question) -> list[Candidate]:
        """Return passages of notes of those days: half for the day, half for words.

        A question about the days alone is answered by all there is, the newest first.
        """
        if question.days is None:
            return []
        first, after = question.days
        filters = list(question.words.filters)
        if first is not None:
            filters.append(Filter("after", first.isoformat(), day=first))
        if after is not None:
            filters.append(Filter("before", after.isoformat(), day=after))
        dated = question.words._replace(filters=tuple(filters))
        if is_by_days(question):
            dated = dated._replace(words=(), prefixes=())
        found = self._words.ask(dated).best(DEPTH)
        most = max((one.score for one in found), default=0.0) or 1.0
        return [one._replace(score=0.5 + 0.5 * one.score / most) for one in found]


class Graph:
    """Finds notes by the links that lead to them; keeps how it got there."""

    name: ChannelName = "graph"

    def __init__(
        self,
        notes: NoteFacts,
        leaders: Sequence[tuple[int, float]],
        described: graph.Described,
        passing: Callable[[], Collection[int] | None],
        *,
        by_theme: bool = True,
    ) -> None:
        self._notes, self._passing, self._by_theme = notes, passing, by_theme
        self._leaders, self._described = leaders, described
        self.votes: dict[int, graph.Vote] = {}

    def candidates(self, question: Question) -> list[Candidate]:
        """Return what the leaders and the roots are linked with, as notes."""
        votes = {vote.note_id: vote for vote in self._walked(question)}
        if question.intent != "backlink":
            words = len(question.meaning.split())
            spreading = graph.spread(self._leaders, self._notes, words)
            for vote in graph.together(spreading, self._described.votes):
                known = votes.get(vote.note_id)
                if known is None or vote.score > known.score:
                    votes[vote.note_id] = vote
            if self._by_theme:
                votes = graph.kindred(votes, self._leaders, self._notes)
        passing = self._passing()
        if passing is not None:
            votes = {note: vote for note, vote in votes.items() if note in passing}
        self.votes = votes
        return graph.as_candidates(sorted(votes.values(), key=graph.order_of))

    def _walked(self, question: Question) -> list[graph.Vote]:
        if not question.roots:
            return []
        backward, hops = question.intent == "backlink", question.wish.hop_depth
        return graph.walk(
            question.roots,
            self._notes,
            hops=min(hops, 1) if backward else hops,  # what links there is one away
            backward_only=backward,
        )
