"""What stands on disk and what became of it: files, changes, runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from glassmind.model import NotePath

FileKind: TypeAlias = Literal["markdown", "canvas", "base", "attachment"]


TO_HASH, UNREAD = 0, -1
"""Stamps that no file has: of one to be hashed again, and of one never read so far."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file as one `stat` shows it.

    `stamp` is one number made of size, times and inode: equal stamps mean an unchanged
    file, another stamp means that the content hash has to decide. `disk_path` is the
    name the disk has for it where that is not Unicode NFC.
    """

    path: NotePath
    kind: FileKind
    size: int
    mtime_ns: int
    stamp: int
    disk_path: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not in the index, and the reason a person can act on.

    `unknown` means that it may well be a note we cannot see now (unreadable, not
    downloaded): what the index knows of it stays.
    """

    path: NotePath
    reason: str
    unknown: bool = False


Stage: TypeAlias = Literal[
    "wait", "scan", "read", "resolve", "words", "embed", "vectors", "pairs",
    "confidence", "measure",
]  # fmt: skip
"""What a run of indexing is at, or one of measuring."""


class Progress(NamedTuple):
    """How far a long piece of work has come; `total` is 0 while it is unknown."""

    stage: Stage
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of indexing did; the first counts are of notes.

    Of chunks are `embedded` (by the model), `reused` (a vector that was there already)
    and `left` (still without one). `held` notes seem gone and were kept all the same.
    `renamed` are the notes that moved, each from where and to where.
    """

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    notes: int = 0
    seconds: float = 0.0
    skipped: Sequence[Skipped] = field(default_factory=tuple)
    warnings: Sequence[str] = field(default_factory=tuple)
    rebuilt: bool = False
    compacted: bool = False
    embedded: int = 0
    reused: int = 0
    left: int = 0
    held: int = 0
    renamed: Sequence[tuple[NotePath, NotePath]] = field(default_factory=tuple)
