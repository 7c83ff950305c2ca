"""Answering by words, meaning, links and time at once."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from glassmind.errors import GlassmindError
from glassmind.model import NotePath
from glassmind.model.search import Hit, SearchReply, Wish, WordQuery
from glassmind.search.answer import hits_of
from glassmind.search.confidence import Curve, Signals, signals_of
from glassmind.search.dates import without_counted
from glassmind.search.intent import Form, Understanding, Understood, form_of
from glassmind.search.plan import Question, meaning_of
from glassmind.search.query import unheeded
from glassmind.search.search import Search, Sources

NEAR, FAR = 50, 500
"""Hits that a steady answer is looked for: first, as an answer of up to so many always
is, and once more behind the end of that."""


class Hybrid(NamedTuple):
    """What answers a question with every channel there is.

    `lag` says in words what meaning does not cover yet. `curve` tells how likely an
    answer is one; None where nobody knows.
    """

    sources: Sources
    lag: Callable[[], str | None]
    understanding: Understanding
    curve: Callable[[], Curve | None] = lambda: None

    def answer(
        self, text: str, words: WordQuery, wish: Wish, today: date
    ) -> SearchReply:
        """Return the hits for a question.

        Raises:
            NoteNotFound, AmbiguousName: no one note is called what the wish names.
            IndexDamaged: the word index or the rows are not what was written.
        """
        if not wish.steady:
            return self._answer(text, words, wish, today, wish.limit)
        near = self._answer(text, words, wish, today, NEAR)
        if not NEAR <= len(near.hits) < wish.limit:
            return near
        rest = wish._replace(facts=False)  # what was remembered is among the first
        far = self._answer(text, words, rest, today, FAR)
        shown = {_place(hit, wish) for hit in near.hits}
        behind = (hit for hit in far.hits if _place(hit, wish) not in shown)
        return near._replace(hits=(*near.hits, *behind)[: wish.limit])

    def signals(self, words: WordQuery, wish: Wish, today: date) -> Signals | None:
        """Return what an answer is judged by; None where meaning has no say."""
        question = _question("", words, wish, today)
        made, _ = self._asked(question, wish.limit)
        return self._judged(made, hits_of(made, made.ranked(), self.sources))

    def _answer(
        self, text: str, words: WordQuery, wish: Wish, today: date, reach: int
    ) -> SearchReply:
        made, understood = self._asked(_question(text, words, wish, today), reach)
        hits = hits_of(made, made.ranked(), self.sources)
        degraded = [*made.degraded, *understood.degraded]
        if made.semantic is not None and (lag := self._lag()) is not None:
            degraded.append(lag)
        degraded += unheeded(wish, by_meaning=made.by_meaning)
        return SearchReply(
            text,
            tuple(hits),
            tuple(degraded),
            wish.mode,
            understood.question.intent,
            self._confidence(made, hits),
            channels=tuple(name for name in made.votes if name in made.weights),
            reranked=made.reranked,
            semantic_failure=made.failed.get("semantic", ""),
        )

    def _asked(self, question: Question, reach: int) -> tuple[Search, Understood]:
        """Return a search that has heard its first votes and knows what is meant."""
        made = Search(question, self.sources, reach)
        form: list[Form] = []
        made.vote(lambda: form.append(form_of(question)))
        vector = made.semantic.vector if made.semantic is not None else None
        understood = self.understanding.understood(
            question, form[0], self.sources.words, vector, made.leaders
        )
        made.understand(understood.question)
        return made, understood

    @staticmethod
    def _judged(made: Search, hits: Sequence[Hit]) -> Signals | None:
        asked = made.semantic is not None and "semantic" in made.votes
        return signals_of(made, hits) if asked else None

    def _confidence(self, made: Search, hits: Sequence[Hit]) -> float | None:
        """Return the probability that the vault holds an answer; None if unknown."""
        signals = self._judged(made, hits)
        curve = self.curve() if signals is not None else None
        if signals is None or curve is None:
            return None
        return curve.probability(signals)

    def _lag(self) -> str | None:
        try:
            return self.lag()
        except GlassmindError as error:
            return str(error)


def _question(text: str, words: WordQuery, wish: Wish, today: date) -> Question:
    intent = None if wish.intent == "auto" else wish.intent
    topic = words._replace(words=without_counted(words.words, today))
    return Question(text, topic, meaning_of(words), wish, today, intent)


def _place(hit: Hit, wish: Wish) -> tuple[NotePath, int]:
    """Return what a hit is the only one of."""
    return hit.path, 0 if wish.unique == "notes" else hit.chunk_index
