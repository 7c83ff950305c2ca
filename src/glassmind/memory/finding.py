"""Finding memos: those the index knows, and the one that a person means by a name.

Names are looked up among memos alone, so that a memo may be called as a note of the
vault is. What is written stands on a name to the letter, never on a guess.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Protocol

from glassmind.errors import AmbiguousName, IndexFault, NoteNotFound
from glassmind.errors.memory import MemoNotFound, MemoUnreadable, NotAMemo
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.memo_file import read_memo
from glassmind.memory.memo_names import INBOX, TRASH, place_of, title_in
from glassmind.types import NotePath
from glassmind.types.memory import Memo, MemoNote, MemoPlace
from glassmind.vault.decode import Unreadable, decode
from glassmind.vault.names import NamedNote, guessed_note, sure_note
from glassmind.vault.resolve import NOTE_SUFFIX


class MemoRows(Protocol):
    """What the index knows of the agent folder."""

    def notes(self, folder: str, /) -> Sequence[MemoNote]:
        """Return the notes below a folder, by path."""

    def texts(self, paths: Collection[NotePath], /) -> dict[NotePath, str]:
        """Return the whole text of some notes, as it was indexed."""

    def ticked(self, folder: str, said: str, mark: str, /) -> Sequence[NotePath]:
        """Return the notes below a folder with a ticked box that says so, or a mark."""


def memo_called(cabinet: Cabinet, name: str, *, place: MemoPlace | None = None) -> Memo:
    """Return the memo that is called so; those of one place are preferred.

    Raises:
        MemoNotFound: none is to the letter; the error names the closest.
        AmbiguousName: several are.
        NotAMemo: a note is called so that is none of ours.
        FileUnreadable, MemoUnreadable: its file cannot be read.
    """
    path = _named_by_path(cabinet, name) or _named(cabinet, name, place)
    memo = memo_at(cabinet, path)
    if memo is None:
        raise NotAMemo(path, cabinet.folder)
    return memo


def memo_at(cabinet: Cabinet, path: NotePath) -> Memo | None:
    """Return the memo of a file as it is on disk; None for a file that is none.

    Raises:
        FileUnreadable: there is no such file, or it cannot be read.
        MemoUnreadable: it holds no text.
    """
    with cabinet.files() as files:
        raw = files.read(path)
    found = decode(raw)
    if isinstance(found, Unreadable):
        raise MemoUnreadable(path, found.reason)
    return read_memo(path, found.text, cabinet.folder)


def inbox_paths(cabinet: Cabinet) -> list[NotePath]:
    """Return the notes in the inbox as they are on disk, in order."""
    inbox = f"{cabinet.folder}/{INBOX}"
    with cabinet.files() as files:
        names = files.names(inbox)
    return [
        NotePath(f"{inbox}/{name}")
        for name in names
        if name.endswith(NOTE_SUFFIX) and not name.startswith(".")
    ]


def _named_by_path(cabinet: Cabinet, name: str) -> NotePath | None:
    """Return the file of a path from the vault, or from the agent folder, if any."""
    spelled = name.strip().removeprefix("./")
    with cabinet.files() as files:
        for path in (spelled, f"{cabinet.folder}/{spelled}"):
            for file in (path, path + NOTE_SUFFIX):
                if _is_ours(cabinet, file) and files.exists(file):
                    return NotePath(file)
    return None


def _is_ours(cabinet: Cabinet, path: str) -> bool:
    below = path.removeprefix(f"{cabinet.folder}/")
    hidden = f"{below}/".startswith((f"{TRASH}/", "logs/", "cache/"))
    return below != path and path.endswith(NOTE_SUFFIX) and not hidden


def _named(cabinet: Cabinet, name: str, place: MemoPlace | None) -> NotePath:
    known = _names(cabinet)
    preferred = [note for note in known if place_of(note.path, cabinet.folder) == place]
    path = sure_note(name, preferred) or sure_note(name, known)
    if path is not None:
        return path
    other = cabinet.sure(name)
    if other is None:
        raise MemoNotFound(name, _closest(name, known))
    if not _is_ours(cabinet, other):
        raise NotAMemo(other, cabinet.folder)
    return other


def _names(cabinet: Cabinet) -> list[NamedNote]:
    """Return what memos are called; the newest of the inbox may not be indexed yet."""
    known: dict[NotePath, NamedNote] = {}
    with suppress(IndexFault):  # what waits has a name before there is an index
        rows = cabinet.memos().notes(cabinet.folder)
        known = {note.path: NamedNote(note.path, *_called(note)) for note in rows}
    for path in inbox_paths(cabinet):
        known.setdefault(path, NamedNote(path, title_in(path)))
    return [known[path] for path in sorted(known)]


def _called(note: MemoNote) -> tuple[str, tuple[str, ...]]:
    """Return the title of a memo, which its file name tells, and its other names."""
    return title_in(note.path), tuple(dict.fromkeys((note.title, *note.aliases)))


def _closest(name: str, known: Sequence[NamedNote]) -> tuple[str, ...]:
    try:
        return (guessed_note(name, known),)
    except NoteNotFound as error:
        return error.closest
    except AmbiguousName as error:
        return error.candidates
