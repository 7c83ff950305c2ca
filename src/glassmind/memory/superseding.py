"""One memo takes the place of another: each says so of the other.

The old one is written first, since its rank hangs on it, and as it was before where the
new one cannot be written. A death in between is made good by doing it again. Others who
act on one of them wait for both writes. When the new one is forgotten, the old one
counts again.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

from glassmind.errors import VaultError
from glassmind.errors.memory import MemoUnreadable, NotSuperseded, StillWaiting
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.write import FileText, rewrite
from glassmind.memory.cabinet import Cabinet, check_writes
from glassmind.memory.claimed import agent_path
from glassmind.memory.finding import memo_again, memo_called
from glassmind.memory.memo_file import FIRST_STATUS, with_facts
from glassmind.memory.memo_sections import (
    memos_in,
    section_facts,
    with_section_facts,
)
from glassmind.memory.moving import notices_of
from glassmind.model import PropertyValue
from glassmind.model.memory import Memo, Superseded
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
