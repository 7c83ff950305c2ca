"""What agents and people left in the agent folder, as people read it."""

from collections.abc import Iterator, Sequence

from glassmind.render.gist import gist_of
from glassmind.render.memos import place_before
from glassmind.render.style import Style, counted, on_one_line
from glassmind.types.memory import (
    Captured,
    Inbox,
    Memo,
    Moved,
    Near,
    Recalled,
    Superseded,
    Waiting,
    WriteLog,
    WriteRecord,
)

LONGEST = 240
"""Characters of a memo in a list: three lines of a terminal."""

STUCK = "it could not be moved yet"
OFF = "it is moved once the settings let the agent folder be written; see writes.mode"
"""What is said of a memo whose box is ticked and which still waits."""

NEW = frozenset({"current", "open"})
"""What a memo is that nobody has said anything else of."""

DIGEST_CHARS = 12
"""Of a digest: enough to tell two apart by eye."""


def captured_as_text(done: Captured, style: Style) -> str:
    """Return where it was written, and what it may be one with."""
    memo = done.memo
    lines = [f"{_place(memo, style)}  {style.clean(memo.kind)}"]
    if memo.place == "inbox":
        lines.append(style.faint("it waits in the inbox: glassmind inbox list"))
    lines += _near_lines(done.near, style)
    return _joined(lines)


def recalled_as_text(found: Recalled, style: Style) -> str:
    """Return each memo with where it stands and what it says."""
    lines: list[str] = []
    for one in found.memos:
        lines += [_headline(one.memo, style), *_said(one.memo, style)]
        lines += [style.faint(f"  {one.why}"), ""]
    if not found.memos:
        lines.append("nothing was captured that fits")
    left = found.total - len(found.memos)
    if left > 0:
        lines.append(style.faint(f"and {counted(left, 'more memo')}"))
    return _joined(lines)


def inbox_as_text(found: Inbox, style: Style, *, writable: bool = True) -> str:
    """Return what waits, the oldest first, with what each may be one with.

    What is ticked is moved where the settings let the agent folder be written.
    """
    why = STUCK if writable else OFF
    lines = [f"accepted by its box: {_arrow(moved, style)}" for moved in found.promoted]
    for one in found.waiting:
        lines += [*_waiting_lines(one, style, why), ""]
    if not found.waiting:
        lines.append("the inbox is empty")
    return _joined(lines)


def _waiting_lines(one: Waiting, style: Style, why: str) -> Iterator[str]:
    yield _headline(one.memo, style)
    yield from _said(one.memo, style)
    if one.checked:
        yield style.faint(f"  its box is ticked, and {why}")
    yield from _near_lines(one.near, style)


def moved_as_text(done: Moved, style: Style) -> str:
    """Return where a memo is now, and how one that was put away comes back."""
    lines = [_arrow(done, style)]
    if done.memo.place == "trash":
        # one of several in a note comes back as a note beside it
        home = done.before.rpartition("/")[0] if done.memo.section else done.before
        back = f"to have it again, move the file back to {home}"
        lines.append(style.faint(back))
    return _joined(lines)


def superseded_as_text(done: Superseded, style: Style) -> str:
    """Return which memo took the place of which."""
    old, new = _place(done.old, style), _place(done.new, style)
    return _joined([f"{old} is superseded by {new}"])


def log_as_text(found: WriteLog, style: Style) -> str:
    """Return a line for each write, the newest first."""
    lines = [_record_line(one, style) for one in found.records]
    if not lines:
        lines.append("nothing is on record")
    left = found.total - len(found.records)
    if left > 0:
        lines.append(style.faint(f"and {counted(left, 'more write')}"))
    return _joined(lines)


def _record_line(one: WriteRecord, style: Style) -> str:
    who = f" ({on_one_line(one.client)})" if one.client else ""
    undone = ", undone" if one.undone else ""
    change = f"{_short(one.before)} -> {_short(one.after)}"
    if one.to is not None:
        change = f"-> {on_one_line(one.to)}"
    said = style.clean(f"{on_one_line(one.why)}{who}{undone}")
    when, where = style.clean(on_one_line(one.at)), style.strong(on_one_line(one.path))
    return f"{when}  {where}  {said}  {style.faint(change)}"


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest[:DIGEST_CHARS]


def _headline(memo: Memo, style: Style) -> str:
    marks = [memo.kind, memo.created[:10]]
    if memo.project:
        marks.append(memo.project)
    if memo.status not in NEW:
        marks.append(memo.status)
    if memo.place == "inbox":
        marks.append("waits in the inbox")
    elif memo.generated:
        marks.append("not approved")
    return f"{_place(memo, style)}  {style.clean(', '.join(filter(None, marks)))}"


def _place(memo: Memo, style: Style) -> str:
    at = f"{memo.path}#{memo.section}" if memo.section else memo.path
    return style.strong(at)


def _said(memo: Memo, style: Style) -> Iterator[str]:
    text = gist_of(memo.kind, memo.text)
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()}..."
    yield f"  {style.clean(shown)}"
    yield from _read_before(memo, style)


def _read_before(memo: Memo, style: Style) -> Iterator[str]:
    if memo.derived_from:
        doubt = "; one of them untrusted" if memo.untrusted else ""
        said = f"written after reading {', '.join(memo.derived_from)}{doubt}"
        yield style.faint(f"  {' '.join(style.clean(said).split())}")
    elif memo.untrusted:
        yield style.faint("  written after its client was told of something untrusted")


def _near_lines(near: Sequence[Near], style: Style) -> list[str]:
    return [
        style.faint(f"  nearly the same ({one.likeness:.2f}): {one.memo.path}")
        for one in near
    ]


def _arrow(done: Moved, style: Style) -> str:
    return f"{style.clean(place_before(done))} -> {_place(done.memo, style)}"


def _joined(lines: Sequence[str]) -> str:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return "".join(f"{line}\n" for line in lines)
