"""Answers that are scripted, and those who read them as they come."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode

from http_harness import LABELS, LIMIT_S, Web
from msgspec import structs
from vault_harness import VaultHarness

from glassmind.engine import Engine
from glassmind.model import NotePath, Span
from glassmind.model.access import EVERY_AGENT
from glassmind.model.context import (
    Answer,
    Citation,
    News,
    Source,
    SourcesFound,
    Statement,
    StatementDone,
    TextPiece,
)
from glassmind.models.protocols import Cancellation

ASK = "/api/kb/ask"

SOURCES = (
    Source(
        1,
        NotePath("Projects/Heron.md"),
        "Heron",
        ("Heron", "Power"),
        Span(12, 18),
        3,
        1.0,
        "Cells were changed to LFP in 2025.\n",
        "Cells were changed to LFP in 2025.",
        "Projects/Heron.md:12-18@0f1e2d3c4b5a6978",
    ),
    Source(
        2,
        NotePath("Tea.md"),
        "Tea",
        (),
        Span(1, 2),
        0,
        0.25,
        "Oolong rests.\n",
        "Oolong rests.",
        "Tea.md:1-2@0f1e2d3c4b5a6978",
        generated=True,
    ),
)

QUOTED = Statement(
    "The cells have been LFP since 2025.",
    "quoted",
    (Citation(1, "changed to LFP in 2025", SOURCES[0].receipt),),
)
DOUBTED = Statement(
    "They last for 40 years.",
    "unsupported",
    (),
    "40 is not in what it cites",
)
WHOLE = Answer(
    "Which cells?",
    True,
    (QUOTED, DOUBTED),
    SOURCES,
    model_used="llama3.2",
    confidence=0.75,
)


def news_of(answer: Answer, size: int = 7) -> Iterator[News]:
    """Yield what is told while an answer is made, letters a few at a time."""
    yield SourcesFound(answer.sources, answer.confidence)
    for number, one in enumerate(answer.statements, 1):
        for at in range(0, len(one.text), size):
            yield TextPiece(one.text[at : at + size], one.support)
        yield StatementDone(**structs.asdict(one), number=number)


Ask = Callable[[Callable[[News], None], Cancellation], Answer]
"""What a scripted answer does."""


def whole(told: Callable[[News], None], _: Cancellation) -> Answer:
    """Tell everything, and answer."""
    for news in news_of(WHOLE):
        told(news)
    return WHOLE


class Scripted:
    """Answers every question by the script."""

    def __init__(self, script: Ask = whole) -> None:
        self.script = script
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.halts: list[Cancellation] = []

    def ask(
        self,
        question: str,
        *,
        told: Callable[[News], None] | None = None,
        halt: Cancellation | None = None,
        **wishes: Any,
    ) -> Answer:
        self.asked.append((question, wishes))
        if halt is not None:
            self.halts.append(halt)
        return self.script(told or (lambda _: None), halt or Cancellation())


def scripted(engine: Engine, script: Ask = whole) -> Scripted:
    """Have an engine answer by a script, for agents too, and return what is asked."""
    made = Scripted(script)
    for one in (engine, engine.seen_by(EVERY_AGENT)):
        one.__dict__["answers"] = made
    return made


def tea(vault: VaultHarness) -> VaultHarness:
    """Return the vault with a note."""
    vault.indexed({"Tea.md": "# Tea\n\nOolong rests.\n"})
    return vault


class Event(NamedTuple):
    """One event, or a comment, whose name is empty."""

    name: str
    value: Any


def parsed(text: str) -> list[Event]:
    """Return the events of a stream, which has to be whole and in order.

    They are without the label that those with text of notes have.
    """
    found = []
    *blocks, rest = text.split("\n\n")
    assert rest == "", rest
    for block in blocks:
        if block.startswith(":"):
            found.append(Event("", block))
            continue
        name, value = block.split("\n")
        assert name.startswith("event: "), block
        assert value.startswith("data: "), block
        said = json.loads(value[6:])
        bare = {name: one for name, one in said.items() if name not in LABELS}
        found.append(Event(name[7:], bare))
    return found


def address(question: str = "Which cells?", /, **wishes: object) -> str:
    """Return the path that asks a question."""
    return f"{ASK}?{urlencode({'question': question, **wishes})}"


@contextmanager
def streaming(
    web: Web, question: str = "Which cells?", **wishes: object
) -> Iterator[socket.socket]:
    """Ask for events by a bare connection; it is for the test to read them."""
    with web.raw() as wire:
        wire.send(
            f"GET {address(question, stream=1, **wishes)} HTTP/1.1",
            f"Host: {web.host}",
            f"Authorization: Bearer {web.token}",
            "",
        )
        wire.socket.settimeout(LIMIT_S)
        yield wire.socket


def read_until(wire: socket.socket, mark: bytes) -> bytes:
    """Return what comes until something has come."""
    got = bytearray()
    while mark not in got:
        part = wire.recv(65_536)
        assert part, f"the end came before {mark!r}: {bytes(got)!r}"
        got += part
    return bytes(got)
