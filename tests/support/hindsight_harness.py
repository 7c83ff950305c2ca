"""A Hindsight server as its contract has it: it keeps what it hears, and may be odd."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import unquote

LIMIT_S = 30.0
"""How long a slow server holds a question before it gives up by itself."""

Reply = tuple[int, bytes]


class Heard(NamedTuple):
    """A request as it came."""

    verb: str
    path: str
    body: Any
    token: str

    @property
    def bank(self) -> str:
        """The bank that it is about."""
        return unquote(self.path.split("/banks/")[1].split("/")[0])


def fact(number: int, text: str, **said: Any) -> dict[str, Any]:
    """Return a fact as the server tells it."""
    return {
        "id": f"fact-{number}",
        "text": text,
        "type": "world",
        "entities": ["Skiff"],
        "context": "talk",
        "occurred_start": "2026-03-01T00:00:00Z",
        "occurred_end": None,
        "mentioned_at": "2026-03-02T10:00:00Z",
        "document_id": f"talk-{number}",
        "metadata": {},
        "chunk_id": None,
        "tags": [],
        **said,
    }


class HindsightHarness:
    """What a server remembers and heard; `misbehave` answers in its place."""

    def __init__(self, facts: Sequence[dict[str, Any]] = ()) -> None:
        self.facts = list(facts)
        self.heard: list[Heard] = []
        self.url = ""
        self.misbehave: Callable[[Heard], Reply | None] = lambda _: None
        self.over = threading.Event()

    @property
    def asked(self) -> list[str]:
        """The questions that came, in their order."""
        return [one.body["query"] for one in self.heard if one.path.endswith("/recall")]

    @property
    def retained(self) -> list[dict[str, Any]]:
        """What it was told to remember, in order."""
        told = [one for one in self.heard if one.path.endswith("/memories")]
        return [item for one in told for item in one.body["items"]]

    def hang(self, _: Heard) -> Reply | None:
        """Hold a question until the test is over."""
        self.over.wait(LIMIT_S)
        return None

    def answer(self, heard: Heard) -> Reply:
        """Return what a server says that is in good health."""
        odd = self.misbehave(heard)
        if odd is not None:
            return odd
        if heard.path.endswith("/health") and heard.verb == "GET":
            return as_json({"status": "healthy", "database": "connected"})
        if heard.path.endswith("/memories/recall"):
            return as_json({"results": self.facts, "trace": None, "entities": None})
        if heard.path.endswith("/memories"):
            count = len(heard.body["items"])
            done = {"success": True, "bank_id": heard.bank, "items_count": count}
            return as_json({**done, "async": heard.body["async"]})
        return 404, b'{"detail":"Not Found"}'


def as_json(value: object, status: int = 200) -> Reply:
    """Return an answer with a value."""
    return status, json.dumps(value).encode()


@contextmanager
def remembering(*facts: dict[str, Any]) -> Iterator[HindsightHarness]:
    """Let a server listen on a free port for as long as this is open."""
    harness = HindsightHarness(facts)

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(harness, None)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._say(harness, json.loads(raw))

        def _say(self, harness: HindsightHarness, body: Any) -> None:
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            heard = Heard(self.command, self.path, body, token)
            harness.heard.append(heard)
            status, answer = harness.answer(heard)
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
            except OSError:
                return  # who asked has gone

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    running = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    running.start()
    harness.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield harness
    finally:
        harness.over.set()
        server.shutdown()
        server.server_close()
        running.join(LIMIT_S)
