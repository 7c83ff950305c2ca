"""What a question wants: its intent, the notes it names, the days it speaks of."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from glassmind.errors import GlassmindError
from glassmind.ports.retrieval import WordSearch
from glassmind.retrieval.intents import guess_intent
from glassmind.retrieval.plan import Question
from glassmind.types.search import Intent

if TYPE_CHECKING:
    from glassmind.types.vectors import Vector

ACTED_ON: frozenset[Intent] = frozenset(("backlink", "context_load", "serendipity"))
"""Intents that change how channels count when they were only guessed. A fact and an
idea are looked for alike: words and meaning both."""

ROOTED: frozenset[Intent] = frozenset(("backlink", "context_load"))
"""Intents that begin at a note."""


class Understood(NamedTuple):
    """A question with what it wants; `guessed` is its intent, acted on or not."""

    question: Question
    guessed: Intent | None
    degraded: tuple[str, ...] = ()


class Understanding(NamedTuple):
    """What tells intents and finds the notes that are named.

    `votes` says which intents a vector is near to, or None; `named_intent` asks a
    language model, where one is configured.
    """

    note_id: Callable[[str], int]
    votes: "Callable[[Vector], Mapping[Intent, float] | None]"
    named_intent: Callable[[str], str] | None

    def understood(
        self, question: Question, search: WordSearch, vector: "Vector | None"
    ) -> Understood:
        """Return the question with its intent and its roots.

        Raises:
            NoteNotFound, AmbiguousName: no one note is called what the wish names.
        """
        wish = question.wish
        guessed, acted, degraded = self._intent(question, vector)
        roots: tuple[int, ...] = ()
        if wish.root_note is not None:
            roots = (self.note_id(wish.root_note),)
        elif acted in ROOTED:
            roots = tuple(search.named(question.meaning)[:1])
        if acted == "backlink" and not roots:
            acted = None  # of nothing: what is asked for are words after all
        made = question._replace(intent=acted, roots=roots)
        return Understood(made, guessed, degraded)

    def _intent(
        self, question: Question, vector: "Vector | None"
    ) -> tuple[Intent | None, Intent | None, tuple[str, ...]]:
        """Return the likeliest intent, the one to act on, and what went wrong."""
        wish = question.wish
        if wish.intent != "auto":
            return wish.intent, wish.intent, ()
        if wish.mode != "hybrid":
            return None, None, ()
        degraded: tuple[str, ...] = ()
        if self.named_intent is not None:
            try:
                named = self.named_intent(question.meaning)
            except GlassmindError as error:
                degraded = (f"intent: {error}",)
            else:
                if named in get_args(Intent):
                    sure = cast("Intent", named)
                    return sure, sure if sure in ACTED_ON else None, ()
        near = None if vector is None else self.votes(vector)
        guess = guess_intent(question.meaning, near)
        acts = guess.is_sure and guess.intent in ACTED_ON
        acted = guess.intent if acts else None
        if wish.root_note is not None and acted is None:
            acted = "context_load"
        return guess.intent, acted, degraded
