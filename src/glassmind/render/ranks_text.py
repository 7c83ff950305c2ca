"""Which notes matter, as people read it."""

from collections.abc import Iterator

from glassmind.render.style import Style, counted
from glassmind.types.ranks import RankedNote, Ranking


def ranking_as_text(found: Ranking, style: Style) -> str:
    """Return a line for each note: its rank, its score, its path, and why."""
    return "".join(f"{line}\n" for line in _lines(found, style))


def _lines(found: Ranking, style: Style) -> Iterator[str]:
    if not found.notes:
        yield "no note comes into question"
    width = len(str(len(found.notes)))
    for note in found.notes:
        yield _note(note, width, style)
    if found.error:
        yield style.faint(
            f"measured from {counted(found.samples, 'note')}: a score may be off by "
            f"{found.error:.2g} (with 95 % confidence)"
        )
    for notice in found.notices:
        yield style.faint(notice)


def _note(note: RankedNote, width: int, style: Style) -> str:
    mark = "*" if note.hit else " "
    return (
        f"{note.rank:>{width}}.{mark}{note.score:.4f}  {style.strong(note.path)}"
        f"  {style.faint(note.reason)}"
    )
