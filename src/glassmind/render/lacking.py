"""What an answer lacks, on a line of its Markdown."""

from collections.abc import Sequence

from glassmind.render.bundles_markdown import TOLD_CHARS
from glassmind.render.quoted import one_line


def missing_line(said: Sequence[str], most: int) -> str:
    """Return the first of what is missing; JSON has all of it, and whole."""
    shown = [
        line if len(line) <= TOLD_CHARS else f"{line[:TOLD_CHARS].rstrip()}…"
        for line in map(one_line, said[:most])
    ]
    return f"Missing: {'; '.join(shown)}.\n" if shown else ""
