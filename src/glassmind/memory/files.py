"""Finding memos: those in the index, and the one that a name means.

Names are looked up among memos, so a memo may be called as a note of the vault is. A
write needs the exact name, never a guess.
"""

import stat
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from math import inf

from glassmind.errors import (
    AmbiguousName,
    FileGone,
    IndexFault,
    MemoryNotFound,
    MemoryUnreadable,
    MisplacedMemory,
    NoteNotFound,
    NotMemory,
    NotWaiting,
    VaultError,
)
from glassmind.files.names import (
    NOTE_SUFFIX,
    NamedNote,
    guessed_note,
    plain_name,
    sure_note,
)
from glassmind.files.read import Unreadable, VaultFiles, decode
from glassmind.memory.format import (
    INBOX,
    SUPERSEDED,
    TRASH,
    memo_without_text,
    place_of,
    read_memo,
    title_in,
)
from glassmind.memory.vault import MemoryStore
from glassmind.model import NotePath
from glassmind.model.memory import MemoKind, MemoPlace, MemoryItem

DEEPEST = 8  # nested folders that the inbox is searched through

LEAST_BYTES = 3
"""The shortest name for which similar ones are suggested: a letter or two are in every
title, but one character of a script without spaces is a word."""

MOST_COMPARED = 2_000
"""Kept memos that a new one is compared with, the newest: read in a quarter second."""


def memo_called(
    vault: MemoryStore, name: str, *, place: MemoPlace | None = None
) -> MemoryItem:
    """Return the memo with a name; those of one place are preferred."""
    path = _at_path(vault, name) or _named(vault, name, place)
    try:
        memo = memo_at(vault, path)
    except FileGone as error:  # still in the index
        waits = place == "inbox"
        raise NotWaiting(name) if waits else MemoryNotFound(name) from error
    if memo is None:
        raise NotMemory(path, vault.folder)
    return memo


def memo_at(vault: MemoryStore, path: NotePath) -> MemoryItem | None:
    """Return the memo that a file on disk is, if it is one."""
    with vault.files() as files:
        found = decode(files.read(path))
    if isinstance(found, Unreadable):
        raise MemoryUnreadable(path, found.reason)
    return read_memo(path, found.text, vault.folder)


def memo_again(vault: MemoryStore, memo: MemoryItem) -> MemoryItem:
    """Return a memo as it is on disk now."""
    item = None
    with suppress(FileGone):
        item = memo_at(vault, memo.path)
    if item is None:
        raise MemoryNotFound(memo.path)
    return item


def waiting_called(vault: MemoryStore, name: str) -> MemoryItem:
    """Return the memo with a name that waits for a person; see `memo_called`.

    What an agent captured waits until it is approved, wherever a person put it.
    """
    memo = memo_called(vault, name, place="inbox")
    if not is_waiting(memo):
        raise NotWaiting(memo.path)
    return memo


def still_waiting(vault: MemoryStore, memo: MemoryItem) -> MemoryItem:
    item = None
    with suppress(FileGone):
        item = memo_at(vault, memo.path)
    if item is None or not is_waiting(item):
        raise NotWaiting(memo.path)
    return item


def is_waiting(memo: MemoryItem) -> bool:
    return memo.place == "inbox" or memo.generated


def inbox_paths(vault: MemoryStore) -> list[NotePath]:
    with vault.files() as files:
        paths = _notes_below(files, f"{vault.folder}/{INBOX}", DEEPEST)
        return [path for path in paths if files.may_tell(path)]


def _notes_below(files: VaultFiles, folder: str, deepest: int) -> list[NotePath]:
    paths: list[NotePath] = []
    for name in files.names(folder):
        path = f"{folder}/{name}"
        if name.startswith("."):
            continue
        if name.endswith(NOTE_SUFFIX):
            paths.append(NotePath(path))
        elif deepest:
            with suppress(VaultError):  # moved since, or a link
                if stat.S_ISDIR(files.stat(path).st_mode):
                    paths += _notes_below(files, path, deepest - 1)
    return paths


def _at_path(vault: MemoryStore, name: str) -> NotePath | None:
    path = name.strip().removeprefix("./")
    with vault.files() as files:
        for start in ("", f"{vault.folder}/"):
            for end in ("", NOTE_SUFFIX):
                file = f"{start}{path}{end}"
                if _is_ours(vault, file) and files.exists(file):
                    return NotePath(file)
    return None


