"""What is known of every note when suggestions are asked for, by node of the graph.

Made once for a state of the rows, and shared by all who ask.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glassmind.files.obsidian import LinkFormat
from glassmind.files.spelling import Pen
from glassmind.graph.suggest.ground import Ground, GroundRows, ground_of
from glassmind.graph.suggest.name_table import COMMON_WORDS
from glassmind.graph.suggest.reciprocal import Missing, missing_answers, spelling_of
from glassmind.links.net import LinkGraph


class Sorts(NamedTuple):
    """What a vault's settings say of a path: left aside, or the note of a day.

    `link_format` is how new links name their notes.
    """

    is_aside: Callable[[str], bool]
    is_day: Callable[[str], bool]
    link_format: LinkFormat = "shortest"


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and words of all notes, and the links between them.

    `words` are those of a note's names, `rarity` says how rare each is from 0 to 1,
    `holders` whose names hold it, and `whole` how rare those of a note are together.
    `offered` are the nodes that may be suggested, `days` those of days, which are alike
    and have nothing to do with each other. `pen` writes links as the vault does, and as
    its settings have it. `missing` are property links without an answer,
    `spellings` how the vault writes the properties that would give it.
    """

    net: LinkGraph
    ground: Ground
    words: Sequence[frozenset[str]]
    rarity: Mapping[str, float]
    holders: Mapping[str, NDArray[np.int64]]
    whole: NDArray[np.float64]
    offered: NDArray[np.bool_]
    days: NDArray[np.bool_]
    pen: Pen
    missing: Sequence[Missing]
    spellings: Mapping[str, str]


def facts_of(net: LinkGraph, rows: GroundRows, sorts: Sorts) -> Facts:
    """Return what is known of every node of a graph; notes aside are not offered."""
    ground = ground_of(rows)
    words = [
        frozenset(
            piece
            for name in ground.names.get(file_id, ())
            for piece in name
            if piece.isalnum() and piece not in COMMON_WORDS
        )
        for file_id in net.ids.tolist()
    ]
    rarity = rarity_of(words)
    links = rows.property_links()
    missing = missing_answers(links)
    offered = [p.endswith(".md") and not sorts.is_aside(p) for p in net.paths]
    return Facts(
        net,
        ground,
        words,
        rarity,
        holders_of(words),
        np.array([sum(rarity[w] for w in sorted(own)) for own in words], np.float64),
        np.array(offered, np.bool_),
        np.array([sorts.is_day(path) for path in net.paths], np.bool_),
        Pen(ground.files, rows.writes_markdown(), sorts.link_format),
        missing,
        {one: spelling_of(one, links) for one in {m.answer for m in missing}},
    )


def rarity_of(sets: Iterable[frozenset[str]]) -> dict[str, float]:
    """Return how rare each member is, from 0 (in all) to 1 (in one of many)."""
    counts: dict[str, int] = {}
    total = 0
    for members in sets:
        total += 1
        for member in members:
            counts[member] = counts.get(member, 0) + 1
    whole = log(1 + total)
    return {one: log((1 + total) / count) / whole for one, count in counts.items()}


def holders_of(sets: Iterable[frozenset[str]]) -> dict[str, NDArray[np.int64]]:
    """Return the places of the sets that hold each member, ascending."""
    found: dict[str, list[int]] = {}
    for at, members in enumerate(sets):
        for member in members:
            found.setdefault(member, []).append(at)
    return {one: np.array(places, np.int64) for one, places in found.items()}


class KeptFacts:
    """Owns the newest facts; one thread makes them, the others wait."""

    def __init__(
        self,
        net: Callable[[], LinkGraph],
        rows: Callable[[], GroundRows],
        head: Callable[[], str],
        sorts: Callable[[], Sorts],
    ) -> None:
        self._net, self._rows, self._head, self._sorts = net, rows, head, sorts
        self._making = Lock()
        self._kept: tuple[str, Facts] | None = None

    def now(self) -> Facts:
        """Return the facts as the rows are now."""
        head, net = self._head(), self._net()
        kept = self._kept
        if kept is not None and kept[0] == head and kept[1].net is net:
            return kept[1]
        with self._making:
            kept = self._kept
            if kept is None or kept[0] != head or kept[1].net is not net:
                kept = self._kept = head, facts_of(net, self._rows(), self._sorts())
            return kept[1]
