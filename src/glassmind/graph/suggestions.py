"""Links that are missing, with the edits that would write them."""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush, nlargest
from itertools import chain, islice
from math import fsum, log
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_128_digest

from glassmind.errors import BadLimit, VaultError
from glassmind.files.names import LinkWriter, Names
from glassmind.files.read import VaultFiles, digest_of
from glassmind.files.settings import LinkFormat
from glassmind.graph.link_edits import (
    KeptPlaces,
    Page,
    edit_for_mention,
    edit_for_property,
    edit_for_relation,
    page_from,
)
from glassmind.graph.mentions import (
    COMMON_WORDS,
    IsCommon,
    NameTable,
    Pieces,
    Spot,
    is_telling,
    mentions_in,
    name_table,
    pieces_of,
    rough_mentions,
    rough_pieces,
)
from glassmind.graph.reciprocal import ONE_EACH, Missing, missing_answers, spelling_of
from glassmind.graph.similar import unknown
from glassmind.links.graph import NOWHERE, LinkGraph, common
from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.model.suggestions import (
    Mention,
    NoteNames,
    ProposedEdit,
    Sign,
    SignName,
    Suggestion,
    SuggestionKind,
    Suggestions,
    suggestion_key,
)
from glassmind.obsidian.prose import readable_text

if TYPE_CHECKING:
    from glassmind.graph.context import GraphContext


PRIOR = (0.0, 0.25, 0.6, 0.8)
"""How likely a name of one, two, three words is meant where it stands, before the
vault's links say so: `click` is a verb more often than a library."""

PRIOR_WEIGHT = 3.0
"""Passages that this belief is worth: after about as many, the vault's use decides."""

INFLECTED = 0.8
"""What a plural counts against the name as it was given."""


