"""Operations that find notes: search, read, list, verify."""

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from glassmind.engine import Engine
from glassmind.errors import NoteNotFound, OffsetOutOfRange
from glassmind.errors.serving import BadArgument
from glassmind.markdown.tokens import QUARTERS, reach
from glassmind.operations.empty_list import empty_reasons, property_filter
from glassmind.operations.find_text import (
    chunks_for_models,
    chunks_for_people,
    list_for_models,
    list_for_people,
    list_paths,
    read_for_models,
    read_for_people,
    search_for_models,
    search_for_people,
    search_paths,
    verify_for_models,
    verify_for_people,
)
from glassmind.operations.names import is_address, named_by
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
from glassmind.render.approval import UNREAD
from glassmind.render.hidden_text import hidden_kinds, hidden_notice
from glassmind.render.style import shortened
from glassmind.retrieval.wishes import MOST_HITS, MOST_HOPS, SAYS
from glassmind.types import search as found
from glassmind.types.ledger import Passage, Shown
from glassmind.types.search import FusionName, Mode, Rerank

if TYPE_CHECKING:
    from glassmind.types.catalogue import NoteFacts

Name = Annotated[str, Meta(max_length=4_096)]
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
    query: Annotated[
        str,
        arg(
            "Words, phrases and filters, or a question.",
            positional="words",
            pattern=SAYS,
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
    where = vault.config.vault
    return search_result(reply, vault=where.name, root=str(where.path))


def search_result(reply: found.SearchReply, *, vault: str, root: str) -> SearchResult:
    """Return a typed result; `vault` is the name in Obsidian, `root` the folder."""
    return SearchResult(
        vault=root,
        query=reply.query,
        mode=reply.mode,
        intent=reply.intent,
        channels=list(reply.channels),
        confidence=reply.confidence,
        doubtful=reply.is_doubtful,
        reranked=reply.reranked,
        hits=[search_hit(hit, vault) for hit in reply.hits],
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


# --- read ---------------------------------------------------------------------------

Line = Annotated[str, Meta(max_length=40)]
PAGE_CHARS = 200_000
"""Characters of a note in one HTTP answer, at most a megabyte."""


class ReadArguments(Arguments, frozen=True, kw_only=True):
    name: Annotated[
        Name,
        arg(
            "Path, title, alias or receipt; Note#Heading, Note.md:12-18.",
            positional="words",
            for_models="path, title, alias, address or receipt; Note#Heading, "
            "Note.md:12-18",
        ),
    ]
    heading: Annotated[
        Annotated[str, Meta(max_length=1_000)], arg("Only this section.", for_models="")
    ] = ""
    lines: Annotated[
        Line | None,
        arg(
            "Only these lines, such as 12-34, or 12- to the end.",
            metavar="A-B",
            pattern=r"^[0-9]{1,9}(-([0-9]{1,9})?)?$",
            for_models="12-34, or 12- to the end",
        ),
    ] = None
    raw: Annotated[
        bool,
        arg(
            "A canvas or drawing as its file is, not as it was indexed.",
            only=("cli", "http"),
        ),
    ] = False
    offset: Annotated[
        Annotated[int, Meta(ge=0, le=1_000_000_000)],
        arg(
            "Characters to skip.",
            only=("mcp", "http"),
            for_models="next_offset of the last answer",
        ),
    ] = 0
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=PAGE_CHARS)],
        arg("Maximum number of characters.", only=("http",)),
    ] = PAGE_CHARS
    max_tokens: Annotated[
        Annotated[int, Meta(ge=50, le=8_000)],
        arg("Maximum number of tokens.", only=("mcp",), for_models=""),
    ] = 2_000


class ReadResult(Result, frozen=True, kw_only=True):
    """A note, or a part of it, as it is on disk.

    `letters` is the length of the whole text in characters. `guessed` says that no
    note has this very name, and this one is the closest.
    """

    path: str
    title: str
    heading_path: list[str]
    heading: str
    lines: list[int]
    text: str
    digest: str
    uri: str
    notices: list[str]
    offset: int
    letters: int
    truncated: bool
    next_offset: int | None
    generated: bool | UnsetType = UNSET
    guessed: bool | UnsetType = UNSET

    def sources(self) -> Shown:
        """Return the lines shown."""
        return shown([Passage(self.path, *self.lines)])

    def all_notices(self) -> list[str]:
        """Return how the note was found, and what readers do not see of it."""
        hides = hidden_notice(hidden_kinds(self.text))
        return [
            *([f"Closest match: {self.path}"] if self.guessed else []),
            *([UNREAD] if self.generated else []),
            *self.notices,
            *([hides] if hides else []),
        ]


