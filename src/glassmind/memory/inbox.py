"""What waits for a person: shown, and kept, changed, merged or put away.

A memo that is accepted is first marked as such where it stands, and then moved to its
place. A death in between leaves a marked memo in the inbox, which the next look at the
inbox moves: so does one whose box a person ticked in Obsidian.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from glassmind.errors import GlassmindError
from glassmind.errors.memory import MemoUnreadable, NotWaiting, StillWaiting
from glassmind.errors.writing import NoteChanged
from glassmind.markdown.frontmatter import read_head
from glassmind.markdown.yaml_write import Fact
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.claims import text_said
from glassmind.memory.finding import inbox_paths, memo_called
from glassmind.memory.kept import kept_memos
from glassmind.memory.memo_file import (
    body_of,
    is_ticked,
    read_memo,
    with_facts,
    without_marker,
)
from glassmind.memory.moving import moved_into, notices_of, place_for, trash_for
from glassmind.memory.near import NearMemos
from glassmind.types import NotePath
from glassmind.types.memory import Inbox, Memo, Moved, Waiting
from glassmind.vault.decode import Unreadable, decode
from glassmind.vault.read import digest_of
from glassmind.vault.rewrite import FileText, rewrite
from glassmind.vault.write import TRIES

APPROVED = "approved"
"""The property that says since when a memo is a person's own."""

BY_BOX = "obsidian"
"""Who accepts what was ticked, for the record."""

ACCEPTED, EDITED, MERGED, REJECTED = (
    "accepted from the inbox",
    "edited and accepted from the inbox",
    "merged with a memo of the inbox",
    "rejected from the inbox",
)
"""Why a file was written, for the record."""


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
    promoted, troubles = promote_seen(cabinet, _look(cabinet)) if promote else ([], [])
    seen = _look(cabinet)
    troubles += [one.trouble for one in seen if one.trouble]
    memos = [one for one in seen if one.memo is not None]
    kinds = frozenset(one.memo.kind for one in memos if one.memo)
    near = NearMemos(kept_memos(cabinet, kinds))
    waiting = [
        Waiting(one.memo, one.accepted, near.to(one.memo)) for one in memos if one.memo
    ]
    waiting.sort(key=lambda one: (one.memo.created, one.memo.path))
    return Inbox(tuple(waiting), tuple(promoted), tuple(troubles))


def promote_ticked(cabinet: Cabinet) -> tuple[list[Moved], list[str]]:
    """Accept what a person ticked, and say what could not be."""
    return promote_seen(cabinet, _look(cabinet))


def promote_seen(cabinet: Cabinet, seen: list[_Seen]) -> tuple[list[Moved], list[str]]:
    """Accept those that are ticked, each for itself; nothing while writes are off."""
    promoted: list[Moved] = []
    troubles: list[str] = []
    if not cabinet.config.writes.agent_dir_writable:
        return promoted, troubles
    for one in seen:
        if not one.accepted or one.memo is None:
            continue
        try:
            promoted.append(_promoted(cabinet, one.memo, _as_is, BY_BOX, ACCEPTED))
        except NotWaiting:
            continue  # somebody else was faster
        except GlassmindError as error:
            troubles.append(f"{one.path} is ticked and could not be accepted: {error}")
    return promoted, troubles


def accept(cabinet: Cabinet, name: str, *, client: str) -> Moved:
    """Promote a memo of the inbox to its place.

    Raises:
        MemoNotFound, AmbiguousName, NotAMemo: no one memo is called so.
        NotWaiting: it does not wait, or somebody else was faster.
        WriteRefused, MemoUnreadable: it cannot be written; it is as it was.
    """
    return _promoted(cabinet, _waiting(cabinet, name), _as_is, client, ACCEPTED)


def edit(cabinet: Cabinet, name: str, text: str, *, client: str) -> Moved:
    """Give a memo of the inbox another text, and promote it; raises as `accept`.

    Raises:
        BadMemo: there is no text, or none that can be kept.
    """
    memo = _waiting(cabinet, name)
    said = text_said(text, memo.kind)

    def change(before: FileText, memo: Memo) -> str:
        head = before.text[: read_head(before.text).length]
        body = body_of(replace(memo, text=said)).replace("\r\n", "\n")
        return head + f"\n{body}\n".replace("\n", before.newline)

    return _promoted(cabinet, memo, change, client, EDITED)


def reject(cabinet: Cabinet, name: str, *, client: str) -> Moved:
    """Move a memo of the inbox to the trash; raises as `accept`."""
    return put_away(cabinet, _waiting(cabinet, name), client=client, why=REJECTED)


def merge(cabinet: Cabinet, name: str, into: str, *, client: str) -> Moved:
    """Add a memo of the inbox to one that is kept, and put the first away.

    The kept one is written first: done twice, it is as done once. Raises as `accept`.

    Raises:
        StillWaiting: what it is to be added to waits itself.
    """
    memo = _waiting(cabinet, name)
    kept = memo_called(cabinet, into, place="kept")
    if kept.place == "inbox":
        raise StillWaiting(kept.path)

    def change(before: FileText) -> str:
        known = read_memo(kept.path, before.text, cabinet.folder)
        if known is None:
            raise MemoUnreadable(kept.path, "it is no memo any more")
        return _with_added(before, known, memo)

    rewrite(cabinet.writer(client), kept.path, change, why=MERGED)
    gone = put_away(cabinet, memo, client=client, why=MERGED)
    after = memo_called(cabinet, kept.path)
    notices = (*gone.notices, *notices_of(cabinet, kept.path))
    return Moved(after, memo.path, tuple(dict.fromkeys(notices)))


