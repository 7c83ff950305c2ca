"""What a question wants: its intent, the notes it names, the days it speaks of."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from glassmind.errors import GlassmindError
from glassmind.model.search import Intent
from glassmind.ports.retrieval import NoteFacts, WordSearch
from glassmind.search.dates import days_in
from glassmind.search.intents import Guess, guess_intent
from glassmind.search.plan import Days, Question

if TYPE_CHECKING:
    from glassmind.model.vectors import Vector

ROOTED: frozenset[Intent] = frozenset(("backlink", "context_load"))
"""Intents that begin at a note."""


class Form(NamedTuple):
    """What the words of a question say by their form alone."""

    guess: Guess | None
    days: Days | None


def form_of(question: Question) -> Form:
    """Return the intent that rules see and the days that are named.

    This takes some milliseconds in a process that has just begun, and no model.
    """
    auto = question.wish.intent == "auto" and question.wish.mode == "hybrid"
    guess = guess_intent(question.meaning) if auto else None
    return Form(guess, days_in(question.meaning, question.today))


class Understood(NamedTuple):
    """A question with what it wants, and what went wrong while that was told."""

    question: Question
    degraded: tuple[str, ...] = ()


class Understanding(NamedTuple):
    """What tells intents and finds the notes that are named.

    `votes` says which intents a vector is near to, or None; `named_intent` asks a
    language model, where one is configured.
    """

    notes: NoteFacts
    note_id: Callable[[str], int]
    votes: "Callable[[Vector], Mapping[Intent, float] | None]"
    named_intent: Callable[[str], str] | None

    def understood(
        self,
        question: Question,
        form: Form,
        search: WordSearch,
        vector: "Vector | None",
        leaders: Callable[[], Sequence[int]],
    ) -> Understood:
        """Return the question with its intent and its roots.

        `leaders` returns the notes that words and meaning found, best first. A question
        about what links to a note it does not call by name is about the first of them.

        Raises:
            NoteNotFound, AmbiguousName: no one note is called what the wish names.
        """
        wish = question.wish
        acted, degraded = self._intent(question, form, vector)
        roots: tuple[int, ...] = ()
        if wish.root_note is not None:
            roots = (self.note_id(wish.root_note),)
        elif acted in ROOTED:
            roots = self._named(question, search)
            if not roots and wish.intent == "auto":
                # of nothing that is named: words and meaning know better
                acted = wish.fallback_intent
            elif not roots and acted == "backlink":
                roots = tuple(leaders()[:1])
        made = question._replace(intent=acted, roots=roots, days=form.days)
        return Understood(made, degraded)

    def _named(self, question: Question, search: WordSearch) -> tuple[int, ...]:
        """Return the note that a question names: of several, one that is linked to."""
        named = search.named(question.meaning)
        linked = self.notes.inbound(named)
        return tuple([note for note in named if note in linked][:1] or named[:1])

    def _intent(
        self, question: Question, form: Form, vector: "Vector | None"
    ) -> tuple[Intent | None, tuple[str, ...]]:
        """Return the intent to act on, if any is sure enough, and what went wrong."""
        wish = question.wish
        if wish.intent != "auto":
            return wish.intent, ()
        if form.guess is None:
            return None, ()
        degraded: tuple[str, ...] = ()
        if self.named_intent is not None:
            try:
                named = self.named_intent(question.meaning)
            except GlassmindError as error:
                degraded = (f"intent: {error}",)
            else:
                if named in get_args(Intent):
                    return cast("Intent", named), ()
        near = None if vector is None else self.votes(vector)
        guess = form.guess if near is None else guess_intent(question.meaning, near)
        acted = guess.intent if guess.is_sure else None
        if wish.root_note is not None and acted is None:
            acted = "context_load"
        return acted or wish.fallback_intent, degraded
