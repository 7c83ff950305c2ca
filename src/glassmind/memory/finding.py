"""Finding memos: those the index knows, and the one that a person means by a name.

Names are looked up among memos alone, so that a memo may be called as a note of the
vault is. What is written stands on a name to the letter, never on a guess.
"""

import stat
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from glassmind.errors import (
    AmbiguousName,
    FileGone,
    IndexFault,
    NoteNotFound,
    VaultError,
)
from glassmind.errors.memory import (
    MemoAstray,
    MemoNotFound,
    MemoUnreadable,
    NotAMemo,
    NotWaiting,
)
from glassmind.files.names import (
    CANDIDATES_SHOWN,
    NOTE_SUFFIX,
    NamedNote,
    guessed_note,
    plain_name,
    sure_note,
)
from glassmind.files.read import Unreadable, VaultFiles, decode
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.memo_names import INBOX, TRASH, place_of, title_in
from glassmind.memory.memo_sections import LAYOUT, memos_in
from glassmind.model import NotePath
from glassmind.model.memory import Memo, MemoNote, MemoPlace

DEEPEST = 8
"""Folders within each other that the inbox is looked through; no hand makes more."""

LEAST_BYTES = 3
"""The shortest name that has others near to it: a letter or two stand in every title.
One sign of a script without spaces is as long, and a word."""


class MemoRows(Protocol):
    """What the index knows of the agent folder."""

    def notes(self, folder: str, /) -> Sequence[MemoNote]:
        """Return the notes below a folder, by path."""

    def strays(self, folder: str, /) -> Sequence[MemoNote]:
        """Return the memos that a person moved out of a folder, by path."""

    def texts(self, paths: Collection[NotePath], /) -> dict[NotePath, str]:
        """Return the whole text of some notes, as it was indexed."""

    def broken(self, folder: str, /) -> Sequence[tuple[NotePath, str]]:
        """Return the notes below a folder whose properties cannot be read, and why."""

    def lately(self, limit: int, /) -> Collection[NotePath]:
        """Return the notes that the last changes of the index were to."""

    def superseded(self) -> Collection[NotePath]:
        """Return the notes that another has taken the place of, and is there."""

    def ticked(self, folder: str, said: str, mark: str, /) -> Sequence[NotePath]:
        """Return the notes below a folder with a ticked box that says so, or a mark."""


class Named(NamedTuple):
    """Where a memo stands: its note, and the section of one among others."""

    path: NotePath
    section: str = ""


def memo_called(cabinet: Cabinet, name: str, *, place: MemoPlace | None = None) -> Memo:
    """Return the memo that is called so; those of one place are preferred.

    One that stands among others is called by its heading, or `note#heading`.

    Raises:
        MemoNotFound: none is to the letter; the error names the closest.
        AmbiguousName: several are.
        NotAMemo, MemoAstray: a note is called so that is none of ours, or that a
            person moved out of the agent folder.
        FileUnreadable, MemoUnreadable: its file cannot be read.
    """
    try:
        return _memo_called(cabinet, name, place)
    except FileGone as error:  # the index knows it yet
        raise MemoNotFound(name) from error


def _memo_called(cabinet: Cabinet, name: str, place: MemoPlace | None) -> Memo:
    """Return the memo that is called so; `FileGone` where it was until now."""
    known = _named_by_path(cabinet, name) or _named(cabinet, name, place)
    memos = memos_at(cabinet, known.path)
    if known.section:
        memos = [memo for memo in memos if memo.section == known.section]
    if not memos and known.section:
        raise MemoNotFound(name)
    if not memos:
        raise NotAMemo(known.path, cabinet.folder)
    if len(memos) > 1:
        each = tuple(memo.address for memo in memos)
        raise AmbiguousName(name, each[:CANDIDATES_SHOWN], len(each))
    return memos[0]


def memos_at(cabinet: Cabinet, path: NotePath) -> list[Memo]:
    """Return the memos of a file as it is on disk; none for a file without any.

    Raises:
        FileUnreadable: there is no such file, or it cannot be read.
        MemoUnreadable: it holds no text.
    """
    with cabinet.files() as files:
        raw = files.read(path)
    found = decode(raw)
    if isinstance(found, Unreadable):
        raise MemoUnreadable(path, found.reason)
    return memos_in(path, found.text, cabinet.folder)


def memo_at(cabinet: Cabinet, path: NotePath) -> Memo | None:
    """Return the memo that a file is, and no other with it; raises as `memos_at`."""
    found = memos_at(cabinet, path)
    return found[0] if found and not found[0].section else None


def memo_again(cabinet: Cabinet, memo: Memo) -> Memo:
    """Return a memo as it is on disk now.

    Raises:
        MemoNotFound: it is gone by now.
        FileUnreadable, MemoUnreadable: it cannot be read.
    """
    with suppress(FileGone):
        for found in memos_at(cabinet, memo.path):
            if found.section == memo.section:
                return found
    raise MemoNotFound(memo.address)


def waiting_called(cabinet: Cabinet, name: str) -> Memo:
    """Return the memo that is called so and waits for a person; see `memo_called`.

    What an agent captured does until it is approved, wherever a person put it.

    Raises:
        NotWaiting: it does not, or somebody else was faster.
    """
    try:
        memo = _memo_called(cabinet, name, "inbox")
    except FileGone as error:  # it was there when it was looked up
        raise NotWaiting(name) from error
    if not is_waiting(memo):
        raise NotWaiting(memo.path)
    return memo


