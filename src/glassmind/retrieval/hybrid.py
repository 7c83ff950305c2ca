"""Answering by words, meaning, links and time at once."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from glassmind.errors import GlassmindError
from glassmind.ports.models import Reranker
from glassmind.ports.retrieval import HitRows, NoteFacts, WordSearch
from glassmind.retrieval.answer import hits_of
from glassmind.retrieval.channels import Meaning
from glassmind.retrieval.confidence import confidence, signals_of
from glassmind.retrieval.dates import days_in
from glassmind.retrieval.intents import guess_intent
from glassmind.retrieval.plan import Question, Sum, meaning_of
from glassmind.retrieval.search import Search, Sources
from glassmind.types.search import (
    AdjustmentName,
    Intent,
    SearchReply,
    Wish,
    WordQuery,
)


class Hybrid(NamedTuple):
    """What answers a question with every channel there is.

    `meaning` raises why there is none, `lag` says what it does not cover yet, and
    `note_id` finds the note that a name means.
    """

    rows: HitRows
    notes: NoteFacts
    meaning: Callable[[], Meaning]
    lag: Callable[[], str | None]
    reranker: Callable[[], Reranker]
    note_id: Callable[[str], int]
    folder: str
    lifts: Mapping[AdjustmentName, float]
    sum_of: Sum
    rerank_budget_s: float

    def answer(
        self, text: str, words: WordQuery, wish: Wish, search: WordSearch, today: date
    ) -> SearchReply:
        """Return the hits for a question.

        Raises:
            NoteNotFound, AmbiguousName: no one note is called what the wish names.
            IndexDamaged: the word index or the rows are not what was written.
        """
        question = self._understood(text, words, wish, search, today)
        sources = Sources(
            search,
            self.rows,
            self.notes,
            self.meaning,
            self.folder,
            self.lifts,
            self.sum_of,
            self.reranker,
            self.rerank_budget_s,
        )
        made = Search(question, sources)
        ranking = made.ranked()
        hits = hits_of(made, ranking, sources)
        degraded = list(made.degraded)
        if made.semantic is not None and (lag := self._lag()) is not None:
            degraded.append(lag)
        return SearchReply(
            text,
            tuple(hits),
            tuple(degraded),
            wish.mode,
            question.intent,
            confidence(signals_of(made, hits)) if "semantic" in made.votes else None,
            channels=tuple(made.votes),
            reranked=made.reranked,
        )

    def _lag(self) -> str | None:
        try:
            return self.lag()
        except GlassmindError as error:
            return str(error)

    def _understood(
        self, text: str, words: WordQuery, wish: Wish, search: WordSearch, today: date
    ) -> Question:
        meaning = meaning_of(words)
        intent = self._intent(meaning, wish)
        roots: tuple[int, ...] = ()
        if wish.root_note is not None:
            roots = (self.note_id(wish.root_note),)
        elif intent in {"backlink", "context_load"}:
            roots = tuple(search.named(meaning)[:1])
        if intent == "backlink" and not roots:
            intent = None
        days = days_in(meaning, today)
        return Question(text, words, meaning, wish, today, intent, roots, days)

    def _intent(self, meaning: str, wish: Wish) -> Intent | None:
        if wish.intent != "auto":
            return wish.intent
        if wish.mode != "hybrid":
            return None
        if wish.root_note is not None:
            return "context_load"
        guess = guess_intent(meaning)
        return guess.intent if guess.is_sure and guess.intent in ACTED_ON else None


ACTED_ON: frozenset[Intent] = frozenset(("backlink", "context_load", "serendipity"))
"""Intents that change how channels count when they were only guessed. A fact and an
idea are looked for alike: words and meaning both."""
