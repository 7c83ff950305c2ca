"""What tests of answers share: sources and a model that plays a script."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from glassmind.config import load_config
from glassmind.context.answer import Answers
from glassmind.context.evidence import GatherRequest
from glassmind.errors import CallAbandoned, ModelFault
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    Answer,
    AnswerSources,
    Citation,
    News,
    Source,
    SourcesFound,
    Statement,
    StatementDone,
    TextPiece,
    TextWithdrawn,
)
from glassmind.models.protocols import Cancellation, ChatModel, GenerationEnd, Prompt
from glassmind.obsidian.receipts import receipt_of

HERON = """\
## Power
The station runs on a **40 W** panel and a [[LiFePO4|lithium battery]] of 12 Ah.

- It sleeps between 22:00 and 05:30.
- Mara changed the fuse on 2026-03-01.
"""
OTTER = """\
The otter camera takes 1,200 pictures a day.
It stands at the old weir, below the mill.
"""
QUESTION = "What does the station run on?"
GOOD = (1, "station runs on a 40 W panel", "It runs on a 40 W panel.")
WRONG = (1, "runs on a wind turbine only", "It runs on wind.")


def source(
    number: int, path: str, text: str, *, start: int = 3, generated: bool = False
) -> Source:
    """Return a source whose text stands in its note from line `start` on."""
    lines = text.rstrip("\n").split("\n")
    span = Span(start, start + len(lines) - 1)
    whole = "\n".join(lines)
    return Source(
        number=number,
        path=NotePath(path),
        title=path.rpartition("/")[2].removesuffix(".md"),
        heading_path=("Heron", "Power"),
        lines=span,
        chunk_index=0,
        relevance=0.9,
        text=whole,
        excerpt=whole[:40],
        receipt=receipt_of(path, "Power", span, whole),
        generated=generated,
    )


SOURCES = (source(1, "Projects/Heron.md", HERON), source(2, "Otter.md", OTTER))
TOLD = (
    Statement(
        "It sleeps between 22:00 and 05:30.",
        "verbatim",
        (Citation(1, "It sleeps between 22:00 and 05:30.", SOURCES[0].receipt),),
    ),
)


def written(*statements: tuple[int, str, str]) -> str:
    """Return what a model writes that keeps to the form."""
    keys = ("source", "quote", "text")
    found = [dict(zip(keys, statement, strict=True)) for statement in statements]
    return json.dumps({"statements": found}, ensure_ascii=False)


class ScriptedChat:
    """A model that says what it is told to, in pieces of a few letters."""

    model, context_tokens = "parrot", 8_192

    def __init__(
        self,
        text: str = "",
        *,
        ended: GenerationEnd | None = None,
        fault: ModelFault | None = None,
        piece: int = 3,
    ) -> None:
        self.text, self.fault, self.piece = text, fault, piece
        self.ended = ended or GenerationEnd()
        self.asked: list[Prompt] = []
        self.letters_said = 0

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Cancellation, /
    ) -> GenerationEnd:
        """Say it, and then fail if that is in the script."""
        self.asked.append(prompt)
        for at in range(0, len(self.text), self.piece):
            if halt.is_set():
                raise CallAbandoned
            self.letters_said = at + self.piece
            said(self.text[at : at + self.piece])
        if self.fault is not None:
            raise self.fault
        return self.ended


class AnswersHarness:
    """Answers over sources that are always found, and what was told of them."""

    def __init__(
        self,
        chat: ChatModel | Callable[[], ChatModel | None] | None = None,
        *,
        sources: Iterable[Source] = SOURCES,
        told: tuple[Statement, ...] = TOLD,
        confidence: float | None = 0.8,
        withheld: int = 0,
        **settings: object,
    ) -> None:
        self.news: list[News] = []
        self.wished: list[tuple[int, int, bool]] = []
        self._found = AnswerSources(
            QUESTION, tuple(sources), told, confidence, withheld=withheld
        )
        flags = {key.replace("__", "."): value for key, value in settings.items()}
        config = load_config(
            flags=flags, env={"HOME": "/nowhere"}, cwd=Path("/"), need_vault=False
        )
        given = chat if callable(chat) else lambda: chat
        self.answers = Answers(config, self._gather, given)

    def _gather(self, request: GatherRequest) -> AnswerSources:
        self.wished.append((request.limit, request.budget_tokens, request.private))
        return replace(self._found, question=request.question)

    def ask(
        self,
        question: str = QUESTION,
        *,
        use_model: bool = True,
        private: bool = False,
        halt: Cancellation | None = None,
    ) -> Answer:
        """Ask a question; whatever it is, the same sources are found."""
        return self.answers.ask(
            question,
            use_model=use_model,
            private=private,
            told=self.news.append,
            halt=halt,
        )

    @property
    def spoken(self) -> list[str]:
        """The letters told of each statement that counts, joined."""
        found, letters = list[str](), ""
        for news in self.news:
            match news:
                case SourcesFound():
                    pass
                case TextPiece(text):
                    letters += text
                case StatementDone():
                    found, letters = [*found, letters], ""
                case TextWithdrawn():
                    found, letters = [], ""
        return found
