"""Memories and active notes as text: for people on a terminal, and for models."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from glassmind.markdown.style import Style, counted, on_one_line, shortened
from glassmind.operations.model_text import fenced, listed, named, one_line, shortly
from glassmind.operations.registry import Arguments, View
from glassmind.types.memory import Memo, WriteRecord

if TYPE_CHECKING:
    from glassmind.operations.memory import (
        CaptureResult,
        HotResult,
        InboxResult,
        LogResult,
        MovedResult,
        PinArguments,
        PinsResult,
        RecallResult,
        SimilarMemory,
        SupersedeResult,
    )

LINE_CHARS = 240
"""Characters of a memory in a list: three lines of a terminal."""

DIGEST_CHARS = 12
"""Characters of a digest: enough to tell two apart by eye."""

DOUBT = "No good match. These are the closest memories."

_OPENING = re.compile("(`{3,})note")
_CITED = re.compile(r"\[[0-9]+\] ")


def gist_of(kind: str, text: str) -> str:
    """Return what a memory says, on one line.

    All summaries begin with a title and a warning, so of a summary it is the first
    quoted text, without the numbers of its lines.
    """
    if kind == "summary":
        lines = dropwhile(lambda line: not _OPENING.fullmatch(line), text.splitlines())
        fence = next(lines, "").removesuffix("note")
        quoted = takewhile(lambda line: line != fence, lines)
        text = "\n".join(_CITED.sub("", line, count=1) for line in quoted) or text
    return " ".join(text.split())


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


# --- for people ---------------------------------------------------------------------


def captured_for_people(
    result: "CaptureResult", _arguments: Arguments, style: Style
) -> str:
    """Return where it was saved, and what it may repeat."""
    memo = result.memo
    lines = [f"{style.strong(memo.address)}  {style.clean(memo.kind)}"]
    if memo.place == "inbox":
        lines.append(style.faint("It waits in the inbox: glassmind inbox list"))
    return _joined([*lines, *_near(result.near, style)])


def recalled_for_people(
    result: "RecallResult", _arguments: Arguments, style: Style
) -> str:
    """Return each memory with its place and what it says."""
    lines = [] if result.memos else ["No memories match."]
    for memo in result.memos:
        lines += [*_memory(memo, style), style.faint(f"  {memo.why}"), ""]
    return _joined([*lines, *_more(result.total - len(result.memos), style)])


def inbox_for_people(result: "InboxResult", _arguments: Arguments, style: Style) -> str:
    """Return what was accepted, then what waits with what each may repeat."""
    lines = [f"Accepted by its box: {_arrow(one, style)}" for one in result.promoted]
    for memo in result.waiting:
        lines += _memory(memo, style)
        if memo.checked:
            said = "its box is ticked; it is accepted as soon as writes.mode allows it"
            lines.append(style.faint(f"  {said}"))
        lines += [*_near(memo.near, style), ""]
    return _joined(lines if result.waiting else [*lines, "The inbox is empty."])


def moved_for_people(result: "MovedResult", _arguments: Arguments, style: Style) -> str:
    """Return where a memory is now, and how to restore one from the trash."""
    lines = [_arrow(result, style)]
    if result.memo.place == "trash":
        home, section = result.before, result.memo.section
        if section:  # one of several in a note comes back as a note beside it
            home = home.removesuffix(f"#{section}").rpartition("/")[0]
        lines.append(style.faint(f"To restore it, move the file back to {home}"))
    return _joined(lines)


def superseded_for_people(
    result: "SupersedeResult", _arguments: Arguments, style: Style
) -> str:
    """Return which memory replaces which."""
    old, new = style.strong(result.old.address), style.strong(result.new.address)
    return f"{old} is superseded by {new}\n"


def log_for_people(result: "LogResult", _arguments: Arguments, style: Style) -> str:
    """Return a line for each write."""
    lines = [_record(one, style) for one in result.records] or ["No writes yet."]
    return _joined([*lines, *_more(result.total - len(result.records), style)])


def _record(one: WriteRecord, style: Style) -> str:
    who = f" ({on_one_line(one.client)})" if one.client else ""
    undone = ", undone" if one.undone else ""
    before, after = (
        "none" if digest is None else digest[:DIGEST_CHARS]
        for digest in (one.before, one.after)
    )
    change = f"{before} -> {after}" if one.to is None else f"-> {on_one_line(one.to)}"
    said = style.clean(f"{on_one_line(one.why)}{who}{undone}")
    when, where = style.clean(on_one_line(one.at)), style.strong(on_one_line(one.path))
    return f"{when}  {where}  {said}  {style.faint(change)}"


def hot_for_people(result: "HotResult", _arguments: Arguments, style: Style) -> str:
    """Return a line for each note, with the reasons below it, and active projects."""
    lines = [] if result.notes else ["No recently active notes."]
    for note in result.notes:
        mark = "  (pinned)" if note.pinned else ""
        lines += [
            f"{note.level:<4}  {note.heat:.2f}  {style.strong(note.path)}{mark}",
            f"      {style.faint('; '.join(note.reasons))}",
        ]
    if result.projects:
        projects = ", ".join(
            f"{style.clean(one.name)} ({counted(one.notes, 'note')}, last {one.last})"
            for one in result.projects
        )
        lines.append(f"Active projects: {projects}")
    if result.waiting:
        captures = counted(result.waiting, "capture")
        lines.append(style.faint(f"In the inbox: {captures} (glassmind inbox list)"))
    totals = f"{result.hot:,} hot, {result.warm:,} warm, {result.cold:,} cold"
    return _joined([*lines, style.faint(totals)])


def pins_for_people(result: "PinsResult", _arguments: Arguments, style: Style) -> str:
    """Return the pinned notes, one per line."""
    lines = [style.clean(path) for path in result.paths]
    lines += [f"{style.clean(path)}  {style.faint('(gone)')}" for path in result.gone]
    return _joined(lines or ["No notes are pinned."])


def pinned_for_people(
    result: "PinsResult", arguments: "PinArguments", style: Style
) -> str:
    """Return which note was pinned."""
    if result.changed is None:
        return f"{style.clean(shortened(arguments.name))} is already pinned\n"
    return f"Pinned {style.strong(result.changed)}\n"


def unpinned_for_people(
    result: "PinsResult", arguments: "PinArguments", style: Style
) -> str:
    """Return which note was unpinned."""
    if result.changed is None:
        return f"{style.clean(shortened(arguments.name))} was not pinned\n"
    return f"Unpinned {style.strong(result.changed)}\n"


def _memory(memo: Memo, style: Style) -> Iterator[str]:
    """Yield where a memory is and what it is, what it says, and what it comes from."""
    marks = [memo.kind, memo.created[:10], memo.project]
    marks.append("" if memo.status in ("current", "open") else memo.status)
    if memo.place == "inbox":
        marks.append("waits in the inbox")
    elif memo.generated:
        marks.append("not approved")
    about = style.clean(", ".join(filter(None, marks)))
    yield f"{style.strong(memo.address)}  {about}"
    said = gist_of(memo.kind, memo.text)
    cut = said if len(said) <= LINE_CHARS else f"{said[:LINE_CHARS].rstrip()}..."
    yield f"  {style.clean(cut)}"
    if origin := _origin(memo, style.clean):
        yield style.faint(f"  {origin}")


def _origin(memo: Memo, clean: Callable[[str], str]) -> str:
    """Return which notes its client had read."""
    if memo.derived_from:
        doubt = "; one of them untrusted" if memo.untrusted else ""
        paths = ", ".join(map(clean, memo.derived_from))
        return " ".join(f"written after reading {paths}{doubt}".split())
    return "written after reading untrusted text" if memo.untrusted else ""


def _near(near: Sequence["SimilarMemory"], style: Style) -> list[str]:
    return [style.faint(f"  similar ({one.likeness:.2f}): {one.path}") for one in near]


def _arrow(moved: "MovedResult", style: Style) -> str:
    return f"{style.clean(moved.before)} -> {style.strong(moved.memo.address)}"


def _more(left: int, style: Style) -> list[str]:
    return [style.faint(f"{left:,} more: see --limit")] if left > 0 else []


# --- for models ---------------------------------------------------------------------


def captured_for_models(result: "CaptureResult", _view: View) -> str:
    """Return where it was saved, and what it may repeat."""
    waits = result.memo.place == "inbox"
    until = " It waits in the inbox until the user accepts it." if waits else ""
    lines = [f"Captured.{until}"]
    if not result.indexed:
        lines.append("Search finds it later: do not capture it again.")
    if result.near:
        lines.append("Something similar was captured before; tell the user.")
    rows = [named(result.memo.path)]
    rows += [f"notice: {one_line(notice)}" for notice in result.notices]
    for near in result.near:
        similar = f"similar ({near.likeness:.2f}): {named(near.path)}"
        rows.append(f"{similar} > {shortly(one_line(near.text))}")
    return "\n".join([*lines, fenced("\n".join(rows))])


def recalled_for_models(result: "RecallResult", view: View) -> str:
    """Return each memory with what it says and where it comes from."""
    head = [f"{result.total:,} in all.", *([DOUBT] if result.doubtful else [])]
    return _listed(head, result.memos, view, result.degraded, "No memories match.")


def inbox_for_models(result: "InboxResult", view: View) -> str:
    """Return each memory that waits."""
    head = ["Waiting for the user, oldest first."]
    return _listed(head, result.waiting, view, result.troubles, "Nothing waits.")


def _listed(
    head: list[str],
    memos: Sequence[Memo],
    view: View,
    notices: Sequence[str],
    nothing: str,
) -> str:
    rows = [
        row
        for number, memo in enumerate(memos, view.first)
        for row in _memory_for_models(number, memo, view)
    ]
    return listed(head, rows, view, notices, nothing="" if memos else nothing)


def _memory_for_models(number: int, memo: Memo, view: View) -> Iterator[str]:
    # a memory that a person wrote may lack anything but its place
    project = f" [{one_line(memo.project)}]" if memo.project else ""
    status = "" if memo.status == "current" else f", {memo.status}"
    yield f"{number}. {named(memo.address)} ({memo.kind}{status}){project}"
    said = one_line(gist_of(memo.kind, memo.text))
    yield f"   > {said if view.detailed else shortly(said)}"
    who = f" by {one_line(memo.client)}" if memo.client else ""
    unread = ", not approved" if memo.generated else ""
    if about := f"{one_line(memo.created)}{who}{unread}".strip(" ,"):
        yield f"   {about}"
    for receipt in memo.sources:
        yield f"   from {named(receipt)}"
    if origin := _origin(memo, named):
        yield f"   {origin}"
