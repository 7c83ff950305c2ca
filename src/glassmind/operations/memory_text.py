"""Memories as text: for people on a terminal, and for models."""

from typing import TYPE_CHECKING

from glassmind.operations.model_text import fenced, named, one_line
from glassmind.operations.registry import View
from glassmind.render.style import Style

if TYPE_CHECKING:
    from glassmind.operations.memory import CaptureArguments, CaptureResult, Memory

LINE_CHARS = 240
"""Characters of a memory in a list: three lines of a terminal."""


def captured_for_people(
    result: "CaptureResult", _arguments: "CaptureArguments", style: Style
) -> str:
    """Return where it was saved, and what it may repeat."""
    lines = [f"{_place(result.memo, style)}  {style.clean(result.memo.kind)}"]
    if result.memo.place == "inbox":
        lines.append(style.faint("it waits in the inbox: glassmind inbox list"))
    lines += [
        style.faint(f"  nearly the same ({near.likeness:.2f}): {near.path}")
        for near in result.near
    ]
    return "".join(f"{line}\n" for line in lines)


def captured_for_models(result: "CaptureResult", _view: View) -> str:
    """Return where it was saved, and what it may repeat."""
    inbox = result.memo.place == "inbox"
    lines = [
        "Captured. It waits in the inbox until the user accepts it."
        if inbox
        else "Captured, and kept."
    ]
    if not result.indexed:
        lines.append("Search finds it later: do not capture it again.")
    if result.near:
        lines.append("Something similar was captured before; tell the user.")
    rows = [named(result.memo.path)]
    rows += [f"notice: {one_line(notice)}" for notice in result.notices]
    for near in result.near:
        text = one_line(near.text)
        cut = "…" if len(text) > LINE_CHARS else ""
        similar = f"similar ({near.likeness:.2f}): {named(near.path)}"
        rows.append(f"{similar} > {text[:LINE_CHARS]}{cut}")
    return "\n".join([*lines, fenced("\n".join(rows))])


def _place(memory: "Memory", style: Style) -> str:
    place = f"{memory.path}#{memory.section}" if memory.section else memory.path
    return style.strong(place)