class GroundRows(Protocol):
    """The rows that suggestions are made of."""

    def names(self) -> list[NoteNames]:
        """Return what every Markdown note calls itself."""

    def anchors(self) -> list[tuple[int, str, int]]:
        """Return what links show: the note, the words, and how many notes say so."""

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yield the passages of all notes, note by note."""

    def texts_of(self, note_ids: Collection[int], /) -> Iterator[str]:
        """Yield the passages of some notes, note by note."""

    def paths(self) -> list[NotePath]:
        """Return every known file."""

    def tags(self) -> dict[int, frozenset[str]]:
        """Return the tags of the notes that have any."""

    def writes_markdown(self) -> bool:
        """Whether most links are written as Markdown does."""

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links that properties hold: source, target, property."""

    def vectors(
        self, note_ids: Collection[int] | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the vectors of notes, or of all."""

    def passages(self, note_ids: Collection[int], /) -> Iterator[tuple[int, bytes]]:
        """Yield the vectors of the passages of notes."""

    def width(self) -> int:
        """Return how many numbers a vector has; 0 when nothing is embedded."""

    def vector_stamp(self) -> str:
        """Return what is another once vectors are."""

    def stamp(self) -> str:
        """Return what is another once vectors or pairs of similar notes are."""


class WordPlaces(Protocol):
    """Where words stand, from an index of them."""

    @property
    def level_with(self) -> str | None:
        """How far it had come when it was last looked at."""

    def standing(self, phrase: str, limit: int, /) -> tuple[int, list[int]]:
        """Return how many passages hold a phrase, and the notes of some of them."""

    def alike(self, text: str, limit: int, /) -> list[tuple[int, float]]:
        """Return the notes whose passages say what a text says, with a score."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of every note's names at one state of the rows.

    `used` says in how many notes a link to a note shows some words; `files` resolves
    links.
    """

    table: NameTable
    names: Mapping[int, Sequence[Pieces]]
    used: Mapping[tuple[Pieces, int], int]
    files: Names
    tags: Mapping[int, frozenset[str]]

    def likelihood(self, name: Pieces, note_id: int, passages: int) -> float:
        """Return how likely a note is meant by a name that stands in so many passages.

        From 0 to 1: the share of these where a link says so, held against what a name
        of that length deserves.
        """
        given = name in self.names.get(note_id, ())
        exact = given or (name, note_id) in self.used
        words = sum(1 for piece in name if piece.isalnum())
        prior = PRIOR[min(words, len(PRIOR) - 1)] if given or not exact else 0.0
        used = self.used.get((name, note_id), 0)
        seen = max(passages, used)
        share = (used + prior * PRIOR_WEIGHT) / (seen + PRIOR_WEIGHT)
        return share if exact else share * INFLECTED


def ground_of(rows: GroundRows) -> Ground:
    """Return what the rows say of names now."""
    named, anchors = rows.names(), rows.anchors()
    own = {
        note_id: tuple(dict.fromkeys(pieces_of(name) for name in names))
        for note_id, names in named
    }
    used = _used(anchors, own)
    given = (name for _, names in named for name in names)
    shown = (_shown(words) for _, words, _ in anchors)
    return Ground(
        name_table(own, used, texts=chain(given, shown)),
        own,
        used,
        Names.of(rows.paths()),
        rows.tags(),
    )


def _shown(words: str) -> str:
    """Return the name that a link shows: of a path its end."""
    return words.rpartition("/")[2].removesuffix(".md")


def _used(
    anchors: Iterable[tuple[int, str, int]], own: Mapping[int, Sequence[Pieces]]
) -> dict[tuple[Pieces, int], int]:
    """Return what links call notes, and in how many notes they do.

    Words that one note used once, and that no name of the other holds, are no name:
    `see the message` may lead anywhere.
    """
    used: dict[tuple[Pieces, int], int] = {}
    for note_id, shown, count in anchors:
        pieces = pieces_of(_shown(shown))
        if note_id in own and is_telling(pieces):
            used[pieces, note_id] = used.get((pieces, note_id), 0) + count
    held = {note: {p for name in names for p in name} for note, names in own.items()}
    return {
        (pieces, note): count
        for (pieces, note), count in used.items()
        if count > 1 or not held[note].isdisjoint(set(pieces) - COMMON_WORDS)
    }


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
    pen: LinkWriter
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
        LinkWriter(ground.files, rows.writes_markdown(), sorts.link_format),
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


Block: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Ids of notes, ascending, and the vector of each."""

AT_A_TIME = 4_096
"""Vectors that are compared at once: six megabytes of 384 numbers each."""

MOST_KEPT = 8
"""Blocks that are kept, about 50 MB; of a larger vault they are read for each call."""


class Vectors(NamedTuple):
    """The vectors at one state of the rows; `kept` is None where they are too many."""

    rows: GroundRows
    kept: Sequence[Block] | None

    def some(self, note_ids: Collection[int]) -> tuple[list[int], NDArray[np.float32]]:
        """Return those of some notes that have one, by id."""
        known = dict(self.rows.vectors(note_ids))
        return list(known), rows_of(list(known.values()), self.rows.width())

    def all(self) -> Iterator[Block]:
        """Yield the vectors of all notes, by id, a few thousand at a time."""
        yield from _blocks(self.rows) if self.kept is None else self.kept


class KeptVectors:
    """Owns the vectors as they were last read."""

    def __init__(self) -> None:
        self._reading = Lock()
        self._kept: tuple[str, Sequence[Block] | None] | None = None

    def of(self, rows: GroundRows) -> Vectors:
        """Return the vectors as they are now."""
        stamp = rows.vector_stamp()
        with self._reading:
            if self._kept is None or self._kept[0] != stamp:
                first = list(islice(_blocks(rows), MOST_KEPT + 1))
                self._kept = stamp, first if len(first) <= MOST_KEPT else None
            return Vectors(rows, self._kept[1])


def _blocks(rows: GroundRows) -> Iterator[Block]:
    stream = rows.vectors()
    while block := list(islice(stream, AT_A_TIME)):
        ids = np.array([note for note, _ in block], np.int64)
        yield ids, rows_of([blob for _, blob in block], rows.width())


def rows_of(blobs: Sequence[bytes], width: int) -> NDArray[np.float32]:
    """Return vectors as they are stored as the rows of a matrix."""
    return np.frombuffer(b"".join(blobs), "<f4").reshape(-1, max(width, 1))


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


WEIGHTS: Final[Mapping[SignName, float]] = {
    "mentions": 0.20,
    "mentioned": 0.20,
    "votes": 0.17,
    "worded": 0.11,
    "wording": 0.105,
    "vocabulary": 0.095,
    "passages": 0.065,
    "similarity": 0.055,
}
"""Learnt on five vaults; docs/ranking.md says what they are worth on three of these."""

LEAST = 0.10
"""A lower score is no suggestion: in the sample vault a tenth of the offers, and one in
twenty-five of the hidden links, were below it. Elsewhere next to none are."""

LEAST_OF_VAULT = 0.15
"""The same for a whole vault, where nobody asked about these notes: in the sample vault
none of those below it was right, and six of the seven above it are."""

KINDS: Final[Mapping[SignName, SuggestionKind]] = {
    "votes": "neighbours",
    "worded": "words",
    "wording": "words",
    "vocabulary": "similar",
    "passages": "similar",
    "similarity": "similar",
}
"""What kind of suggestion the strongest sign makes where no name is mentioned."""

REASONS: Final[Mapping[SignName, str]] = {
    "mentions": "its name stands in the text without a link",
    "mentioned": "it says this note's name without a link",
    "votes": "notes like this one are linked with it",
    "worded": "it says words of this note's name",
    "wording": "words of its name stand in the text",
    "vocabulary": "both use the same rare words",
    "passages": "passages of both are alike",
    "similarity": "the notes are alike",
}


TURNED: Final[Mapping[SignName, SignName]] = {
    "mentions": "mentioned",
    "mentioned": "mentions",
    "worded": "wording",
    "wording": "worded",
}
"""What a sign is from the other note of a pair; the others are the same from both."""

LED_TO = "it is linked with notes like that one"


def summed(signs: Mapping[SignName, Strengths], count: int) -> Strengths:
    """Return the score of every node; signs are added in the order of the weights."""
    total: Strengths = np.zeros(count)
    for name, weight in WEIGHTS.items():
        if name in signs:
            total = total + weight * signs[name]
    return total


def shares(strengths: Mapping[SignName, float]) -> tuple[Sign, ...]:
    """Return the signs that say something, the one that says most first."""
    made = [
        Sign(name, strengths[name], weight * strengths[name], REASONS[name])
        for name, weight in WEIGHTS.items()
        if strengths.get(name, 0.0) > 0
    ]
    return tuple(sorted(made, key=lambda sign: -sign.share))


def from_the_other(signs: tuple[Sign, ...]) -> tuple[Sign, ...]:
    """Return the signs of a pair as they are told from its other note."""
    turned = []
    for sign in signs:
        name = TURNED.get(sign.name, sign.name)
        reason = LED_TO if name == "votes" else REASONS[name]
        turned.append(Sign(name, sign.strength, sign.share, reason))
    return tuple(turned)


def reason_for(signs: tuple[Sign, ...], mention: Mention | None, cosine: float) -> str:
    """Return why two notes should be linked, as one sentence."""
    if mention is None:
        said = [sign.reason for sign in signs[:2]] or [REASONS["similarity"]]
        names = {sign.name for sign in signs[:2]}
        alike = not names or not names.isdisjoint({"similarity", "passages"})
        more = f" ({cosine:.2f})" if alike and cosine > 0 else ""
        return f"{' and '.join(said)}{more}"
    reason = f"it says {mention.text!r} on line {mention.line} without a link"
    if not mention.namesakes:
        return reason
    first, *others = mention.namesakes
    more = " and others have" if others else " has"
    return f"{reason}, a name that {first}{more} too"


def kind_of(signs: tuple[Sign, ...]) -> SuggestionKind:
    """Return what speaks most for a link that no name asks for."""
    best = signs[0].name if signs else "similarity"
    return KINDS.get(best, "words")


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
        "wording": wording(facts, node, own),
        "worded": _worded(facts, node, words),
        "vocabulary": _vocabulary(facts, node, page, words),
        "similarity": above_usual(cosines, cosines),
        "votes": votes(facts, cosines),
    }
    open_ = facts.offered.copy()
    open_[node] = False
    open_[facts.net.around(node)] = False
    first = np.where(open_, summed(found, count), 0)
    chosen = np.argsort(-first, kind="stable")[:LOOKED_INTO]
    if only is not None:
        chosen = chosen[np.isin(chosen, np.array(sorted(only), np.int64))]
    closest = passages(facts, node, chosen, rows)
    found["passages"] = above_usual(closest, cosines)
    scores = np.where(open_, summed(found, count), 0)
    return Outlook(node, open_, spots, cosines, found, scores)


