"""Answering by words, meaning, links and time at once."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from glassmind.errors import GlassmindError
from glassmind.ports.models import Reranker
from glassmind.ports.retrieval import HitRows, NoteFacts, WordSearch
from glassmind.retrieval.answer import hits_of
from glassmind.retrieval.channels import Meaning
from glassmind.retrieval.confidence import confidence
from glassmind.retrieval.plan import Question, Settled, meaning_of
from glassmind.retrieval.search import Search, Sources
from glassmind.retrieval.understand import Form, Understanding, form_of
from glassmind.types.search import AdjustmentName, SearchReply, Wish, WordQuery


class Hybrid(NamedTuple):
    """What answers a question with every channel there is.

    `meaning` raises why there is none, `covered` is the share of the vault that has
    vectors, and `lag` says so in words.
    """

    rows: HitRows
    notes: NoteFacts
    meaning: Callable[[], Meaning]
    lag: Callable[[], str | None]
    covered: Callable[[], float]
    reranker: Callable[[], Reranker]
    understanding: Understanding
    folder: str
    lifts: Mapping[AdjustmentName, float]
    settled: Settled
    rerank_budget_s: float

    def answer(
        self, text: str, words: WordQuery, wish: Wish, search: WordSearch, today: date
    ) -> SearchReply:
        """Return the hits for a question.

        Raises:
            NoteNotFound, AmbiguousName: no one note is called what the wish names.
            IndexDamaged: the word index or the rows are not what was written.
        """
        meaning = meaning_of(words)
        intent = None if wish.intent == "auto" else wish.intent
        question = Question(text, words, meaning, wish, today, intent)
        sources = Sources(
            search,
            self.rows,
            self.notes,
            self.meaning,
            self.covered,
            self.folder,
            self.lifts,
            self.settled,
            self.reranker,
            self.rerank_budget_s,
        )
        made = Search(question, sources)
        form: list[Form] = []
        made.vote(lambda: form.append(form_of(question)))
        vector = made.semantic.vector if made.semantic is not None else None
        understood = self.understanding.understood(
            question, form[0], search, vector, made.leaders
        )
        made.understand(understood.question)
        hits = hits_of(made, made.ranked(), sources)
        degraded = [*made.degraded, *understood.degraded]
        if made.semantic is not None and (lag := self._lag()) is not None:
            degraded.append(lag)
        return SearchReply(
            text,
            tuple(hits),
            tuple(degraded),
            wish.mode,
            understood.guessed,
            confidence(made, hits),
            channels=tuple(name for name in made.votes if name in made.weights),
            reranked=made.reranked,
        )

    def _lag(self) -> str | None:
        try:
            return self.lag()
        except GlassmindError as error:
            return str(error)
