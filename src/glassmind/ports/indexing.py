"""What bringing the index up to the vault needs."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, Self, TypeAlias, TypeVar

from glassmind.model import NotePath
from glassmind.model.index import (
    Document,
    FileFacts,
    Indexed,
    IndexReport,
    Progress,
    Skipped,
    Unsettled,
)
from glassmind.model.vectors import Coverage, Embedded, NoteVectors, Space, Unembedded

Carried_co = TypeVar("Carried_co", covariant=True)
"""What a log tells of a note."""

Carried_contra = TypeVar("Carried_contra", contravariant=True)
"""What a sidecar takes in of a note."""

ShowProgress: TypeAlias = Callable[[Progress], None]
"""Told how far long work has come; may be called often, so it must be cheap."""


class ChangeLog(Protocol[Carried_co]):
    """A log of an index: what the sidecar that follows it has yet to apply."""

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

    def current(self, note_ids: Iterable[int], /) -> Sequence[Carried_co]:
        """Return the notes as they are now; one that is gone has none."""

    def prune(self, marker: str, /) -> None:
        """Forget what leads to a marker of this log, keeping the change it names."""


class Sidecar(Protocol[Carried_contra]):
    """A derived index that follows the log, open for writing."""

    def marker(self) -> str | None:
        """Return how far it has followed; None when it cannot tell."""

    def reset(self) -> None:
        """Begin again from nothing; takes effect with the next commit."""

    def put(self, note_ids: Iterable[int], notes: Sequence[Carried_contra], /) -> None:
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

    def stamps_of(self, paths: Collection[str], /) -> dict[NotePath, int]:
        """Return the stamps of those of some files that are known."""

    def digests(self) -> dict[NotePath, str]:
        """Return the content hash of every known note."""

    def digests_of(self, paths: Sequence[NotePath], /) -> dict[NotePath, str]:
        """Return the content hash of those of some files that are known notes."""

    def setting(self, key: str, /) -> str | None:
        """Return one remembered setting."""

    def note_count(self) -> int:
        """Return how many notes are known."""

    def is_settled(self) -> bool:
        """Whether every link has its end."""

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

    def differing(self, batch: Sequence[Indexed], /) -> list[Indexed]:
        """Return the notes whose rows are not those that their files give."""

    def repair_names(self) -> None:
        """Recompute every file's `name_key`, and mark the themes stale."""

    def settled(self) -> Iterator[tuple[Unsettled, int | None]]:
        """Yield every settled link and the id of its target; None if unresolved."""

    def files(self) -> dict[NotePath, int]:
        """Return the id of every file."""

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


class IndexStore(Protocol):
    """The rows of an index, open for writing by the holder of the lock."""

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""

    def rows(self) -> KnownRows:
        """Return the rows for reading."""

    def log(self) -> ChangeLog[Document]:
        """Return the log of text."""

    def vectors(self) -> "KnownVectors":
        """Return what there is of vectors."""

    def vector_log(self) -> ChangeLog[NoteVectors] | None:
        """Return the log of the vectors that answer; None when none do."""

    def transaction(self) -> Step:
        """Return one atomic step of writing."""

    def together(self) -> AbstractContextManager[None]:
        """Let all steps that are taken inside be one: all of them happen, or none."""

    def vector_step(self) -> "VectorStep":
        """Return one atomic step of writing vectors."""


class KnownVectors(Protocol):
    """What the index knows of vectors."""

    def spaces(self) -> list[Space]:
        """Return every space, the oldest first."""

    def space(self, name: str, /) -> Space | None:
        """Return the space of that name."""

    def answering(self) -> Space | None:
        """Return the space that a search asks."""

    def setting(self, key: str, /) -> str | None:
        """Return one remembered setting."""

    def coverage(self, space: Space | None, least_chars: int, /) -> Coverage:
        """Return how many chunks have a vector in the space, and how many lack one."""

    def missing(self, space: Space, least_chars: int, /) -> list[int]:
        """Return the chunks that lack a vector, those of the newest notes first."""

    def has_vectors(self, space: Space, /) -> bool:
        """Whether any chunk has a vector in the space."""

    def unwanted(
        self, space: Space, least_chars: int, /, *, enriched: bool
    ) -> list[int]:
        """Return the chunks whose vector is not as wanted: too short, or enriched."""

    def plain(self, space: Space, /) -> list[int]:
        """Return the chunks embedded without what surrounds them, the newest first."""

    def chunks(
        self, chunk_ids: Sequence[int], /, *, surroundings: bool = False
    ) -> list[Unembedded]:
        """Return what there is to embed, in the order asked, less what is gone."""

    def known(self, space: Space, keys: Iterable[bytes], /) -> set[bytes]:
        """Return the keys whose vectors are there already."""

    def damaged(self) -> list[int]:
        """Return the ids of the vectors that are not what was written."""


class VectorStep(Protocol):
    """One atomic step of writing vectors."""

    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, /, *rest: object) -> None: ...
    def epoch(self) -> str:
        """Return what tells this database from one that was begun anew."""

    def open_space(self, name: str, width: int, settings: str, /) -> Space:
        """Return the space of that name, which is made if there is none."""

    def answer_from(self, space: Space, /) -> None:
        """Let searches ask this space from now on."""

    def set(self, key: str, value: str, /) -> None:
        """Remember one setting."""

    def put(self, space: Space, batch: Sequence[Embedded], /) -> int:
        """Write vectors and give them to their chunks; return how many took one."""

    def unlink(self, space: Space, chunk_ids: Sequence[int], /) -> None:
        """Take the vectors of chunks away."""

    def drop_damaged(self, vector_ids: Sequence[int], /) -> None:
        """Forget vectors that are not what was written."""

    def drop_orphans(self, limit: int, /) -> int:
        """Forget vectors that no chunk has, at most `limit`; return how many."""

    def leave_only(self, space: Space, /) -> None:
        """Take every other space from the chunks."""

    def drop_empty_spaces(self, space: Space, /) -> None:
        """Forget every other space that has no vectors left."""