def words_in(note: Note) -> frozenset[str]:
    """Return the words that a note says to who reads it."""
    return frozenset(rough_pieces(readable_text(note)))


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


BY_HAND = "; its properties are written so that they have to be edited by hand"


def answers_about(
    facts: Facts,
    note: NotePath | None,
    is_dismissed: Callable[[NotePath, NotePath], bool],
) -> list[Missing]:
    """Return the missing answers between offered notes, the surest first.

    Of one note, those that it should give and those that it waits for.
    """
    node_of, paths = facts.net.node_of, facts.net.paths
    found = []
    for missing in facts.missing:
        asking, asked = node_of(missing.source), node_of(missing.target)
        if asking is None or asked is None:
            continue
        if not (facts.offered[asking] and facts.offered[asked]):
            continue
        ends = NotePath(paths[asking]), NotePath(paths[asked])
        if (note is None or note in ends) and not is_dismissed(*ends):
            found.append(missing)
    return found


def answer_suggested(
    missing: Missing, facts: Facts, pages: Pages, pen: LinkWriter
) -> Suggestion | None:
    """Return a missing answer as a suggestion; None where a note is gone by now."""
    net = facts.net
    asking, asked = net.node_of(missing.source), net.node_of(missing.target)
    if asking is None or asked is None:
        return None
    source, target = NotePath(net.paths[asked]), NotePath(net.paths[asking])
    page = pages.at(source)
    name = facts.spellings.get(missing.answer, missing.answer)
    many = missing.answer not in ONE_EACH
    reason = (
        f"{net.titles[asking]} has it as {missing.asked}, and "
        f"its own {name} does not lead back"
    )
    edit = edit_for_property(page, name, target, pen, many=many) if page else None
    if edit is None:
        reason += BY_HAND
    return Suggestion(
        key=suggestion_key(source, target, name),
        kind="reciprocal",
        source=source,
        source_title=net.titles[asked],
        target=target,
        target_title=net.titles[asking],
        score=missing.sure,
        reason=reason,
        signs=(Sign("reciprocal", missing.sure, missing.sure, reason),),
        property=name,
        edit=edit,
    )


