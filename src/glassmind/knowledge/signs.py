"""What speaks for a link between one note and each of the others, as arrays.

Each sign is a number from 0 to 1 for every node of the graph. Nothing here reads text:
mentions come from who did.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.graph.net import LinkGraph
from glassmind.knowledge.ground import Ground, GroundRows
from glassmind.knowledge.name_table import COMMON_WORDS

Strengths: TypeAlias = NDArray[np.float64]

NEIGHBOURS_HALF = 1.0
"""Adamic-Adar of two notes that share so much as to be half sure: two small notes."""

WALK_ROUNDS, WALK_ON = 12, 0.7
"""Steps of a walk that begins at a note, and how often it goes on: after twelve, less
than two hundredths of it are still to come."""

DAYS_HALF = 30.0
"""Days apart at which belonging together by age is half."""

LOOKED_INTO = 200
"""The most similar notes whose passages are compared, too: a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the signs of a whole vault are read from, by node."""

    net: LinkGraph
    ground: Ground
    words: Sequence[frozenset[str]]
    rarity: Mapping[str, float]
    tag_rarity: Mapping[str, float]
    folders: Sequence[str]


def facts_of(net: LinkGraph, ground: Ground) -> Facts:
    """Return what is known of every node of a graph."""
    words = [
        frozenset(
            piece
            for name in ground.names.get(int(file_id), ())
            for piece in name
            if piece.isalnum() and piece not in COMMON_WORDS
        )
        for file_id in net.ids
    ]
    return Facts(
        net,
        ground,
        words,
        _rarity(words),
        _rarity(ground.tags.values()),
        [path.rpartition("/")[0] for path in net.paths],
    )


def _rarity(sets: Iterable[frozenset[str]]) -> dict[str, float]:
    """Return how rare each member is, from 0 (in all) to about 1 (in one of many)."""
    counts: dict[str, int] = {}
    total = 0
    for members in sets:
        total += 1
        for member in members:
            counts[member] = counts.get(member, 0) + 1
    whole = log(1 + total)
    return {one: log((1 + total) / count) / whole for one, count in counts.items()}


def neighbours(facts: Facts, node: int) -> Strengths:
    """Return how many neighbours each shares with a note, those with few links first.

    Adamic and Adar (2003), brought between 0 and 1.
    """
    view, net = facts.net.both_view, facts.net
    scores = np.zeros(len(net))
    for middle in view.of(node):
        beyond = view.of(int(middle))
        if len(beyond) > 1:
            scores[beyond] += 1 / np.log(1 + len(beyond))
    scores[node] = 0
    return scores / (scores + NEIGHBOURS_HALF)


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
        here = WALK_ON * np.bincount(view.nodes, leaving[sources], minlength=len(net))
        been += here
    been[node] = 0
    been[view.of(node)] = 0
    best = been.max(initial=0.0)
    return been / best if best else been


def tags(facts: Facts, node: int) -> Strengths:
    """Return the share of tags that each has in common with a note, rare ones first."""
    own = facts.ground.tags.get(int(facts.net.ids[node]), frozenset())
    return _overlap(
        own,
        [facts.ground.tags.get(int(i), frozenset()) for i in facts.net.ids],
        facts.tag_rarity,
        node,
    )


def titles(facts: Facts, node: int) -> Strengths:
    """Return the share of words that each has in common with a note's names."""
    return _overlap(facts.words[node], facts.words, facts.rarity, node)


def _overlap(
    own: frozenset[str],
    others: Sequence[frozenset[str]],
    rarity: Mapping[str, float],
    node: int,
) -> Strengths:
    found = np.zeros(len(others))
    if not own:
        return found
    for other, members in enumerate(others):
        shared = own & members
        if shared and other != node:
            every = own | members
            found[other] = sum(rarity[one] for one in sorted(shared)) / max(
                sum(rarity[one] for one in sorted(every)), 1e-9
            )
    return found


