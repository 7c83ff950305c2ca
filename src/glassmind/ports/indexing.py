"""What bringing the index up to the vault needs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, Self, TypeAlias

from glassmind.types import NotePath
from glassmind.types.files import FileFacts, IndexReport, Progress, Skipped
from glassmind.types.index import Indexed, Unsettled
from glassmind.types.sidecar import Document

ShowProgress: TypeAlias = Callable[[Progress], None]
"""Told how far long work has come; may be called often, so it must be cheap."""


class ChangeLog(Protocol):
    """The log of an index: what a sidecar has yet to apply."""

    def head(self) -> str:
        """Return the marker of a sidecar that has applied everything."""

    def is_empty(self) -> bool:
        """Whether nothing was ever written."""

    def holds(self, marker: str, /) -> bool:
        """Whether the marker was reached by following this very log."""

    def pending(self, marker: str | None, /) -> int | None:
        """Return how many changes are yet to be applied; None means all of them."""

    def after(self, marker: str, limit: int, /) -> tuple[list[int], str]:
        """Return the notes changed next, and the marker that applying them reaches."""

    def all_notes(self, batch: int, /) -> Iterator[list[int]]:
        """Yield the ids of every note, by path, in batches."""

    def documents(self, note_ids: Iterable[int], /) -> list[Document]:
        """Return the current chunks of the notes."""


class Sidecar(Protocol):
    """A derived index that follows the log, open for writing."""

    def marker(self) -> str | None:
        """Return how far it has followed; None when it cannot tell."""

    def reset(self) -> None:
        """Begin again from nothing; takes effect with the next commit."""

    def put(self, note_ids: Iterable[int], documents: Sequence[Document], /) -> None:
        """Replace everything known of the notes."""

    def commit(self, marker: str, /) -> None:
        """Make everything since the last commit visible, or nothing."""

    def rollback(self) -> None:
        """Forget everything since the last commit."""

    def close(self) -> None:
        """Give the index back."""


class KnownRows(Protocol):
    """What the index knows."""

    def stamps(self) -> dict[NotePath, int]:
        """Return the stamp of every known file."""

    def stamps_in(self, folder: str, /) -> dict[NotePath, int]:
        """Return the stamp of every known file directly in a folder."""

    def digests(self) -> dict[NotePath, str]:
        """Return the content hash of every known note."""

    def digest_of(self, path: NotePath, /) -> str | None:
        """Return the content hash of one note."""

    def setting(self, key: str, /) -> str | None:
        """Return one remembered setting."""

    def note_count(self) -> int:
        """Return how many notes are known."""

    def skipped(self) -> list[tuple[NotePath, str, bool]]:
        """Return what the last run skipped: path, reason, may it be a note."""


class Step(Protocol):
    """One atomic step of writing."""

    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, /, *rest: object) -> None: ...
    def announce(self, files: Iterable[FileFacts], /) -> dict[NotePath, int]:
        """Write that there are these files, yet to be read; return every file's id."""

    def put_notes(self, batch: Sequence[Indexed], /) -> None:
        """Write notes whole and log each."""

    def put_attachment(self, file: FileFacts, /) -> None:
        """Write a file that is no note."""

    def touch(self, file: FileFacts, /) -> None:
        """Note the new stamp of a file whose content is as it was."""

    def move(
        self, origin: NotePath, file: FileFacts, title: str, day: str | None, /
    ) -> None:
        """Give a note its new path; its other rows stay."""

    def remove(self, path: NotePath, /) -> None:
        """Forget a file and everything read from it."""

    def unsettled(self, limit: int, /) -> list[Unsettled]:
        """Return links whose destination is to be found."""

    def namesakes(self, name_keys: Iterable[str], /) -> dict[NotePath, int]:
        """Return every file a link with one of the keys could lead to, with its id."""

    def settle(self, found: Iterable[tuple[Unsettled, int | None]], /) -> None:
        """Write where links lead."""

    def start_run(self, now: datetime, reason: str, /) -> int:
        """Open the record of a run."""

    def end_run(self, run: int, report: IndexReport, /) -> None:
        """Close the record of a run."""

    def add_skipped(self, skipped: Iterable[Skipped], /) -> None:
        """Remember more that could not be taken in."""

    def replace_skipped(self, skipped: Iterable[Skipped], /) -> None:
        """Remember what the last scan could not take in."""

    def set(self, key: str, value: str, /) -> None:
        """Remember one setting."""

    def prune_log(self, below: int, /) -> None:
        """Forget changes that every sidecar has applied."""


class IndexStore(Protocol):
    """The rows of an index, open for writing by the holder of the lock."""

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""

    def rows(self) -> KnownRows:
        """Return the rows for reading."""

    def log(self) -> ChangeLog:
        """Return the change log for reading."""

    def transaction(self) -> Step:
        """Return one atomic step of writing."""
