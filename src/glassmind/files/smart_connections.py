"""Vectors that the Obsidian plugin Smart Connections has made of the vault.

An item's last line counts, and `null` takes it away. What was embedded before a note
last changed is stale.
"""

import os
import sys
from array import array
from collections.abc import Iterator
from math import isfinite, sqrt
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from msgspec import DecodeError, Raw, Struct
from msgspec.json import decode

from glassmind.errors import VaultError
from glassmind.files.read import VaultFiles
from glassmind.model.vectors import Unembedded

MODEL, WIDTH = "TaylorAI/bge-micro-v2", 384

SPACE = f"smart-connections:{MODEL}"
"""A space of its own: how the plugin prepares text is for it to decide."""

FOLDERS = (".smart-connections", ".smart-connections/multi", ".smart-env/multi")
"""Where its releases have kept their files, the oldest first: later lines win."""

SUFFIX, LARGEST_BYTES = ".ajson", 64 * 1024 * 1024
"""A file holds the items of one note; one of this size is none of the plugin's."""

SOURCES = ("smart_sources:", "SmartSource:", "smart_notes:", "SmartNote:")
BLOCKS = ("smart_blocks:", "SmartBlock:")

MOST_ROWS = 32
"""Blocks taken for one chunk, the tightest first: a list may have one for each line."""

_BLANKS = b", \t\r"


class ImportedBlock(NamedTuple):
    first: int
    last: int
    row: bytes


class ImportedNote(NamedTuple):
    until_ms: float
    whole: bytes | None
    blocks: tuple[ImportedBlock, ...]


class SmartConnections:
    """The vectors of one vault, read once; `rows_for` counts what was stale."""

    space, width = SPACE, WIDTH

    def __init__(self, root: Path) -> None:
        self._root = root
        self._notes: dict[str, ImportedNote] | None = None
        self.stale = self.malformed = self.unread = 0

    @property
    def state(self) -> str:
        found = [facts for _, facts in self._files()]
        newest = max((facts.st_mtime_ns for facts in found), default=0)
        return f"{len(found)}:{sum(facts.st_size for facts in found)}:{newest}"

    def rows_for(self, chunk: Unembedded) -> bytes | None:
        if self._notes is None:
            self._notes = self._read()
        note = self._notes.get(chunk.path)
        if note is None:
            return None
        if note.until_ms < chunk.mtime_ns // 1_000_000:
            self.stale += 1
            return None
        near = [
            block
            for block in note.blocks
            if block.first <= chunk.last_line and chunk.first_line <= block.last
        ]
        near.sort(key=lambda block: (block.last - block.first, block))
        rows = b"".join(block.row for block in near[:MOST_ROWS])
        return rows or note.whole

    def remarks(self) -> list[str]:
        counts = [
            ("passage", self.stale, "changed after Smart Connections embedded"),
            ("line", self.malformed, "of Smart Connections could not be read"),
            ("file", self.unread, "of Smart Connections could not be read"),
        ]
        return [
            f"{count:,} {noun}{'' if count == 1 else 's'} {what}"
            for noun, count, what in counts
            if count
        ]

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        for folder in FOLDERS:
            try:
                with os.scandir(self._root / folder) as entries:
                    listed = sorted(
                        (entry.name, entry.stat(follow_symlinks=False))
                        for entry in entries
                        if entry.name.endswith(SUFFIX)
                    )
            except OSError:
                continue
            yield from ((f"{folder}/{name}", facts) for name, facts in listed)

    def _read(self) -> dict[str, ImportedNote]:
        items: dict[str, Raw] = {}
        with VaultFiles(self._root) as files:
            for path, _ in self._files():
                try:
                    raw = files.read(path, limit_bytes=LARGEST_BYTES)
                except VaultError:
                    self.unread += 1
                    continue
                for line in raw.split(b"\n"):
                    text = b"{" + line.strip(_BLANKS) + b"}"
                    try:
                        items.update(decode(text, type=dict[str, Raw]))
                    except (DecodeError, UnicodeDecodeError, RecursionError):
                        self.malformed += 1
        return _notes_of(items)


class _Vector(Struct):
    vec: list[float] | None = None


class _Moment(Struct):
    at: float | None = None
    mtime: float | None = None


class _Item(Struct):
    """What the plugin writes about a note or a block."""

    embeddings: dict[str, Raw] = {}
    last_embed: _Moment | None = None
    last_import: _Moment | None = None
    lines: tuple[int, int] | None = None

    def row(self) -> bytes | None:
        """Return the vector, of unit length; None for what is not one."""
        vector = decode(self.embeddings.get(MODEL, b"{}"), type=_Vector).vec or []
        length = sqrt(sum(x * x for x in vector))
        if len(vector) != WIDTH or not length or not isfinite(length):
            return None
        row = array("f", [x / length for x in vector])
        if sys.byteorder == "big":
            row.byteswap()
        return row.tobytes()

    def until_ms(self) -> float:
        embedded, imported = self.last_embed or _Moment(), self.last_import or _Moment()
        times = (embedded.at, imported.mtime, -1.0)
        return next(time for time in times if time is not None)


def _notes_of(items: dict[str, Raw]) -> dict[str, ImportedNote]:
    wholes: dict[str, ImportedNote] = {}
    blocks: dict[str, list[ImportedBlock]] = {}
    until: dict[str, float] = {}
    for key, raw in items.items():
        kind, _, address = key.partition(":")
        try:
            item = decode(raw, type=_Item | None)
            row = item.row() if item else None
        except (DecodeError, UnicodeDecodeError):  # none of the plugin's
            continue
        if item is None:
            continue
        path = normalize("NFC", address.partition("#")[0])
        if f"{kind}:" in SOURCES:
            path = normalize("NFC", address)
            wholes[path] = ImportedNote(item.until_ms(), row, ())
        elif f"{kind}:" in BLOCKS and row and item.lines:
            first, last = item.lines
            blocks.setdefault(path, []).append(ImportedBlock(first, last, row))
            until[path] = max(until.get(path, -1.0), item.until_ms())
    notes = {path: ImportedNote(until[path], None, ()) for path in blocks} | wholes
    return {
        path: note._replace(blocks=tuple(blocks.get(path, ())))
        for path, note in notes.items()
    }