@operation(
    group="Find",
    for_people=read_for_people,
    for_models=read_for_models,
    command=Command(everyday=True, verbatim=True),
    tool=Tool(
        title="Read a note",
        sets=("core",),
        description=(
            "Read a note as it is on disk: all of it, the section under a heading, or "
            "some lines. Long notes come in parts; go on with offset."
        ),
    ),
    route=Route("GET", "/notes/{name}", sets=("core",), fails=(404, 409)),
)
def read(vault: Engine, arguments: ReadArguments, caller: Caller) -> ReadResult:
    """Print a note, a section or some lines of it."""
    from glassmind.types.catalogue import GuessedNote  # noqa: PLC0415 - 24 ms

    config = vault.config.vault
    name = named_by(arguments.name, vault=config.name, owner="read")
    note = vault.read(
        name,
        heading=arguments.heading,
        lines=line_range(arguments.lines),
        raw=arguments.raw,
    )
    guessed = isinstance(note, GuessedNote)
    if guessed and is_address(arguments.name):
        raise NoteNotFound(name, (note.path,))
    whole, start = note.text, arguments.offset
    if start > len(whole):
        raise OffsetOutOfRange(note.path, start, len(whole))
    end = _end_of_page(whole, arguments, caller)
    first = min(note.span.start + whole.count("\n", 0, start), note.span.end)
    part = whole[start:end]
    last = first + part.count("\n", 0, max(len(part) - 1, 0))
    return ReadResult(
        path=note.path,
        title=note.title,
        heading_path=list(note.heading_path),
        heading=heading_address(note.path, note.heading_path),
        lines=[first, last],
        text=part,
        digest=note.digest,
        uri=obsidian_uri(config.name, note.path, note.heading_path),
        notices=list(note.notices),
        offset=start,
        letters=len(whole),
        truncated=end < len(whole),
        next_offset=end if end < len(whole) else None,
        generated=True if note.generated else UNSET,
        guessed=True if guessed else UNSET,
    )


def _end_of_page(text: str, arguments: ReadArguments, caller: Caller) -> int:
    """Return where a page of a text ends; a page for a model ends with a line."""
    start = arguments.offset
    if caller.surface == "cli":
        return len(text)
    if caller.surface == "http":
        return min(start + arguments.limit, len(text))
    end = reach(text, start, len(text), arguments.max_tokens * QUARTERS) if text else 0
    whole = text.rfind("\n", start, end) + 1
    return whole if end < len(text) and whole > start else end


_RANGE = re.compile(r"\s*([0-9]{1,9})\s*(?:(-)\s*([0-9]{1,9})?\s*)?")


def line_range(text: str | None) -> tuple[int, int | None] | None:
    """Return the ends of `12-34`, of one line, or of `12-`, which has no end.

    Raises:
        BadArgument: it is not a range, or runs backwards.
    """
    if not text:
        return None
    found = _RANGE.fullmatch(text)
    if not found:
        raise BadArgument("read", "lines must be a range such as 12-34, or 12-")
    first = int(found[1])
    if found[2] and not found[3]:
        return first, None
    last = int(found[3] or first)
    if first > last:
        raise BadArgument("read", f"lines {text}: the first is after the last")
    return first, last


# --- read_chunks --------------------------------------------------------------------


class ReadChunksArguments(Arguments, frozen=True, kw_only=True):
    name: Annotated[Name, arg("Path, title or alias of a note.", positional="words")]


class Chunk(Struct, frozen=True, kw_only=True):
    """A note's passage, as it was split for the index."""

    chunk_index: int
    kind: str
    heading_path: list[str]
    heading: str
    lines: list[int]
    tokens: int
    overlap: int
    digest: str
    text: str


