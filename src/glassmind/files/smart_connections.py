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
        self._sources: dict[str, ImportedNote] | None = None
        self.stale = self.malformed = self.unread = 0

    @property
    def state(self) -> str:
        found = [stat for _, stat in self._files()]
        newest = max((stat.st_mtime_ns for stat in found), default=0)
        return f"{len(found)}:{sum(stat.st_size for stat in found)}:{newest}"

    def rows_for(self, chunk: Unembedded) -> bytes | None:
        source = self.sources().get(chunk.path)
        if source is None:
            return None
        if source.until_ms < chunk.mtime_ns // 1_000_000:
            self.stale += 1
            return None
        near = [
            block
            for block in source.blocks
            if block.first <= chunk.last_line and chunk.first_line <= block.last
        ]
        near.sort(key=lambda block: (block.last - block.first, block))
        rows = b"".join(block.row for block in near[:MOST_ROWS])
        return rows or source.whole

    def remarks(self) -> list[str]:
        said = [
            ("passage", self.stale, "changed after Smart Connections embedded"),
            ("line", self.malformed, "of Smart Connections could not be read"),
            ("file", self.unread, "of Smart Connections could not be read"),
        ]
        return [
            f"{count:,} {noun}{'' if count == 1 else 's'} {what}"
            for noun, count, what in said
            if count
        ]

    def sources(self) -> dict[str, ImportedNote]:
        if self._sources is None:
            self._sources = _gathered(self._items())
        return self._sources

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        for folder in FOLDERS:
            try:
                with os.scandir(self._root / folder) as found:
                    listed = sorted(
                        (one.name, one.stat(follow_symlinks=False))
                        for one in found
                        if one.name.endswith(SUFFIX)
                    )
            except OSError:
                continue
            yield from ((f"{folder}/{name}", facts) for name, facts in listed)

    def _items(self) -> "dict[str, ImportedItem | None]":
        items: dict[str, ImportedItem | None] = {}
        with VaultFiles(self._root) as files:
            for path, _ in self._files():
                try:
                    raw = files.read(path, limit_bytes=LARGEST_BYTES)
                except VaultError:
                    self.unread += 1
                    continue
                for line in raw.split(b"\n"):
                    items.update(self._pairs(line))
        return items

    def _pairs(self, line: bytes) -> "dict[str, ImportedItem | None]":
        try:
            found = decode(b"{" + line.strip(_BLANKS) + b"}", type=dict[str, Raw])
        except (DecodeError, UnicodeDecodeError, RecursionError):
            self.malformed += 1
            return {}
        return {key: _item(item) for key, item in found.items()}


class ImportedItem(NamedTuple):
    row: bytes | None
    lines: tuple[int, int] | None
    until_ms: float


class _Vector(Struct):
    vec: list[float] | None = None


class _Moment(Struct):
    at: float | None = None
    mtime: float | None = None


class _Written(Struct):
    embeddings: dict[str, Raw] = {}
    last_embed: _Moment | None = None
    last_import: _Moment | None = None
    lines: tuple[int, int] | None = None


def _item(raw: Raw) -> ImportedItem | None:
    try:
        found = decode(raw, type=_Written | None)
        if found is None:
            return None
        vector = decode(found.embeddings.get(MODEL, b"{}"), type=_Vector)
    except (DecodeError, UnicodeDecodeError):  # none of the plugin's
        return None
    embedded, imported = found.last_embed or _Moment(), found.last_import or _Moment()
    times = (embedded.at, imported.mtime, -1.0)
    until_ms = next(time for time in times if time is not None)
    return ImportedItem(_row(vector.vec or []), found.lines, until_ms)


def _row(found: list[float]) -> bytes | None:
    length = sqrt(sum(x * x for x in found))
    if len(found) != WIDTH or not length or not isfinite(length):
        return None
    row = array("f", [x / length for x in found])
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()


def _gathered(items: "dict[str, ImportedItem | None]") -> dict[str, ImportedNote]:
    wholes: dict[str, ImportedItem] = {}
    parts: dict[str, list[ImportedItem]] = {}
    for key, item in items.items():
        kind, _, address = key.partition(":")
        if item is None:
            continue
        if f"{kind}:" in SOURCES:
            wholes[normalize("NFC", address)] = item
        elif f"{kind}:" in BLOCKS and item.row and item.lines:
            path = normalize("NFC", address.partition("#")[0])
            parts.setdefault(path, []).append(item)
    return {
        path: _source(wholes.get(path), parts.get(path, []))
        for path in {**wholes, **parts}
    }


def _source(whole: ImportedItem | None, parts: list[ImportedItem]) -> ImportedNote:
    times = [part.until_ms for part in parts]
    until = whole.until_ms if whole else max(times, default=-1.0)
    blocks = [
        ImportedBlock(*part.lines, part.row)
        for part in parts
        if part.lines and part.row
    ]
    return ImportedNote(until, whole.row if whole else None, tuple(blocks))
