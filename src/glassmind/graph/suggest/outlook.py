"""How the other notes look from one: every sign for every note, and their sum."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glassmind.errors import VaultError
from glassmind.files.read import VaultFiles, digest_of
from glassmind.graph.suggest import signs
from glassmind.graph.suggest.edits import Page, page_from
from glassmind.graph.suggest.facts import Facts
from glassmind.graph.suggest.ground import GroundRows, WordPlaces
from glassmind.graph.suggest.mentions import IsCommon, Spot, mentions_in
from glassmind.graph.suggest.name_table import Pieces, rough_pieces
from glassmind.graph.suggest.scoring import summed
from glassmind.graph.suggest.signs import Strengths
from glassmind.links.net import NOWHERE, LinkGraph
from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.model.suggestions import SignName
from glassmind.obsidian.prose import said

MOST_MENTIONING = 500
"""Passages with a name that are asked for: who is named more often is a hub already."""

MOST_WORDED = 2_000
"""Passages with a word of a name; a word in more says little."""

MOST_ALIKE = 300
"""Passages with the same rare words that are looked at."""

LOOKED_INTO = 200
"""The best notes whose passages are compared, too: a few milliseconds."""


SMALL = 0.5
"""What one word in small letters counts where the note's name has a large one: in most
vaults `home` is where one goes, and `Home` the note."""


class Pages:
    """Notes as they are on disk, each read once."""

    def __init__(self, files: VaultFiles) -> None:
        self._files = files
        self._raw: dict[NotePath, bytes | None] = {}
        self._read: dict[NotePath, Page | None] = {}

    def at(self, path: str) -> Page | None:
        """Return a note; None for what is no Markdown in UTF-8, or is gone."""
        known = NotePath(path)
        if known not in self._read:
            raw = self._bytes(known)
            self._read[known] = None if raw is None else page_from(known, raw)
        return self._read[known]

    def is_barred(self, path: str) -> bool:
        """Whether a note is there and nobody writes in it, as with a drawing."""
        return self.at(path) is None and self._bytes(NotePath(path)) is not None

    def seen(self) -> dict[NotePath, str]:
        """Return a digest of each note that was read; nothing for one that is gone."""
        return {path: _digest(raw) for path, raw in self._raw.items()}

    def are_still(self, seen: Mapping[NotePath, str]) -> bool:
        """Whether notes are as they were when these digests were made."""
        return all(_digest(self._bytes(path)) == one for path, one in seen.items())

    def _bytes(self, path: NotePath) -> bytes | None:
        if path not in self._raw:
            try:
                self._raw[path] = self._files.read(path)
            except VaultError:
                self._raw[path] = None
        return self._raw[path]


def _digest(raw: bytes | None) -> str:
    return "" if raw is None else digest_of(raw)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What one note says of all others.

    `spots` are the names that stand in its prose, by node. `cosines` are -1 where a
    note has no vector. What is not `open_` cannot be suggested and has the score 0.
    """

    node: int
    open_: NDArray[np.bool_]
    spots: Mapping[int, Spot]
    cosines: Strengths
    signs: Mapping[SignName, Strengths]
    scores: Strengths

    def strengths(self, other: int) -> dict[SignName, float]:
        """Return the strength of every sign for one note."""
        return {name: float(sign[other]) for name, sign in self.signs.items()}


class Places:
    """Where words stand, by node, each asked for once; nowhere where nobody knows."""

    def __init__(self, net: LinkGraph, words: WordPlaces | None) -> None:
        self._net, self.words = net, words
        self._known: dict[tuple[Pieces, int], tuple[int, NDArray[np.int64]]] = {}

    def standing(self, name: Pieces, limit: int) -> tuple[int, NDArray[np.int64]]:
        """Return how many passages hold a name, and the nodes of some of them."""
        key = name, limit
        if key not in self._known:
            count, notes = (
                self.words.standing(" ".join(name), limit) if self.words else (0, [])
            )
            nodes = self._net.nodes_of(np.array(notes, np.int64)).astype(np.int64)
            self._known[key] = count, nodes[nodes != NOWHERE]
        return self._known[key]


class Sources(NamedTuple):
    """What an outlook is made from."""

    facts: Facts
    rows: GroundRows
    words: Places
    is_common: IsCommon