class Said:
    """Owns which names the passages of a vault hold, as long as names are the same."""

    def __init__(self) -> None:
        self._names: Mapping[Pieces, tuple[int, ...]] = {}
        self._known: dict[bytes, tuple[Pieces, ...]] = {}
        self._looking = Lock()

    def by_passage(
        self, table: NameTable, rows: GroundRows
    ) -> Iterator[tuple[int, Sequence[Pieces]]]:
        """Yield the note of every passage, and the names in it, note by note."""
        with self._looking:
            known = self._known if table.notes.keys() == self._names.keys() else {}
            self._names, self._known = table.notes, {}
            for note_id, text in rows.texts():
                key = xxh3_128_digest(text.encode("utf-8", "surrogatepass"))
                names = known.get(key)
                if names is None:
                    names = tuple(rough_mentions(text, table))
                self._known[key] = names
                yield note_id, names


def likely_mentions(
    facts: Facts, rows: GroundRows, most: int, held: Said
) -> list[tuple[float, int, int]]:
    """Return the notes that most likely mean others by a name, without a link.

    How likely, who says it and who is meant, by node; the likeliest first. Names in
    code and links count too: each has to be looked at before it is believed.
    """
    numbers: dict[Pieces, int] = {}
    passages: Counter[Pieces] = Counter()
    said = array("q")  # a number for each note and name: a vault has millions
    for note_id, found in held.by_passage(facts.ground.table, rows):
        for name in found:
            passages[name] += 1
            said.append(note_id << 32 | numbers.setdefault(name, len(numbers)))
    names = list(numbers)
    net, ground = facts.net, facts.ground
    likely = {
        name: [
            (net.node_of(note), ground.likelihood(name, note, passages[name]))
            for note in ground.table.notes[name]
        ]
        for name in names
    }
    best: dict[tuple[int, int], float] = {}
    linked: dict[int, frozenset[int]] = {}
    for one in sorted(set(said)):
        source = net.node_of(one >> 32)
        if source is None or not facts.offered[source]:
            continue
        if source not in linked:
            linked[source] = frozenset((source, *net.around(source).tolist()))
        meant = likely[names[one & 0xFFFFFFFF]]
        for target, strength in meant:
            if target is None or target in linked[source] or not facts.offered[target]:
                continue
            key = (source, target)
            best[key] = max(best.get(key, 0.0), strength / len(meant))
    return _first(best, most)


