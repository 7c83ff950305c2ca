"""Clients of different scopes that ask a server while what they may read changes.

A note is kept from a client from the end of the index run that took that in: no answer
to a question that was asked later tells of it, until the note is opened again. An
answer that was under way may still tell it.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from fault_tools.vaults import FOLDERS, WORDS, note_text, write
from http_harness import LIMIT_S
from leak_harness import CANARY

SCOPES: Mapping[str, tuple[str, ...]] = {
    "folder": ("folder:Team",),
    "tag": ("tag:shared",),
    "property": ("property:audience=all",),
    "excluded": ("-folder:Locked", "-tag:secret"),
}
"""The rules of each client, which goes by their kind."""

ALL = frozenset(SCOPES)
NOBODY: frozenset[str] = frozenset()


class Plan(NamedTuple):
    """A note with a word of its own: where it stands and what decides who sees it."""

    number: int
    folder: str = "Team"
    tags: tuple[str, ...] = ("shared",)
    audience: str = "all"
    private: bool = False

    @property
    def word(self) -> str:
        """What stands in this note and in no other."""
        return "zq" + "".join("abcdefghij"[int(digit)] for digit in f"{self.number:03}")

    @property
    def path(self) -> str:
        """Where it stands; its name does not give the word away, for links to it."""
        return f"{self.folder}/Plan {self.number}.md"

    @property
    def readers(self) -> frozenset[str]:
        """The clients that may read it."""
        if self.private:
            return NOBODY
        found = {
            "folder": self.folder == "Team",
            "tag": "shared" in self.tags,
            "property": self.audience == "all",
            "excluded": self.folder != "Locked" and "secret" not in self.tags,
        }
        return frozenset(name for name, sees in found.items() if sees)

    @property
    def text(self) -> str:
        """What it says; the word stands wherever a note can hold one."""
        word, tags = self.word, ", ".join((*self.tags, f"{self.word}tag"))
        return (
            f"---\nprivate: {str(self.private).lower()}\naudience: {self.audience}\n"
            f"tags: [{tags}]\naliases: [{word}alias]\ntitle: {word}title\n"
            f"{word}name: {word}value\n---\n# {word}heading harbour lantern\n\n"
            f"{word}text {' '.join(WORDS)} [[Plan 1]] [[{word}ghost]]\n\n"
            f"- [ ] {word}task of the harbour\n"
        )


FIXED: tuple[dict[str, Any], ...] = (
    {"tags": (), "audience": "few"},
    {"folder": "Open", "audience": "few"},
    {"folder": "Open", "tags": ()},
    {"folder": "Locked"},
    {"tags": ("secret",), "audience": "few"},
    {"private": True},
    {"folder": "Open", "tags": (), "audience": "few"},
    {},
)
"""Notes that stay as they are: each has other readers."""

CLOSED: tuple[dict[str, Any], ...] = (
    {"private": True},
    {"folder": "Locked"},
    {"tags": ()},
    {"audience": "few"},
)
"""What becomes of a note that had all clients for readers, and is taken back."""


class Book:
    """Who may not be told which word, since when; tokens, and until when they count."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], list[tuple[float, float]]] = {}
        self.tokens: dict[str, str] = {}
        self.revoked: dict[str, tuple[float, float]] = {}

    def keep(self, word: str, clients: Iterable[str], since: float) -> None:
        """Take down that some clients may not be told a word any more."""
        with self._lock:
            for name in clients:
                kept = self._kept.setdefault((name, word), [])
                kept.append((since, float("inf")))

    def open(self, word: str, clients: Iterable[str]) -> None:
        """Take down that some clients may be told a word from now on."""
        with self._lock:
            for name in clients:
                kept = self._kept[name, word]
                kept[-1] = (kept[-1][0], time.monotonic())

    def told_amiss(self, name: str, said: str, began: float, ended: float) -> set[str]:
        """Return the words that a client was told and should not have been."""
        found = {word[:5] for word in CANARY.findall(said.lower())}
        with self._lock:
            return {
                word
                for word in found
                if any(
                    since <= began and ended <= until
                    for since, until in self._kept.get((name, word), ())
                )
            }


class Reply(NamedTuple):
    """What a client was told: `fine` where it is an answer, or a note is not there."""

    status: int
    text: str
    fine: bool


