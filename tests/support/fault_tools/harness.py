"""A home, a vault and its index, and what the tests of faults ask of them."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fault_tools.dump import Dump, differences, dump

from glassmind.engine import Engine, open_vault
from glassmind.model.search import SearchReply
from glassmind.store.place import index_locations

DRIVE = Path(__file__).with_name("drive.py")
NOBODY = 65534
"""The user that owns nothing, on every Linux in use."""
QUERIES = (
    "harbour lantern",
    "oolong",
    '"harbour lantern"',
    "tag:oolong",
    "ember -slate",
    "granite saffron tunnel beacon",
    "[status:done]",
)
Answers = list[list[tuple[object, ...]]]

DELETIONS = 5
"""How often a folder is emptied that somebody still puts something into."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run of the program that has ended."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out.splitlines()[-1])


class Harness:
    """A user's home and a vault, both empty."""

    def __init__(self, root: Path) -> None:
        self.home, self.vault = root / "home", root / "Notes"
        self.home.mkdir(parents=True)
        (self.vault / ".obsidian").mkdir(parents=True)

    @property
    def env(self) -> dict[str, str]:
        return {
            "GLASSMIND_EMBEDDINGS_BACKEND": "none",
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "RUST_BACKTRACE": "0",
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
        }

    def engine(self, **settings: object) -> Engine:
        return open_vault(self.vault, settings=settings, env=self.env)

    @property
    def folder(self) -> Path:
        with self.engine() as engine:
            return index_locations(engine.config)[0]

    def index(self, **wanted: Any) -> None:
        with self.engine() as engine:
            engine.index(**wanted)

    def start(
        self,
        *verbs: tuple[str, Mapping[str, object]] | str,
        wrap: Sequence[str] = (),
        **request: object,
    ) -> subprocess.Popen[str]:
        asked = [v if isinstance(v, tuple) else (v, {}) for v in verbs]
        text = json.dumps({"vault": str(self.vault), "verbs": asked, **request})
        return subprocess.Popen(
            [*wrap, sys.executable, str(DRIVE), text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env,
        )

    def run(
        self,
        *verbs: tuple[str, Mapping[str, object]] | str,
        wrap: Sequence[str] = (),
        timeout_s: float = 120,
        **request: object,
    ) -> Finished:
        return finish(self.start(*verbs, wrap=wrap, **request), timeout_s=timeout_s)

    def check_converges(self, *, queries: Iterable[str] = QUERIES) -> None:
        """Index once and compare with a fresh build: rows, answers, health."""
        with self.engine() as engine:
            engine.index(accept_deletions=True)
            found = dump(self.folder)
            engine.index(compact=True)
            replies = answers(engine, queries)
            assert not [c for c in engine.doctor() if c.state == "fail"]
        rows, fresh = self.fresh(queries)
        assert differences(found, rows) == []
        assert replies == fresh

    def fresh(self, queries: Iterable[str] = QUERIES) -> tuple[Dump, Answers]:
        """Return the rows and the answers of an index made from nothing."""
        home = self.home.with_name("fresh home")
        number = 0
        while home.exists():
            number += 1
            home = self.home.with_name(f"fresh home {number}")
        home.mkdir()
        with open_vault(self.vault, env={**self.env, "HOME": str(home)}) as engine:
            engine.index()
            folder = index_locations(engine.config)[0]
            return dump(folder), answers(engine, queries)


def finish(running: subprocess.Popen[str], *, timeout_s: float = 120) -> Finished:
    """Wait for a run to end; one that does not end in time is a failure."""
    try:
        out, err = running.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        running.kill()
        out, err = running.communicate()
        raise AssertionError(f"it hangs: {out[-500:]} {err[-500:]}") from None
    return Finished(running.returncode, out, err)


def shown(reply: SearchReply) -> list[tuple[object, ...]]:
    """Return what a user sees of the hits, scores as far as they count."""
    return [
        (h.path, h.lines, round(h.score, 3), h.snippet, h.digest, h.heading_path)
        for h in reply.hits
    ]


def answers(engine: Engine, queries: Iterable[str] = QUERIES) -> Answers:
    """Return what the engine answers to each query."""
    return [shown(engine.search(query, limit=20)) for query in queries]


def delete_index(folder: Path) -> None:
    """Delete the folder of an index, or of its words, while engines may be open.

    Tantivy looks after an open index in a thread of its own, and may put its lock back
    into a folder that is being emptied: then that is done again.
    """
    for _ in range(DELETIONS):
        with suppress(OSError):
            shutil.rmtree(folder)
            return
    shutil.rmtree(folder)


def fingerprint(root: Path) -> dict[str, tuple[object, ...]]:
    """Return everything about a folder that a reader may not change."""
    found: dict[str, tuple[object, ...]] = {}
    for file in sorted(root.rglob("*")):
        facts = file.lstat()
        content = ""
        if file.is_file() and not file.is_symlink():
            content = hashlib.sha256(file.read_bytes()).hexdigest()
        found[file.relative_to(root).as_posix()] = (
            facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ino, content,
        )  # fmt: skip
    return found


def words_of(text: str) -> str:
    """Return text as far as snippets keep it: without its blanks and line breaks."""
    return "".join(text.split())


def check_texts(engine: Engine, vault: Path, queries: Iterable[str] = QUERIES) -> None:
    """Every hit shows text that stands in the vault's note of that name."""
    for query in queries:
        for hit in engine.search(query, limit=20).hits:
            note = words_of((vault / hit.path).read_text("utf-8"))
            for part in hit.snippet.text.split("…"):
                assert words_of(part) in note, (query, hit)
