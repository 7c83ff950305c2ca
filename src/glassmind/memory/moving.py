"""Giving a memo another place: its own by kind, or the trash.

Nothing is deleted and nothing is overwritten. A file whose name is taken where it goes
to gets a number.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError, IndexBusy, NotDownloaded
from glassmind.errors.memory import MemoNotFound, NotWaiting
from glassmind.errors.writing import NameTaken, NoteChanged
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.read import Unreadable, decode, digest_of
from glassmind.files.write import TRIES
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.memo_names import TRASH
from glassmind.model import Digest, NotePath
from glassmind.model.memory import MEMO_FOLDERS, Memo, Moved

if TYPE_CHECKING:
    from glassmind.files.write import VaultWriter


GONE = (NotWaiting, MemoNotFound)
"""What is said of a memo that is not where it was."""

NAME_BYTES = 255
"""The longest name of a file on all disks in use; some count letters, and take more."""


def place_for(memo: Memo, folder: str) -> str:
    """Return the folder that a memo belongs in by its kind."""
    return f"{folder}/{MEMO_FOLDERS[memo.kind]}"


def trash_for(path: NotePath, folder: str) -> str:
    """Return the folder of the trash that stands for the one a file is in."""
    above = path.removeprefix(f"{folder}/").rpartition("/")[0]
    return f"{folder}/{TRASH}/{above}".rstrip("/")


def moved_into(  # noqa: PLR0913 - each fact by its name
    writer: "VaultWriter",
    path: NotePath,
    folder: str,
    *,
    expected: Digest,
    why: str,
    name: str = "",
) -> NotePath:
    """Move a file into a folder, under a name (else its own) or the next that is free.

    Raises:
        NoteChanged: the file is another by now, or gone.
        WriteRefused: it may not be moved, or the disk did not do it.
    """
    for free in numbered(name or path.rpartition("/")[2]):
        to = NotePath(f"{folder}/{free}")
        try:
            writer.move(path, to, expected=expected, why=why)
        except NameTaken:
            continue
        return to
    raise AssertionError("there is always another number")


def numbered(name: str) -> Iterator[str]:
    """Yield names for a file, its own first; none is longer than a disk takes."""
    yield name
    stem = name.removesuffix(NOTE_SUFFIX).encode()
    for number in count(2):
        end = f" {number}{NOTE_SUFFIX}"
        fits = stem[: NAME_BYTES - len(end)].decode(errors="ignore")
        yield f"{fits.rstrip()}{end}"


def notices_of(cabinet: Cabinet, *paths: NotePath) -> tuple[str, ...]:
    """Bring changed files into the index; return why they are not in it, if so."""
    error = cabinet.acts.indexed(paths)
    return () if error is None else (unindexed(error),)


def unindexed(error: GlassmindError) -> str:
    """Say why something that is written is not in the index; it need not be redone."""
    if isinstance(error, IndexBusy):
        return f"the index is being written by {error.holder}; its next run takes it in"
    return str(error)


def put_away(cabinet: Cabinet, memo: Memo, *, client: str, why: str) -> Moved:
    """Move the note of a memo to the trash, and out of the index; raises as `away`."""
    to = away(cabinet, memo, client=client, why=why)
    gone = replace(memo, path=to, place="trash")
    return Moved(gone, memo.path, notices_of(cabinet, memo.path))


def copied_away(cabinet: Cabinet, path: NotePath, *, client: str, why: str) -> str:
    """Copy a note of the inbox to the trash, unless it is there; return its text.

    Raises:
        NotWaiting: it is gone by now.
        WriteRefused: it may not be written, or the disk did not do it.
    """
    writer, trash = cabinet.writer(client), trash_for(path, cabinet.folder)
    raw = writer.read(path)
    found = decode(raw or b"")
    if raw is None or isinstance(found, Unreadable):
        raise NotWaiting(path)
    for name in numbered(path.rpartition("/")[2]):
        to = f"{trash}/{name}"
        try:
            known = writer.read(to)
        except NotDownloaded:
            continue
        if known is None:
            with suppress(NoteChanged):  # another took the name
                writer.put(to, raw, expected=None, why=why)
                break
        elif known == raw:
            break
    return found.text


def away(cabinet: Cabinet, memo: Memo, *, client: str, why: str) -> NotePath:
    """Move the note of a memo to the trash of the agent folder, and return where.

    Others who queue see it at one of its two places.

    Raises:
        NotWaiting, MemoNotFound: it is gone by now.
        WriteRefused: it may not be moved, or the disk did not do it.
    """
    writer, trash = cabinet.writer(client), trash_for(memo.path, cabinet.folder)
    with writer.queue():
        for attempt in range(1, TRIES + 1):
            raw = writer.read(memo.path)
            if raw is None:
                waited = memo.place == "inbox"
                raise NotWaiting(memo.path) if waited else MemoNotFound(memo.path)
            try:
                return moved_into(
                    writer, memo.path, trash, expected=digest_of(raw), why=why
                )
            except NoteChanged:
                if attempt == TRIES:
                    raise
    raise AssertionError("the last attempt returns or raises")
