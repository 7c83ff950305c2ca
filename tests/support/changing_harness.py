"""A vault whose files are changed by steps, and what it looks like then."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glassmind.files.folder import AuditFile
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.model.edits import FileStep

LOG = ".agent/logs/writes.jsonl"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lock_of(root: Path) -> Path:
    """Return the lock of a vault, which stands beside it."""
    return root.parent / f"{root.name}-index" / "edits.lock"


def changer_of(root: Path) -> VaultChanger:
    """Return what changes the files of a vault; its lock stands beside the vault."""
    return VaultChanger(
        root,
        lock=lock_of(root),
        record=AuditFile(root, NotePath(LOG)),
        agent_folder=".agent",
        now=lambda: NOON,
    )


def made(root: Path, files: dict[str, bytes]) -> VaultChanger:
    """Make a vault with some files, and return what changes it."""
    root.mkdir(parents=True, exist_ok=True)
    for path, raw in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(raw)
    return changer_of(root)


def apply(changer: VaultChanger, *steps: FileStep) -> None:
    """Take some steps, in the name of a test."""
    changer.apply(steps, why="a test", client="tea-agent")


def files_of(root: Path) -> dict[str, bytes]:
    """Return every file of a vault but the record, staged ones too, by path."""
    found = (p for p in root.rglob("*") if p.is_file() and not p.is_symlink())
    named = {p.relative_to(root).as_posix(): p.read_bytes() for p in found}
    return {path: raw for path, raw in named.items() if path != LOG}


def folders_in(root: Path) -> set[str]:
    """Return every folder of a vault but those of the record."""
    found = (p for p in root.rglob("*") if p.is_dir() and not p.is_symlink())
    return {p.relative_to(root).as_posix() for p in found} - {".agent", ".agent/logs"}


def lines_of(root: Path) -> list[dict[str, Any]]:
    """Return what the record says."""
    if not (root / LOG).exists():
        return []
    return [json.loads(line) for line in (root / LOG).read_text("utf-8").splitlines()]


def edit(path: str, before: bytes, after: bytes) -> FileStep:
    """Return a step that changes a file in its place."""
    return FileStep(NotePath(path), NotePath(path), before, after)


def new(path: str, raw: bytes) -> FileStep:
    """Return a step that makes a file."""
    return FileStep(None, NotePath(path), None, raw)


def move(path: str, to: str, before: bytes, after: bytes | None = None) -> FileStep:
    """Return a step that moves a file, and may change it."""
    after = before if after is None else after
    return FileStep(NotePath(path), NotePath(to), before, after)


def move_folder(path: str, to: str) -> FileStep:
    """Return a step that moves a folder."""
    return FileStep(NotePath(path), NotePath(to), None, b"", folder=True)


OLD = {
    "Tea.md": b"oolong",
    "Cup.md": b"of [[Tea]]",
    "Old/Pot.md": b"pot of [[Tea]]",
    "Old/deep/Lid.md": b"lid",
    "Gone.md": b"gone",
}
NEW = {
    "Green/Tea.md": b"sencha",
    "Cup.md": b"of [[Green/Tea]]",
    "New/home/Pot.md": b"pot of [[Green/Tea]]",
    "New/home/deep/Lid.md": b"lid",
    ".trash/Gone.md": b"gone",
    "Fresh/Leaf.md": b"leaf",
}
EVERY = [
    edit("Cup.md", OLD["Cup.md"], NEW["Cup.md"]),
    move("Tea.md", "Green/Tea.md", b"oolong", b"sencha"),
    new("Fresh/Leaf.md", b"leaf"),
    move("Gone.md", ".trash/Gone.md", b"gone"),
    move_folder("Old", "New/home"),
    move("Old/Pot.md", "New/home/Pot.md", OLD["Old/Pot.md"], NEW["New/home/Pot.md"]),
]
"""A change with a step of every kind."""

PRIMITIVES = (
    "facts", "open", "read", "swap", "link", "give_to", "rename_to", "replace",
    "unlink", "make", "remove", "names", "below", "sync",
)  # fmt: skip
"""What a changer asks of an open folder."""

SYSTEM = (
    "open", "write", "fsync", "fchmod", "close", "link", "replace", "unlink", "mkdir",
    "rmdir", "rename", "listdir", "lstat", "fstat", "read",
)  # fmt: skip
"""What a changer asks of the system, but for two calls that Python has not."""
