"""Keeping what waited in the inbox, as it is or changed, or putting it away.

A memo that is accepted is first marked as such where it stands, and then moved to its
place; others who act on it wait for both. Where that is refused, it is as it was. A
death in between leaves a marked memo in the inbox, which the next look at the inbox
moves. Where the memos of a project share a note, it is added to that one, and its own
goes to the trash; one with properties that a person gave it stays a note. One that a
person dragged to a place stays there.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from msgspec import structs

from glassmind.errors.memory import MemoUnreadable, NotWaiting
from glassmind.errors.writing import NoteChanged
from glassmind.files.read import Unreadable, decode, digest_of
from glassmind.files.write import TRIES, FileText, VaultWriter, rewrite
from glassmind.memory.cabinet import Cabinet, check_writes
from glassmind.memory.claims import box_said, text_said
from glassmind.memory.finding import is_waiting, waiting_called
from glassmind.memory.memo_file import (
    body_of,
    read_memo,
    with_box,
    with_facts,
    without_marker,
)
from glassmind.memory.memo_names import title_in
from glassmind.memory.memo_sections import LAYOUT
from glassmind.memory.moving import (
    GONE,
    away,
    copied_away,
    moved_into,
    notices_of,
    place_for,
    put_away,
)
from glassmind.memory.project_notes import add_once
from glassmind.memory.renaming import name_kept
from glassmind.memory.retaining import retained
from glassmind.memory.undoing import all_or_nothing
from glassmind.model import NotePath
from glassmind.model.memory import Memo, Moved
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.yaml_text import Fact

APPROVED = "approved"
"""The property that says since when a memo is a person's own."""

OURS = frozenset(
    [
        "kind",
        "project",
        "created",
        "client",
        "sources",
        "status",
        "tags",
        "generated",
        "supersedes",
        "superseded-by",
        "approved",
    ]
)
"""The properties of a memo that a section of a note has too, or has no need of."""

ONE_LINE = ("kind", "project", "created", "client", "status", "superseded-by")
"""Those of which a section says one thing each; a person may have made a list of it."""

ACCEPTED, EDITED, REJECTED, COPIED = (
    "accepted from the inbox",
    "edited and accepted from the inbox",
    "rejected from the inbox",
    "kept as it was before it was edited",
)
"""Why a file was written, for the record."""


def accept(cabinet: Cabinet, name: str, *, client: str) -> Moved:
    """Promote a memo of the inbox to its place.

    Raises:
        MemoNotFound, AmbiguousName, NotAMemo: no one memo is called so.
        NotWaiting: it does not wait, or somebody else was faster.
        WriteRefused, MemoUnreadable: it cannot be written; it is as it was.
    """
    check_writes(cabinet, "nothing was accepted")
    memo = waiting_called(cabinet, name)
    return _indexed(cabinet, promoted(cabinet, memo, as_is, client, ACCEPTED))


def edit(
    cabinet: Cabinet, name: str, text: str, *, before: str | None, client: str
) -> Moved:
    """Give a memo of the inbox another text, and promote it; raises as `accept`.

    `before` is the text that the new one was made from, where the caller read it. The
    note as it was is copied to the trash first.

    Raises:
        BadMemo: there is no text, or none that can be kept.
        NoteChanged: it says something else than `before` by now.
    """
    check_writes(cabinet, "nothing was edited")
    memo = waiting_called(cabinet, name)
    said, read = text_said(text, memo.kind), before

    def change(before: FileText, memo: Memo) -> str:
        if before.text not in {former, without_marker(former)}:
            raise NoteChanged(memo.path, expected="", found="")
        _refuse_other(memo, read)
        head = before.text[: read_head(before.text).length]
        new = with_box(replace(memo, text=said), box_said(text, memo.kind))
        body = body_of(new).replace("\r\n", "\n")
        return head + f"\n{body}\n".replace("\n", before.newline)

    _refuse_other(memo, read)
    with (
        cabinet.writer(client).queue(),
        all_or_nothing(cabinet, client) as held,
    ):
        former = copied_away(held, memo.path, client=client, why=COPIED)
        moved = promoted(held, memo, change, client, EDITED)
    return _indexed(cabinet, moved)


def _refuse_other(memo: Memo, read: str | None) -> None:
    """Refuse a memo that does not say what was read, where that is known."""
    if read is not None and memo.text != read:
        known, found = (digest_of(one.encode()) for one in (read, memo.text))
        raise NoteChanged(memo.path, expected=known, found=found)


def reject(cabinet: Cabinet, name: str, *, client: str) -> Moved:
    """Move a memo of the inbox to the trash; raises as `accept`."""
    check_writes(cabinet, "nothing was rejected")
    memo = waiting_called(cabinet, name)
    return put_away(cabinet, memo, client=client, why=REJECTED)


