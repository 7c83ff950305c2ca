"""What editing asks of whoever keeps rows, changesets and files."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeAlias

from glassmind.errors import GlassmindError
from glassmind.model import NotePath
from glassmind.model.edits import Changeset, ChangeState, Draft, Step


class Refresh(Protocol):
    """What brings files into the index as words and links."""

    def __call__(
        self, paths: Sequence[NotePath], /, *, wait_s: float | None = None
    ) -> GlassmindError | None:
        """Bring in files, or with none the whole vault; return why not, if so.

        With `wait_s`, whoever writes the index now is waited for no longer.
        """


class EditRows(Protocol):
    """Where in a vault something is spoken of; each answer is a set of candidates.

    Rows may be older than files, so whoever asks reads the files.
    """

    def paths(self) -> Sequence[NotePath]:
        """Return every file that a link may lead to."""

    def linking(self, keys: Collection[str], /) -> Sequence[NotePath]:
        """Return the notes with a link whose target has one of these `name_key`s."""

    def inside(self, folder: str, /) -> Sequence[NotePath]:
        """Return the files below a folder."""

    def tagged(self, tag: str, /) -> Sequence[NotePath]:
        """Return the notes with a tag, or one below it, in any case."""

    def of_kind(self, kind: str, /) -> Sequence[NotePath]:
        """Return the notes of a kind, such as canvas or base."""


Standing: TypeAlias = Literal["old", "new", "other"]
"""Whether a file is as a step found it, as it leaves it, or neither."""


class FileChanger(Protocol):
    """What changes the files of a vault, all of some or none, and on record."""

    def turn(self) -> AbstractContextManager[None]:
        """Be the only one who edits this vault, in this process and others.

        Whoever has the turn may ask for it again. Raises `WriteFailed` where another
        took too long.
        """

    def read(self, path: NotePath, /) -> bytes | None:
        """Return the bytes of a file; None where there is none.

        Raises:
            NotDownloaded: it is kept elsewhere by a sync.
        """

    def apply(
        self,
        steps: Sequence[Step],
        /,
        *,
        why: str,
        client: str,
        meanwhile: Callable[[], None] = lambda: None,
        afterwards: Callable[[], None] = lambda: None,
    ) -> None:
        """Take every step, or none.

        New content is staged first, and `meanwhile` is called while the disk takes it:
        no file is touched before both have come to an end, nor where either raises.
        `afterwards` is called when all are changed, while the disk is waited for; what
        it raises comes from here, and takes nothing back.

        Raises:
            NoteChanged: a file is not what a step says it was.
            NameTaken: something is where a new or moved file should be.
            WriteRefused, PathOutsideVault: the disk refuses, or a path is none.
        """

    def standing(self, steps: Sequence[Step], /) -> Sequence[Standing]:
        """Return how each file stands now, for what was interrupted."""

    def settle(self, steps: Sequence[Step], /, *, forward: bool, why: str) -> None:
        """Take the rest of some steps, or take back those that were taken."""

    def clear(self, folders: Sequence[NotePath], /) -> None:
        """Take away folders in which nothing is, in order; any other stays."""


class ChangesetBook(Protocol):
    """Where changesets are kept, outside of the vault."""

    def made(
        self,
        draft: Draft,
        state: ChangeState,
        *,
        client: str,
        undoes: str = "",
        reason: str = "",
    ) -> Changeset:
        """Return a change under an id that no other has; nothing is kept yet."""

    def keep(self, changeset: Changeset, /) -> None:
        """Keep a changeset, on the disk when this returns.

        Raises:
            NowhereToKeep, WriteFailed: no disk takes it.
        """

    def get(self, identity: str, /) -> Changeset:
        """Return a changeset, content and all; raises `ChangesetUnknown`."""

    def listed(
        self, states: Sequence[ChangeState] = (), /, *, limit: int | None = None
    ) -> tuple[Sequence[Changeset], int]:
        """Return changesets without their content, newest first, and how many.

        One that cannot be read is there too: its draft has the fact `damaged`, which
        says why.
        """

    def shift(
        self, identity: str, state: ChangeState, /, *, reason: str = ""
    ) -> Changeset:
        """Let a changeset be in another state from now on."""

    def applied(self, identity: str, /) -> None:
        """Let a changeset that was being applied be applied from now on."""

    def unfinished(self) -> Sequence[str]:
        """Return the ids of those that were being applied; one look at a folder."""
