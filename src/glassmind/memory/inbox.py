"""The inbox: what waits for a person, and the boxes that were ticked in Obsidian."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct, structs
from msgspec.structs import replace

from glassmind.errors import (
    BadWish,
    FileGone,
    IndexFault,
    MemoryNotFound,
    MisplacedMemory,
    NoteChanged,
    NotMerged,
    NotWaiting,
    VaultError,
)
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.read import Unreadable, decode, digest_of
from glassmind.files.write import FileText, VaultWriter
from glassmind.memory.capture import UNKNOWN, box_of, checked_text
from glassmind.memory.files import (
    inbox_paths,
    is_waiting,
    kept_memos,
    memo_again,
    memo_called,
    moment_of,
    still_waiting,
    unreadable_notices,
    waiting_called,
)
from glassmind.memory.format import (
    INBOX,
    body_of,
    is_read,
    is_ticked,
    read_memo,
    title_from,
    title_in,
    with_box,
    with_facts,
    without_marker,
)
from glassmind.memory.near import SimilarMemoryIndex
from glassmind.memory.vault import MemoryStore
from glassmind.memory.writing import (
    GONE,
    change_memo,
    copy_into,
    into_trash,
    move_into,
    place_for,
    put_away,
    retained,
    trash_for,
)
from glassmind.model import NotePath
from glassmind.model.edits import is_over
from glassmind.model.memory import (
    KEEP,
    Inbox,
    MemoKind,
    MemoryItem,
    Moved,
    Promoted,
    WaitingMemory,
    extended,
)
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.yaml_text import Fact

BY_BOX = "obsidian"
"""The client that accepts what was ticked, for the record."""

APPROVED = "approved"
"""The property with the day on which a person accepted a memo."""

ACCEPTED, EDITED, REJECTED, COPIED, MERGED = (
    "accepted from the inbox",
    "edited and accepted from the inbox",
    "rejected from the inbox",
    "kept as it was before it was edited",
    "merged with a memo of the inbox",
)
"""Why a file was written, for the record."""

STANDING: frozenset[MemoKind] = frozenset({"memory", "decision", "summary"})
"""Kinds that hold until something else does; tasks and questions come to an end."""

FROM = "merged"
"""The property with the client and time of each memo that was merged into a memo."""

_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_NUMBER = re.compile(r" \d{1,9}\Z")
_DAY_CHARS = len("2000-01-01")

Change = Callable[[FileText, MemoryItem], str]
"""Returns the new text of the note of a memo."""


class _Seen(Struct, frozen=True):
    """A file of the inbox: a memo, if it is one, and whether it was ticked."""

    path: NotePath
    memo: MemoryItem | None = None
    ticked: bool = False
    problem: str = ""


def inbox_now(vault: MemoryStore, *, promote: bool) -> Inbox:
    """Return what waits, the oldest first, each with similar memos.

    With `promote`, what a person ticked is accepted first, if writes are allowed.
    """
    seens = [_seen(vault, path) for path in inbox_paths(vault)]
    done = _promote_ticked(vault, seens) if promote else Promoted()
    if done.moved:
        seens = [_seen(vault, path) for path in inbox_paths(vault)]
    problems = [*done.problems, *(seen.problem for seen in seens if seen.problem)]
    memos = [seen.memo for seen in seens if seen.memo]
    try:
        items = kept_memos(vault, {memo.kind for memo in memos})
    except IndexFault as error:
        items = []
        problems.append(f"near-duplicates are looked for in the inbox alone: {error}")
    near = SimilarMemoryIndex({memo.path: memo for memo in (*items, *memos)}.values())
    waiting = [
        extended(WaitingMemory, seen.memo, checked=seen.ticked, near=near.to(seen.memo))
        for seen in seens
        if seen.memo
    ]
    waiting.sort(key=lambda one: (moment_of(one.created), one.path))
    with suppress(IndexFault):
        problems += unreadable_notices(vault)
        problems += (
            str(MisplacedMemory(note.path, vault.folder, waits=True))
            for note in vault.rows().memory_notes(vault.folder, outside=True)
            if note.properties.get("generated") is True
        )
    return Inbox(tuple(waiting), done.moved, tuple(problems))


def accept_ticked(vault: MemoryStore) -> Promoted:
    """Accept what a person ticked, as far as the index knows.

    The index says where to look only: the file says whether it is ticked.
    """
    rows = vault.rows()
    paths = {
        *rows.ticked(f"{vault.folder}/{INBOX}", KEEP, APPROVED),
        *rows.ticked(vault.folder, KEEP, ""),
    }
    seens = [_seen(vault, path) for path in sorted(paths)]
    done = _promote_ticked(vault, seens)
    problems = (seen.problem for seen in seens if seen.problem)
    return Promoted(done.moved, (*done.problems, *problems))


def _promote_ticked(vault: MemoryStore, seen: Sequence[_Seen]) -> Promoted:
    """Accept those that are ticked, each for itself; nothing while writes are off."""
    moved: list[Moved] = []
    problems: list[str] = []
    if not vault.config.writes.agent_dir_writable:
        return Promoted()
    for one in seen:
        try:
            if one.ticked:
                moved.append(_accepted(vault, one.path, BY_BOX))
        except NotWaiting:
            continue  # somebody else was faster
        except VaultError as error:
            problems.append(f"{one.path} is ticked and could not be accepted: {error}")
    paths = [path for one in moved for path in (one.before, one.memory.path)]
    problems += vault.refreshed(*paths) if paths else ()
    for memo in (one.memory for one in moved):
        problems += (f"{memo.path}: {notice}" for notice in retained(vault, memo))
    return Promoted(tuple(moved), tuple(problems))


def _seen(vault: MemoryStore, path: NotePath) -> _Seen:
    try:
        with vault.files() as files:
            found = decode(files.read(path))
    except FileGone:
        return _Seen(path)  # moved since
    except VaultError as error:
        return _Seen(path, problem=str(error))
    if isinstance(found, Unreadable):
        return _Seen(path, problem=f"{path}: {found.reason}")
    memo = read_memo(path, found.text, vault.folder)
    head = read_head(found.text).frontmatter
    if memo is None:
        why = head.error or "it has no property `kind` that says of which one"
        return _Seen(path, problem=f"{path} is not a memory: {why}")
    is_approved = memo.place == "inbox" and APPROVED in head.properties
    ticked = is_waiting(memo) and (is_ticked(found.text) or is_approved)
    return _Seen(path, memo, ticked)


def accept(vault: MemoryStore, name: str, *, client: str) -> Moved:
    vault.check_writes("nothing was accepted")
    memo = waiting_called(vault, name)
    return _indexed(vault, _accepted(vault, memo.path, client))


def edit(
    vault: MemoryStore, name: str, text: str, *, before: str | None, client: str
) -> Moved:
    """Give a memo of the inbox another text, and accept it; see `Memory.edit`.

    The note as it was is copied to the trash first.
    """
    vault.check_writes("nothing was edited")
    memo = waiting_called(vault, name)
    new = with_box(
        replace(memo, text=checked_text(text, memo.kind)), box_of(text, memo.kind)
    )

    def change(found: FileText, now: MemoryItem) -> str:
        if now.text != memo.text:
            raise NoteChanged(memo.path, expected="", found="")
        head = found.text[: read_head(found.text).length]
        body = body_of(new).replace("\r\n", "\n")
        return head + f"\n{body}\n".replace("\n", found.newline)

    if before is not None and memo.text != before:
        known, found = (digest_of(one.encode()) for one in (before, memo.text))
        raise NoteChanged(memo.path, expected=known, found=found)
    with vault.changing(client) as writer:
        raw = writer.read(memo.path)
        if raw is None:
            raise NotWaiting(memo.path)
        folder, own = trash_for(memo.path, vault.folder), memo.path.rpartition("/")[2]
        copy_into(writer, folder, own, raw, COPIED)
        named = replace(new, title=title_from(new.text, memo.kind))
        title = title_from(memo.text, memo.kind)  # a file of its name may have a number
        is_titled = title in (title_in(memo.path), _NUMBER.sub("", title_in(memo.path)))
        renamed = _dated_name(named) if is_titled else ""
        moved = _moved(vault, writer, memo.path, change, why=EDITED, name=renamed)
    return _indexed(vault, moved)


def reject(vault: MemoryStore, name: str, *, client: str) -> Moved:
    vault.check_writes("nothing was rejected")
    memo = waiting_called(vault, name)
    return put_away(vault, memo, client=client, why=REJECTED)


def _accepted(vault: MemoryStore, path: NotePath, client: str) -> Moved:
    with vault.changing(client) as writer:
        return _moved(vault, writer, path, lambda text, _: text.text, why=ACCEPTED)


def _moved(  # noqa: PLR0913 - each fact by its name
    vault: MemoryStore,
    writer: VaultWriter,
    path: NotePath,
    change: Change,
    *,
    why: str,
    name: str = "",
) -> Moved:
    """Change the note of a waiting memo, mark it as accepted, move it to its place.

    Without a name it keeps its own. The index is not updated.
    """
    today = vault.now().date().isoformat()

    def accepted(before: FileText, known: MemoryItem) -> str:
        if not is_waiting(known):
            raise NotWaiting(path)
        return _approved(before, known, change, today)

    try:
        memo = change_memo(vault, writer, path, accepted, why)
    except MemoryNotFound as error:
        raise NotWaiting(path) from error
    raw = writer.read(path)
    if raw is None:
        raise NotWaiting(path)
    if memo.place != "inbox":  # a person put it there
        return Moved(memo, path)
    if not name and not is_read(path.rpartition("/")[2]):  # such as a conflict copy
        name = _dated_name(replace(memo, title=title_from(memo.text, memo.kind)))
    place, digest = place_for(memo, vault.folder), digest_of(raw)
    to = move_into(writer, path, place, expected=digest, why=why, name=name)
    return Moved(replace(memo, path=to, title=title_in(to), place="kept"), path)


def _approved(before: FileText, memo: MemoryItem, change: Change, today: str) -> str:
    facts = read_head(before.text).frontmatter.properties
    if APPROVED in facts and facts.get("generated") is False:  # accepted before
        return change(before, memo)
    changed = change(before._replace(text=without_marker(before.text)), memo)
    new: dict[str, Fact | None] = {"generated": False}
    if APPROVED not in facts:
        new[APPROVED] = today
    return with_facts(changed, new, memo.path)


def _dated_name(memo: MemoryItem) -> str:
    return f"{memo.created[:_DAY_CHARS]} {memo.title}{NOTE_SUFFIX}".lstrip()


def _indexed(vault: MemoryStore, moved: Moved) -> Moved:
    notices = vault.refreshed(moved.before, moved.memory.path)
    return structs.replace(moved, notices=(*notices, *retained(vault, moved.memory)))


def merge(vault: MemoryStore, name: str, into: str, *, client: str) -> Moved:
    """Add a memo of the inbox to another, and move the first to the trash.

    The other is written first, so after a crash the merge can be repeated. Raises as
    `accept`.
    """
    vault.check_writes("nothing was merged")
    memo = waiting_called(vault, name)
    item = memo_called(vault, into, place="kept")
    if item.path == memo.path:
        raise BadWish("the other memo", repr(into[:80]), "another than the first")
    with vault.changing(client) as writer:
        memo, item = still_waiting(vault, memo), memo_again(vault, item)
        _refuse_hiding(memo, item)
        new = memo  # as it is now
        after = change_memo(
            vault,
            writer,
            item.path,
            lambda text, now: with_added(text, now, new),
            MERGED,
        )
        with suppress(*GONE):  # a person deleted it, and it is merged all the same
            into_trash(vault, writer, memo, MERGED)
    known = f"{item.path} says so already; no text was added to it"
    notices = [known] if is_included(item, memo) else []
    notices += vault.refreshed(item.path, memo.path)
    notices += () if is_waiting(after) else retained(vault, after)
    return Moved(after, memo.path, tuple(notices))


def _refuse_hiding(memo: MemoryItem, kept: MemoryItem) -> None:
    reason = ""
    if kept.kind != memo.kind:
        reason = f"the one is a {memo.kind}, the other a {kept.kind}"
    elif memo.project and memo.project.casefold() != kept.project.casefold():
        of = f"of {kept.project!r}" if kept.project else "of no project"
        reason = f"the one is of the project {memo.project!r}, the other {of}"
    elif kept.superseded_by or is_over(kept.status, decided=kept.kind in STANDING):
        reason = f"the other is {kept.status}"
    if reason:
        raise NotMerged(memo.path, kept.path, reason)


def with_added(before: FileText, kept: MemoryItem, memo: MemoryItem) -> str:
    """Return the note of a kept memo with what another says, unless it says so."""
    text, facts = before.text, _more_facts(kept, memo)
    if not is_included(kept, memo):
        known = read_head(text).frontmatter.properties.get(FROM)
        others = known if isinstance(known, list) else [known]
        own = " ".join(f"{memo.client or UNKNOWN} {memo.created}".split())
        facts[FROM] = (*(str(other) for other in others if other), own)
        added = "\n".join(memo.text.splitlines())
        if kept.kind == "task":  # as part of its list item
            added = "\n".join(line and f"  {line}" for line in added.split("\n"))
        more = f"\n\n{added}\n".replace("\n", before.newline)
        text = text.rstrip("\r\n") + more
    return with_facts(text, facts, kept.path) if facts else text


def is_included(kept: MemoryItem, memo: MemoryItem) -> bool:
    """True if a memo has the paragraphs of another in a row.

    Whole paragraphs: "do not ship on Friday" does not include "ship on Friday".
    """
    known, wanted = _paragraphs(kept.text), _paragraphs(memo.text)
    size = len(wanted)
    return any(known[at : at + size] == wanted for at in range(len(known)))


def _paragraphs(text: str) -> list[str]:
    parts = _PARAGRAPHS.split("\n".join(text.splitlines()))
    return [plain for part in parts if (plain := " ".join(part.split()))]


def _more_facts(kept: MemoryItem, memo: MemoryItem) -> dict[str, Fact | None]:
    doubt: dict[str, Fact | None] = {"untrusted": True} if memo.untrusted else {}
    return doubt | {
        name: (*known, *(one for one in more if one not in known))
        for name, known, more in (
            ("sources", kept.sources, memo.sources),
            ("tags", kept.tags, memo.tags),
            ("derived-from", kept.derived_from, memo.derived_from),
        )
        if not set(more) <= set(known)
    }
