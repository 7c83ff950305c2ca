"""Superseding, forgetting and renewing memos.

Both memos say it when one supersedes another. If the newer one is forgotten, the older
one counts again.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress

from msgspec.structs import replace

from glassmind.errors import (
    NotSuperseded,
    StillWaiting,
    VaultError,
)
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.write import FileText, VaultWriter
from glassmind.memory.capture import Claim, checked_project, summary_kept
from glassmind.memory.files import memo_again, memo_at, memo_called
from glassmind.memory.format import (
    FIRST_STATUS,
    title_from,
    title_in,
    with_facts,
)
from glassmind.memory.vault import MemoryStore
from glassmind.memory.writing import (
    GONE,
    change_memo,
    into_trash,
    put_away,
)
from glassmind.model import NotePath, PropertyValue
from glassmind.model.memory import MEMO_FOLDERS, MemoryItem, Moved, Superseded
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.yaml_text import Fact

SUPERSEDED, SUPERSEDES = "superseded by another memo", "supersedes another memo"
LIFTED, FORGOTTEN = "what superseded it is forgotten", "forgotten"
RENEWED = "a newer summary is kept"
"""Why a file was written or moved, for the record."""

_LINK = re.compile(r"\[\[[^\[\]]+\]\]")

LONGEST_CHAIN = 1_000  # memos that superseded one another, as far as they are followed

Facts = Mapping[str, Fact | None]


def supersede(vault: MemoryStore, old: str, new: str, *, client: str) -> Superseded:
    """Link a memo to the one that takes its place, and back; see `Memory.supersede`."""
    vault.check_writes("nothing was superseded")
    before, after = memo_called(vault, old), memo_called(vault, new)
    _refuse_circles(vault, before, after)
    with vault.changing(client) as writer:
        before, after = memo_again(vault, before), memo_again(vault, after)
        _refuse_circles(vault, before, after)
        facts: Facts = {"status": "superseded", "superseded-by": link_to(after)}
        item = _write(vault, writer, before, lambda _: facts, SUPERSEDED)
        link = link_to(before)

        def one_more(facts: Mapping[str, PropertyValue]) -> Facts:
            known = facts.get("supersedes")
            links = [
                str(one)
                for one in (known if isinstance(known, list) else [known])
                if one
            ]
            if link in links:
                return {}
            return {"supersedes": [*links, link] if links else link}

        took = _write(vault, writer, after, one_more, SUPERSEDES)
    return Superseded(item, took, vault.refreshed(before.path, after.path))


def _refuse_circles(vault: MemoryStore, old: MemoryItem, new: MemoryItem) -> None:
    for memo in (old, new):
        if memo.place == "inbox":
            raise StillWaiting(memo.path)
    if old.path == new.path:
        raise NotSuperseded(old.path, new.path, "they are the same memo")
    now = _at(vault, old.superseded_by)
    if now is not None and now.path != new.path:
        reason = f"{now.path} has its place; supersede that one"
        raise NotSuperseded(old.path, new.path, reason)
    here: MemoryItem | None = new
    for _ in range(LONGEST_CHAIN):
        here = here and _at(vault, here.superseded_by)
        if here and here.path == old.path:
            reason = f"{new.path} is superseded by it already"
            raise NotSuperseded(old.path, new.path, reason)


def _at(vault: MemoryStore, link: str) -> MemoryItem | None:
    name = link.removeprefix("[[").removesuffix("]]").partition("|")[0]
    with suppress(VaultError):  # forgotten since, or not a memo
        return memo_called(vault, name) if name else None
    return None


def link_to(memo: MemoryItem) -> str:
    at = memo.path.removesuffix(NOTE_SUFFIX)
    return f"[[{at}]]"


def _write(
    vault: MemoryStore,
    writer: VaultWriter,
    memo: MemoryItem,
    facts: Callable[[Mapping[str, PropertyValue]], Facts],
    why: str,
) -> MemoryItem:
    def change(before: FileText, _: MemoryItem) -> str:
        new = facts(read_head(before.text).frontmatter.properties)
        return with_facts(before.text, new, memo.path) if new else before.text

    return change_memo(vault, writer, memo.path, change, why)


def forget(vault: MemoryStore, name: str, *, client: str) -> Moved:
    vault.check_writes("nothing was forgotten")
    memo = memo_called(vault, name)
    with vault.changing(client) as writer:
        memo = memo_again(vault, memo)
        lifted = _lift(vault, writer, memo)
        to = into_trash(vault, writer, memo, FORGOTTEN)
    item = replace(memo, path=to, place="trash")
    paths = dict.fromkeys([memo.path, *(memory_item.path for memory_item in lifted)])
    counting = [] if memo.superseded_by else lifted
    notices = [
        f"{memory_item.path} counts again: what had its place is forgotten"
        for memory_item in counting
    ]
    return Moved(item, memo.path, (*notices, *vault.refreshed(*paths)))


def _lift(
    vault: MemoryStore, writer: VaultWriter, memo: MemoryItem
) -> list[MemoryItem]:
    """Let the memos that one superseded count again, and return them.

    If it was superseded itself, its successor becomes theirs.
    """
    facts: dict[str, Fact | None] = {"superseded-by": memo.superseded_by or None}
    lifted = []
    for link in _LINK.findall(memo.supersedes):
        old = _at(vault, link)
        successor = old and _at(vault, old.superseded_by)
        if old and successor and successor.path == memo.path:
            if not memo.superseded_by:
                facts["status"] = FIRST_STATUS[old.kind]
            lifted.append(_write(vault, writer, old, lambda _: facts, LIFTED))
    return lifted


def summary_renewed(vault: MemoryStore, claim: Claim, title: str) -> NotePath:
    """Save a summary in place of the former ones of that title; return its path.

    Those are the ones with the heading that the new one begins with: a file name has
    room for the first words of a question only. One with the same text stays.
    """
    vault.check_writes("no summary was kept")
    text = claim.text.strip()
    heading = text.partition("\n")[0].strip()
    former = [
        memo
        for memo in _summaries(vault, title, claim.project)
        if heading in map(str.strip, memo.text.splitlines())
    ]
    same = [memo for memo in former if memo.text.strip() == text]
    path = same[-1].path if same else summary_kept(vault, claim, title).memory.path
    for memo in former:
        if memo.path != path:
            with suppress(*GONE):  # another process was faster
                put_away(vault, memo, client=claim.client, why=RENEWED)
    return path


def _summaries(vault: MemoryStore, title: str, project: str) -> list[MemoryItem]:
    folder = f"{vault.folder}/{MEMO_FOLDERS['summary']}"
    named = re.compile(re.escape(title_from(title, "summary")) + r"(?: \d+)?")
    with vault.files() as files:
        names = [name for name in files.names(folder) if name.endswith(NOTE_SUFFIX)]
    items: list[MemoryItem | None] = []
    for path in (NotePath(f"{folder}/{name}") for name in names):
        if named.fullmatch(title_in(path)):
            with suppress(VaultError):  # an unreadable file is not ours
                items.append(memo_at(vault, path))
    wanted = checked_project(project)
    return [
        item
        for item in items
        if item and item.kind == "summary" and item.project == wanted
    ]
