"""How many similar notes are known, as JSON and as text."""

from typing import Any

from glassmind.render.style import counted
from glassmind.types.pairs import PairStatus


def pair_status_as_json(status: PairStatus) -> dict[str, Any]:
    """Return how many pairs without a link there are, and how many notes wait.

    `waiting` is null if all do; `threshold` and `most`, the largest number of pairs of
    one note, are null if none was compared.
    """
    state = status.state
    return {
        "count": status.pairs,
        "waiting": status.waiting,
        "threshold": None if state is None else state.threshold,
        "most": None if state is None else state.most,
    }


def pair_status_as_text(status: PairStatus) -> str:
    """Return how many pairs there are, and whether they are up to date."""
    state = status.state
    if state is None:
        return "none yet: notes are compared when they are embedded"
    most = f"at most {state.most} a note"
    much = f"{counted(status.pairs, 'pair')} from {state.threshold:.2f}, {most}"
    if status.waiting is None:
        return f"{much}, by another model; to compare again: glassmind index"
    if status.waiting:
        return f"{much}, {counted(status.waiting, 'note')} still to be compared"
    return f"{much}, up to date"
