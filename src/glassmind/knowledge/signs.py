"""What speaks for a link between one note and each of the others, as arrays.

Each sign is a number from 0 to 1 for every node of the graph. Nothing here reads text:
mentions come from who did.
"""

from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.knowledge.facts import Facts
from glassmind.knowledge.ground import GroundRows

Strengths: TypeAlias = NDArray[np.float64]

WALK_ROUNDS, WALK_ON = 12, 0.7
"""Steps of a walk that begins at a note, and how often it goes on: after twelve, less
than two hundredths of it are still to come."""

UNKNOWN = -1.0
"""The cosine of what has no vector: no two notes are that unlike."""

AT_A_TIME = 4_096
"""Vectors that are compared at once: six megabytes of 384 numbers each."""


def walk(facts: Facts, node: int) -> Strengths:
    """Return how often a walk over links from a note comes by each; the best is 1.

    Only what is not a neighbour of the note counts, since those are linked already.
    """
    view, net = facts.net.both_view, facts.net
    degrees = np.diff(view.starts)
    if not degrees[node]:
        return np.zeros(len(net))
    sources = np.repeat(np.arange(len(net)), degrees)
    here: Strengths = np.zeros(len(net))
    here[node] = 1
    been = np.zeros(len(net))
    for _ in range(WALK_ROUNDS):
        leaving = here / np.maximum(degrees, 1)
        moved = np.bincount(view.nodes, leaving[sources], minlength=len(net))
        here = WALK_ON * moved.astype(np.float64)
        been += here
    been[node] = 0
    been[view.of(node)] = 0
    best = been.max(initial=0.0)
    return been / best if best else been


def wording(facts: Facts, node: int, said: frozenset[str]) -> Strengths:
    """Return how many words of each note's names stand in a text, rare ones first."""
    found = np.zeros(len(facts.net))
    for other, words in enumerate(facts.words):
        shared = words & said
        if shared and other != node:
            whole = sum(facts.rarity[one] for one in sorted(words))
            part = sum(facts.rarity[one] for one in sorted(shared))
            found[other] = part / whole if whole else 0.0
    return found**2


def folder(facts: Facts, node: int) -> Strengths:
    """Return which notes stand in the same folder, weighed by how few these are."""
    own = facts.folders[node]
    same: Strengths = np.array([one == own for one in facts.folders], np.float64)
    share = float(same.mean())
    same[node] = 0
    return same * (1 - share)


def influence(facts: Facts) -> Strengths:
    """Return how much is linked to each note, the most linked one being 1."""
    found = np.log1p(facts.net.in_degree.astype(np.float64))
    best = found.max(initial=0.0)
    return found / best if best else found


def similarity(facts: Facts, node: int, rows: GroundRows) -> Strengths:
    """Return the cosine of each note's vector with that of a note, where it is known.

    Vectors are taken a few thousand at a time, so that memory stays bounded.
    """
    found = np.full(len(facts.net), UNKNOWN)
    own = next((blob for _, blob in rows.vectors([int(facts.net.ids[node])])), None)
    if own is None:
        return found
    mine = np.frombuffer(own, "<f4")
    places = {file_id: at for at, file_id in enumerate(facts.net.ids.tolist())}
    stream = rows.vectors()
    while block := list(islice(stream, AT_A_TIME)):
        known = [(places[note], blob) for note, blob in block if note in places]
        if known:
            every = _rows([blob for _, blob in known], len(mine))
            found[[at for at, _ in known]] = every @ mine
    found[node] = UNKNOWN
    return found


def above_usual(found: Strengths, cosines: Strengths) -> Strengths:
    """Return similarities as strengths: the usual one is 0, equality 1.

    What is usual differs from model to model and from note to note: it is the median
    of the note's own similarities.
    """
    known = cosines[cosines > UNKNOWN]
    if not len(known):
        return np.zeros(len(found))
    usual = min(float(np.median(known)), 0.99)
    return np.clip((found - usual) / (1 - usual), 0, 1)


def passages(
    facts: Facts, node: int, chosen: NDArray[np.int64], rows: GroundRows
) -> Strengths:
    """Return the cosine of the two closest passages of a note and of each chosen one.

    Of all others it is unknown.
    """
    found = np.full(len(facts.net), UNKNOWN)
    places = {int(facts.net.ids[at]): int(at) for at in chosen}
    own_id, width = int(facts.net.ids[node]), rows.width()
    of: dict[int, list[bytes]] = {}
    for note_id, blob in rows.passages([own_id, *places]):
        of.setdefault(note_id, []).append(blob)
    if own_id not in of:
        return found
    mine = _rows(of.pop(own_id), width)
    for note_id, blobs in of.items():
        found[places[note_id]] = float((mine @ _rows(blobs, width).T).max())
    return found


def _rows(blobs: Sequence[bytes], width: int) -> NDArray[np.float32]:
    return np.frombuffer(b"".join(blobs), "<f4").reshape(-1, width)