def _first(
    best: dict[tuple[int, int], float], most: int
) -> list[tuple[float, int, int]]:
    """Return the likeliest; of equals those by path first."""
    order = nlargest(most, ((s, -a, -b) for (a, b), s in best.items()))
    return [(s, -a, -b) for s, a, b in order]


LOOKED_THROUGH = 50
"""Notes with a word that are looked through: a common one is small in most."""


class Commons:
    """Tells whether a word is written small anywhere, asking for each once.

    Without an index of words any word may be a common one.
    """

    def __init__(self, rows: GroundRows, words: WordPlaces | None) -> None:
        self._rows, self._words = rows, words
        self._known: dict[str, bool] = {}

    def __call__(self, word: str) -> bool:
        """Whether some note writes a word, given in lower case, small."""
        if word not in self._known:
            self._known[word] = self._looked(word)
        return self._known[word]

    def _looked(self, word: str) -> bool:
        if self._words is None:
            return True
        _, notes = self._words.standing(word, LOOKED_THROUGH)
        small = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
        return any(small.search(text) for text in self._rows.texts_of(notes))


MOST_SHARED = 5
"""Notes and tags that two have in common, and others of a name, that are shown."""

LOOKED_AT = 3
"""Pairs of a whole vault that are looked at for each that is wanted: about one in three
names stands in code or in a link."""

NOTES_AT_A_TIME = 256
"""Notes whose similarities to all others are held at once: 20 MB of 10,000 notes."""


class Glance(NamedTuple):
    """A pair as it seems from one of its notes, and where that names the other.

    `alone` says that it may be suggested though neither names the other, `paired` that
    it is, however little else speaks for it: the two are alike enough to be told so.
    """

    score: float
    node: int
    other: int
    strengths: Mapping[SignName, float]
    cosine: float
    spot: Spot | None
    alone: bool
    paired: bool


class Look(NamedTuple):
    """A pair that was looked at: its signs, and where the other names this note."""

    glance: Glance
    score: float
    signs: tuple[Sign, ...]
    back: Spot | None

    @property
    def is_worth(self) -> bool:
        """Whether one note names the other, or need not."""
        return self.glance.alone or (self.glance.spot or self.back) is not None


