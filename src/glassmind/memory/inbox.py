"""What waits for a person, and the boxes that were ticked in Obsidian."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote

from glassmind.errors import FileGone, IndexFault, VaultError
from glassmind.errors.memory import MemoAstray, NotWaiting
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.read import Unreadable, decode
from glassmind.memory.accepting import ACCEPTED, APPROVED, as_is, promoted
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.conflict_copies import (
    copied_memo,
    copies_kept,
    copies_told,
    copy_waits,
)
from glassmind.memory.finding import inbox_paths, is_waiting
from glassmind.memory.kept import broken_told, kept_memos
from glassmind.memory.memo_file import is_oddly_ticked, is_ticked, read_memo
from glassmind.memory.memo_names import INBOX
from glassmind.memory.moments import moment_of
from glassmind.memory.moving import notices_of
from glassmind.memory.near import NearMemos
from glassmind.memory.retaining import retained
from glassmind.model import NotePath
from glassmind.model.memory import (
    KEEP,
    Inbox,
    Memo,
    Moved,
    Promoted,
    WaitingMemory,
    extended,
)
from glassmind.obsidian.frontmatter import read_head

_NUMBER = re.compile(r"([0-9]{1,9})")

BY_BOX = "obsidian"
"""Who accepts what was ticked, for the record."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file of the inbox: a memo, if it is one, and whether it is to be moved."""

    path: NotePath
    memo: Memo | None = None
    accepted: bool = False
    trouble: str = ""


def inbox_now(cabinet: Cabinet, *, promote: bool) -> Inbox:
    """Return what waits, the oldest first, with what each may be one with.

    With `promote`, what a person ticked is accepted first, where that may be written.
    """
    seen = _look(cabinet, inbox_paths(cabinet))
    done = _promote(cabinet, seen) if promote else Promoted()
    if done.moved:
        seen = _look(cabinet, inbox_paths(cabinet))
    troubles = [*done.problems, *(one.trouble for one in seen if one.trouble)]
    near = _near(cabinet, [one.memo for one in seen if one.memo], troubles)
    waiting = []
    for memo, accepted in ((one.memo, one.accepted) for one in seen if one.memo):
        original = copied_memo(memo, near.memos)
        troubles += filter(None, [copy_waits(memo, original)])
        others = near.to(memo, original)
        waiting.append(extended(WaitingMemory, memo, checked=accepted, near=others))
    troubles += [*copies_told(copies_kept(cabinet)), *_astray(cabinet)]
    waiting.sort(key=lambda one: (moment_of(one.created), _counted(one.path)))
    return Inbox(tuple(waiting), done.moved, tuple(troubles))


def _near(cabinet: Cabinet, memos: list[Memo], troubles: list[str]) -> NearMemos:
    """Return what tells which memos are near: of those that wait, and those kept.

    Without the latter where they cannot be read.
    """
    try:
        kept = kept_memos(cabinet, {memo.kind for memo in memos})
    except IndexFault as error:
        kept = []
        troubles.append(f"near-duplicates are looked for in the inbox alone: {error}")
    once = {(memo.path, memo.section): memo for memo in (*kept, *memos)}
    return NearMemos(once.values())


def _astray(cabinet: Cabinet) -> list[str]:
    """Return what does not say what it is, and what was dragged out of our reach."""
    try:
        strays = cabinet.memos().strays(cabinet.folder)
        broken = broken_told(cabinet)
    except IndexFault:
        return []
    return broken + [
        str(MemoAstray(note.path, cabinet.folder, waits=True))
        for note in strays
        if note.properties.get("generated") is True
    ]


def _counted(path: NotePath) -> list[tuple[int, str]]:
    """Return what names sort by, so that a tenth comes behind a ninth."""
    parts = _NUMBER.split(path.removesuffix(NOTE_SUFFIX))
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def accept_ticked(cabinet: Cabinet) -> Promoted:
    """Accept what a person ticked, as far as the index knows of it.

    What the index shows is only where to look: the file says whether it is ticked.
    """
    rows, inbox = cabinet.memos(), f"{cabinet.folder}/{INBOX}"
    waiting = rows.ticked(inbox, KEEP, APPROVED)
    dragged = rows.ticked(cabinet.folder, KEEP, "")
    seen = _look(cabinet, sorted({*waiting, *dragged}))
    done = _promote(cabinet, seen)
    troubles = (one.trouble for one in seen if one.trouble)
    return Promoted(done.moved, (*done.problems, *troubles))


def _promote(cabinet: Cabinet, seen: Sequence[_Seen]) -> Promoted:
    """Accept those that are ticked, each for itself; nothing while writes are off."""
    moved: list[Moved] = []
    troubles: list[str] = []
    if not cabinet.config.writes.agent_dir_writable:
        return Promoted()
    for one in seen:
        if not one.accepted or one.memo is None:
            continue
        try:
            moved.append(promoted(cabinet, one.memo, as_is, BY_BOX, ACCEPTED))
        except NotWaiting:
            continue  # somebody else was faster
        except VaultError as error:
            troubles.append(f"{one.path} is ticked and could not be accepted: {error}")
    paths = [path for one in moved for path in (one.before, one.memory.path)]
    troubles += notices_of(cabinet, *paths) if paths else ()
    for memo in (one.memory for one in moved):
        troubles += (f"{memo.path}: {said}" for said in retained(cabinet, memo))
    return Promoted(tuple(moved), tuple(troubles))


def _look(cabinet: Cabinet, paths: Sequence[NotePath]) -> list[_Seen]:
    return [_seen(cabinet, path) for path in paths]


def _seen(cabinet: Cabinet, path: NotePath) -> _Seen:
    """Return what a file of the inbox is; what cannot be read is told, not raised."""
    try:
        with cabinet.files() as files:
            found = decode(files.read(path))
    except FileGone:
        return _Seen(path)  # moved since it was named
    except VaultError as error:
        return _Seen(path, trouble=str(error))
    if isinstance(found, Unreadable):
        return _Seen(path, trouble=f"{path}: {found.reason}")
    head = read_head(found.text).frontmatter
    memo = read_memo(path, found.text, cabinet.folder)
    if memo is None:
        why = head.error or "it has no property `kind` that says of which one"
        return _Seen(path, trouble=f"{path} is not a memory: {why}")
    if not is_waiting(memo):
        return _Seen(path, memo)
    marked = memo.place == "inbox" and APPROVED in head.properties
    return _ticked(_Seen(path, memo, is_ticked(found.text) or marked), found.text)


def _ticked(seen: _Seen, text: str) -> _Seen:
    """Return what waits with what is odd about its box."""
    if seen.accepted or not is_oddly_ticked(text):
        return seen
    odd = f"{seen.path} has a ticked box that does not stand where it was put"
    keep = f"to keep it: glassmind inbox accept {quote(seen.path)}"
    return replace(seen, trouble=f"{odd}; {keep}")