class ReadChunksResult(Result, frozen=True, kw_only=True):
    """All passages of a note."""

    path: str
    chunks: list[Chunk]

    def sources(self) -> Shown:
        """Return the passages."""
        return shown([Passage(self.path, *chunk.lines) for chunk in self.chunks])


@operation(
    group="Find",
    for_people=chunks_for_people,
    for_models=chunks_for_models,
    command=Command(expert=True),
)
def read_chunks(vault: Engine, arguments: ReadChunksArguments) -> ReadChunksResult:
    """Print a note as it was split for the index."""
    path, chunks = vault.chunks(arguments.name)
    return ReadChunksResult(
        path=path,
        chunks=[
            Chunk(
                chunk_index=chunk.index,
                kind=chunk.kind,
                heading_path=list(chunk.heading_path),
                heading=heading_address(path, chunk.heading_path),
                lines=[chunk.span.start, chunk.span.end],
                tokens=chunk.tokens,
                overlap=chunk.overlap,
                digest=chunk.digest,
                text=chunk.text,
            )
            for chunk in chunks
        ],
    )


# --- list ---------------------------------------------------------------------------

Term = Annotated[str, Meta(max_length=1_000)]


class ListArguments(Arguments, frozen=True, kw_only=True):
    """What `list` takes; a note must pass every filter."""

    folder: Annotated[
        Name,
        arg(
            "Notes in or below a folder.",
            metavar="PATH",
            for_models="notes in or below it",
        ),
    ] = ""
    tag: Annotated[
        Term, arg("Notes with a tag, or one below it.", for_models="or one below it")
    ] = ""
    property: Annotated[
        Term,
        arg(
            "Notes with a property, or with a value of it.",
            metavar="NAME[=VALUE]",
            for_models="name, name=value or name:value",
        ),
    ] = ""
    since: Annotated[
        str | None,
        arg(
            "Notes of this day or later: 2026-03-12, 2026-03, 7d.",
            metavar="DAY",
            for_models="day such as 2026-03-12, 2026-03 or 7d",
        ),
    ] = None
    until: Annotated[
        str | None,
        arg("Notes before this day.", metavar="DAY", for_models="day, itself excluded"),
    ] = None
    kind: Annotated[
        Literal["markdown", "canvas", "base", "excalidraw"] | None,
        arg("Notes of one kind.", only=("cli",)),
    ] = None
    newest: Annotated[
        bool,
        arg("Last modified first, not by path.", for_models="last modified first"),
    ] = False
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        arg("Maximum number of notes.", short="-n", for_models=""),
    ] = None
    offset: Annotated[
        Annotated[int, Meta(ge=0)], arg("Notes to skip.", only=("cli",))
    ] = 0


class ListedNote(Struct, frozen=True, kw_only=True):
    """A note in a list."""

    path: str
    title: str
    kind: str
    size: int
    modified: str
    day: str | None
    tags: list[str]
    aliases: list[str]
    properties: dict[str, Any]
    uri: str


class ListResult(Result, frozen=True, kw_only=True):
    """Notes that pass the filters; `total` counts all of them.

    `closest` has, for a filter that no note passes, values that look similar.
    """

    vault: str
    notes: list[ListedNote]
    total: int
    offset: int
    notices: list[str]
    closest: dict[str, list[str]] | UnsetType = UNSET

    def sources(self) -> Shown:
        """Return the notes with their properties."""
        return shown([Passage(note.path) for note in self.notes])

    def all_notices(self) -> list[str]:
        """Return why the list may be incomplete, or which part of it this is."""
        first, last = self.offset + 1, self.offset + len(self.notes)
        if self.total and not self.notes:
            place = (
                f"Offset {self.offset:,} is past the end: {self.total:,} notes match."
            )
        elif not self.notes:
            near = [
                f"Similar {argument}: {', '.join(values)}."
                for argument, values in (self.closest or {}).items()
            ]
            place = " ".join(["No notes match.", *near])
        elif self.total > len(self.notes):
            place = f"Notes {first:,} to {last:,} of {self.total:,}."
        else:
            return self.notices
        return [*self.notices, place]

    def is_empty(self) -> bool:
        return not self.notes


