"""What a search takes and gives: the query as understood, and hits that say why.

Named tuples, for the reason that `types` gives.
"""

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from glassmind.model import NotePath, Span
from glassmind.model.graph import Hop

AdjustmentName: TypeAlias = Literal[
    "recency", "tag", "path", "title", "hot", "pinned", "superseded", "rerank"
]


class Adjustment(Struct, frozen=True):
    """What was added to a score, or taken from it, after the channels voted."""

    name: AdjustmentName
    share: float
    reason: str


class ActivityLevel(NamedTuple):
    heat: float
    pinned: bool


class Successor(NamedTuple):
    """The note that took the place of another: its id, 0 for none we know, and name."""

    note_id: int
    name: str


ChannelName: TypeAlias = Literal[
    "lexical", "semantic", "graph", "implicit", "memory", "recent", "hindsight"
]
Mode: TypeAlias = Literal["hybrid", "semantic", "fulltext"]
FusionName: TypeAlias = Literal["minmax", "rrf", "weighted_rrf", "weighted_sum"]
Rerank: TypeAlias = Literal["auto", "on", "off"]
Intent: TypeAlias = Literal[
    "factual_lookup", "context_load", "conceptual", "backlink", "serendipity"
]
FilterKind: TypeAlias = Literal[
    "tag", "path", "file", "property", "before", "after", "among"
]


FACTS = "hindsight://"
"""How the path of a hit begins that is no note but a fact of Hindsight."""


class Filter(NamedTuple):
    """A condition on the note a chunk belongs to; `negated` turns it round.

    `name` is the property's name for "property", else empty; `value` is None for a
    property that only has to be there. `day` is set for "before" (that day excluded)
    and "after" (included), `paths` for "among": one of these notes.
    """

    kind: FilterKind
    value: str | None = None
    name: str = ""
    day: date | None = None
    negated: bool = False
    paths: tuple[NotePath, ...] = ()


class WordQuery(NamedTuple):
    """A query by words, taken apart: what a lexical index is asked.

    `words` are wanted but optional; `phrases` must stand to the letter; `excluded`
    holds phrases (a single word is a phrase of one) that must not stand in the chunk;
    `prefixes` are beginnings of words, wanted but optional.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()


class Candidate(NamedTuple):
    chunk_id: int
    note_id: int
    score: float


class Evidence(Struct, frozen=True):
    """What one channel contributed to a score, and why.

    `quoted` is the path of another note, if the reason quotes a line of it.
    """

    channel: ChannelName
    rank: int
    share: float
    reason: str
    fields: Mapping[str, float]
    quoted: str | UnsetType = UNSET


class Snippet(Struct, frozen=True):
    """A short piece of a passage; `marks` are half-open ranges that matched."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class ChunkText(Struct, frozen=True):
    """A passage of a note with its text; `heading` is the address of its heading."""

    chunk_index: int
    kind: str
    heading_path: tuple[str, ...]
    heading: str
    lines: Span
    tokens: int
    overlap: int
    digest: str
    text: str


class HitChunk(NamedTuple):
    chunk_id: int
    path: NotePath
    title: str
    heading_path: tuple[str, ...]
    lines: Span
    chunk_index: int
    digest: str
    mtime_ns: int
    text: str
    note_id: int
    generated: bool = False


class Passage(Struct, frozen=True):
    """A place in a note that a hit points to: one chunk, or several in a row.

    `heading` is the address of its heading, such as `Note.md#Heading`.
    """

    heading_path: tuple[str, ...]
    heading: str
    lines: Span
    chunk_index: int
    snippet: Snippet
    digest: str


class Hit(NamedTuple):
    """A passage that matters for the query, and why.

    The shares of `evidence` and `adjustments` add up to `score`; `relevance` is the
    score against that of the best hit. `more` are further passages of the same note.
    `depth` counts the links between the note and what was asked for, and
    `connected_via` names the notes they lead through, `hops` the links themselves, each
    as it was written; 0 and none for a note that was found rather by what it says.
    `generated` marks what an agent wrote and no person has approved. A hit may be a
    fact of Hindsight: its path is an address that no note has, its lines say nothing.
    """

    path: NotePath
    title: str
    heading_path: tuple[str, ...]
    lines: Span
    chunk_index: int
    score: float
    snippet: Snippet
    evidence: tuple[Evidence, ...]
    digest: str
    mtime_ns: int
    relevance: float = 1.0
    adjustments: tuple[Adjustment, ...] = ()
    more: tuple[Passage, ...] = ()
    similarity: float | None = None
    depth: int = 0
    connected_via: tuple[NotePath, ...] = ()
    hops: tuple[Hop, ...] = ()
    generated: bool = False

    @property
    def is_note(self) -> bool:
        return not self.path.startswith(FACTS)

    @property
    def channels(self) -> tuple[ChannelName, ...]:
        return tuple(evidence.channel for evidence in self.evidence)

    @property
    def match_reason(self) -> str:
        """Why it is here, in one line; never empty."""
        return "; ".join(evidence.reason for evidence in self.evidence)


