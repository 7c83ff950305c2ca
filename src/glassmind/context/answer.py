"""Answers a question from the notes: in their own words, or by a model that is checked.

A model writes statements with quotes; each is checked against the sources as it comes.
"""

from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from typing import Literal, NamedTuple

from msgspec import structs
from msgspec.structs import replace

from glassmind.config import Config
from glassmind.context.evidence import GatherRequest
from glassmind.context.prompt import (
    MOST_STATEMENTS,
    PLAIN_BUDGET,
    most_answered,
    nameable,
    page_of,
    prompt_of,
    room_for_sources,
)
from glassmind.context.proof import (
    AnswerReader,
    ModelStatement,
    SourceTexts,
    ThinkingDone,
)
from glassmind.errors import (
    BadLimit,
    BadWish,
    CallAbandoned,
    ModelFault,
    NothingAsked,
)
from glassmind.model.context import (
    Answer,
    AnswerSources,
    News,
    SourcesFound,
    Statement,
    StatementDone,
    TextPiece,
    TextWithdrawn,
)
from glassmind.model.search import (
    LONGEST_QUESTION,
    MOST_SOURCES,
    Intent,
    Mode,
    says_something,
)
from glassmind.models.protocols import Cancellation, ChatModel, GenerationEnd


def check_asked(question: str, limit: int) -> None:
    """See that a question can be answered."""
    if len(question) > LONGEST_QUESTION:
        length = f"of {len(question):,} letters"
        raise BadWish("a question", length, f"of {LONGEST_QUESTION:,} at most")
    if not says_something(question):
        raise NothingAsked
    if not 1 <= limit <= MOST_SOURCES:
        raise BadLimit(limit, MOST_SOURCES)


