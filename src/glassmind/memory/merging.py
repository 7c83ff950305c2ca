"""Two memos as one: what the kept one lacks is added to it, and nothing twice."""

import re
from collections.abc import Mapping
from contextlib import suppress

from glassmind.errors import BadWish
from glassmind.errors.memory import MemoNotFound, MemoUnreadable, NotMerged
from glassmind.files.write import FileText, rewrite
from glassmind.memory.cabinet import Cabinet, check_writes
from glassmind.memory.claims import UNKNOWN
from glassmind.memory.finding import (
    is_waiting,
    memo_again,
    memo_called,
    still_waiting,
    waiting_called,
)
from glassmind.memory.memo_file import with_facts
from glassmind.memory.memo_sections import (
    COMMENT,
    memos_in,
    section_facts,
    with_section_facts,
    with_section_text,
)
from glassmind.memory.moving import GONE, away, notices_of
from glassmind.memory.retaining import retained
from glassmind.memory.undoing import all_or_nothing
from glassmind.model import NotePath, PropertyValue
from glassmind.model.memory import Memo, MemoKind, Moved
from glassmind.model.statuses import is_over
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.yaml_text import Fact

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
