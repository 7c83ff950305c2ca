"""The verb of answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Literal, NamedTuple

from msgspec import structs

from glassmind.context.answers.asked import check_asked
from glassmind.context.answers.desk import Desk
from glassmind.context.answers.hearing import Enough, Listener
from glassmind.context.answers.prompting import (
    PLAIN_BUDGET,
    most_answered,
    nameable,
    page_of,
    prompt_of,
    room_for_sources,
)
from glassmind.context.answers.quotes import Pages
from glassmind.errors import ModelFault
from glassmind.errors.serving import CallAbandoned
from glassmind.model.context import (
    Answer,
    Found,
    Gathered,
    News,
    Spoken,
    Stated,
    Statement,
    Withdrawn,
)
from glassmind.model.search import Intent, Mode
from glassmind.ports.chat import Chat, Ended, Halt

Told = Callable[[News], None]


ASKED = 0.25
"""How likely the passages must be to hold an answer for a model to be asked."""


class _Writer(NamedTuple):
    """A model that writes, and how many tokens of sources it can be shown."""

    chat: Chat
    room_tokens: int


class Answers:
    """Questions to a vault, answered; for any number of threads."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

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
        halt: Halt | None = None,
    ) -> Answer:
        """Return an answer to a question, with what bears it out.

        A model is shown no private notes, whatever is wished. Where it fails, the
        answer is in the notes' own sentences and `degraded` says why. `told` hears of
        the answer while it is made, in this thread.

        Raises:
            NothingAsked, BadWish, BadLimit: so it cannot be asked.
            CallAbandoned: `halt` was set while it was made.
        """
        count = self._desk.config.ask.sources if limit is None else limit
        check_asked(question, count)
        writer, lacks = self._writer(question, count) if use_model else (None, ())
        found = self._desk.gather(
            question,
            limit=count,
            budget_tokens=writer.room_tokens if writer else PLAIN_BUDGET,
            project=project,
            mode=mode,
            intent=intent,
            private=private and writer is None,
            today=today,
        )
        found = replace(found, sources=tuple(map(nameable, found.sources)))
        made = _Making(found, lacks, told or _unheard)
        return made.answer(self._desk, writer, halt or Halt())

    def _writer(
        self, question: str, limit: int
    ) -> tuple[_Writer | None, tuple[str, ...]]:
        """Return the model that is asked, or why there is none."""
        try:
            chat = self._desk.chat()
        except ModelFault as fault:
            return None, (f"llm: {fault}",)
        if chat is None:
            return None, ()
        answer = self._desk.config.llm.answer_tokens
        room = room_for_sources(chat, question, limit=limit, answer=answer)
        if not room:
            said = "llm: llm.context_tokens leaves no room for what the notes say"
            return None, (said,)
        return _Writer(chat, room), ()


class _Making:
    """One answer while it is made."""

    def __init__(self, found: Gathered, lacks: tuple[str, ...], told: Told) -> None:
        self._found, self._told = found, told
        self._notices = [*lacks, *found.degraded, *_withheld(found)]

    def answer(self, desk: Desk, writer: _Writer | None, halt: Halt) -> Answer:
        """Return it, by the model where there is one to ask and something to ask."""
        found = self._found
        self._told(Found(found.sources, found.confidence))
        doubtful = found.confidence is not None and found.confidence < ASKED
        if not found.sources or (doubtful and not found.told):
            return self._made(())
        if halt.is_set():
            raise CallAbandoned
        if writer is None:
            return self._extracted()
        return self._written(desk, writer, halt)

    def _written(self, desk: Desk, writer: _Writer, halt: Halt) -> Answer:
        found, chat = self._found, writer.chat
        pages = [page_of(source) for source in found.sources]
        drops = desk.config.ask.unsupported == "drop"
        listener = Listener(found.question, Pages(pages), self._told, drops=drops)
        prompt = prompt_of(
            found.question,
            pages,
            budget_tokens=writer.room_tokens,
            most_tokens=most_answered(chat, desk.config.llm.answer_tokens),
        )
        try:
            ended = chat.answer(prompt, listener.hear, halt)
        except ModelFault as fault:
            return self._instead(listener, str(fault))
        except Enough as enough:  # which ends the model too
            lost = f"{chat.model} {enough.reason}" if enough.reason else ""
            ended = Ended(lost=lost)
        listener.end()
        if ended.lost:
            self._notices.append(f"llm: {ended.lost}")
        if ended.was_cut:
            self._notices.append("llm: the answer was longer than llm.answer_tokens")
        if ended.lost and listener.says_nothing:  # it may stand in what was not read
            return self._extracted()
        return self._judged(listener, chat.model)

    def _judged(self, listener: Listener, model: str) -> Answer:
        """Return what remains of what a model said, or what stands in for it."""
        said, dropped = listener.statements, listener.dropped
        if any(one.is_supported for one in said):
            return self._made(said, model=model, dropped=dropped)
        if said or dropped:
            reason = f"nothing that {model} said is supported by the notes"
            instead = self._instead(listener, reason)
            return replace(instead, dropped=dropped + len(said))
        if listener.says_nothing:
            return self._made((), model=model)
        return self._instead(listener, f"{model} gave no answer in the form asked for")

    def _instead(self, listener: Listener, reason: str) -> Answer:
        """Return the notes' own sentences in place of what a model said."""
        if listener.has_told:
            self._told(Withdrawn(reason))
        self._notices.append(f"llm: {reason}")
        return self._extracted()

    def _extracted(self) -> Answer:
        for number, statement in enumerate(self._found.told, 1):
            self._told(Spoken(statement.text, statement.support))
            self._told(Stated(**structs.asdict(statement), number=number))
        return self._made(self._found.told)

    def _made(
        self, statements: Sequence[Statement], *, model: str = "", dropped: int = 0
    ) -> Answer:
        found = self._found
        return Answer(
            found.question,
            any(one.is_supported for one in statements),
            tuple(statements),
            found.sources,
            model_used=model,
            dropped=dropped,
            confidence=found.confidence,
            mode=found.mode,
            intent=found.intent,
            degraded=tuple(self._notices),
            conflicts=found.conflicts,
        )


def _withheld(found: Gathered) -> list[str]:
    count = found.withheld
    if not count:
        return []
    return [f"{count} private {'note was' if count == 1 else 'notes were'} left out"]


def _unheard(_: News) -> None:
    """Take what nobody listens to."""
