"""Listening to a model: each statement is held against the notes as it is written."""

from collections.abc import Callable
from typing import assert_never

from msgspec import structs

from glassmind.context.answers.prompting import MOST_STATEMENTS
from glassmind.context.answers.proving import problem_of
from glassmind.context.answers.quotes import Pages
from glassmind.context.answers.reading import (
    Claim,
    Event,
    Known,
    Letters,
    Reader,
    Thought,
)
from glassmind.model.context import News, Spoken, Stated, Statement, Support, Withdrawn


class Enough(Exception):
    """Nothing more has to be heard of a model; `reason` where that is its fault."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Listener:
    """What a model has said so far, checked.

    With `drops`, what nothing bears out is never told, not even a letter of it; so
    letters wait until a statement is whole, since it is checked then.
    """

    def __init__(
        self, question: str, pages: Pages, told: Callable[[News], None], *, drops: bool
    ) -> None:
        self.statements: list[Statement] = []
        self.dropped = 0
        self.has_told = False
        self._question, self._pages, self._told = question, pages, told
        self._drops = drops
        self._reader, self._heard = Reader(), 0
        self._seen: set[tuple[int | None, str]] = set()
        self._support: Support | None = None
        self._is_amid = False

    @property
    def says_nothing(self) -> bool:
        """Whether the model says that the sources hold no answer."""
        return self._reader.says_nothing and not self.statements and not self.dropped

    def hear(self, piece: str) -> None:
        """Take a piece of what the model writes.

        Raises:
            Enough: it may stop.
        """
        for event in self._reader.feed(piece):
            self._take(event)
        if self._reader.is_endless:
            raise Enough("does not come to an end")
        if self._heard >= MOST_STATEMENTS:
            raise Enough

    def end(self) -> None:
        """Take it that the model is done; what is whole counts."""
        for event in self._reader.end():
            self._take(event)
        self._leave()

    def _take(self, event: Event) -> None:
        if self._heard >= MOST_STATEMENTS and not isinstance(event, Thought):
            return
        match event:
            case Known(source, quote):
                self._leave()
                self._support = self._speaks_as(source, quote)
            case Letters(text):
                if self._support is not None:
                    self._is_amid = True
                    self._tell(Spoken(text, self._support))
            case Claim():
                self._heard, self._is_amid = self._heard + 1, False
                self._claimed(event)
            case Thought():
                self._forget()
            case _:
                assert_never(event)

    def _forget(self) -> None:
        """Take nothing of what was said so far for an answer."""
        if self.has_told:
            self._told(Withdrawn("the model thought aloud"))
        self.statements, self.dropped, self._heard = [], 0, 0
        self.has_told = self._is_amid = False
        self._support = None
        self._seen.clear()

    def _speaks_as(self, source: int | None, quote: str) -> Support | None:
        """Return how letters are told as they come; None where they have to wait."""
        # a model that says a thing again often says it in the same words
        if self._drops or (source, quote) in self._seen:
            return None
        borne = self._pages.borne(source, quote)
        if borne.is_short:
            return None
        return "unsupported" if borne.problem else "quoted"

    def _claimed(self, claim: Claim) -> None:
        was_spoken, self._support = self._support is not None, None
        if any(one.text == claim.text for one in self.statements) and not was_spoken:
            return
        self._seen.add((claim.source, claim.quote))
        made = self._judged(claim)
        if self._drops and not made.is_supported:
            self.dropped += 1
            return
        self.statements.append(made)
        self._state(len(self.statements), is_spoken=was_spoken)

    def _state(self, number: int, *, is_spoken: bool) -> None:
        made = self.statements[number - 1]
        if not is_spoken:
            self._tell(Spoken(made.text, made.support))
        self._tell(Stated(**structs.asdict(made), number=number))

    def _leave(self) -> None:
        """Withdraw letters of a statement that never became whole."""
        if not self._is_amid:
            return
        self._told(Withdrawn("the model did not finish what it said"))
        self._is_amid = self.has_told = False
        for number in range(1, len(self.statements) + 1):
            self._state(number, is_spoken=False)

    def _judged(self, claim: Claim) -> Statement:
        """Return a statement, by the best of the places where its quote stands."""
        found: list[Statement] = []
        for borne in self._pages.every(claim.source, claim.quote):
            problem = borne.problem
            if borne.ground is not None:
                problem = problem_of(
                    claim.text,
                    claim.quote,
                    self._question,
                    borne.ground,
                    is_short=borne.is_short,
                )
            if not problem:
                return Statement(claim.text, "quoted", borne.citations)
            made = Statement(claim.text, "unsupported", borne.citations, problem)
            found.append(made)
        return found[0]

    def _tell(self, news: News) -> None:
        self.has_told = True
        self._told(news)