@operation(
    group="Find",
    for_people=list_for_people,
    for_models=list_for_models,
    command=Command(path="list", everyday=True, piped=list_paths),
    tool=Tool(
        title="List notes",
        sets=("core",),
        name="glassmind_list",
        description=(
            "List notes that pass every filter given, by path or newest first. To find "
            "what notes say use glassmind_search."
        ),
        page=Page("notes", most=200, furthest=sys.maxsize, usual=lambda _: 25),
    ),
)
def list_notes(vault: Engine, arguments: ListArguments) -> ListResult:
    """List notes by folder, tag, property or date."""
    if arguments.tag and not arguments.tag.strip(" #/"):
        raise BadArgument("list", "tag must be a name such as project/garden")
    name, value = property_filter(arguments.property)
    if arguments.property and not name:
        raise BadArgument("list", "property must be name, name=value or name:value")
    found = vault.list_notes(
        folder=arguments.folder,
        tag=arguments.tag.strip(),
        property_name=name,
        property_value=value,
        since=arguments.since,
        until=arguments.until,
        kind=arguments.kind or "",
        newest=arguments.newest,
        limit=arguments.limit or sys.maxsize,
        offset=arguments.offset,
    )
    wrong = [] if found.total else empty_reasons(vault, arguments)
    closest = {one.argument: list(one.closest) for one in wrong if one.closest}
    return ListResult(
        vault=str(vault.config.vault.path),
        notes=[listed_note(note, vault.config.vault.name) for note in found.notes],
        total=found.total,
        offset=arguments.offset,
        notices=[*found.notices, *(one.said for one in wrong)],
        closest=closest or UNSET,
    )


def listed_note(note: "NoteFacts", vault: str) -> ListedNote:
    """Return a note for a list; `vault` is the vault's name in Obsidian."""
    return ListedNote(
        path=note.path,
        title=note.title,
        kind=note.kind,
        size=note.size,
        modified=iso_time(note.mtime_ns),
        day=note.day,
        tags=list(note.tags),
        aliases=list(note.aliases),
        properties=dict(note.properties),
        uri=obsidian_uri(vault, note.path),
    )


# --- verify -------------------------------------------------------------------------


def _receipts_in(text: str) -> list[str]:
    from glassmind.markdown.cited import receipts_in  # noqa: PLC0415 - 27 ms

    return receipts_in(text)


class VerifyArguments(Arguments, frozen=True, kw_only=True):
    receipts: Annotated[
        Annotated[list[str], Meta(max_length=1_000)],
        arg(
            "Receipts (path#heading:lines@digest); - takes those in standard input.",
            positional="list",
            from_stdin=_receipts_in,
            for_models="",
        ),
    ]


class VerifiedReceipt(Struct, frozen=True):
    """What became of cited lines; `now` is None if the text is nowhere."""

    receipt: str
    state: Literal["unchanged", "moved", "changed", "gone", "unread", "bad"]
    now: str | None
    note: str


class VerifyResult(Result, frozen=True, kw_only=True):
    """What became of each receipt."""

    receipts: list[VerifiedReceipt]

    def sources(self) -> Shown:
        """Return the notes that the receipts name."""
        from glassmind.markdown.receipts import parse_receipt  # noqa: PLC0415 - 27 ms

        texts = [text for one in self.receipts for text in (one.receipt, one.now)]
        cited = [parse_receipt(text) for text in texts if text]
        return shown(named=[one.path for one in cited if one])

    def is_empty(self) -> bool:
        return any(one.state not in ("unchanged", "moved") for one in self.receipts)


@operation(
    group="Find",
    for_people=verify_for_people,
    for_models=verify_for_models,
    command=Command(),
    tool=Tool(
        title="Verify receipts",
        sets=("memory",),
        description=(
            "Tell whether lines that were cited by receipts "
            "(path#heading:12-18@digest) are unchanged, moved, changed or gone."
        ),
        page=Page("receipts", most=1_000, grows=False),
    ),
    route=Route("POST", "/verify", sets=("memory",)),
)
def verify(vault: Engine, arguments: VerifyArguments) -> VerifyResult:
    """Check whether cited lines are unchanged, moved, changed or gone."""
    found = vault.bundles.verify(list(dict.fromkeys(arguments.receipts)))
    return VerifyResult(
        receipts=[
            VerifiedReceipt(one.receipt, one.state, one.now, one.note) for one in found
        ]
    )