def _is_ours(vault: MemoryStore, path: str) -> bool:
    below = path.removeprefix(f"{vault.folder}/")
    hidden = f"{below}/".startswith((f"{TRASH}/", "logs/", "cache/"))
    return below != path and path.endswith(NOTE_SUFFIX) and not hidden


def _named(vault: MemoryStore, name: str, place: MemoPlace | None) -> NotePath:
    known = _names(vault)
    preferred = [note for note in known if place_of(note.path, vault.folder) == place]
    path = sure_note(name, preferred) or sure_note(name, known)
    if path is not None:
        return path
    other = vault.exact(name)
    if other is None:
        raise MemoryNotFound(name, _closest(name, known))
    if _is_ours(vault, other):
        return other
    for stray in vault.rows().memory_notes(vault.folder, outside=True):
        if stray.path == other:
            waits = stray.properties.get("generated") is True
            raise MisplacedMemory(other, vault.folder, waits=waits)
    raise NotMemory(other, vault.folder)


def _names(vault: MemoryStore) -> list[NamedNote]:
    known: dict[NotePath, NamedNote] = {}
    with suppress(IndexFault):  # the inbox has names before there is an index
        for note in vault.rows().memory_notes(vault.folder):
            others = tuple(dict.fromkeys((note.title, *note.aliases)))
            known[note.path] = NamedNote(note.path, title_in(note.path), others)
    for path in inbox_paths(vault):
        known.setdefault(path, NamedNote(path, title_in(path)))
    return [known[path] for path in sorted(known)]


def _closest(name: str, known: Sequence[NamedNote]) -> tuple[str, ...]:
    if len(plain_name(name).encode(errors="replace")) < LEAST_BYTES:
        return ()
    try:
        return (guessed_note(name, known),)
    except NoteNotFound as error:
        return error.closest
    except AmbiguousName as error:
        return error.candidates


def superseded_paths(vault: MemoryStore) -> set[NotePath]:
    """Return the notes that others took the place of."""
    former = vault.vault.store.successors().keys()
    return {path for path, _ in vault.rows().names(former).values()}


def known_memos(vault: MemoryStore, *, superseded: bool = False) -> list[MemoryItem]:
    """Return the memos of the index, the newest first, without their texts.

    Those that a person moved out of the agent folder are among them; what others
    superseded only with `superseded`.
    """
    folder, rows = vault.folder, vault.rows()
    notes = [*rows.memory_notes(folder), *rows.memory_notes(folder, outside=True)]
    by_others = superseded_paths(vault)
    items = []
    for note in notes:
        memo = memo_without_text(note.path, note.properties, folder)
        if memo is not None:
            is_marked = memo.status == SUPERSEDED and not memo.superseded_by
            if superseded or not (is_marked or note.path in by_others):
                items.append(memo)
    items.sort(key=lambda memo: memo.path)
    return sorted(items, key=lambda memo: moment_of(memo.created), reverse=True)


def moment_of(created: str) -> float:
    """Return a time, local without a zone, in seconds; what is no time is first."""
    try:
        return datetime.fromisoformat(created).timestamp()
    except (ValueError, OverflowError, OSError):
        return -inf


def unreadable_notices(vault: MemoryStore) -> list[str]:
    """Return notices about notes whose properties cannot be read."""
    folder = vault.folder
    return [
        f"{note.path} does not say what it is: {note.error.rstrip('.')}; "
        "mend its properties"
        for note in vault.rows().notes(folder=folder, kind="markdown")
        if note.error and place_of(note.path, folder) == "kept"
    ]


def whole(
    vault: MemoryStore, known: Iterable[MemoryItem]
) -> dict[NotePath, MemoryItem]:
    texts = vault.rows().whole_texts(sorted({memo.path for memo in known}))
    return {
        path: memo
        for path, text in texts.items()
        if (memo := read_memo(path, text, vault.folder))
    }


def kept_memos(vault: MemoryStore, kinds: Collection[MemoKind]) -> list[MemoryItem]:
    if not kinds:
        return []
    items = [
        memo
        for memo in known_memos(vault)
        if memo.kind in kinds and memo.place == "kept"
    ][:MOST_COMPARED]
    memory_items = whole(vault, items)
    return [memory_items[memo.path] for memo in items if memo.path in memory_items]