def outlook_of(
    sources: Sources,
    node: int,
    page: Page | None,
    cosines: Strengths,
    only: Collection[int] | None = None,
) -> Outlook:
    """Return how the other notes look from one; `cosines` are those of its vector.

    With `only`, the scores of these alone are whole: no other's passages are read.
    """
    facts, rows, words, is_common = sources
    count = len(facts.net)
    spots = _spots(facts, page, is_common)
    own = words_in(page.note) if page else frozenset()
    found: dict[SignName, Strengths] = {
        "mentions": _mentions(facts, spots, words),
        "mentioned": _mentioned(facts, node, words),
        "wording": signs.wording(facts, node, own),
        "worded": _worded(facts, node, words),
        "vocabulary": _vocabulary(facts, node, page, words),
        "similarity": signs.above_usual(cosines, cosines),
        "votes": signs.votes(facts, cosines),
    }
    open_ = facts.offered.copy()
    open_[node] = False
    open_[facts.net.around(node)] = False
    first = np.where(open_, summed(found, count), 0)
    chosen = np.argsort(-first, kind="stable")[:LOOKED_INTO]
    if only is not None:
        chosen = chosen[np.isin(chosen, np.array(sorted(only), np.int64))]
    closest = signs.passages(facts, node, chosen, rows)
    found["passages"] = signs.above_usual(closest, cosines)
    scores = np.where(open_, summed(found, count), 0)
    return Outlook(node, open_, spots, cosines, found, scores)


def words_in(note: Note) -> frozenset[str]:
    """Return the words that a note says to who reads it."""
    return frozenset(rough_pieces(said(note)))


def _spots(facts: Facts, page: Page | None, is_common: IsCommon) -> dict[int, Spot]:
    """Return where other notes are named, by node."""
    if page is None:
        return {}
    placed = {}
    for note_id, spot in mentions_in(page.note, facts.ground.table, is_common).items():
        node = facts.net.node_of(note_id)
        if node is not None:
            placed[node] = spot
    return placed


def _mentions(facts: Facts, spots: Mapping[int, Spot], words: Places) -> Strengths:
    """Return how likely each note is meant by what stands in the text."""
    found = np.zeros(len(facts.net))
    titles = facts.net.titles
    for node, spot in spots.items():
        note_id = int(facts.net.ids[node])
        passages = words.standing(spot.name, 0)[0]
        likely = facts.ground.likelihood(spot.name, note_id, passages)
        if len(spot.name) == 1 and spot.text.islower() and not titles[node].islower():
            likely *= SMALL
        found[node] = np.sqrt(likely / len(spot.notes))
    return found


def _mentioned(facts: Facts, node: int, words: Places) -> Strengths:
    """Return how likely each note means this one by what it says."""
    found: Strengths = np.zeros(len(facts.net))
    note_id = int(facts.net.ids[node])
    table = facts.ground.table
    for name in table.names_of(note_id):
        count, nodes = words.standing(name, MOST_MENTIONING)
        likely = facts.ground.likelihood(name, note_id, count)
        strength = float(np.sqrt(likely / len(table.notes[name])))
        found[nodes] = np.maximum(found[nodes], strength)
    found[node] = 0
    return found


def _worded(facts: Facts, node: int, words: Places) -> Strengths:
    """Return how many words of this note's names each note says, rare ones first."""
    found: Strengths = np.zeros(len(facts.net))
    own = sorted(facts.words[node])
    whole = float(facts.whole[node])
    for word in own if whole else ():
        found[words.standing((word,), MOST_WORDED)[1]] += facts.rarity[word] / whole
    found[node] = 0
    return np.minimum(found, 1) ** 2


def _vocabulary(
    facts: Facts, node: int, page: Page | None, places: Places
) -> Strengths:
    """Return how much each says what this note says, against what it says itself."""
    found, words = np.zeros(len(facts.net)), places.words
    if page is None or words is None:
        return found
    for note_id, score in words.alike(page.note.text, MOST_ALIKE):
        at = facts.net.node_of(note_id)
        if at is not None:
            found[at] = score
    most = found[node] or found.max(initial=0.0)
    found[node] = 0
    return np.sqrt(np.minimum(found / most, 1)) if most else found
