"""Operations that find notes: search, read, list, verify."""

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from glassmind.engine import Engine
from glassmind.errors import NoteNotFound, OffsetOutOfRange
from glassmind.errors.serving import BadArgument
from glassmind.markdown.address import heading_address, iso_time, obsidian_uri
from glassmind.markdown.hidden_text import hidden_kinds, hidden_notice
from glassmind.markdown.style import shortened
from glassmind.markdown.tokens import QUARTERS, reach
from glassmind.operations import find_text as text
from glassmind.operations.empty_list import empty_reasons, property_filter
from glassmind.operations.model_text import UNREAD
from glassmind.operations.names import is_address, named_by
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Page,
    Result,
    Route,
    Surface,
    TextForm,
    Tool,
    arg,
    copied,
    operation,
    shown,
)
from glassmind.retrieval.wishes import MOST_HITS, MOST_HOPS, SAYS
from glassmind.types import Span
from glassmind.types import search as found
from glassmind.types.adjustments import Adjustment
from glassmind.types.graph import Hop
from glassmind.types.ledger import Passage, Shown
from glassmind.types.search import Evidence, FusionName, Intent, Mode, Rerank, Snippet

if TYPE_CHECKING:
    from glassmind.types.catalogue import NoteFacts

Name = Annotated[str, Meta(max_length=4_096)]
HERE: tuple[Surface, ...] = ("cli", "http")
"""Surfaces whose clients choose how to search; models leave that to the settings."""

IntentChoice = Literal["auto", "balanced", Intent]


class SearchArguments(Arguments):
    query: Annotated[
        str,
        arg(
            "A question, or words, phrases and filters.",
            positional="words",
            pattern=SAYS,
        ),
    ]
    limit: Annotated[
        int | None,
        arg("Maximum number of results; usually 10.", short="-n", ge=1, le=MOST_HITS),
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
        arg("Note that links are followed from.", flag="--root", metavar="NOTE"),
    ] = None
    hop_depth: Annotated[
        int,
        arg("Links to follow from it.", flag="--hops", only=HERE, ge=0, le=MOST_HOPS),
    ] = 2
    threshold: Annotated[
        float, arg("Least relevance; the best hit has 1.", ge=0, le=1)
    ] = 0.0
    min_similarity: Annotated[
        float | None,
        arg("Least cosine between question and passage.", only=HERE, ge=-1, le=1),
    ] = None
    fusion: Annotated[
        FusionName | None, arg("How the channels' rankings become one.", only=HERE)
    ] = None
    rerank: Annotated[
        Rerank | None,
        arg("Rank the best passages again with a cross-encoder.", only=HERE),
    ] = None
    unique: Annotated[
        Literal["notes", "chunks"],
        arg("One hit per note, or one per passage.", only=HERE),
    ] = "notes"
    explain: Annotated[bool, arg("Show how each score was made.", only=HERE)] = False


class MorePassage(Struct, frozen=True):
    """A further passage of the same note."""

    heading_path: tuple[str, ...]
    heading: str
    lines: Span
    chunk_index: int
    snippet: Snippet
    digest: str


class SearchHit(Struct, frozen=True, kw_only=True):
    """A passage that was found: where it is, why it is here, what it says.

    A fact of Hindsight has an address instead of a path, no time and no URI.
    """

    path: str
    title: str
    heading_path: tuple[str, ...]
    heading: str
    lines: Span
    chunk_index: int
    score: float
    relevance: float
    channels: tuple[str, ...]
    match_reason: str
    similarity: float | None
    depth: int
    connected_via: tuple[str, ...]
    hops: tuple[Hop, ...]
    evidence: tuple[Evidence, ...]
    adjustments: tuple[Adjustment, ...]
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


