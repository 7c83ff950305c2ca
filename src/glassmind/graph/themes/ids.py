"""Knowing themes again: a theme keeps its id where most of it stayed together."""

from collections.abc import Sequence
from itertools import count as count_from

import numpy as np

from glassmind.links.fans import Ints
from glassmind.links.net import LinkGraph

KNOWN_SHARE = 0.5
"""What two themes have in common at least, of the smaller one, to be the same: of a
theme that grew or lost notes all, of one that was parted the part."""


def known_again(before: Ints, labels: Ints, last_id: int | None) -> list[int]:
    """Return an id for each theme of `labels`, in the order of their numbers.

    `before` is the id of the theme that each node was in, 0 for none. Those that share
    the most notes are the same, each id once; of equal ones the older id is taken
    first. Whatever is new gets the ids that follow `last_id`, or where there is none,
    since the themes are not kept, negative ones, which no kept theme has.
    """
    count = int(labels.max(initial=-1)) + 1
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    held = np.bincount(before[before > 0])
    shared = (before > 0) & (labels >= 0)
    pairs = np.stack((before[shared], labels[shared]))
    met, overlaps = np.unique(pairs, axis=1, return_counts=True)
    ids = [0] * count
    taken: set[int] = set()
    for at in np.lexsort((met[1], met[0], -overlaps)).tolist():
        old, new = int(met[0, at]), int(met[1, at])
        least = KNOWN_SHARE * min(int(held[old]), int(sizes[new]))
        if old not in taken and not ids[new] and overlaps[at] >= least:
            ids[new] = old
            taken.add(old)
    fresh = count_from(1 if last_id is None else last_id + 1)
    step = -1 if last_id is None else 1
    return [known or step * next(fresh) for known in ids]


def themes_before(net: LinkGraph, members: Sequence[tuple[int, int, float]]) -> Ints:
    """Return the theme that each node is kept in; 0 for none."""
    return _spread(net, members, 1).astype(np.int32)


def influence_before(
    net: LinkGraph, members: Sequence[tuple[int, int, float]]
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return the influence that each node is kept with."""
    return _spread(net, members, 2)


def _spread(
    net: LinkGraph, members: Sequence[tuple[int, int, float]], column: int
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return one column of the members by node; who is gone has no place in it."""
    found = np.zeros(len(net))
    if not members:
        return found
    ids = np.array([row[0] for row in members], np.int64)
    values = np.array([row[column] for row in members], np.float64)
    notes = net.ids[: net.note_count]
    at = np.minimum(np.searchsorted(ids, notes), len(ids) - 1)
    there = np.flatnonzero(ids[at] == notes)
    found[there] = values[at[there]]
    return found