def asked_of_routes(rng: random.Random, names: list[str]) -> tuple[str, str, Any]:
    """Return a question for the routes: method, path and body."""
    words, name = " ".join(rng.sample(WORDS, 2)), rng.choice(names)
    about = urlencode({"name": name})
    return rng.choice(
        (
            ("POST", "/search", {"query": words, "mode": "fulltext", "limit": 50}),
            ("POST", "/search", {"query": words, "limit": 50}),
            ("GET", f"/notes/{quote(name)}", None),
            ("GET", f"/graph/connections?{about}&ghosts=true&depth=2", None),
            ("GET", "/graph/themes", None),
            ("GET", "/graph/rank", None),
            ("GET", f"/graph/suggest?{about}", None),
            ("GET", "/graph/health", None),
            ("POST", "/context", {"query": words}),
            ("GET", "/hot-context", None),
            ("GET", f"/api/kb/ask?{urlencode({'question': words})}", None),
            ("GET", "/stats", None),
            ("GET", "/recall", None),
        )
    )


def asked_of_tools(rng: random.Random, names: list[str]) -> tuple[str, dict[str, Any]]:
    """Return a question for the protocol: method and parameters."""
    words, name = " ".join(rng.sample(WORDS, 2)), rng.choice(names)
    tool, given = rng.choice(
        (
            ("glassmind_search", {"query": words, "limit": 30}),
            ("glassmind_read", {"name": name}),
            ("glassmind_list", {"tag": "shared"}),
            ("glassmind_list", {"folder": "Team"}),
            ("glassmind_connections", {"name": name}),
            ("glassmind_context", {"query": words}),
            ("resources/list", {}),
            ("completion/complete", {"value": "plan"}),
        )
    )
    if tool == "resources/list":
        return tool, {}
    if tool == "completion/complete":
        ref = {"type": "ref/resource", "uri": "note://{+path}"}
        return tool, {"ref": ref, "argument": {"name": "path", **given}}
    return "tools/call", {"name": tool, "arguments": given}


def is_absent(said: str) -> bool:
    """Whether a client was told that there is no such note."""
    return "note_not_found" in said or "no note" in said or "there is no" in said


class Visitor(threading.Thread):
    """Asks in the name of a client until told to stop; keeps what went wrong."""

    def __init__(
        self,
        name: str,
        book: Book,
        ask: Callable[[str, random.Random], tuple[str, Reply]],
        seed: int,
    ) -> None:
        super().__init__(daemon=True)
        self.client, self.answered = name, Counter[str]()
        self.wrong: list[str] = []
        self.leaked: list[str] = []
        self.words = 0
        self._book, self._ask, self._rng = book, ask, random.Random(seed)
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.is_set():
            token, began = self._book.tokens[self.client], time.monotonic()
            try:
                kind, reply = self._ask(token, self._rng)
            except Exception as error:  # noqa: BLE001 - told when all are counted
                self.wrong.append(f"{type(error).__name__}: {error}")
                return
            self._judge(kind, reply, token, began)

    def _judge(self, kind: str, reply: Reply, token: str, began: float) -> None:
        ended, revoked = time.monotonic(), self._book.revoked.get(token)
        if reply.status == 401:
            if revoked is None:
                self.wrong.append(f"{kind}: a client was not let in")
        elif revoked is not None and revoked[1] <= began:
            self.wrong.append(f"{kind}: a revoked client was answered")
        elif not reply.fine:
            self.wrong.append(f"{kind}: {reply.status} {reply.text[:300]}")
        amiss = self._book.told_amiss(self.client, reply.text, began, ended)
        if amiss:
            self.leaked.append(f"{kind}: {sorted(amiss)} in {reply.text[:2000]}")
        self.words += len(CANARY.findall(reply.text))
        self.answered[kind] += 1

    def end(self) -> None:
        """Stop asking; the question under way is answered first."""
        self._ended.set()
        self.join(2 * LIMIT_S)
        assert not self.is_alive(), "a question was never answered"


def churn(root: Path, rng: random.Random, names: list[str], steps: int) -> None:
    """Add, change, move and delete notes that anybody may be told of."""
    for _ in range(steps):
        kind, at = rng.choice(("add", "change", "move", "delete")), rng.choice(names)
        if kind == "add" or len(names) < 10:
            names.append(f"{rng.choice(FOLDERS)}New {rng.randrange(10**9)}.md")
            write(root, names[-1], note_text(rng, names))
        elif kind == "change":
            plan = f"[[Plan {rng.randrange(30)}]]"
            with (root / at).open("a", encoding="utf-8") as file:
                file.write(f"\nmore {rng.choice(WORDS)} and {plan}\n")
        elif kind == "move":
            names.remove(at)
            names.append(f"{rng.choice(FOLDERS)}Moved {rng.randrange(10**9)}.md")
            (root / names[-1]).parent.mkdir(parents=True, exist_ok=True)
            (root / at).rename(root / names[-1])
        else:
            names.remove(at)
            (root / at).unlink()