def put_away(cabinet: Cabinet, memo: Memo, *, client: str, why: str) -> Moved:
    """Move the note of a memo to the trash of the agent folder.

    Raises:
        NotWaiting: it is gone by now.
        WriteRefused: it may not be moved, or the disk did not do it.
    """
    writer, trash = cabinet.writer(client), trash_for(memo.path, cabinet.folder)
    for attempt in range(1, TRIES + 1):
        raw = writer.read(memo.path)
        if raw is None:
            raise NotWaiting(memo.path)
        try:
            to = moved_into(writer, memo.path, trash, expected=digest_of(raw), why=why)
        except NoteChanged:
            if attempt == TRIES:
                raise
        else:
            gone = replace(memo, path=to, place="trash")
            return Moved(gone, memo.path, notices_of(cabinet, memo.path))
    raise AssertionError("the last attempt returns or raises")


def _waiting(cabinet: Cabinet, name: str) -> Memo:
    memo = memo_called(cabinet, name, place="inbox")
    if memo.place != "inbox":
        raise NotWaiting(memo.path)
    return memo


def _promoted(
    cabinet: Cabinet,
    memo: Memo,
    change: Callable[[FileText, Memo], str],
    client: str,
    why: str,
) -> Moved:
    """Mark a memo as accepted and move it to its place, if nobody else does."""
    writer, path = cabinet.writer(client), memo.path
    today = cabinet.now().date().isoformat()

    def marked(before: FileText) -> str:
        known = read_memo(path, before.text, cabinet.folder)
        if known is None:
            raise NotWaiting(path)
        return _approved(change(before, known), path, today)

    for attempt in range(1, TRIES + 1):
        rewrite(writer, path, marked, why=why)
        raw = writer.read(path)
        if raw is None:
            raise NotWaiting(path)
        kept = _memo_in(raw, path, cabinet.folder)
        try:
            to = moved_into(
                writer,
                path,
                place_for(kept, cabinet.folder),
                expected=digest_of(raw),
                why=why,
            )
        except NoteChanged:
            if attempt == TRIES:
                raise
        else:
            now = _memo_in(raw, to, cabinet.folder)
            return Moved(now, path, notices_of(cabinet, path, to))
    raise AssertionError("the last attempt returns or raises")


def _memo_in(raw: bytes, path: NotePath, folder: str) -> Memo:
    found = decode(raw)
    memo = (
        None if isinstance(found, Unreadable) else read_memo(path, found.text, folder)
    )
    if memo is None:
        raise MemoUnreadable(path, "it is no memo any more")
    return memo


def _as_is(before: FileText, _: Memo) -> str:
    return before.text


def _approved(text: str, path: NotePath, today: str) -> str:
    """Return the note of a memo without its marker, approved today or before."""
    facts: dict[str, Fact | None] = {"generated": False, APPROVED: today}
    if APPROVED in read_head(text).frontmatter.properties:
        del facts[APPROVED]
    return with_facts(without_marker(text), facts, path)


def _with_added(before: FileText, kept: Memo, memo: Memo) -> str:
    """Return the note of a kept memo with what another says, unless it says so."""
    text = before.text
    facts: dict[str, Fact | None] = {
        name: (*held, *(one for one in more if one not in held))
        for name, held, more in (
            ("sources", kept.sources, memo.sources),
            ("tags", kept.tags, memo.tags),
        )
        if not set(more) <= set(held)
    }
    added = "\n".join(memo.text.splitlines())
    if added not in "\n".join(kept.text.splitlines()):
        if kept.kind == "task":
            added = "\n".join(f"  {line}" if line else "" for line in added.split("\n"))
        more_text = f"\n\n{added}\n".replace("\n", before.newline)
        text = text.rstrip("\r\n") + more_text
    return with_facts(text, facts, kept.path) if facts else text


def _look(cabinet: Cabinet) -> list[_Seen]:
    return [_seen(cabinet, path) for path in inbox_paths(cabinet)]


def _seen(cabinet: Cabinet, path: NotePath) -> _Seen:
    """Return what a file of the inbox is; what cannot be read is told, not raised."""
    try:
        with cabinet.files() as files:
            found = decode(files.read(path))
    except GlassmindError as error:
        return _Seen(path, trouble=str(error))
    if isinstance(found, Unreadable):
        return _Seen(path, trouble=f"{path}: {found.reason}")
    memo = read_memo(path, found.text, cabinet.folder)
    if memo is None:
        trouble = f"{path} is no memo: it has no property `kind` that says of which one"
        return _Seen(path, trouble=trouble)
    said = read_head(found.text).frontmatter.properties
    return _Seen(path, memo, accepted=is_ticked(found.text) or APPROVED in said)
