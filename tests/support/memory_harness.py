"""What tests of memory share: captures, files of the agent folder, deaths."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from vault_harness import VaultHarness

from glassmind.files.write import VaultWriter
from glassmind.model.memory import MemoKind, MemoryItem

LOG = ".agent/logs/writes.jsonl"


def kept(
    harness: VaultHarness, text: str, kind: MemoKind = "decision", **said: Any
) -> MemoryItem:
    """Capture something as a person does."""
    return harness.engine.memory.capture(kind, text, **said).memory


def waiting(
    harness: VaultHarness, text: str, kind: MemoKind = "decision", **said: Any
) -> MemoryItem:
    """Capture something as an agent does."""
    done = harness.engine.memory.capture(
        kind, text, agent=True, client="tea-agent", **said
    )
    return done.memory


def called(memo: MemoryItem) -> str:
    """Return what tells a memo from every other one."""
    return memo.path


def text_of(harness: VaultHarness, path: str) -> str:
    """Return a file of the vault, line ends as they are."""
    return (harness.root / path).read_bytes().decode()


def tick(harness: VaultHarness, memo: MemoryItem, box: str = "x") -> None:
    """Tick the box of a memo, as Obsidian does."""
    file = harness.root / memo.path
    raw = file.read_bytes()
    assert b"- [ ] Keep this" in raw
    file.write_bytes(raw.replace(b"- [ ] Keep this", f"- [{box}] Keep this".encode()))


def agent_files(harness: VaultHarness) -> set[str]:
    """Return the notes of the agent folder, without its name."""
    folder = harness.root / ".agent"
    return {str(file.relative_to(folder)) for file in folder.rglob("*.md")}


def recorded(harness: VaultHarness) -> list[dict[str, Any]]:
    """Return the lines of the record, the oldest first."""
    return [json.loads(line) for line in text_of(harness, LOG).splitlines()]


class Died(BaseException):
    """Stands for a power cut: nothing of ours catches it."""


@contextmanager
def dying_at(meant: int) -> Iterator[list[str]]:
    """Die right before the n-th write or move; yields those that were begun."""
    begun: list[str] = []

    def around(name: str) -> Any:
        real = getattr(VaultWriter, name)

        def counted(*args: Any, **named: Any) -> Any:
            begun.append(name)
            if len(begun) == meant:
                raise Died
            return real(*args, **named)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        for name in ("put", "move"):
            patch.setattr(VaultWriter, name, around(name))
        try:
            yield begun
        except Died:
            return