def promoted(
    cabinet: Cabinet,
    memo: Memo,
    change: Callable[[FileText, Memo], str],
    client: str,
    why: str,
) -> Moved:
    """Mark a memo as accepted and move it to its place; raises as `accept`.

    `change` is made to its note first. It is not in the index afterwards.
    """
    with cabinet.writer(client).queue(), all_or_nothing(cabinet, client) as held:
        writer = held.writer(client)
        for attempt in range(1, TRIES + 1):
            _mark(held, writer, memo.path, change, why)
            try:
                return _placed(held, writer, memo.path, client, why)
            except NoteChanged:  # by who does not queue, such as an editor
                if attempt == TRIES:
                    raise
            change = as_is  # it was made, and what came after it is to stay
    raise AssertionError("the last attempt returns or raises")


def _mark(
    cabinet: Cabinet,
    writer: VaultWriter,
    path: NotePath,
    change: Callable[[FileText, Memo], str],
    why: str,
) -> None:
    """Change the note of a memo that waits, and say in it that it is approved."""
    today = cabinet.now().date().isoformat()

    def marked(before: FileText) -> str:
        known = read_memo(path, before.text, cabinet.folder) if before.text else None
        if known is None or not is_waiting(known):
            raise NotWaiting(path)
        return _approved(before, lambda text: change(text, known), path, today)

    rewrite(writer, path, marked, why=why)


def _placed(
    cabinet: Cabinet, writer: VaultWriter, path: NotePath, client: str, why: str
) -> Moved:
    """Move a memo that is marked to its place.

    Raises:
        NotWaiting, NoteChanged: it is gone, or another by now.
    """
    raw = writer.read(path)
    if raw is None:
        raise NotWaiting(path)
    kept = _memo_in(raw, path, cabinet.folder)
    if kept.place != "inbox":  # where a person put it
        return Moved(kept, path)
    name = name_kept(cabinet, kept)
    if _shares_a_note(cabinet, kept, raw):
        titled = replace(kept, title=title_in(NotePath(name)))
        return _added_to_project(cabinet, titled, client, why)
    place, known = place_for(kept, cabinet.folder), digest_of(raw)
    to = moved_into(writer, path, place, expected=known, why=why, name=name)
    return Moved(_memo_in(raw, to, cabinet.folder), path)


def _shares_a_note(cabinet: Cabinet, memo: Memo, raw: bytes) -> bool:
    """Whether a memo belongs with others in one note, as far as that loses nothing."""
    found = decode(raw)
    if cabinet.config.memory.layout != LAYOUT or isinstance(found, Unreadable):
        return False
    said = read_head(found.text).frontmatter.properties
    plain = all(isinstance(said.get(name, ""), str) for name in ONE_LINE)
    ours = plain and set(said) <= OURS
    return memo.kind != "summary" and bool(memo.created) and ours


def _added_to_project(cabinet: Cabinet, memo: Memo, client: str, why: str) -> Moved:
    """Add a memo to the note of its project, and put its own away; twice is as once."""
    kept = replace(memo, place="kept", generated=False)
    among = add_once(cabinet, kept, client=client, why=why)
    with suppress(*GONE):  # a person was faster, and it is kept all the same
        away(cabinet, memo, client=client, why=why)
    return Moved(among, memo.path)


def _indexed(cabinet: Cabinet, moved: Moved) -> Moved:
    """Return what was accepted, in the index and where else it is to be known."""
    told = notices_of(cabinet, moved.before, moved.memory.path)
    return structs.replace(moved, notices=(*told, *retained(cabinet, moved.memory)))


def _memo_in(raw: bytes, path: NotePath, folder: str) -> Memo:
    found = decode(raw)
    memo = (
        None if isinstance(found, Unreadable) else read_memo(path, found.text, folder)
    )
    if memo is None:
        raise MemoUnreadable(path, "it is no longer a memory")
    return memo


def as_is(before: FileText, _: Memo) -> str:
    """Return the note of a memo that is accepted without a change."""
    return before.text


def _approved(
    before: FileText, change: Callable[[FileText], str], path: NotePath, today: str
) -> str:
    """Return the note of a memo without its marker, changed, approved today or before.

    What is approved has no marker of ours any more, whatever its text looks like.
    """
    said = read_head(before.text).frontmatter.properties
    is_done = APPROVED in said and said.get("generated") is False
    text = before.text if is_done else without_marker(before.text)
    facts: dict[str, Fact | None] = {"generated": False, APPROVED: today}
    if APPROVED in said:
        del facts[APPROVED]
    changed = change(before._replace(text=text))
    return changed if is_done else with_facts(changed, facts, path)
