"""What speaks for a link between one note and each of the others, as arrays.

Each sign is a number from 0 to 1 for every node of the graph. Nothing here reads text:
mentions come from who did.
"""

from collections.abc import Sequence
from math import fsum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.graph.suggest.facts import Facts
from glassmind.graph.suggest.ground import GroundRows
from glassmind.graph.suggest.vectors import Vectors, rows_of
from glassmind.links.net import NOWHERE

Strengths: TypeAlias = NDArray[np.float64]

UNKNOWN = -1.0
"""The cosine of what has no vector: no two notes are that unlike."""

VOTERS = 10
"""Similar notes whose links count."""


def wording(facts: Facts, node: int, said: frozenset[str]) -> Strengths:
    """Return how many words of each note's names stand in a text, rare ones first."""
    found: Strengths = np.zeros(len(facts.net))
    for word in sorted(facts.holders.keys() & said):
        found[facts.holders[word]] += facts.rarity[word]
    found[node] = 0
    return np.divide(found, facts.whole, out=found, where=found > 0) ** 2


def worded_in(facts: Facts, node: int, said: frozenset[str]) -> float:
    """Return how many words of one note's names stand in a text, as `wording` does."""
    whole = float(facts.whole[node])
    held = fsum(facts.rarity[word] for word in sorted(facts.words[node] & said))
    return min(held / whole, 1.0) ** 2 if whole else 0.0


def similarities(
    facts: Facts, nodes: Sequence[int], vectors: Vectors
) -> dict[int, Strengths]:
    """Return the cosine of every note's vector with those of some, where it is known.

    They are gone through a few thousand at a time, so that memory is bounded.
    """
    count, ids = len(facts.net), facts.net.ids
    found = {node: np.full(count, UNKNOWN) for node in nodes}
    own = {int(ids[node]): node for node in found}
    known, asked = vectors.some(list(own))
    if not known:
        return found
    for notes, rows in vectors.all():
        places = facts.net.nodes_of(notes)
        there = places != NOWHERE
        cosines = asked @ rows.T
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
    mine = rows_of(of.pop(own_id), width)
    for note_id, blobs in of.items():
        found[places[note_id]] = float((mine @ rows_of(blobs, width).T).max())
    return found
