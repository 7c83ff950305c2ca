"""Lines of a capture that was approved since, told by how it stood before.

Whoever cites what waits for a person cites the mark that says so as well. To approve it
takes that mark away, and nothing else: so the note is put together again as it was, and
the lines are looked for there.
"""

from collections.abc import Sequence
from typing import NamedTuple

from glassmind.context.seeking import Effort, seek
from glassmind.model import Span
from glassmind.model.context import Receipt
from glassmind.model.memory import marker_lines
from glassmind.obsidian.frontmatter import read_head

_APPROVED, _NOT = "approved:", "generated: false"


class Approved(NamedTuple):
    """Where lines stand now that the mark above them is gone; None for the mark."""

    span: Span | None


def approved_since(
    lines: Sequence[str], receipt: Receipt, effort: Effort
) -> Approved | None:
    """Return where lines of a capture stand now that it is approved.

    None where it is not, or where they are others by now.
    """
    length = _head(lines)
    if not length:
        return None
    said = read_head("\n".join([*lines[:length], ""])).frontmatter.properties
    if said.get("generated") is not False or "approved" not in said:
        return None
    before = [
        "generated: true" if line == _NOT else line
        for line in lines[:length]
        if not line.startswith(_APPROVED)
    ]
    before += ["", *marker_lines(str(said.get("client", ""))), ""]
    added, text = len(before), lines[length + 1 :]
    found = seek([*before, *text], receipt.span, receipt.digest, effort)
    if found is None:
        return None
    down = length + 1 - added
    start = max(found.start, added + 1)
    return Approved(Span(start + down, found.end + down) if found.end > added else None)


def _head(lines: Sequence[str]) -> int:
    """Return how many lines the properties of a note take; 0 where it has none."""
    if not lines or lines[0] != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines) if n and line == "---"), 0)