class Desk:
    """The vault as one call sees it: what was read and found is kept till its end."""

    def __init__(
        self, study: "GraphContext", pages: Pages, vectors: KeptVectors
    ) -> None:
        self._study, self.pages, self._vectors = study, pages, vectors
        self.facts = study.facts()
        self._pen = self.facts.pen
        self._dismissed = study.book.now()
        self._spots: dict[int, Mapping[int, Spot]] = {}
        self._places = KeptPlaces()
        self._is_common = Commons(study.mention_rows(), study.words())

    def outlooks(
        self, wanted: Mapping[int, Collection[int] | None]
    ) -> Iterator[Outlook]:
        """Yield how others look from some notes: all of them, or those wanted.

        All vectors are gone through once for some hundreds of notes.
        """
        rows = self._study.mention_rows()
        places = Places(self.facts.net, self._study.words())
        sources = Sources(self.facts, rows, places, self._is_common)
        order = iter(sorted(wanted))
        while nodes := list(islice(order, NOTES_AT_A_TIME)):
            known = self._vectors.of(rows)
            for node, cosines in similarities(self.facts, nodes, known).items():
                page = self._page(node)
                yield outlook_of(sources, node, page, cosines, wanted[node])

    def glances_of(self, note: NotePath) -> Iterator[Glance]:
        """Yield a note with each that may be suggested for it."""
        node = self.facts.net.node_at(note)
        if node is not None:
            for outlook in self.outlooks({node: None}):
                paired = self._paired_with(note)
                worth = outlook.scores >= LEAST
                worth[list(paired)] |= outlook.open_[list(paired)]
                for at in np.flatnonzero(worth).tolist():
                    alone = not self._are_days(node, at)
                    yield _glance(outlook, at, alone=alone, paired=at in paired)

    def glances_of_vault(self, limit: int, said: Said) -> Iterator[Glance]:
        """Yield the pairs of a whole vault that are worth a closer look.

        As many that a name speaks for as are alike; `said` is what passages hold. What
        is not alike has to be named: in a whole vault some words are shared by chance.
        """
        most = LOOKED_AT * limit
        likely = likely_mentions(self.facts, self._study.mention_rows(), most, said)
        pairs = self._alike()
        few = {frozenset(pair): pair for pair in pairs[:most]}
        for _, node, other in likely:
            few.pop(frozenset((node, other)), None)
        wanted: dict[int, dict[int, None]] = {}
        for _, node, other in likely:
            wanted.setdefault(node, {})[other] = None
        for node, other in map(self._seen_from, few.values()):
            wanted.setdefault(node, {})[other] = None
        known = {frozenset(pair) for pair in pairs}
        for outlook in self.outlooks(wanted):
            for other in wanted[outlook.node]:
                alike = frozenset((outlook.node, other)) in known
                paired = alike and bool(outlook.open_[other])
                yield _glance(outlook, other, alone=alike, paired=paired)

    def _alike(self) -> list[tuple[int, int]]:
        """Return the pairs of similar notes, the most similar first."""
        node_at, found = self.facts.net.node_at, []
        for pair in self._study.pairs().pairs():
            one, other = node_at(pair.path), node_at(pair.other_path)
            if one is not None and other is not None and not self._are_days(one, other):
                found.append((one, other))
        return found

    def _paired_with(self, note: NotePath) -> set[int]:
        """Return the notes that one is alike enough to be told so."""
        found = (
            self.facts.net.node_at(pair.other_path)
            for pair in self._study.pairs().of_note(note)
        )
        return {node for node in found if node is not None}

    def _seen_from(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Return a pair with the note first that is read, where only one is."""
        barred = self.pages.is_barred(self.facts.net.paths[pair[0]])
        return pair[::-1] if barred else pair

    def _are_days(self, node: int, other: int) -> bool:
        return bool(self.facts.days[node] and self.facts.days[other])

    def is_dismissed(self, node: int, other: int) -> bool:
        """Whether a person wants to hear no more of a pair."""
        one, two = self.facts.net.paths[node], self.facts.net.paths[other]
        return self._dismissed.has_pair(NotePath(one), NotePath(two))

    def missing(self, note: NotePath | None) -> list[Missing]:
        """Return the properties that should lead back, the surest first."""
        return answers_about(self.facts, note, self._dismissed.has_pair)

    def answer(self, missing: Missing) -> Suggestion | None:
        """Return a property that should lead back; None where a note is gone."""
        return answer_suggested(missing, self.facts, self.pages, self._pen)

    def look(self, glance: Glance) -> Look:
        """Return what speaks for a pair once both notes were looked at."""
        strengths, back = dict(glance.strengths), None
        if strengths["mentioned"]:
            node_id = int(self.facts.net.ids[glance.node])
            back = self._spots_in(glance.other).get(node_id)
            strengths["mentioned"] *= back is not None
        if strengths["worded"] and (page := self._page(glance.other)) is not None:
            said = words_in(page.note)
            strengths["worded"] = min(
                strengths["worded"], worded_in(self.facts, glance.node, said)
            )
        signs = shares(strengths)
        return Look(glance, fsum(sign.share for sign in signs), signs, back)

    def _page(self, node: int) -> Page | None:
        return self.pages.at(self.facts.net.paths[node])

    def _spots_in(self, node: int) -> Mapping[int, Spot]:
        """Return the names in the prose of a note, by note id."""
        if node not in self._spots:
            page = self._page(node)
            table, is_common = self.facts.ground.table, self._is_common
            found = mentions_in(page.note, table, is_common) if page else {}
            self._spots[node] = found
        return self._spots[node]

    def suggested(self, look: Look) -> Suggestion:
        """Return a pair as a suggestion, with the edit its best reason asks for."""
        net, glance = self.facts.net, look.glance
        node, other, cosine = glance.node, glance.other, glance.cosine
        spot, signs = glance.spot or look.back, look.signs
        barred = self.pages.is_barred(net.paths[node])
        if glance.spot is None and (look.back or barred):
            node, other = other, node
            signs = from_the_other(signs)
        source, target = NotePath(net.paths[node]), NotePath(net.paths[other])
        mention = None if spot is None else self._mention(spot, other)
        tags = self.facts.ground.tags
        own, theirs = (tags.get(int(net.ids[n]), frozenset()) for n in (node, other))
        return Suggestion(
            key=suggestion_key(source, target),
            kind=kind_of(signs) if mention is None else "mention",
            source=source,
            source_title=net.titles[node],
            target=target,
            target_title=net.titles[other],
            score=look.score,
            reason=reason_for(signs, mention, cosine),
            signs=signs,
            mention=mention,
            similarity=None if cosine == UNKNOWN else cosine,
            shared_notes=self._shared_notes(node, other),
            shared_tags=tuple(sorted(own & theirs))[:MOST_SHARED],
            edit=self._edit(source, target, mention),
        )

    def _edit(
        self, source: NotePath, target: NotePath, mention: Mention | None
    ) -> ProposedEdit | None:
        page = self.pages.at(source)
        if page is None:
            return None
        if mention is None:
            return edit_for_relation(page, target, self._pen, self._places)
        return edit_for_mention(page, mention, target, self._pen)

    def _mention(self, spot: Spot, meant: int) -> Mention:
        net = self.facts.net
        nodes = (net.node_of(note) for note in spot.notes)
        others = sorted(node for node in nodes if node not in {None, meant})
        namesakes = tuple(NotePath(net.paths[node]) for node in others[:MOST_SHARED])
        return Mention(
            spot.text, spot.line, (spot.start, spot.end), spot.sentence, namesakes
        )

    def _shared_notes(self, node: int, other: int) -> tuple[NotePath, ...]:
        """Return notes linked with both, those with the fewest links first."""
        net = self.facts.net
        shared = common(net, node, other).tolist()
        order = sorted(shared, key=lambda one: (len(net.around(one)), one))
        return tuple(NotePath(net.paths[n]) for n in order[:MOST_SHARED])


def _glance(outlook: Outlook, other: int, *, alone: bool, paired: bool) -> Glance:
    return Glance(
        float(outlook.scores[other]),
        outlook.node,
        other,
        outlook.strengths(other),
        float(outlook.cosines[other]),
        outlook.spots.get(other),
        alone,
        paired,
    )


ROUNDING = 1e-9
"""What two ways to add the same shares may differ by."""


class Ranking:
    """Owns how far some pairs were looked at, and what came of it.

    For any number of threads. Nothing below `least` is looked at but what is paired.
    `seen` are digests of the notes that this stands on.
    """

    def __init__(self, glances: Iterable[Glance], *, least: float = LEAST) -> None:
        self._least = least
        self._heap = [(-one.score, one.node, one.other, one) for one in glances]
        heapify(self._heap)
        self._looks: list[Look] = []
        self._pairs: set[frozenset[int]] = set()
        self._made: dict[object, Suggestion | None] = {}
        self._looking = Lock()
        self.seen: dict[NotePath, str] = {}

    def first(self, desk: Desk, note: NotePath | None, limit: int) -> list[Suggestion]:
        """Return the best suggestions, with the properties that should lead back.

        What was dismissed is passed by.
        """
        with self._looking:
            found = list(self._first(desk, limit))
            for missing in desk.missing(note)[:limit]:
                made = self._once(missing, partial(desk.answer, missing))
                if made is not None:
                    found.append(made)
            self.seen.update(desk.pages.seen())
        found.sort(key=lambda one: (-one.score, one.source, one.target))
        return found[:limit]

    def _first(self, desk: Desk, limit: int) -> Iterator[Suggestion]:
        looks, places = self._all(desk), set[tuple[NotePath, int]]()
        while limit and (look := next(looks, None)) is not None:
            ends = look.glance.node, look.glance.other
            if desk.is_dismissed(*ends):
                continue
            made = self._once(ends, partial(desk.suggested, look))
            place = _place(made)
            if place not in places:  # a namesake's is told with the first
                limit -= 1
                if place is not None:
                    places.add(place)
                if made is not None:
                    yield made

    def _once(
        self, key: object, make: Callable[[], Suggestion | None]
    ) -> Suggestion | None:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _all(self, desk: Desk) -> Iterator[Look]:
        """Yield the pairs that are worth suggesting, the best first."""
        yield from self._looks
        while self._heap:
            below, node, other, glance = heappop(self._heap)
            if -below < self._least and not glance.paired:
                continue
            if frozenset((node, other)) in self._pairs:
                continue
            look = desk.look(glance)
            if look.score < -below - ROUNDING:  # a name was not where it seemed to be
                heappush(self._heap, (-look.score, node, other, glance))
                continue
            if not look.is_worth:
                continue
            self._pairs.add(frozenset((node, other)))
            self._looks.append(look)
            yield look


def _place(made: Suggestion | None) -> tuple[NotePath, int] | None:
    """Return where a suggestion would put its link around a name."""
    if made is None or made.mention is None:
        return None
    return made.source, made.mention.bytes[0]


MOST = 1_000
"""Suggestions that one answer gives at most, as the other lists of the engine do."""

FEW = 100
"""Up to so many are found among the same pairs, so that one page follows another."""

NO_VECTORS = (
    "nothing is embedded yet, so that notes are compared by their words alone; "
    "glassmind index embeds where a model is chosen"
)


def suggest(
    study: "GraphContext", kept: "KeptRankings", note: NotePath | None, *, limit: int
) -> Suggestions:
    """Return what should be linked, best first, each with the edit that would do it.

    Notes that are linked already, either way, are not suggested, but for a property
    that should lead back. Neither are dismissed pairs, the agent folder or templates.

    Raises:
        BadLimit: so many cannot be given.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    with study.files() as files:
        desk = Desk(study, Pages(files), kept.vectors)
        if note is None:
            ranking = kept.of_vault(study, desk, FEW if limit <= FEW else MOST)
        else:
            ranking = Ranking(desk.glances_of(note))
        found = ranking.first(desk, note, limit)
    return Suggestions(note, tuple(found), tuple(_unknown(study, note)))


def _unknown(study: "GraphContext", note: NotePath | None) -> Iterator[str]:
    """Yield what was not looked at; one note is compared with all there and then."""
    if not study.mention_rows().width():
        yield NO_VECTORS
    elif note is None:
        yield from unknown(study)
        return
    yield from study.book.now().problems


def outlooks(
    study: "GraphContext", notes: Sequence[NotePath]
) -> Iterator[tuple[Outlook, Sequence[str]]]:
    """Yield how all others look from some notes, and the path of every node.

    What `suggest` ranks by, before anything is looked at on disk.
    """
    with study.files() as files:
        desk, net = Desk(study, Pages(files), KeptVectors()), study.facts().net
        known = (net.node_at(note) for note in notes)
        for outlook in desk.outlooks(
            {node: None for node in known if node is not None}
        ):
            yield outlook, net.paths


class _State(NamedTuple):
    """What the pairs of a vault follow from, but for the notes as they are on disk."""

    facts: Facts
    vectors: str
    words: str | None

    def is_still(self, now: "_State") -> bool:
        return self.facts is now.facts and self[1:] == now[1:]


class KeptRankings:
    """Owns the pairs of the whole vault as they were last ranked, and all vectors.

    They are ranked again once the rows, or a note that was looked at, are others.
    """

    def __init__(self) -> None:
        self._ranking = Lock()
        self._kept: dict[int, tuple[_State, Ranking]] = {}
        self._said = Said()
        self.vectors = KeptVectors()

    def of_vault(self, study: "GraphContext", desk: Desk, most: int) -> Ranking:
        """Return the pairs that the first `most` suggestions are found among."""
        words = study.words()
        level = words.level_with if words is not None else None
        now = _State(desk.facts, study.mention_rows().stamp(), level)
        with self._ranking:
            state, ranking = self._kept.get(most, (None, None))
            if state is None or ranking is None or not state.is_still(now):
                self._kept.clear()  # of another state, all of them
                ranking = None
            elif not desk.pages.are_still(ranking.seen):
                ranking = None
            if ranking is None:
                glances = desk.glances_of_vault(most, self._said)
                ranking = Ranking(glances, least=LEAST_OF_VAULT)
                ranking.seen.update(desk.pages.seen())
                self._kept[most] = now, ranking
            return ranking
