"""One memo takes the place of another: each says so of the other.

The old one is written first, since its rank hangs on it, and as it was before where the
new one cannot be written. A death in between is made good by doing it again. Others who
act on one of them wait for both writes. When the new one is forgotten, the old one
counts again.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from glassmind.errors import (
    MemoUnreadable,
    NoteChanged,
    NotSuperseded,
    StillWaiting,
    VaultError,
)
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.read import Unreadable, decode
from glassmind.files.write import TRIES, FileText, VaultWriter, rewrite
from glassmind.memory.capture import Claim, summary_kept
from glassmind.memory.files import agent_path, memo_again, memo_at, memo_called
from glassmind.memory.format import (
    FIRST_STATUS,
    memos_in,
    new_note,
    section_facts,
    title_from,
    title_in,
    with_facts,
    with_section_facts,
    without_section,
)
from glassmind.memory.parts import (
    GONE,
    Cabinet,
    all_or_nothing,
    away,
    check_writes,
    notices_of,
    numbered,
    project_said,
    put_away,
    trash_for,
)
from glassmind.model import NotePath, PropertyValue
from glassmind.model.memory import MEMO_FOLDERS, Memo, Moved, Superseded
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.yaml_text import Fact

SUPERSEDED, SUPERSEDES = "superseded by another memo", "supersedes another memo"
UNDONE, LIFTED = "not superseded after all", "what superseded it is forgotten"
"""Why a file was written, for the record."""

_LINK = re.compile(r"\[\[[^\[\]]+\]\]")

LONGEST_CHAIN = 1_000
"""Memos that took the place of one another, as far as they are followed."""


def supersede(cabinet: Cabinet, old: str, new: str, *, client: str) -> Superseded:
    """Link a memo to the one that takes its place, and that one back.

    Raises:
        MemoNotFound, AmbiguousName, NotAMemo: no two memos are called so.
        StillWaiting: one of them waits in the inbox; it may yet get another path.
        NotSuperseded: they are one, the old one has been superseded by another, or the
            new one by the old.
        WriteRefused, MemoUnreadable: one of them cannot be written.
    """
    check_writes(cabinet, "nothing was superseded")
    before, after = memo_called(cabinet, old), memo_called(cabinet, new)
    _refuse_circles(cabinet, before, after)
    with cabinet.writer(client).queue():
        before, after = memo_again(cabinet, before), memo_again(cabinet, after)
        _refuse_circles(cabinet, before, after)
        with _taken(cabinet, before, _led_by(after), client, SUPERSEDED) as left:
            took = _write(
                cabinet, after, lambda said: _one_more(said, before), client, SUPERSEDES
            )
    return Superseded(left, took, notices_of(cabinet, before.path, after.path))


def _led_by(memo: Memo) -> dict[str, Fact | None]:
    return {"status": "superseded", "superseded-by": link_to(memo)}


@contextmanager
def _taken(
    cabinet: Cabinet,
    memo: Memo,
    facts: Mapping[str, Fact | None],
    client: str,
    why: str,
) -> Iterator[Memo]:
    """Change the facts of a memo for as long as what is done with it comes to an end.

    Yields it as it is then; where something is refused, it says again what it said.
    """
    former: dict[str, Fact | None] = {}

    def changed(said: Mapping[str, PropertyValue]) -> Mapping[str, Fact | None]:
        for name in facts:
            known = said.get(name)
            former[name] = known if isinstance(known, str) else None
        return facts

    after = _write(cabinet, memo, changed, client, why)
    try:
        yield after
    except VaultError:
        with suppress(VaultError):  # the first is what a person is told
            _write(cabinet, memo, lambda _: former, client, UNDONE)
        raise


@contextmanager
def lifting(cabinet: Cabinet, memo: Memo, *, client: str) -> Iterator[list[Memo]]:
    """Let what a memo took the place of count again while that one is put away.

    Yields those that do. What took the place of the memo itself has theirs too, and
    then none does. All is as it was where something is refused.
    """
    facts: dict[str, Fact | None] = {"superseded-by": memo.superseded_by or None}
    with ExitStack() as held:
        lifted = []
        for link in _LINK.findall(memo.supersedes):
            old = _at(cabinet, link)
            led = None if old is None else _led_to(cabinet, old)
            if old is None or led is None or not _same(led, memo):
                continue
            if not memo.superseded_by:
                facts["status"] = FIRST_STATUS[old.kind]
            new = _taken(cabinet, old, dict(facts), client, LIFTED)
            lifted.append(held.enter_context(new))
        yield [] if memo.superseded_by else lifted


def _refuse_circles(cabinet: Cabinet, old: Memo, new: Memo) -> None:
    for memo in (old, new):
        if memo.place == "inbox":
            raise StillWaiting(memo.path)
    if _same(old, new):
        raise NotSuperseded(old.path, new.path, "they are the same memo")
    now = _led_to(cabinet, old)
    if now is not None and not _same(now, new):
        reason = f"{now.path} has its place; supersede that one"
        raise NotSuperseded(old.path, new.path, reason)
    here: Memo | None = new
    for _ in range(LONGEST_CHAIN):
        here = None if here is None else _led_to(cabinet, here)
        if here is None:
            return
        if _same(here, old):
            reason = f"{new.path} is superseded by it already"
            raise NotSuperseded(old.path, new.path, reason)


def _same(one: Memo, other: Memo) -> bool:
    return (one.path, one.section) == (other.path, other.section)


def _led_to(cabinet: Cabinet, memo: Memo) -> Memo | None:
    """Return the memo that took the place of one; None where there is none now."""
    return _at(cabinet, memo.superseded_by) if memo.superseded_by else None


def _at(cabinet: Cabinet, link: str) -> Memo | None:
    """Return the memo that a link leads to; None where there is none now."""
    said = link.removeprefix("[[").removesuffix("]]").partition("|")[0]
    for at in dict.fromkeys((said, agent_path(said, cabinet.folder))):
        with suppress(VaultError):  # forgotten since, or none of ours
            return memo_called(cabinet, at)
    return None


def link_to(memo: Memo) -> str:
    """Return a link to a memo: by its path, which no other file has."""
    at = memo.path.removesuffix(NOTE_SUFFIX)
    return f"[[{at}#{memo.section}]]" if memo.section else f"[[{at}]]"


def _one_more(
    said: Mapping[str, PropertyValue], old: Memo
) -> Mapping[str, Fact | None]:
    """Return what a memo says that takes the place of one more."""
    known = said.get("supersedes")
    held = [str(one) for one in (known if isinstance(known, list) else [known]) if one]
    link = link_to(old)
    if link in held:
        return {}
    return {"supersedes": [*held, link] if held else link}


def _write(
    cabinet: Cabinet,
    memo: Memo,
    facts: Callable[[Mapping[str, PropertyValue]], Mapping[str, Fact | None]],
    client: str,
    why: str,
) -> Memo:
    """Change the facts of a memo, given those it has, and return it as it is then."""
    written = ""

    def change(before: FileText) -> str:
        nonlocal written
        written = changed(before)
        return written

    def changed(before: FileText) -> str:
        if not before.text:
            raise MemoUnreadable(memo.path, "it is gone")
        text, path, section = before.text, memo.path, memo.section
        if section:
            new = facts(section_facts(text, section, path))
            return with_section_facts(text, section, new, path) if new else text
        new = facts(read_head(text).frontmatter.properties)
        return with_facts(text, new, path) if new else text

    rewrite(cabinet.writer(client), memo.path, change, why=why)
    found = memos_in(memo.path, written, cabinet.folder)
    return next(one for one in found if one.section == memo.section)


FORGOTTEN = "forgotten"
"""Why a file was moved, for the record."""


def forget(cabinet: Cabinet, name: str, *, client: str) -> Moved:
    """Move a memo to the trash, whether it is kept or waits.

    Raises:
        MemoNotFound, AmbiguousName, NotAMemo: no one memo is called so.
        WriteRefused, MemoUnreadable: it may not be moved, or the disk did not do it.
    """
    check_writes(cabinet, "nothing was forgotten")
    memo = memo_called(cabinet, name)
    with cabinet.writer(client).queue():
        memo = memo_again(cabinet, memo)
        with lifting(cabinet, memo, client=client) as lifted:
            to = _put_into_trash(cabinet, memo, client)
    gone = replace(memo, path=to, place="trash")
    paths = dict.fromkeys([memo.path, *(one.path for one in lifted)])
    notices = (*map(_told, lifted), *notices_of(cabinet, *paths))
    return Moved(gone, NotePath(memo.address), notices)


def _told(memo: Memo) -> str:
    return f"{memo.address} counts again: what had its place is forgotten"


def _put_into_trash(cabinet: Cabinet, memo: Memo, client: str) -> NotePath:
    """Move a memo to the trash, as a note of its own, and return where it is."""
    if not memo.section:
        return away(cabinet, memo, client=client, why=FORGOTTEN)
    for attempt in range(1, TRIES + 1):
        try:
            with all_or_nothing(cabinet, client) as held:
                return _in_trash(held, held.writer(client), memo)
        except NoteChanged:  # by who does not queue, such as an editor
            if attempt == TRIES:
                raise
    raise AssertionError("the last attempt returns or raises")


def _in_trash(cabinet: Cabinet, writer: VaultWriter, memo: Memo) -> NotePath:
    """Write a section to the trash, cut it out of its note, and return where it is."""
    cut = _section_now(writer, memo)
    to = _copied(cabinet, writer, memo, cut)

    def change(before: FileText) -> str:
        after, found = without_section(before.text, memo.section, memo.path)
        if found != cut:  # somebody wrote to it since it was put into the trash
            raise NoteChanged(memo.path, expected="", found="")
        return after

    rewrite(writer, memo.path, change, why=FORGOTTEN)
    return to


def _section_now(writer: VaultWriter, memo: Memo) -> str:
    found = decode(writer.read(memo.path) or b"")
    if isinstance(found, Unreadable):
        raise MemoUnreadable(memo.path, found.reason)
    return without_section(found.text, memo.section, memo.path)[1]


def _copied(cabinet: Cabinet, writer: VaultWriter, memo: Memo, cut: str) -> NotePath:
    """Write a section to the trash, unless it is there, and return where."""
    newline = "\r\n" if "\r\n" in cut else "\n"
    raw = (f"{new_note(memo)}\n".replace("\n", newline) + cut).encode()
    name = f"{title_from(memo.section, memo.kind)}{NOTE_SUFFIX}"
    for free in numbered(name):
        path = NotePath(f"{trash_for(memo.path, cabinet.folder)}/{free}")
        known = writer.read(path)
        if known == raw:  # a death came between the two writes, or it was so before
            return path
        if known is not None:
            continue
        try:
            return writer.put(path, raw, expected=None, why=FORGOTTEN).path
        except NoteChanged:
            continue
    raise AssertionError("there is always another number")


RENEWED = "a newer summary is kept"
"""Why a file was moved, for the record."""


def summary_renewed(cabinet: Cabinet, claim: Claim, title: str) -> NotePath:
    """Keep a summary in the place of the former of that title; return where it is.

    That is one with the heading that the new one begins with: names of files have room
    for the first words of a question alone. One that says the same is left as it is.

    Raises:
        BadMemo: it cannot be kept as it is; nothing was written.
        WriteRefused: the settings or the disk do not let it be written.
    """
    check_writes(cabinet, "no summary was kept")
    heading = claim.text.strip().partition("\n")[0].strip()
    former = [
        memo
        for memo in _former(cabinet, title, claim.project)
        if heading in map(str.strip, memo.text.splitlines())
    ]
    same = [memo for memo in former if memo.text.strip() == claim.text.strip()]
    path = same[-1].path if same else summary_kept(cabinet, claim, title).memory.path
    for memo in former:
        if memo.path != path:
            with suppress(*GONE):  # another summary of it was quicker
                put_away(cabinet, memo, client=claim.client, why=RENEWED)
    return path


def _former(cabinet: Cabinet, title: str, project: str) -> list[Memo]:
    """Return the summaries of a project under a title, numbered or not; by path."""
    folder, said = f"{cabinet.folder}/{MEMO_FOLDERS['summary']}", project_said(project)
    named = re.compile(re.escape(title_from(title, "summary")) + r"(?: \d+)?")
    with cabinet.files() as files:
        names = [name for name in files.names(folder) if name.endswith(NOTE_SUFFIX)]
    found = []
    for path in (NotePath(f"{folder}/{name}") for name in names):
        if named.fullmatch(title_in(path)):
            with suppress(VaultError):  # what cannot be read is no summary of ours
                memo = memo_at(cabinet, path)
                if memo and memo.kind == "summary" and memo.project == said:
                    found.append(memo)
    return found
