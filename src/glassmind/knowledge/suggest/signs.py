"""What speaks for a link between one note and each of the others, as arrays.

Each sign is a number from 0 to 1 for every node of the graph. Nothing here reads text:
mentions come from who did.
"""

from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.graph.net import NOWHERE
from glassmind.knowledge.suggest.facts import Facts
from glassmind.knowledge.suggest.ground import GroundRows

Strengths: TypeAlias = NDArray[np.float64]

UNKNOWN = -1.0
"""The cosine of what has no vector: no two notes are that unlike."""

VOTERS = 10
"""Similar notes whose links count."""

AT_A_TIME = 4_096
"""Vectors that are compared at once: six megabytes of 384 numbers each."""


def wording(facts: Facts, node: int, said: frozenset[str]) -> Strengths:
    """Return how many words of each note's names stand in a text, rare ones first."""
    found: Strengths = np.zeros(len(facts.net))
    for word in sorted(facts.holders.keys() & said):
        found[facts.holders[word]] += facts.rarity[word]
    found[node] = 0
    return np.divide(found, facts.whole, out=found, where=found > 0) ** 2


def similarities(
    facts: Facts, nodes: Sequence[int], rows: GroundRows
) -> dict[int, Strengths]:
    """Return the cosine of every note's vector with those of some, where it is known.

    All vectors are read once, a few thousand at a time, so that memory is bounded.
    """
    count, ids = len(facts.net), facts.net.ids
    found = {node: np.full(count, UNKNOWN) for node in nodes}
    own = {int(ids[node]): node for node in found}
    known = dict(rows.vectors(list(own)))
    if not known:
        return found
    asked = _rows(list(known.values()), rows.width())
    stream = rows.vectors()
    while block := list(islice(stream, AT_A_TIME)):
        places = facts.net.nodes_of(np.array([note for note, _ in block], np.int64))
        there = places != NOWHERE
        cosines = asked @ _rows([blob for _, blob in block], rows.width()).T
        for row, note in zip(cosines, known, strict=True):
            found[own[note]][places[there]] = row[there]
    for node in nodes:
        found[node][node] = UNKNOWN
    return found


def votes(facts: Facts, cosines: Strengths) -> Strengths:
    """Return how many of the notes most like one are linked with each, either way.

    Whom those that are alike link to is whom this one may have forgotten.
    """
    found: Strengths = np.zeros(len(facts.net))
    voters = np.argsort(-cosines, kind="stable")[:VOTERS]
    weights = np.maximum(cosines[voters], 0)
    whole = float(weights.sum())
    for voter, weight in zip(voters.tolist(), weights.tolist(), strict=True):
        if weight:
            found[facts.net.around(voter)] += weight / whole
    return np.sqrt(found)


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
