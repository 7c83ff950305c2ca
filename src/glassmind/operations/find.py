"""Operations that find notes: search."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from glassmind.engine import Engine
from glassmind.operations.find_text import (
    search_for_models,
    search_for_people,
    search_paths,
)
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Page,
    Result,
    Route,
    TextForm,
    Tool,
    arg,
    operation,
    shown,
)
from glassmind.render.address import heading_address, iso_time, obsidian_uri
from glassmind.render.style import shortened
from glassmind.retrieval.wishes import MOST_HITS, MOST_HOPS
from glassmind.types import search as found
from glassmind.types.ledger import Passage, Shown
from glassmind.types.search import FusionName, Mode, Rerank

Share = Annotated[float, Meta(ge=0, le=1)]
Cosine = Annotated[float, Meta(ge=-1, le=1)]
Hops = Annotated[int, Meta(ge=0, le=MOST_HOPS)]
HitLimit = Annotated[int, Meta(ge=1, le=MOST_HITS)]

IntentChoice = Literal[
    "auto",
    "balanced",
    "factual_lookup",
    "context_load",
    "conceptual",
    "backlink",
    "serendipity",
]


class SearchArguments(Arguments, frozen=True, kw_only=True):
    """What `search` takes."""

    query: Annotated[
        str,
        arg(
            "Words, phrases and filters, or a question.",
            positional="words",
            for_models="question or words, with filters if wanted",
        ),
    ]
    limit: Annotated[
        HitLimit | None,
        arg("Maximum number of results.", short="-n", for_models="hits; usually 10"),
    ] = None
    mode: Annotated[
        Mode | None,
        arg("Search by keywords, meaning and links (hybrid), or one.", for_models=""),
    ] = None
    intent: Annotated[
        IntentChoice, arg("What kind of answer is wanted.", for_models="")
    ] = "auto"
    root_note: Annotated[
        str | None,
        arg(
            "The note that links are followed from.",
            flag="--root",
            metavar="NOTE",
            for_models="note that links are followed from",
        ),
    ] = None
    hop_depth: Annotated[
        Hops,
        arg("How many links to follow from it.", flag="--hops", only=("cli", "http")),
    ] = 2
    threshold: Annotated[
        Share,
        arg("Least relevance; the best hit has 1.", for_models="least relevance"),
    ] = 0.0
    min_similarity: Annotated[
        Cosine | None,
        arg("Least cosine between question and passage.", only=("cli", "http")),
    ] = None
    fusion: Annotated[
        FusionName | None,
        arg("How the channels' rankings become one.", only=("cli", "http")),
    ] = None
    rerank: Annotated[
        Rerank | None,
        arg("Rank the best passages again with a cross-encoder.", only=("cli", "http")),
    ] = None
    unique: Annotated[
        Literal["notes", "chunks"],
        arg("One hit per note, or one per passage.", only=("cli", "http")),
    ] = "notes"
    explain: Annotated[
        bool, arg("Show how each score was made.", only=("cli", "http"))
    ] = False


class Snippet(Struct, frozen=True):
    """A short piece of a passage; `marks` are half-open ranges that matched."""

    text: str
    marks: list[list[int]]


class MorePassage(Struct, frozen=True):
    """A further passage of the same note."""

    heading_path: list[str]
    heading: str
    lines: list[int]
    chunk_index: int
    snippet: Snippet
    digest: str


class Evidence(Struct, frozen=True):
    """What one channel contributed to a score, and why.

    `quoted` is the path of another note, if the reason quotes a line of it.
    """

    channel: str
    rank: int
    share: float
    reason: str
    fields: dict[str, float]
    quoted: str | UnsetType = UNSET


class Adjustment(Struct, frozen=True):
    """What was added to a score, or taken from it, after the channels voted."""

    name: str
    share: float
    reason: str


class Hop(Struct, frozen=True):
    """One link on the way from the root note to a hit."""

    source: str
    target: str
    kind: str
    property: str


class SearchHit(Struct, frozen=True, kw_only=True):
    """A passage that was found: where it is, why it is here, what it says.

    A fact of Hindsight has an address instead of a path, no time and no URI.
    """

    path: str
    title: str
    heading_path: list[str]
    heading: str
    lines: list[int]
    chunk_index: int
    score: float
    relevance: float
    channels: list[str]
    match_reason: str
    similarity: float | None
    depth: int
    connected_via: list[str]
    hops: list[Hop]
    evidence: list[Evidence]
    adjustments: list[Adjustment]
    snippet: Snippet
    more: list[MorePassage]
    digest: str
    modified: str | None
    uri: str | None
    generated: bool | UnsetType = UNSET

    @property
    def is_note(self) -> bool:
        """Whether the hit is in a note, and not a fact of Hindsight."""
        return not self.path.startswith(found.FACTS)


class SearchResult(Result, frozen=True, kw_only=True):
    """Hits, best first, and what was missing."""

    vault: str
    query: str
    mode: str
    intent: str | None
    channels: list[str]
    confidence: float | None
    doubtful: bool
    reranked: int
    hits: list[SearchHit]
    degraded: list[str]

    def sources(self) -> Shown:
        """Return the passages shown, and the notes that links lead through."""
        passages: list[Passage] = []
        named: list[str] = []
        for hit in filter(lambda hit: hit.is_note, self.hits):
            passages.append(Passage(hit.path, *hit.lines))
            passages += [Passage(hit.path, *more.lines) for more in hit.more]
            named += hit.connected_via
            named += [end for hop in hit.hops for end in (hop.source, hop.target)]
            quoted = [one.quoted for one in hit.evidence]
            passages += [Passage(path) for path in quoted if path]
        return shown(passages, named)

    def all_notices(self) -> list[str]:
        """Return what was missing, and whether the vault seems to hold no answer."""
        if not self.hits:
            return [*self.degraded, f"No results for {shortened(self.query)!r}."]
        near = "No good match. These are the closest results."
        return [*self.degraded, *([near] if self.doubtful else [])]

    def is_empty(self) -> bool:
        """Return whether there are no hits."""
        return not self.hits


@operation(
    group="Find",
    for_people=search_for_people,
    for_models=search_for_models,
    detail="explain",
    command=Command(
        everyday=True,
        forms=(TextForm("--paths", "Print only the paths.", search_paths),),
    ),
    tool=Tool(
        title="Search the vault",
        sets=("core",),
        description=(
            "Find passages of the user's notes by words, meaning and links. Use it "
            "first for a single fact or a place, then read the best hits; for a task "
            "or question, glassmind_context. The query may filter: tag:name "
            "path:folder file:name [property:value] before:2026-03 after:7d "
            '"phrase" -word.'
        ),
        page=Page("hits", most=50, usual=lambda vault: vault.config.search.limit),
    ),
    route=Route("POST", "/search", sets=("core",), fails=(404, 409)),
)
def search(vault: Engine, arguments: SearchArguments, caller: Caller) -> SearchResult:
    """Search notes by keywords, meaning and links."""
    reply = vault.search(
        arguments.query,
        limit=arguments.limit,
        mode=arguments.mode,
        intent=None if arguments.intent == "balanced" else arguments.intent,
        root_note=arguments.root_note,
        hop_depth=arguments.hop_depth,
        threshold=arguments.threshold,
        min_similarity=arguments.min_similarity,
        fusion=arguments.fusion,
        rerank=arguments.rerank,
        unique=arguments.unique,
        explain=arguments.explain,
        steady=caller.surface == "mcp",  # comes in pages
    )
    return search_result(reply, vault)


def search_result(reply: found.SearchReply, vault: Engine) -> SearchResult:
    """Return the typed result of a search."""
    where = vault.config.vault
    return SearchResult(
        vault=str(where.path),
        query=reply.query,
        mode=reply.mode,
        intent=reply.intent,
        channels=list(reply.channels),
        confidence=reply.confidence,
        doubtful=reply.is_doubtful,
        reranked=reply.reranked,
        hits=[search_hit(hit, where.name) for hit in reply.hits],
        degraded=list(reply.degraded),
    )


def search_hit(hit: found.Hit, vault: str) -> SearchHit:
    """Return the typed result of one hit; `vault` is the vault's name in Obsidian."""
    uri = obsidian_uri(vault, hit.path, hit.heading_path) if hit.is_note else None
    return SearchHit(
        path=hit.path,
        title=hit.title,
        heading_path=list(hit.heading_path),
        heading=heading_address(hit.path, hit.heading_path),
        lines=[hit.span.start, hit.span.end],
        chunk_index=hit.chunk_index,
        score=hit.score,
        relevance=hit.relevance,
        channels=list(hit.channels),
        match_reason=hit.match_reason,
        similarity=hit.similarity,
        depth=hit.depth,
        connected_via=list(hit.connected_via),
        hops=[Hop(*hop) for hop in hit.hops],
        evidence=[_evidence(one) for one in hit.evidence],
        adjustments=[Adjustment(*one) for one in hit.adjustments],
        snippet=_snippet(hit.snippet),
        more=[
            MorePassage(
                list(more.heading_path),
                heading_address(hit.path, more.heading_path),
                [more.span.start, more.span.end],
                more.chunk_index,
                _snippet(more.snippet),
                more.digest,
            )
            for more in hit.more
        ],
        digest=hit.digest,
        modified=iso_time(hit.mtime_ns) if hit.is_note else None,
        uri=uri,
        generated=True if hit.generated else UNSET,
    )


def _snippet(snippet: found.Snippet) -> Snippet:
    return Snippet(snippet.text, [list(mark) for mark in snippet.marks])


def _evidence(one: found.Evidence) -> Evidence:
    fields, quoted = dict(one.fields), one.quoted or UNSET
    return Evidence(one.channel, one.rank, one.share, one.reason, fields, quoted)
