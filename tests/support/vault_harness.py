"""A vault in a temporary folder: notes written with known times, and an index."""

import os
import shutil
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from glassmind import Engine, open_vault
from glassmind.model.access import known_as
from glassmind.model.index import IndexReport
from glassmind.model.search import SearchReply
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.recording import Recording
from glassmind.serve.tool import ToolCall
from glassmind.store.place import index_name
from glassmind.store.sqlite.connection import open_reader

NOON = int(datetime(2024, 5, 1, 12, tzinfo=UTC).timestamp())
"""When the first file was written; each later one is a second younger.

Files this old are believed by their stamps: a younger one is hashed again.
"""


def usage_files(folder: Path) -> list[Path]:
    """Return the files of the usage log in a folder or below it."""
    return sorted(folder.rglob("use-*.jsonl"))


def usage_text(folder: Path) -> str:
    """Return what is on record in the usage log in a folder or below it."""
    return "".join(file.read_text("utf-8") for file in usage_files(folder))


class VaultHarness:
    """One vault, its index, and an engine between them."""

    def __init__(self, root: Path) -> None:
        self.root, self.place = root / "Notes", root / "index"
        (self.root / ".obsidian").mkdir(parents=True)
        self._clock = NOON
        self._engines: list[Engine] = []
        # without a model, unless the test is about meaning
        self.settings: dict[str, object] = {"embeddings.backend": "none"}

    @property
    def folder(self) -> Path:
        """The folder of the index."""
        return self.place / index_name(self.root)

    @property
    def engine(self) -> Engine:
        """The engine opened last."""
        return self._engines[-1] if self._engines else self.open()

    def open(self, **settings: object) -> Engine:
        """Open the vault (again); a setting goes by name with `__` for the dot."""
        self.settings |= {key.replace("__", "."): v for key, v in settings.items()}
        chosen = {"index.location": str(self.place), **self.settings}
        # what is handed out goes on record in the home of the test
        home = str(self.place.parent / "home")
        engine = open_vault(self.root, settings=chosen, env={"HOME": home})
        self._engines.append(engine)
        return engine

    def call_tool(self, name: str, /, client: str = "", **given: object) -> str:
        """Call a tool as a client over MCP does, and return its text."""
        sets = ("core", "write", "memory", "graph")
        tool = next(tool for tool in tools_of(sets) if tool.name == f"glassmind_{name}")
        with known_as(client), Recording(self.engine, "mcp-stdio", name, client) as log:
            answer = tool.run(ToolCall(self.engine, given, client=client))
            log.show(answer.shown)
        return answer.text

    def close(self) -> None:
        """Close every engine that was opened."""
        while self._engines:
            self._engines.pop().close()

    def write(self, files: Mapping[str, str | bytes], *, at: int | None = None) -> None:
        """Write files, each a second younger than the one before, or all at `at`."""
        for path, content in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            raw = content.encode() if isinstance(content, str) else content
            file.write_bytes(raw)
            self._clock += 1
            second = self._clock if at is None else at
            os.utime(file, (second, second))

    def copy_from(self, other: "VaultHarness") -> None:
        """Take over the files and the index of another vault, which is closed."""
        shutil.copytree(other.root, self.root, dirs_exist_ok=True)
        shutil.copytree(other.folder, self.folder)
        self._clock = other._clock

    def text(self, path: str) -> str:
        """Return what a file says, line ends as they are."""
        return (self.root / path).read_bytes().decode()

    def remove(self, *paths: str) -> None:
        """Delete files."""
        for path in paths:
            (self.root / path).unlink()

    def move(self, origin: str, path: str) -> None:
        """Rename a file, its time untouched."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        (self.root / origin).rename(file)

    def index(self, **wanted: Any) -> IndexReport:
        """Bring the index up to the vault."""
        return self.engine.index(**wanted)

    def indexed(self, files: Mapping[str, str | bytes]) -> IndexReport:
        """Write files and index them."""
        self.write(files)
        return self.index()

    def ask(self, text: str, **wanted: Any) -> SearchReply:
        """Search."""
        return self.engine.search(text, **wanted)

    def found(self, text: str, **wanted: Any) -> list[str]:
        """Return the paths of the hits, best first."""
        return [hit.path for hit in self.ask(text, **wanted).hits]

    def rows(self, statement: str, bound: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """Ask the rows of the index something."""
        db = open_reader(self.folder)
        try:
            return [tuple(row) for row in db.execute(statement, tuple(bound))]
        finally:
            db.close()

    def value(self, statement: str, *bound: Any) -> Any:
        """Ask the rows for one value."""
        return self.rows(statement, bound)[0][0]

    def edges(self) -> dict[tuple[str, str], str | None]:
        """Return where each link leads: by source and target as written."""
        found = self.rows(
            "select s.path, l.target, t.path from links l "
            "join files s on s.id = l.note_id left join files t on t.id = l.target_id"
        )
        return {(source, target): end for source, target, end in found}

    def database(self) -> apsw.Connection:
        """Open the rows for a test to tamper with; the caller closes it."""
        return apsw.Connection(str(self.folder / "index.db"))
