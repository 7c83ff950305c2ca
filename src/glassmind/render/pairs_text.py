"""Similar notes without a link as people read them."""

from collections.abc import Iterator

from glassmind.render.style import Style, counted
from glassmind.types.pairs import PairStatus, Similar

NOT_COMPARED = "no pairs yet: notes are compared when they are embedded"


def similar_as_text(found: Similar, style: Style) -> str:
    """Return a line for each pair, the most similar first, and what was left out."""
    return "".join(f"{line}\n" for line in _lines(found, style))


def _lines(found: Similar, style: Style) -> Iterator[str]:
    if found.status.state is None:
        yield NOT_COMPARED
    elif not found.pairs:
        yield "no notes are alike without a link"
    for pair in found.pairs:
        one = "" if found.note else f"{style.strong(pair.path)} ~ "
        yield f"{pair.similarity:.2f}  {one}{style.strong(pair.other_path)}"
    left = found.total - len(found.pairs)
    if left:
        yield style.faint(f"and {counted(left, 'more pair')}")
    if found.dismissed:
        yield style.faint(f"{counted(found.dismissed, 'pair')} dismissed")
    for notice in found.notices:
        yield style.faint(notice)


def pair_status_as_text(status: PairStatus) -> str:
    """Return in words how many pairs there are, and whether they are current."""
    state = status.state
    if state is None:
        return "none yet: notes are compared when they are embedded"
    most = f"at most {state.most} a note"
    much = f"{counted(status.pairs, 'pair')} from {state.threshold:.2f}, {most}"
    if status.waiting is None:
        return f"{much}, of a former model; the new one's: glassmind index"
    if status.waiting:
        return f"{much}, {counted(status.waiting, 'note')} still to be compared"
    return f"{much}, up to date"
