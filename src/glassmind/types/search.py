"""What a search takes and gives: the query as understood, and hits that say why.

Named tuples, for the reason that `types` gives.
"""

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from glassmind.types import NotePath, Span

ChannelName: TypeAlias = Literal["lexical"]
FilterKind: TypeAlias = Literal["tag", "path", "file", "property", "before", "after"]


class Filter(NamedTuple):
    """A condition on the note a chunk belongs to; `negated` turns it round.

    `name` is the property's name for "property", else empty; `value` is None for a
    property that only has to be there. `day` is set for "before" (that day excluded)
    and "after" (included).
    """

    kind: FilterKind
    value: str | None = None
    name: str = ""
    day: date | None = None
    negated: bool = False


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
    """One chunk that a channel votes for."""

    chunk_id: int
    note_id: int
    score: float


class Evidence(NamedTuple):
    """Why a hit is here: one line per channel that voted for it."""

    channel: ChannelName
    rank: int
    share: float
    reason: str
    fields: Mapping[str, float] = MappingProxyType({})


class Snippet(NamedTuple):
    """A short stretch of a chunk; `marks` are half-open ranges that matched."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Hit(NamedTuple):
    """A passage that matters for the query, and why."""

    path: NotePath
    title: str
    heading_path: tuple[str, ...]
    span: Span
    chunk_index: int
    score: float
    snippet: Snippet
    evidence: tuple[Evidence, ...]
    digest: str
    mtime_ns: int


class SearchReply(NamedTuple):
    """The hits, best first, and what was missing while they were found."""

    query: str
    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