def wordings(facts: Facts, node: int, said: frozenset[str]) -> Strengths:
    """Return how much of each note's names stands in a text, word by word."""
    found = np.zeros(len(facts.net))
    for other, words in enumerate(facts.words):
        shared = words & said
        if shared and other != node:
            whole = sum(facts.rarity[one] for one in sorted(words))
            part = sum(facts.rarity[one] for one in sorted(shared))
            found[other] = part / max(whole, 1e-9)
    return found


def folder(facts: Facts, node: int) -> Strengths:
    """Return which notes stand in the same folder, weighed by how few these are."""
    own = facts.folders[node]
    same = np.array([one == own for one in facts.folders], np.float64)
    share = same.mean()
    same[node] = 0
    return same * (1 - share)


def theme(facts: Facts, node: int) -> Strengths:
    """Return which notes are of the same theme."""
    themes = facts.ground.themes
    own = themes.get(int(facts.net.ids[node]))
    if own is None:
        return np.zeros(len(facts.net))
    found = np.array([themes.get(int(i)) == own for i in facts.net.ids], np.float64)
    found[node] = 0
    return found


def days(facts: Facts, node: int) -> Strengths:
    """Return how close in time each is to a note."""
    known = facts.ground.days
    every = np.array([known.get(int(i), 0.0) for i in facts.net.ids])
    return DAYS_HALF / (DAYS_HALF + np.abs(every - every[node]))


def influence(facts: Facts) -> Strengths:
    """Return how much is linked to each note, the most linked one being 1."""
    found = np.log1p(facts.net.in_degree.astype(np.float64))
    best = found.max(initial=0.0)
    return found / best if best else found


def similarity(facts: Facts, node: int, rows: GroundRows) -> Strengths | None:
    """Return the cosine of each note's vector with that of a note.

    Notes without a vector have -1; None when the note itself has none.
    """
    own_id = int(facts.net.ids[node])
    own = next((blob for _, blob in rows.vectors([own_id])), None)
    if own is None:
        return None
    mine = np.frombuffer(own, "<f4")
    found = np.full(len(facts.net), -1.0)
    places = {int(file_id): at for at, file_id in enumerate(facts.net.ids)}
    ids, blobs = [], []
    for note_id, blob in rows.vectors():
        at = places.get(note_id)
        if at is not None:
            ids.append(at)
            blobs.append(blob)
    if blobs:
        every = np.frombuffer(b"".join(blobs), "<f4").reshape(len(blobs), -1)
        found[ids] = every @ mine
    found[node] = -1
    return found


def above_usual(cosines: Strengths) -> Strengths:
    """Return similarities as strengths: the usual one is 0, equality 1.

    What is usual differs from model to model and from note to note: it is the median
    of the note's own similarities.
    """
    known = cosines[cosines > -1]
    if not len(known):
        return np.zeros(len(cosines))
    usual = min(float(np.median(known)), 0.99)
    return np.clip((cosines - usual) / (1 - usual), 0, 1)


def passages(
    facts: Facts, node: int, cosines: Strengths, rows: GroundRows
) -> Strengths:
    """Return the cosine of the two closest passages of a note and each similar one.

    -1 for notes that were not looked into.
    """
    found = np.full(len(facts.net), -1.0)
    order = np.argsort(-cosines, kind="stable")[:LOOKED_INTO]
    chosen = {int(facts.net.ids[at]): int(at) for at in order if cosines[at] > -1}
    own_id = int(facts.net.ids[node])
    width = rows.width()
    of: dict[int, list[bytes]] = {}
    for note_id, blob in rows.passages([own_id, *chosen]):
        of.setdefault(note_id, []).append(blob)
    if own_id not in of:
        return found
    mine = np.frombuffer(b"".join(of.pop(own_id)), "<f4").reshape(-1, width)
    for note_id, blobs in of.items():
        theirs = np.frombuffer(b"".join(blobs), "<f4").reshape(-1, width)
        found[chosen[note_id]] = float((mine @ theirs.T).max())
    return found
