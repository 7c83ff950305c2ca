"""One memo takes the place of another: each says so of the other.

The old one is written first, since its rank hangs on it. A death in between is made
good by doing it again.
"""

from collections.abc import Callable

from glassmind.errors import VaultError
from glassmind.errors.memory import MemoUnreadable, NotSuperseded, StillWaiting
from glassmind.markdown.frontmatter import read_head
from glassmind.markdown.yaml_write import Fact
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.finding import memo_at, memo_called
from glassmind.memory.memo_file import with_facts
from glassmind.memory.moving import notices_of
from glassmind.types import NotePath
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
    facts: dict[str, Fact | None] = {
        "status": "superseded",
        "superseded-by": _link(after),
    }

    def marked(text: str) -> str:
        return with_facts(text, facts, before.path)

    def linked(text: str) -> str:
        return _with_old(text, _link(before), after.path)

    _write(cabinet, before.path, marked, client, SUPERSEDED)
    _write(cabinet, after.path, linked, client, SUPERSEDES)
    notices = notices_of(cabinet, before.path, after.path)
    return Superseded(
        _again(cabinet, before.path), _again(cabinet, after.path), notices
    )


def _refuse_circles(cabinet: Cabinet, old: Memo, new: Memo) -> None:
    for memo in (old, new):
        if memo.place == "inbox":
            raise StillWaiting(memo.path)
    if old.path == new.path:
        raise NotSuperseded(old.path, new.path, "they are the same memo")
    if old.superseded_by and _led_to(cabinet, old) not in {None, new.path}:
        reason = f"{old.superseded_by} has its place; supersede that one"
        raise NotSuperseded(old.path, new.path, reason)
    here: Memo | None = new
    for _ in range(LONGEST_CHAIN):
        path = _led_to(cabinet, here) if here else None
        if path is None:
            return
        if path == old.path:
            reason = f"{new.path} is superseded by it already"
            raise NotSuperseded(old.path, new.path, reason)
        here = memo_at(cabinet, path)


def _led_to(cabinet: Cabinet, memo: Memo) -> NotePath | None:
    """Return the memo that took the place of one; None where there is none now."""
    if not memo.superseded_by:
        return None
    said = memo.superseded_by.removeprefix("[[").removesuffix("]]").partition("|")[0]
    try:
        return memo_called(cabinet, said).path
    except VaultError:  # forgotten since, or none of ours
        return None


def _link(memo: Memo) -> str:
    """Return a link to a memo: by its path, which no other file has."""
    return f"[[{memo.path.removesuffix(NOTE_SUFFIX)}]]"


def _with_old(text: str, link: str, path: NotePath) -> str:
    """Return the note of a memo that takes the place of one more."""
    said = read_head(text).frontmatter.properties.get("supersedes")
    held = [one for one in (said if isinstance(said, list) else [said]) if one]
    if link in held:
        return text
    links = [*(str(one) for one in held), link]
    fact: Fact = links if len(links) > 1 else link
    return with_facts(text, {"supersedes": fact}, path)


def _write(
    cabinet: Cabinet,
    path: NotePath,
    changed: Callable[[str], str],
    client: str,
    why: str,
) -> None:
    def change(before: FileText) -> str:
        if not before.text:
            raise MemoUnreadable(path, "it is gone")
        return changed(before.text)

    rewrite(cabinet.writer(client), path, change, why=why)


def _again(cabinet: Cabinet, path: NotePath) -> Memo:
    memo = memo_at(cabinet, path)
    if memo is None:
        raise MemoUnreadable(path, "it is no memo any more")
    return memo