class StopGeneration(Exception):
    """Nothing more has to be heard of a model; `reason` where that is its fault."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class AnswerListener:
    """What a model has said so far, checked statement by statement.

    With `drops`, statements that nothing supports are never shown.
    """

    def __init__(
        self,
        question: str,
        pages: SourceTexts,
        told: Callable[[News], None],
        *,
        drops: bool,
    ) -> None:
        self.statements: list[Statement] = []
        self.dropped = 0
        self.has_told = False
        self._question, self._pages, self._told = question, pages, told
        self._drops = drops
        self._reader, self._heard = AnswerReader(), 0

    @property
    def says_nothing(self) -> bool:
        return self._reader.says_nothing and not self.statements and not self.dropped

    def hear(self, piece: str) -> None:
        """Take a piece of what the model writes."""
        for event in self._reader.feed(piece):
            if isinstance(event, ThinkingDone):
                self._forget()
            elif self._heard < MOST_STATEMENTS:
                self._heard += 1
                self._add(event)
        if self._reader.is_endless:
            raise StopGeneration("does not come to an end")
        if self._heard >= MOST_STATEMENTS:
            raise StopGeneration

    def _forget(self) -> None:
        if self.has_told:
            self._told(TextWithdrawn("the model thought aloud"))
        self.statements, self.dropped, self._heard = [], 0, 0
        self.has_told = False

    def _add(self, claim: ModelStatement) -> None:
        if any(one.text == claim.text for one in self.statements):
            return
        statement = self._pages.judged(claim, self._question)
        if self._drops and not statement.is_supported:
            self.dropped += 1
            return
        self.statements.append(statement)
        self.has_told = True
        self._told(TextPiece(statement.text, statement.support))
        self._told(
            StatementDone(**structs.asdict(statement), number=len(self.statements))
        )


Told = Callable[[News], None]


ASKED = 0.25
"""How likely the passages must be to hold an answer for a model to be asked."""


class _Writer(NamedTuple):
    """A model that writes, and how many tokens of sources it can be shown."""

    chat: ChatModel
    room_tokens: int


class Answers:
    """Questions to a vault, answered; for any number of threads."""

    def __init__(
        self,
        config: Config,
        gather: Callable[[GatherRequest], AnswerSources],
        chat: Callable[[], ChatModel | None] | None = None,
    ) -> None:
        self._config, self._gather = config, gather
        # it remembers what its server takes
        self._chat = cache(chat or self._configured_chat)

    def ask(  # noqa: PLR0913 - each wish by its name
        self,
        question: str,
        *,
        use_model: bool = True,
        limit: int | None = None,
        project: str | None = None,
        mode: Mode | None = None,
        intent: Intent | Literal["auto"] | None = "auto",
        private: bool = False,
        today: date | None = None,
        told: Told | None = None,
        halt: Cancellation | None = None,
    ) -> Answer:
        """Return an answer to a question, with what bears it out.

        A model is shown no private notes, whatever is wished. Where it fails, the
        answer is in the notes' own sentences and `degraded` says why. `told` hears of
        the answer while it is made, in this thread.
        """
        count = self._config.ask.sources if limit is None else limit
        check_asked(question, count)
        writer, lacks = self._writer(question, count) if use_model else (None, ())
        budget = writer.room_tokens if writer else PLAIN_BUDGET
        private = private and writer is None
        sources = self._gather(
            GatherRequest(
                question, count, budget, project, mode, intent, private, today
            )
        )
        sources = replace(sources, sources=tuple(map(nameable, sources.sources)))
        making = _Making(sources, lacks, told or (lambda _: None))
        return making.answer(self._config, writer, halt or Cancellation())

    def _configured_chat(self) -> ChatModel | None:
        if self._config.llm.backend == "none":
            return None
        from glassmind.models.chat import chat_for  # noqa: PLC0415 - slow to import

        return chat_for(self._config)

    def _writer(
        self, question: str, limit: int
    ) -> tuple[_Writer | None, tuple[str, ...]]:
        try:
            chat = self._chat()
        except ModelFault as fault:
            return None, (f"llm: {fault}",)
        if chat is None:
            return None, ()
        answer = self._config.llm.answer_tokens
        room = room_for_sources(chat, question, limit=limit, answer=answer)
        if not room:
            said = "llm: llm.context_tokens leaves no room for what the notes say"
            return None, (said,)
        return _Writer(chat, room), ()


class _Making:
    """One answer while it is made."""

    def __init__(
        self, found: AnswerSources, lacks: tuple[str, ...], told: Told
    ) -> None:
        self._found, self._told = found, told
        self._notices = [*lacks, *found.degraded]
        if count := found.withheld:
            notes = "note was" if count == 1 else "notes were"
            self._notices.append(f"{count} private {notes} left out")

    def answer(
        self, config: Config, writer: _Writer | None, halt: Cancellation
    ) -> Answer:
        sources = self._found
        self._told(SourcesFound(sources.sources, sources.confidence))
        doubtful = sources.confidence is not None and sources.confidence < ASKED
        if not sources.sources or (doubtful and not sources.told):
            return self._made(())
        if halt.is_set():
            raise CallAbandoned
        if writer is None:
            return self._extracted()
        return self._written(config, writer, halt)

    def _written(self, config: Config, writer: _Writer, halt: Cancellation) -> Answer:
        sources, chat = self._found, writer.chat
        pages = [page_of(source) for source in sources.sources]
        drops = config.ask.unsupported == "drop"
        listener = AnswerListener(
            sources.question, SourceTexts(pages), self._told, drops=drops
        )
        prompt = prompt_of(
            sources.question,
            pages,
            budget_tokens=writer.room_tokens,
            most_tokens=most_answered(chat, config.llm.answer_tokens),
        )
        try:
            ended = chat.answer(prompt, listener.hear, halt)
        except ModelFault as fault:
            return self._instead(listener, str(fault))
        except StopGeneration as enough:  # which ends the model too
            lost = f"{chat.model} {enough.reason}" if enough.reason else ""
            ended = GenerationEnd(lost=lost)
        if ended.lost:
            self._notices.append(f"llm: {ended.lost}")
        if ended.was_cut:
            self._notices.append("llm: the answer was longer than llm.answer_tokens")
        if ended.lost and listener.says_nothing:  # it may stand in what was not read
            return self._extracted()
        return self._judged(listener, chat.model)

    def _judged(self, listener: AnswerListener, model: str) -> Answer:
        statements, dropped = listener.statements, listener.dropped
        if any(statement.is_supported for statement in statements):
            return self._made(statements, model=model, dropped=dropped)
        if statements or dropped:
            reason = f"nothing that {model} said is supported by the notes"
            instead = self._instead(listener, reason)
            return replace(instead, dropped=dropped + len(statements))
        if listener.says_nothing:
            return self._made((), model=model)
        return self._instead(listener, f"{model} gave no answer in the form asked for")

    def _instead(self, listener: AnswerListener, reason: str) -> Answer:
        """Return the notes' own sentences in place of what a model said."""
        if listener.has_told:
            self._told(TextWithdrawn(reason))
        self._notices.append(f"llm: {reason}")
        return self._extracted()

    def _extracted(self) -> Answer:
        for number, statement in enumerate(self._found.told, 1):
            self._told(TextPiece(statement.text, statement.support))
            self._told(StatementDone(**structs.asdict(statement), number=number))
        return self._made(self._found.told)

    def _made(
        self, statements: Sequence[Statement], *, model: str = "", dropped: int = 0
    ) -> Answer:
        sources = self._found
        return Answer(
            sources.question,
            any(statement.is_supported for statement in statements),
            tuple(statements),
            sources.sources,
            model_used=model,
            dropped=dropped,
            confidence=sources.confidence,
            mode=sources.mode,
            intent=sources.intent,
            degraded=tuple(self._notices),
            conflicts=sources.conflicts,
        )
