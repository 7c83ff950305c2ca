"""What a note loses in a ranking when another has taken its place.

It loses a little wherever it is found, and where its successor is found as well, so
much that it stands below it. Nobody is left out: what was decided before may be just
what is asked for.
"""

from collections.abc import Mapping

from glassmind.model.adjustments import Adjustment, Successor

LOSS = 0.1
"""What is lost wherever the successor is not found: a tenth of what the best has."""

GAP = 0.01
"""How far below its successor a note comes, as a share of that loss."""


def losses(
    scores: Mapping[int, float], successors: Mapping[int, Successor], loss: float
) -> dict[int, Adjustment]:
    """Return what each superseded note loses, by note; `scores` are the best of each.

    One that was superseded in turn stands above those it superseded. Notes that
    supersede each other in a circle lose alike.
    """
    return {
        note: Adjustment(
            "superseded",
            _lowered(note, scores, successors, loss, frozenset()) - score,
            f"superseded by {successors[note].name}",
        )
        for note, score in scores.items()
        if note in successors
    }


def _lowered(
    note: int,
    scores: Mapping[int, float],
    successors: Mapping[int, Successor],
    loss: float,
    seen: frozenset[int],
) -> float:
    """Return the score of a note, below that of its successor if it has one."""
    if note not in successors:
        return scores[note]
    low, after = scores[note] - loss, successors[note].note_id
    if after not in scores or after in seen or after == note:
        return low
    above = _lowered(after, scores, successors, loss, seen | {note})
    return min(low, above - GAP * loss)
