"""Finding memos: those in the index, and the one that a name means.

Names are looked up among memos, so a memo may be called as a note of the vault is. A
write needs the exact name, never a guess.
"""

import stat
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from math import inf
from typing import NamedTuple

from glassmind.errors import (
    AmbiguousName,
    FileGone,
    IndexFault,
    MemoAstray,
    MemoNotFound,
    MemoUnreadable,
    NotAMemo,
    NoteNotFound,
    NotWaiting,
    VaultError,
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
from glassmind.memory.format import (
    INBOX,
    LAYOUT,
    SUPERSEDED,
    TRASH,
    memo_without_text,
    memos_in,
    place_of,
    title_in,
)
from glassmind.memory.vault import MemoryVault
from glassmind.model import NotePath
from glassmind.model.memory import Memo, MemoKind, MemoNote, MemoPlace

DEEPEST = 8
"""Nested folders that the inbox is searched through."""

LEAST_BYTES = 3
"""The shortest name for which similar ones are suggested: a letter or two are in every
title, but one character of a script without spaces is a word."""

MOST_COMPARED = 2_000
"""Kept memos that a new one is compared with, the newest: read in a quarter second."""


class At(NamedTuple):
    """Where a memo is: its note, and its section in a note of several."""

    path: NotePath
    section: str = ""


def memo_called(
    vault: MemoryVault, name: str, *, place: MemoPlace | None = None
) -> Memo:
    """Return the memo with a name; those of one place are preferred.

    One in a note of several is called by its heading, or `note#heading`.

    Raises:
        MemoNotFound: there is none; the error names the closest.
        AmbiguousName: there are several.
        NotAMemo, MemoAstray: it is a note but not a memo, or a person moved it out of
            the agent folder.
        FileUnreadable, MemoUnreadable: its file cannot be read.
    """
    at = _at_path(vault, name) or _named(vault, name, place)
    try:
        memos = memos_at(vault, at.path)
    except FileGone as error:  # still in the index
        waits = place == "inbox"
        raise NotWaiting(name) if waits else MemoNotFound(name) from error
    if at.section:
        memos = [memo for memo in memos if memo.section == at.section]
        if not memos:
            raise MemoNotFound(name)
    if not memos:
        raise NotAMemo(at.path, vault.folder)
    if len(memos) > 1:
        each = tuple(memo.address for memo in memos)
        raise AmbiguousName(name, each[:CANDIDATES_SHOWN], len(each))
    return memos[0]


def memos_at(vault: MemoryVault, path: NotePath) -> list[Memo]:
    """Return the memos of a file as it is on disk.

    Raises:
        FileUnreadable: there is no such file, or it cannot be read.
        MemoUnreadable: it is not text.
    """
    with vault.files() as files:
        found = decode(files.read(path))
    if isinstance(found, Unreadable):
        raise MemoUnreadable(path, found.reason)
    return memos_in(path, found.text, vault.folder)


def memo_again(vault: MemoryVault, memo: Memo) -> Memo:
    """Return a memo as it is on disk now.

    Raises:
        MemoNotFound: it is gone.
        FileUnreadable, MemoUnreadable: it cannot be read.
    """
    with suppress(FileGone):
        for found in memos_at(vault, memo.path):
            if found.section == memo.section:
                return found
    raise MemoNotFound(memo.address)


def waiting_called(vault: MemoryVault, name: str) -> Memo:
    """Return the memo with a name that waits for a person; see `memo_called`.

    What an agent captured waits until it is approved, wherever a person put it.

    Raises:
        NotWaiting: it does not wait, or somebody else was faster.
    """
    memo = memo_called(vault, name, place="inbox")
    if not is_waiting(memo):
        raise NotWaiting(memo.path)
    return memo


def still_waiting(vault: MemoryVault, memo: Memo) -> Memo:
    """Return a waiting memo as it is on disk now; raises `NotWaiting`."""
    try:
        found = memo_again(vault, memo)
    except MemoNotFound as error:
        raise NotWaiting(memo.path) from error
    if not is_waiting(found):
        raise NotWaiting(memo.path)
    return found


def is_waiting(memo: Memo) -> bool:
    """True if no person approved a memo yet."""
    return memo.place == "inbox" or (memo.generated and not memo.section)


def inbox_paths(vault: MemoryVault) -> list[NotePath]:
    """Return the notes in the inbox and its folders that may be read, in order."""
    with vault.files() as files:
        found = _notes_below(files, f"{vault.folder}/{INBOX}", DEEPEST)
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
    except VaultError:  # moved since, or a link
        return False


def _at_path(vault: MemoryVault, name: str) -> At | None:
    """Return the file of a path in the vault or in the agent folder, if it exists."""
    whole = name.strip().removeprefix("./")
    note, _, section = whole.partition("#")
    with vault.files() as files:
        for path, inside in ((whole, ""), (note, section)):
            for start in ("", f"{vault.folder}/"):
                for end in ("", NOTE_SUFFIX):
                    file = f"{start}{path}{end}"
                    if _is_ours(vault, file) and files.exists(file):
                        return At(NotePath(file), inside)
    return None


def _is_ours(vault: MemoryVault, path: str) -> bool:
    below = path.removeprefix(f"{vault.folder}/")
    hidden = f"{below}/".startswith((f"{TRASH}/", "logs/", "cache/"))
    return below != path and path.endswith(NOTE_SUFFIX) and not hidden


def _named(vault: MemoryVault, name: str, place: MemoPlace | None) -> At:
    known = _names(vault)
    preferred = [
        n for n, at in known.items() if place_of(at.path, vault.folder) == place
    ]
    path = sure_note(name, preferred) or sure_note(name, list(known))
    if path is not None:
        return next(at for note, at in known.items() if note.path == path)
    other = vault.exact(name)
    if other is None:
        raise MemoNotFound(name, _closest(name, list(known)))
    if _is_ours(vault, other):
        return At(other)
    for stray in vault.memos().strays(vault.folder):
        if stray.path == other:
            waits = stray.properties.get("generated") is True
            raise MemoAstray(other, vault.folder, waits=waits)
    raise NotAMemo(other, vault.folder)


def _names(vault: MemoryVault) -> dict[NamedNote, At]:
    """Return the names of memos; the newest of the inbox may not be indexed yet."""
    known: dict[NotePath, tuple[NamedNote, At]] = {}
    with suppress(IndexFault):  # the inbox has names before there is an index
        notes = vault.memos().notes(vault.folder)
        for note in notes:
            others = tuple(dict.fromkeys((note.title, *note.aliases)))
            named = NamedNote(note.path, title_in(note.path), others)
            known[note.path] = (named, At(note.path))
        for memo in memos_of_sections(vault, notes):
            address = NotePath(memo.address)
            named = NamedNote(address, memo.title, (memo.section,))
            known[address] = (named, At(memo.path, memo.section))
    for path in inbox_paths(vault):
        known.setdefault(path, (NamedNote(path, title_in(path)), At(path)))
    return dict(known[path] for path in sorted(known))


def memos_of_sections(vault: MemoryVault, notes: Sequence[MemoNote]) -> list[Memo]:
    """Return the memos in notes of several, as they were indexed."""
    paths = [note.path for note in notes if note.properties.get("layout") == LAYOUT]
    texts = vault.memos().texts(paths) if paths else {}
    return [
        memo
        for path in paths
        for memo in memos_in(path, texts.get(path, ""), vault.folder)
    ]


def _closest(name: str, known: Sequence[NamedNote]) -> tuple[str, ...]:
    if len(plain_name(name).encode(errors="replace")) < LEAST_BYTES:
        return ()
    try:
        return (guessed_note(name, known),)
    except NoteNotFound as error:
        return error.closest
    except AmbiguousName as error:
        return error.candidates


def known_memos(vault: MemoryVault, *, superseded: bool = False) -> list[Memo]:
    """Return the memos of the index, the newest first, without their texts.

    Those that a person moved out of the agent folder are among them; what others
    superseded only with `superseded`.
    """
    folder, rows = vault.folder, vault.memos()
    notes = [*rows.notes(folder), *rows.strays(folder)]
    sections = memos_of_sections(vault, notes)
    there = {note.path for note in notes} | {memo.address for memo in sections}
    by_others = rows.superseded()
    found = [memo for memo in sections if superseded or not _is_superseded(memo, there)]
    for note in notes:
        memo = memo_without_text(note.path, note.properties, folder)
        if memo is not None:
            is_marked = memo.status == SUPERSEDED and not memo.superseded_by
            if superseded or not (is_marked or note.path in by_others):
                found.append(memo)
    found.sort(key=lambda memo: memo.address)
    return sorted(found, key=lambda memo: moment_of(memo.created), reverse=True)


def _is_superseded(memo: Memo, there: Collection[str]) -> bool:
    """True if a section says that it is superseded, and by nothing that is gone."""
    link = memo.superseded_by
    if not link.startswith("[["):
        return memo.status == SUPERSEDED
    path, hash_mark, section = link.strip("[]").partition("|")[0].partition("#")
    return f"{path.removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}{hash_mark}{section}" in there


def moment_of(created: str) -> float:
    """Return a time, local without a zone, in seconds; what is no time is first."""
    try:
        return datetime.fromisoformat(created).timestamp()
    except (ValueError, OverflowError, OSError):
        return -inf


def unreadable_notices(vault: MemoryVault) -> list[str]:
    """Return notices about notes whose properties cannot be read."""
    folder = vault.folder
    return [
        f"{path} does not say what it is: {error.rstrip('.')}; mend its properties"
        for path, error in vault.memos().broken(folder)
        if place_of(path, folder) == "kept"
    ]


def whole(vault: MemoryVault, known: Iterable[Memo]) -> dict[str, Memo]:
    """Return some memos with their texts, as they were indexed, by address."""
    texts = vault.memos().texts(sorted({memo.path for memo in known}))
    return {
        memo.address: memo
        for path, text in texts.items()
        for memo in memos_in(path, text, vault.folder)
    }


def kept_memos(vault: MemoryVault, kinds: Collection[MemoKind]) -> list[Memo]:
    """Return the kept and current memos of some kinds, the newest first."""
    if not kinds:
        return []
    wanted = [
        memo
        for memo in known_memos(vault)
        if memo.kind in kinds and memo.place == "kept"
    ][:MOST_COMPARED]
    found = whole(vault, wanted)
    return [found[memo.address] for memo in wanted if memo.address in found]