def still_waiting(cabinet: Cabinet, memo: Memo) -> Memo:
    """Return a memo that waited as it is on disk now.

    Raises:
        NotWaiting: somebody else was faster.
    """
    try:
        found = memo_again(cabinet, memo)
    except MemoNotFound as error:
        raise NotWaiting(memo.path) from error
    if not is_waiting(found):
        raise NotWaiting(memo.path)
    return found


def is_waiting(memo: Memo) -> bool:
    """Whether no person has said yet that a memo is to be kept."""
    return memo.place == "inbox" or (memo.generated and not memo.section)


def inbox_paths(cabinet: Cabinet) -> list[NotePath]:
    """Return the notes in the inbox as they are on disk, in order.

    A person may have sorted some of them into folders. Who may not read every note is
    told of those that may be read.
    """
    with cabinet.files() as files:
        found = _notes_below(files, f"{cabinet.folder}/{INBOX}", DEEPEST)
        return [path for path in found if files.may_tell(path)]


def _notes_below(files: VaultFiles, folder: str, deepest: int) -> list[NotePath]:
    found: list[NotePath] = []
    for name in files.names(folder):
        path = f"{folder}/{name}"
        if name.startswith("."):
            continue
        if name.endswith(NOTE_SUFFIX):
            found.append(NotePath(path))
        elif deepest and _is_folder(files, path):
            found += _notes_below(files, path, deepest - 1)
    return found


def _is_folder(files: VaultFiles, path: str) -> bool:
    try:
        return stat.S_ISDIR(files.stat(path).st_mode)
    except VaultError:  # moved since it was named, or a link
        return False


def _named_by_path(cabinet: Cabinet, name: str) -> Named | None:
    """Return the file of a path from the vault, or from the agent folder, if any."""
    spelled = name.strip().removeprefix("./")
    note, _, section = spelled.partition("#")
    with cabinet.files() as files:
        for path, inside in ((spelled, ""), (note, section)):
            for start in ("", f"{cabinet.folder}/"):
                for end in ("", NOTE_SUFFIX):
                    file = f"{start}{path}{end}"
                    if _is_ours(cabinet, file) and files.exists(file):
                        return Named(NotePath(file), inside)
    return None


def _is_ours(cabinet: Cabinet, path: str) -> bool:
    below = path.removeprefix(f"{cabinet.folder}/")
    hidden = f"{below}/".startswith((f"{TRASH}/", "logs/", "cache/"))
    return below != path and path.endswith(NOTE_SUFFIX) and not hidden


def _named(cabinet: Cabinet, name: str, place: MemoPlace | None) -> Named:
    known = _names(cabinet)
    preferred = [
        note
        for note, named in known.items()
        if place_of(named.path, cabinet.folder) == place
    ]
    called = sure_note(name, preferred) or sure_note(name, list(known))
    if called is not None:
        return next(named for note, named in known.items() if note.path == called)
    other = cabinet.sure(name)
    if other is None:
        raise MemoNotFound(name, _closest(name, list(known)))
    if not _is_ours(cabinet, other):
        _refuse_stray(cabinet, other)
        raise NotAMemo(other, cabinet.folder)
    return Named(other)


def _refuse_stray(cabinet: Cabinet, path: NotePath) -> None:
    """Say of a memo that a person moved out of the agent folder what may be done."""
    for note in cabinet.memos().strays(cabinet.folder):
        if note.path == path:
            waits = note.properties.get("generated") is True
            raise MemoAstray(path, cabinet.folder, waits=waits)


def _names(cabinet: Cabinet) -> dict[NamedNote, Named]:
    """Return what memos are called; the newest of the inbox may not be indexed yet."""
    known: dict[NotePath, tuple[NamedNote, Named]] = {}
    with suppress(IndexFault):  # what waits has a name before there is an index
        rows = cabinet.memos().notes(cabinet.folder)
        for note in rows:
            known[note.path] = (_called(note), Named(note.path))
        for memo in memos_of_sections(cabinet, rows):
            at = NotePath(f"{memo.path}#{memo.section}")
            named = NamedNote(at, memo.title, (memo.section,))
            known[at] = (named, Named(memo.path, memo.section))
    for path in inbox_paths(cabinet):
        known.setdefault(path, (NamedNote(path, title_in(path)), Named(path)))
    return dict(known[path] for path in sorted(known))


def memos_of_sections(cabinet: Cabinet, notes: Sequence[MemoNote]) -> list[Memo]:
    """Return the memos that stand among others, as they were indexed."""
    paths = [note.path for note in notes if note.properties.get("layout") == LAYOUT]
    texts = cabinet.memos().texts(paths) if paths else {}
    return [
        memo
        for path in paths
        for memo in memos_in(path, texts.get(path, ""), cabinet.folder)
    ]


def _called(note: MemoNote) -> NamedNote:
    """Return a memo by the title that its file name tells, and its other names."""
    others = tuple(dict.fromkeys((note.title, *note.aliases)))
    return NamedNote(note.path, title_in(note.path), others)


def _closest(name: str, known: Sequence[NamedNote]) -> tuple[str, ...]:
    if len(plain_name(name).encode(errors="replace")) < LEAST_BYTES:
        return ()
    try:
        return (guessed_note(name, known),)
    except NoteNotFound as error:
        return error.closest
    except AmbiguousName as error:
        return error.candidates
