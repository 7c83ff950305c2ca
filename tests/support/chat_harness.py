"""A server of models that write, scripted: it speaks as Ollama does and as OpenAI's."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from model_harness import serving

from glassmind.config import Config
from glassmind.config.load import config_for
from glassmind.models.protocols import Prompt, Turn

WAIT_S = 20.0
"""No wait of a test takes longer."""

NDJSON, EVENTS = "application/x-ndjson", "text/event-stream"

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}

PROMPT = Prompt(
    (Turn("system", "Answer from the notes."), Turn("user", "When is tea?")),
    SCHEMA,
    tokens=40,
    most_tokens=300,
)


class Voice:
    """One answer on its way: each piece leaves at once, in the server's language."""

    def __init__(
        self, harness: "ChatHarness", handler: BaseHTTPRequestHandler, question: Any
    ) -> None:
        self.harness, self.handler, self.question = harness, handler, question
        self.native = handler.path.endswith("/api/chat")

    def begin(self, kind: str = "", status: int = 200) -> None:
        """Send the head, with which a body of chunks begins."""
        self.handler.send_response(status)
        kind = kind or (NDJSON if self.native else EVENTS)
        self.handler.send_header("Content-Type", kind)
        self.handler.send_header("Transfer-Encoding", "chunked")
        self.handler.end_headers()
        self.handler.wfile.flush()

    def send(self, content: bytes) -> None:
        """Send a chunk as it is."""
        self.handler.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.handler.wfile.flush()

    def event(self, event: object) -> None:
        """Send an object, as a line or as an event."""
        line = json.dumps(event).encode()
        self.send(line + b"\n" if self.native else b"data: " + line + b"\n\n")

    def say(self, text: str, thought: str = "") -> None:
        """Send a piece of the answer."""
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if thought:
            message["thinking" if self.native else "reasoning_content"] = thought
        if self.native:
            self.event({"model": "m", "message": message, "done": False})
        else:
            choice = {"index": 0, "delta": message, "finish_reason": None}
            self.event({"object": "chat.completion.chunk", "choices": [choice]})

    def end(self, reason: str = "stop", read: int | None = None) -> None:
        """Send what ends an answer, and what was read if that is told."""
        if self.native:
            last: dict[str, Any] = {"done": True, "done_reason": reason}
            last["message"] = {"role": "assistant", "content": ""}
            self.event(last if read is None else {**last, "prompt_eval_count": read})
        else:
            choice = {"index": 0, "delta": {}, "finish_reason": reason}
            self.event({"choices": [choice]})
            if read is not None:
                self.event({"choices": [], "usage": {"prompt_tokens": read}})
            self.send(b"data: [DONE]\n\n")
        self.close()

    def close(self) -> None:
        """End the body as it should end."""
        self.handler.wfile.write(b"0\r\n\r\n")
        self.handler.wfile.flush()

    def refuse(self, status: int, error: object, **headers: str) -> None:
        """Answer with a fault."""
        self.whole({"error": error}, status, **headers)

    def whole(self, said: object, status: int = 200, **headers: str) -> None:
        """Answer with one object, not in pieces."""
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.handler.send_response(status)
        for name, value in ({"Content_Type": "application/json"} | headers).items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.send_header("Content-Length", str(len(body)))
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def listen(self) -> None:
        """Say no more until the other side is gone, and take note that it is."""
        self.handler.connection.settimeout(WAIT_S)
        try:
            left = self.handler.rfile.read(1)
        except ConnectionResetError:
            left = b""
        if not left:
            self.harness.gone.set()
        self.handler.close_connection = True

    def reset(self) -> None:
        """Break the connection off."""
        linger = struct.pack("ii", 1, 0)
        link = self.handler.connection
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        socket.close(link.detach())
        self.handler.close_connection = True


Reply = Callable[[Voice], None]
"""Answers a question, or misbehaves."""


def speaking(*pieces: str, reason: str = "stop", read: int | None = None) -> Reply:
    """Return a reply that says these pieces and comes to an end."""

    def reply(voice: Voice) -> None:
        voice.begin()
        for piece in pieces:
            voice.say(piece)
        voice.end(reason, read)

    return reply


class ChatHarness:
    """What a server was asked, and what it says: one reply a question, the last again.

    `gone` is set when a reply that listens sees that the other side has left.
    """

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.models = ["llama3.2:latest"]
        self.asked: list[Any] = []
        self.paths: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.gone = threading.Event()
        self.url = ""

    def settings(self, root: Path, backend: str = "ollama", **llm: object) -> Config:
        """Return settings that name this server."""
        chosen = {"backend": backend, "url": self.url} | llm
        return config_for(root, {f"llm.{name}": each for name, each in chosen.items()})

    def note(self, handler: BaseHTTPRequestHandler) -> None:
        """Take down what is asked, and by whom."""
        self.paths.append(handler.path)
        self.heads.append(dict(handler.headers))

    def listed(self, path: str) -> object | None:
        """Return the models, as the route that is asked tells them."""
        if path.endswith("/api/tags"):
            return {"models": [{"name": name, "model": name} for name in self.models]}
        if path.endswith("/v1/models"):
            return {"object": "list", "data": [{"id": name} for name in self.models]}
        return None


@contextmanager
def chat_server(*replies: Reply | str) -> Iterator[ChatHarness]:
    """Run a server that replies so; a text is an answer in one piece."""
    made = [speaking(each) if isinstance(each, str) else each for each in replies]
    harness = ChatHarness(made)

    class Scripted(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            harness.note(self)
            said = harness.listed(self.path)
            voice = Voice(harness, self, None)
            if said is None:
                voice.refuse(404, "not found")
            else:
                voice.whole(said)

        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            harness.note(self)
            harness.asked.append(question)
            last = len(harness.replies) == 1
            reply = harness.replies[0] if last else harness.replies.pop(0)
            try:
                reply(Voice(harness, self, question))
            except (BrokenPipeError, ConnectionResetError):
                harness.gone.set()
                self.close_connection = True

    with serving(Scripted) as url:
        harness.url = url
        yield harness