class SearchOptions(NamedTuple):
    """How a question is to be answered; what is None is for the settings to say.

    `intent` is "auto" when it is to be told from the question, and None where every
    channel counts as usual; so it does where no intent is sure, unless
    `fallback_intent` names one. `root_note` is where "graph" begins. `threshold` is
    relative: the best hit has 1.0. `min_similarity` is a cosine. `channels` keeps to
    some of them, `project` to the notes of one. A `steady` answer to a longer `limit`
    begins with that to a shorter one, so that it can be given in parts; else more votes
    are heard for more hits. `facts` lets what Hindsight remembers be among the hits.
    """

    limit: int = 10
    mode: Mode = "hybrid"
    intent: Intent | Literal["auto"] | None = "auto"
    root_note: str | None = None
    hop_depth: int = 2
    threshold: float = 0.0
    min_similarity: float | None = None
    fusion: FusionName = "minmax"
    channels: tuple[ChannelName, ...] | None = None
    rerank: Rerank = "auto"
    unique: Literal["notes", "chunks"] = "notes"
    explain: bool = False
    fallback_intent: Intent | None = None
    steady: bool = False
    project: str | None = None
    facts: bool = True


DOUBTFUL = 0.45
"""Confidence below which nothing good was found. Of questions to the sample vault, none
of 40 that it answers stands below, and 17 of 20 about things far from it."""


class SearchReply(NamedTuple):
    """The hits, best first, how they were found, and what was missing.

    `confidence` is the probability that the vault holds an answer; None when nothing
    by meaning was asked. `intent` is what was acted on, None where none was sure enough
    to be. `reranked` counts the passages that were read together with the question.
    `semantic_failure` says why semantic search was asked and could not answer.
    """

    query: str
    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
    mode: Mode = "fulltext"
    intent: Intent | None = None
    confidence: float | None = None
    channels: tuple[ChannelName, ...] = ()
    reranked: int = 0
    semantic_failure: str = ""

    @property
    def is_doubtful(self) -> bool:
        return self.confidence is not None and self.confidence < DOUBTFUL


LONGEST_QUESTION = 2_000
"""Letters of a question: a page of them. What is longer is a text, not a question."""

MOST_SOURCES = 50
"""Passages that an answer may rest on; nobody reads more, and no model does."""

ASKS = r"[^\s!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u206f\u3000-\u303f]"
"""What stands somewhere in every question: no blank, and no sign such as `?` or `—`. As
a schema can say it."""


def says_something(question: str) -> bool:
    return re.search(ASKS, question) is not None


class RecalledFact(NamedTuple):
    """Something that Hindsight remembers, and `path`, which tells it from all notes."""

    path: str
    text: str
    kind: str = ""
    day: str = ""
    document: str = ""


class HindsightDocument(NamedTuple):
    """Something that Hindsight is to remember; told again, it replaces the former."""

    document: str
    text: str
    created: str = ""
    context: str = ""
    facts: Mapping[str, str] = MappingProxyType({})
    tags: tuple[str, ...] = ()


def document_of(path: str, vault: str) -> str:
    """Return the name of a document in Hindsight that is about a note."""
    return f"glassmind:{vault}:{path}"


def memo_of(document: str, vault: str) -> str:
    """Return the note of a memo that goes by this; empty where it is none of ours."""
    ours = document_of("", vault)
    if not document.startswith(ours):
        return ""
    return document.removeprefix(ours).partition("#")[0]


class PlacedChunk(NamedTuple):
    """What is a chunk's own of the lines of its note, from `first_line` on."""

    number: int
    heading_path: tuple[str, ...]
    first_line: int
    text: str
    begins: bool
    is_last: bool


class PackedNote(NamedTuple):
    """A note as a bundle names it; `day` is empty where its name says none."""

    note_id: int
    path: NotePath
    title: str
    day: str
    mtime_ns: int
    generated: bool
    at_once: bool = False
    superseded_by: str = ""
    private: bool = False
