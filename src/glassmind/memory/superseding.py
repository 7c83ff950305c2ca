"""One memo takes the place of another: each says so of the other.

The old one is written first, since its rank hangs on it. A death in between is made
good by doing it again.
"""

from collections.abc import Callable, Mapping

from glassmind.errors import VaultError
from glassmind.errors.memory import MemoUnreadable, NotSuperseded, StillWaiting
from glassmind.markdown.frontmatter import read_head
from glassmind.markdown.yaml_write import Fact
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.finding import memo_again, memo_called
from glassmind.memory.memo_file import with_facts
from glassmind.memory.memo_sections import section_facts, with_section_facts
from glassmind.memory.moving import notices_of
from glassmind.types import PropertyValue
from glassmind.types.memory import Memo, Superseded
from glassmind.vault.resolve import NOTE_SUFFIX
from glassmind.vault.rewrite import FileText, rewrite

SUPERSEDED, SUPERSEDES = "superseded by another memo", "supersedes another memo"
"""Why a file was written, for the record."""

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
    before, after = memo_called(cabinet, old), memo_called(cabinet, new)
    _refuse_circles(cabinet, before, after)
    taken: dict[str, Fact | None] = {
        "status": "superseded",
        "superseded-by": link_to(after),
    }
    _write(cabinet, before, lambda _: taken, client, SUPERSEDED)
    _write(cabinet, after, lambda said: _one_more(said, before), client, SUPERSEDES)
    notices = notices_of(cabinet, before.path, after.path)
    return Superseded(memo_again(cabinet, before), memo_again(cabinet, after), notices)


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
    if not memo.superseded_by:
        return None
    said = memo.superseded_by.removeprefix("[[").removesuffix("]]").partition("|")[0]
    note, _, section = said.partition("#")
    try:
        return memo_called(cabinet, f"{note}#{section}" if section else note)
    except VaultError:  # forgotten since, or none of ours
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
) -> None:
    """Change the facts of a memo, given those it has."""

    def change(before: FileText) -> str:
        if not before.text:
            raise MemoUnreadable(memo.path, "it is gone")
        text, path, section = before.text, memo.path, memo.section
        if section:
            new = facts(section_facts(text, section, path))
            return with_section_facts(text, section, new, path) if new else text
        new = facts(read_head(text).frontmatter.properties)
        return with_facts(text, new, path) if new else text

    writer = cabinet.writer(client)
    with writer.queue():
        rewrite(writer, memo.path, change, why=why)
