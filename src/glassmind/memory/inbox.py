"""What waits for a person, and the boxes that were ticked in Obsidian."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from shlex import quote
from typing import Any

from msgspec import structs

from glassmind.errors import (
    BadLimit,
    BadWish,
    FileGone,
    IndexFault,
    MemoAstray,
    MemoNotFound,
    MemoUnreadable,
    NoteChanged,
    NotMerged,
    NotWaiting,
    VaultError,
)
from glassmind.files.folder import LOG
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.read import Unreadable, VaultFiles, decode, digest_of
from glassmind.files.scan import kind_of
from glassmind.files.write import TRIES, FileText, VaultWriter, rewrite
from glassmind.memory.capture import NearMemos
from glassmind.memory.files import (
    broken_told,
    copied_memo,
    copies_kept,
    copies_told,
    copy_waits,
    inbox_paths,
    is_waiting,
    kept_memos,
    memo_again,
    memo_called,
    still_waiting,
    waiting_called,
)
from glassmind.memory.format import (
    COMMENT,
    INBOX,
    LAYOUT,
    TRASH,
    body_of,
    days_title,
    is_oddly_ticked,
    is_read,
    is_ticked,
    memos_in,
    read_memo,
    section_facts,
    title_from,
    title_in,
    with_box,
    with_facts,
    with_section_facts,
    with_section_text,
    without_marker,
)
from glassmind.memory.parts import (
    GONE,
    UNKNOWN,
    Cabinet,
    add_once,
    all_or_nothing,
    away,
    box_said,
    check_writes,
    copied_away,
    moment_of,
    moved_into,
    notices_of,
    place_for,
    put_away,
    retained,
    text_said,
)
from glassmind.model import Digest, NotePath, PropertyValue
from glassmind.model.edits import is_over
from glassmind.model.memory import (
    KEEP,
    Inbox,
    Memo,
    MemoKind,
    Moved,
    Promoted,
    WaitingMemory,
    WriteLog,
    WriteRecord,
    extended,
)
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.yaml_text import Fact

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


STANDING: frozenset[MemoKind] = frozenset({"memory", "decision", "summary"})
"""Kinds that hold until something else does; tasks and questions come to an end."""

MERGED = "merged with a memo of the inbox"
"""Why a file was written, for the record."""

FROM = "merged"
"""The property that says whose words were added to a memo, and when they were said."""

_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})", re.MULTILINE)


def merge(cabinet: Cabinet, name: str, into: str, *, client: str) -> Moved:
    """Add a memo of the inbox to another, and put the first away.

    The other is written first: done twice, it is as done once. One that waits itself
    goes on waiting. Others who act on one of them wait for both writes. Raises as
    `accept`.

    Raises:
        BadWish: both are one.
        NotMerged: the other is of another kind or project, or over: who looks for what
            the first says would not find it there.
        MemoNotFound: what it is to be added to is gone by now.
    """
    check_writes(cabinet, "nothing was merged")
    memo = waiting_called(cabinet, name)
    kept = memo_called(cabinet, into, place="kept")
    if (kept.path, kept.section) == (memo.path, memo.section):
        raise BadWish("the other memo", repr(into[:80]), "another than the first")
    with cabinet.writer(client).queue(), all_or_nothing(cabinet, client) as held:
        memo, kept = still_waiting(held, memo), memo_again(held, kept)
        _refuse_hiding(memo, kept)
        after = _added(held, kept, memo, client)
        with suppress(*GONE):  # a person was faster, and it is merged all the same
            away(held, memo, client=client, why=MERGED)
    said = f"{kept.path} says so already; no text was added to it"
    known = (said,) if is_said(kept, memo) else ()
    told = notices_of(cabinet, kept.path, memo.path)
    lost = () if is_waiting(after) else retained(cabinet, after)
    return Moved(after, memo.path, (*known, *told, *lost))


def _refuse_hiding(memo: Memo, kept: Memo) -> None:
    """Refuse to add a memo to one that answers to other questions."""
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


def _added(cabinet: Cabinet, kept: Memo, memo: Memo, client: str) -> Memo:
    """Write what a memo says to a kept one, and return that as it is then."""
    after = kept

    def change(before: FileText) -> str:
        nonlocal after
        if not before.text:
            raise MemoNotFound(kept.path)
        text = with_added(before, _in(before.text), memo)
        after = _in(text)
        return text

    def _in(text: str) -> Memo:
        for one in memos_in(kept.path, text, cabinet.folder):
            if one.section == kept.section:
                return one
        raise MemoUnreadable(kept.path, "it is no longer a memory")

    rewrite(cabinet.writer(client), kept.path, change, why=MERGED)
    return after


def with_added(before: FileText, kept: Memo, memo: Memo) -> str:
    """Return the note of a kept memo with what another says, unless it says so.

    Raises:
        MemoUnreadable: the note cannot be changed without losing something.
    """
    text, facts = before.text, _more(kept, memo)
    if not is_said(kept, memo):
        facts |= _whose(_facts_in(text, kept), memo)
        end = _what_ends(kept.text)
        added = end + "\n".join(memo.text.splitlines())
        if kept.kind == "task":  # as part of the list item that it is
            added = "\n".join(line and f"  {line}" for line in added.split("\n"))
        if kept.section:
            text = with_section_text(text, kept.section, added, kept.path)
        else:
            gap = "\n" if end else "\n\n"
            more = f"{gap}{added}\n".replace("\n", before.newline)
            text = text.rstrip("\r\n") + more
    if not facts:
        return text
    if kept.section:
        return with_section_facts(text, kept.section, facts, kept.path)
    return with_facts(text, facts, kept.path)


def is_said(kept: Memo, memo: Memo) -> bool:
    """Whether one memo says what another does: the same paragraphs in a row.

    A part of a paragraph is none: "ship on Friday" is not what "do not ship on Friday"
    says.
    """
    known, wanted = _paragraphs(kept.text), _paragraphs(memo.text)
    size = len(wanted)
    return any(known[at : at + size] == wanted for at in range(len(known)))


def _paragraphs(text: str) -> list[str]:
    parts = _PARAGRAPHS.split("\n".join(text.splitlines()))
    return [said for part in parts if (said := " ".join(part.split()))]


def _what_ends(text: str) -> str:
    """Return what closes the code or comment that a text ends in; mostly nothing."""
    if _is_open_after(text):
        return ""
    for mark in (*reversed(_FENCE.findall(text)), COMMENT, "-->"):
        if _is_open_after(f"{text}\n{mark}"):
            return f"{mark}\n\n"
    return ""


def _is_open_after(text: str) -> bool:
    """Whether Markdown behind a text is read as such."""
    headings = parse_note(NotePath("x.md"), f"\n{text}\n\n# x\n").headings
    return bool(headings) and headings[-1].text == "x"


def _facts_in(text: str, kept: Memo) -> Mapping[str, PropertyValue]:
    if kept.section:
        return section_facts(text, kept.section, kept.path)
    return read_head(text).frontmatter.properties


def _whose(said: Mapping[str, PropertyValue], memo: Memo) -> dict[str, Fact | None]:
    """Return whose words a memo holds when those of another are added to it."""
    known = said.get(FROM)
    held = known if isinstance(known, list) else [known]
    whose = " ".join(f"{memo.client or UNKNOWN} {memo.created}".split())
    return {FROM: (*(str(one) for one in held if one), whose)}


def _more(kept: Memo, memo: Memo) -> dict[str, Fact | None]:
    """Return the sources and tags that are more than those of the kept memo."""
    doubt: dict[str, Fact | None] = {"untrusted": True} if memo.untrusted else {}
    return doubt | {
        name: (*held, *(one for one in more if one not in held))
        for name, held, more in (
            ("sources", kept.sources, memo.sources),
            ("tags", kept.tags, memo.tags),
            ("derived-from", kept.derived_from, memo.derived_from),
        )
        if not set(more) <= set(held)
    }


_NUMBER_RENAMING = re.compile(r" \d{1,9}\Z")
_DAY_CHARS = len("2000-01-01")


def name_kept(cabinet: Cabinet, memo: Memo) -> str:
    """Return the name that a memo of the inbox gets where it is moved to."""
    name = memo.path.rpartition("/")[2]
    title = title_from(memo.text, memo.kind)
    if is_read(name) and (_tells(memo, title) or not _is_ours(cabinet, name)):
        return name
    stem = name.removesuffix(NOTE_SUFFIX)
    is_dated = days_title(stem) != stem
    day = stem[:_DAY_CHARS] if is_dated else memo.created[:_DAY_CHARS]
    return f"{day} {title}{NOTE_SUFFIX}".lstrip()


def _tells(memo: Memo, title: str) -> bool:
    """Whether a name says what the text begins with; it may have a number."""
    named = title_in(memo.path)
    return title in (named, _NUMBER_RENAMING.sub("", named))


def _is_ours(cabinet: Cabinet, name: str) -> bool:
    """Whether a file was made under its name by us, by the record of our writes."""
    try:
        with cabinet.files() as files:
            log = write_log(
                files, cabinet.folder, limit=MOST_RECORDS, since=None, path=None
            )
    except VaultError:  # a name that nobody can tell of is a person's
        return False
    made = (one.path for one in log.records if one.before is None)
    hidden = f"/{TRASH}/"  # where copies go under the names that files have
    return any(path.endswith(f"/{name}") and hidden not in path for path in made)


LIMIT_BYTES = 16 * 1024 * 1024
"""About 50,000 writes, read in half a second; what is older is in the file."""

MOST_RECORDS = 10_000
"""Writes that are told at once."""

MOST_TOLD = 10
"""Lines that are named as problems."""


def write_log(
    files: VaultFiles, folder: str, *, limit: int, since: date | None, path: str | None
) -> WriteLog:
    """Return what was written, the newest first; nothing where no record is.

    With `since`, from that day on; with `path`, of that file or below that folder. Who
    may not read every note is told of those that are there and may be read, unless they
    came from where nothing may. The lists of pins and dismissals are left out then:
    their size and digest depend on hidden notes.

    Raises:
        BadLimit: so many are not told at once.
        FileUnreadable: the record is there and cannot be read.
    """
    if not 1 <= limit <= MOST_RECORDS:
        raise BadLimit(limit, MOST_RECORDS)
    log = f"{folder}/{LOG}"
    try:
        raw, left_out = files.tail(log, limit_bytes=LIMIT_BYTES)
    except FileGone:
        return WriteLog((), 0)
    may_tell, may_name = cache(files.may_tell), cache(files.may_name)

    def is_list(path: str) -> bool:  # of pins or dismissals, which may name any note
        return path.startswith(f"{folder}/") and kind_of(path) == "attachment"

    records: list[WriteRecord] = []
    wrong: list[int] = []
    for number, line in _lines(raw, whole=left_out == 0):
        found = record_of(line)
        if found is None:
            wrong.append(number)
        elif (
            _is_asked_for(found, since, path)
            and (files.sees_all or not is_list(found.path))
            and may_tell(found.to or found.path)
            and (found.to is None or may_name(found.path))
        ):
            records.append(found)
    problems = _told(log, wrong, left_out, numbered=files.sees_all and not left_out)
    return WriteLog(tuple(records[: -limit - 1 : -1]), len(records), problems)


def record_of(line: bytes) -> WriteRecord | None:
    """Return the write that a line tells of; None for a line that tells of none."""
    try:
        said = json.loads(line)
        moment = datetime.fromisoformat(said["at"])
        path, why = said["path"], said["why"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if moment.tzinfo is None or not (isinstance(path, str) and isinstance(why, str)):
        return None
    size = said.get("bytes")
    return WriteRecord(
        at=said["at"],
        path=NotePath(path),
        why=why,
        client=_text(said.get("client")) or "",
        before=_digest(said.get("before")),
        after=_digest(said.get("after")),
        bytes=size if isinstance(size, int) and size >= 0 else 0,
        undone=said.get("undone") is True,
        to=None if (to := _text(said.get("to"))) is None else NotePath(to),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _digest(value: Any) -> Digest | None:
    text = _text(value)
    return None if text is None else Digest(text)


def _lines(raw: bytes, *, whole: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that say something, counted; half a one at the front is none."""
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if line.strip() and (whole or number > 1):
            yield number, line


def _is_asked_for(record: WriteRecord, since: date | None, path: str | None) -> bool:
    if since is not None:
        day = datetime.fromisoformat(record.at).astimezone().date()
        if day < since:
            return False
    if path is None:
        return True
    asked = path.removeprefix("./").rstrip("/")
    touched = (record.path, record.to or record.path)
    return any(one == asked or one.startswith(f"{asked}/") for one in touched)


def _told(
    log: str, wrong: list[int], left_out: int, *, numbered: bool
) -> tuple[str, ...]:
    # without the front of the file, nobody knows which line it is, and where some
    # lines are hidden the number would count them
    told = [
        f"{log}: line {number} is no record of a write"
        if numbered
        else f"{log}: a line is no record of a write"
        for number in wrong[:MOST_TOLD]
    ]
    if len(wrong) > MOST_TOLD:
        told.append(f"{log}: {len(wrong) - MOST_TOLD:,} more lines are none")
    if left_out:
        told.append(f"{log}: the first {left_out:,} bytes of it were not looked at")
    return tuple(dict.fromkeys(told))