class SearchResult(Result):
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
    for_people=text.search_for_people,
    for_models=text.search_for_models,
    detail="explain",
    command=Command(
        everyday=True,
        forms=(TextForm("--paths", "Print only the paths.", text.search_paths),),
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
    intent = None if arguments.intent == "balanced" else arguments.intent
    options = structs.asdict(arguments) | {"intent": intent}
    steady = caller.surface == "mcp"  # comes in pages
    reply = vault.search(options.pop("query"), **options, steady=steady)
    where = vault.config.vault
    return search_result(reply, vault=where.name, root=str(where.path))


def search_result(reply: found.SearchReply, *, vault: str, root: str) -> SearchResult:
    """Return a typed result; `vault` is the name in Obsidian, `root` the folder."""
    return copied(
        SearchResult,
        reply,
        vault=root,
        doubtful=reply.is_doubtful,
        hits=[search_hit(hit, vault) for hit in reply.hits],
    )


def search_hit(hit: found.Hit, vault: str) -> SearchHit:
    """Return the typed result of one hit; `vault` is the vault's name in Obsidian."""
    uri = obsidian_uri(vault, hit.path, hit.heading_path) if hit.is_note else None
    return copied(
        SearchHit,
        hit,
        heading=heading_address(hit.path, hit.heading_path),
        lines=hit.span,
        more=[
            copied(
                MorePassage,
                more,
                heading=heading_address(hit.path, more.heading_path),
                lines=more.span,
            )
            for more in hit.more
        ],
        modified=iso_time(hit.mtime_ns) if hit.is_note else None,
        uri=uri,
        generated=True if hit.generated else UNSET,
    )


# --- read ---------------------------------------------------------------------------

PAGE_CHARS = 200_000
"""Characters of a note in one HTTP answer, at most a megabyte."""


class ReadArguments(Arguments):
    name: Annotated[
        Name,
        arg(
            "Path, title, alias or receipt; Note#Heading, Note.md:12-18.",
            positional="words",
        ),
    ]
    heading: Annotated[str, arg("Only this section.", for_models="", longest=1_000)] = (
        ""
    )
    lines: Annotated[
        str | None,
        arg(
            "Only these lines: 12-34, or 12- to the end.",
            metavar="A-B",
            pattern=r"^[0-9]{1,9}(-([0-9]{1,9})?)?$",
            longest=40,
        ),
    ] = None
    raw: Annotated[
        bool,
        arg("A canvas or drawing as its file is, not as it was indexed.", only=HERE),
    ] = False
    offset: Annotated[
        int,
        arg(
            "Characters to skip: next_offset of the last answer.",
            only=("mcp", "http"),
            ge=0,
            le=1_000_000_000,
        ),
    ] = 0
    limit: Annotated[
        int, arg("Maximum number of characters.", only=("http",), ge=1, le=PAGE_CHARS)
    ] = PAGE_CHARS
    max_tokens: Annotated[
        int,
        arg("Maximum number of tokens.", only=("mcp",), for_models="", ge=50, le=8_000),
    ] = 2_000


class ReadResult(Result):
    """A note, or a part of it, as it is on disk.

    `letters` is the length of the whole text in characters. `guessed` says that no
    note has this very name, and this one is the closest.
    """

    path: str
    title: str
    heading_path: tuple[str, ...]
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
    for_people=lambda result, *_: result.text,
    for_models=text.read_for_models,
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
    return copied(
        ReadResult,
        note,
        heading=heading_address(note.path, note.heading_path),
        lines=[first, last],
        text=part,
        uri=obsidian_uri(config.name, note.path, note.heading_path),
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


class ReadChunksArguments(Arguments):
    name: Annotated[Name, arg("Path, title or alias of a note.", positional="words")]


class Chunk(Struct, frozen=True, kw_only=True):
    """A note's passage, as it was split for the index."""

    chunk_index: int
    kind: str
    heading_path: tuple[str, ...]
    heading: str
    lines: Span
    tokens: int
    overlap: int
    digest: str
    text: str


class ReadChunksResult(Result):
    """All passages of a note."""

    path: str
    chunks: list[Chunk]

    def sources(self) -> Shown:
        """Return the passages."""
        return shown([Passage(self.path, *chunk.lines) for chunk in self.chunks])


@operation(
    group="Find",
    for_people=text.chunks_for_people,
    command=Command(expert=True),
)
def read_chunks(vault: Engine, arguments: ReadChunksArguments) -> ReadChunksResult:
    """Print a note as it was split for the index."""
    path, chunks = vault.chunks(arguments.name)
    return ReadChunksResult(
        path=path,
        chunks=[
            copied(
                Chunk,
                chunk,
                chunk_index=chunk.index,
                heading=heading_address(path, chunk.heading_path),
                lines=chunk.span,
            )
            for chunk in chunks
        ],
    )


# --- list ---------------------------------------------------------------------------


class ListArguments(Arguments):
    """What `list` takes; a note must pass every filter."""

    folder: Annotated[Name, arg("Notes in or below a folder.", metavar="PATH")] = ""
    tag: Annotated[str, arg("Notes with a tag, or one below it.", longest=1_000)] = ""
    property: Annotated[
        str,
        arg(
            "Notes with a property, or with a value of it.",
            metavar="NAME[=VALUE]",
            for_models="name, name=value or name:value",
            longest=1_000,
        ),
    ] = ""
    since: Annotated[
        str | None,
        arg("Notes of this day or later: 2026-03-12, 2026-03, 7d.", metavar="DAY"),
    ] = None
    until: Annotated[str | None, arg("Notes before this day.", metavar="DAY")] = None
    kind: Annotated[
        Literal["markdown", "canvas", "base", "excalidraw"] | None,
        arg("Notes of one kind.", only=("cli",)),
    ] = None
    newest: Annotated[bool, arg("Last modified first, not by path.")] = False
    limit: Annotated[
        int | None, arg("Maximum number of notes.", short="-n", for_models="", ge=1)
    ] = None
    offset: Annotated[int, arg("Notes to skip.", only=("cli",), ge=0)] = 0


class ListedNote(Struct, frozen=True, kw_only=True):
    """A note in a list."""

    path: str
    title: str
    kind: str
    size: int
    modified: str
    day: str | None
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    properties: dict[str, Any]
    uri: str


class ListResult(Result):
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
        if not self.notes and not self.total:
            similar = (self.closest or {}).items()
            near = [f"Similar {name}: {', '.join(values)}." for name, values in similar]
            place = " ".join(["No notes match.", *near])
        elif not self.notes:
            end = f"Offset {self.offset:,} is past the end"
            place = f"{end}: {self.total:,} notes match."
        else:
            place = f"Notes {first:,} to {last:,} of {self.total:,}."
        is_whole = self.notes and self.total == len(self.notes)
        return [*self.notices, *([] if is_whole else [place])]

    def is_empty(self) -> bool:
        return not self.notes


@operation(
    group="Find",
    for_people=text.list_for_people,
    for_models=text.list_for_models,
    command=Command(path="list", everyday=True, piped=text.list_paths),
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
    return copied(
        ListedNote,
        note,
        modified=iso_time(note.mtime_ns),
        uri=obsidian_uri(vault, note.path),
    )


# --- verify -------------------------------------------------------------------------


def _receipts_in(text: str) -> list[str]:
    from glassmind.markdown.cited import receipts_in  # noqa: PLC0415 - 27 ms

    return receipts_in(text)


class VerifyArguments(Arguments):
    receipts: Annotated[
        list[str],
        arg(
            "Receipts (path#heading:lines@digest); - takes those in standard input.",
            positional="list",
            from_stdin=_receipts_in,
            for_models="",
            longest=1_000,
        ),
    ]


class VerifiedReceipt(Struct, frozen=True):
    """What became of cited lines; `now` is None if the text is nowhere."""

    receipt: str
    state: Literal["unchanged", "moved", "changed", "gone", "unread", "bad"]
    now: str | None
    note: str


class VerifyResult(Result):
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
    for_people=text.verify_for_people,
    for_models=text.verify_for_models,
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
    receipts = list(dict.fromkeys(arguments.receipts))
    found = vault.bundles.verify(receipts)
    return VerifyResult(receipts=[copied(VerifiedReceipt, one) for one in found])
