"""Operations that find notes: search, read, list, verify."""

import re
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from glassmind.engine import Engine
from glassmind.errors import BadValue, NoteNotFound, OffsetOutOfRange
from glassmind.model import Span
from glassmind.model import search as found
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.model.context import ReceiptCheck
from glassmind.model.graph import Hop
from glassmind.obsidian.hidden_text import hidden_kinds, hidden_notice
from glassmind.obsidian.text import (
    QUARTERS,
    Style,
    bytes_in_words,
    counted,
    heading_address,
    iso_time,
    obsidian_uri,
    reach,
    shortened,
)
from glassmind.operations.model_text import (
    GENERATED,
    UNREAD,
    fenced,
    listed,
    named,
    one_line,
)
from glassmind.operations.names import cited, is_address, named_by
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    ModelView,
    Paging,
    Result,
    Route,
    Surface,
    TextForm,
    Tool,
    arg,
    copied,
    joined,
    operation,
    shown,
)
from glassmind.search.query import MOST_HITS, MOST_HOPS, SAYS

HERE: tuple[Surface, ...] = ("cli", "http")
"""Surfaces whose clients choose how to search; models leave that to the settings."""

Name = Annotated[str, Meta(max_length=4_096)]
ChosenMode = Annotated[
    found.Mode | None,
    arg("Search by keywords, meaning and links (hybrid), or one.", for_models=""),
]
IntentChoice = Literal["auto", "balanced", found.Intent]
ChosenIntent = Annotated[
    IntentChoice, arg("What kind of answer is wanted.", for_models="")
]
PROJECT = arg(
    "A project: its name, folder:PATH, #tag or property:KEY=VALUE.",
    metavar="PROJECT",
    for_models="name, folder:path, #tag or property:key=value",
    longest=1_000,
)
Project = Annotated[str | None, PROJECT]
Since = Annotated[
    str | None,
    arg(
        "From this day on: 2026-03-01, 2026-03, 7d.",
        metavar="DAY",
        for_models="YYYY-MM-DD, 7d",
        longest=1_000,
    ),
]
Until = Annotated[str | None, arg("Before this day.", metavar="DAY", longest=1_000)]


def most(things: str, limit: int | None, for_models: str = "", **more: Any) -> Meta:
    about = f"Maximum number of {things}."
    return arg(about, short="-n", for_models=for_models, ge=1, le=limit, **more)


class NoteArguments(Arguments):
    name: Annotated[Name, arg("Path, title or alias of a note.", positional="words")]


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
        int | None, most("results; usually 10", MOST_HITS, "usually 10")
    ] = None
    mode: ChosenMode = None
    intent: ChosenIntent = "auto"
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
        found.FusionName | None,
        arg("How the channels' rankings become one.", only=HERE),
    ] = None
    rerank: Annotated[
        found.Rerank | None,
        arg("Rank the best passages again with a cross-encoder.", only=HERE),
    ] = None
    unique: Annotated[
        Literal["notes", "chunks"],
        arg("One hit per note, or one per passage.", only=HERE),
    ] = "notes"
    explain: Annotated[bool, arg("Show how each score was made.", only=HERE)] = False


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
    evidence: tuple[found.Evidence, ...]
    adjustments: tuple[found.Adjustment, ...]
    snippet: found.Snippet
    more: tuple[found.Passage, ...]
    digest: str
    modified: str | None
    uri: str | None
    generated: bool | UnsetType = UNSET

    @property
    def is_note(self) -> bool:
        return not self.path.startswith(found.FACTS)


class SearchResult(Result):
    """Hits, best first, and what was missing."""

    empty_without = ("hits",)
    text_only = ("semantic_failure",)
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
    semantic_failure: str = ""

    def sources(self) -> DisclosedNotes:
        passages, names = [], list[str]()
        for hit in filter(lambda hit: hit.is_note, self.hits):
            lines = [hit.lines, *(more.lines for more in hit.more)]
            passages += [DisclosedLines(hit.path, *span) for span in lines]
            passages += [
                DisclosedLines(vote.quoted) for vote in hit.evidence if vote.quoted
            ]
            names += hit.connected_via
            names += [end for hop in hit.hops for end in (hop.source, hop.target)]
        return shown(passages, names)

    def all_notices(self) -> list[str]:
        none = f"No results for {shortened(self.query)!r}."
        near = [NO_MATCH] if self.doubtful else []
        return [*self.degraded, *(near if self.hits else [none])]


def _paths(result: Any, _: Any, style: Style) -> Iterator[str]:
    rows = result.hits if isinstance(result, SearchResult) else result.notes
    is_fact = found.FACTS
    paths = dict.fromkeys(row.path for row in rows if not row.path.startswith(is_fact))
    return map(style.clean, paths)


NO_MATCH = "No good match. These are the closest results."


def search_for_people(
    result: SearchResult, arguments: SearchArguments, style: Style
) -> str:
    parts = [
        joined(_hit_lines(number, hit, style, explain=arguments.explain))
        for number, hit in enumerate(result.hits, 1)
    ]
    if arguments.explain and result.reranked:
        parts.append(f"{counted(result.reranked, 'passage')} reranked\n")
    return "\n".join(parts)


def search_for_models(result: SearchResult, view: ModelView) -> str:
    head = [f"Notice: {one_line(said)}" for said in result.degraded]
    if not result.hits:
        nothing = "No results. Try other words, or fewer of them."
        return listed(head, [], view, nothing=nothing)
    last = view.first + len(result.hits) - 1
    how = ", ".join(filter(None, [result.mode, result.intent]))
    head.append(f"Hits {view.first} to {last}, best first ({how}).")
    if result.doubtful:
        head.append(NO_MATCH)
    rows = list[str]()
    for number, hit in enumerate(result.hits, view.first):
        rows += _hit_for_models(number, hit, view)
    return listed(head, rows, view)


def _hit_for_models(number: int, hit: SearchHit, view: ModelView) -> Iterator[str]:
    lines = _lines(hit.lines) if hit.is_note else ""
    mark = f"; {GENERATED}" if hit.generated else ""
    yield f"{number}. {named(hit.path)}{lines} (relevance {hit.relevance:.2f}{mark})"
    if hit.heading_path:
        yield f"   under: {' > '.join(one_line(h) for h in hit.heading_path)}"
    yield f"   > {one_line(hit.snippet.text)}"
    for more in hit.more:
        yield f"   also {_lines(more.lines)} > {one_line(more.snippet.text)}"
    yield f"   why: {shortened(one_line(hit.match_reason), 200)}"
    if view.detailed:
        votes = (f"{vote.channel} {vote.share:.3f}" for vote in hit.evidence)
        added = (f"{change.name} {change.share:+.3f}" for change in hit.adjustments)
        yield f"   score {hit.score:.3f}: {', '.join((*votes, *added))}"
    if hit.is_note:
        yield f"   modified {hit.modified} {hit.uri}"


def _hit_lines(
    number: int, hit: SearchHit, style: Style, *, explain: bool
) -> Iterator[str]:
    heading = f"#{hit.heading_path[-1]}" if hit.heading_path else ""
    lines = style.faint(_lines(hit.lines)) if hit.is_note else ""
    mark = f"  {style.faint(GENERATED)}" if hit.generated else ""
    yield f"{number}. {style.strong(hit.path + heading)}{lines}{mark}"
    yield f"   {marked(hit.snippet, style)}"
    for more in hit.more:
        also = style.faint(f"   also {_lines(more.lines)}")
        yield f"{also} {marked(more.snippet, style)}"
    if hit.connected_via or not hit.is_note:
        yield f"   {style.faint(style.clean(hit.match_reason))}"
    if explain:
        yield from _explained(hit, style)


def _explained(hit: SearchHit, style: Style) -> Iterator[str]:
    yield f"   score {hit.score:.3f}"
    for evidence in hit.evidence:
        reason = style.faint(style.clean(f"rank {evidence.rank}, {evidence.reason}"))
        yield f"     {evidence.channel} {evidence.share:.3f}  {reason}"
        for name, part in sorted(evidence.fields.items(), key=lambda field: -field[1]):
            yield f"       {name} {part:.3f}"
    for change in hit.adjustments:
        reason = style.faint(style.clean(change.reason))
        yield f"     {change.name} {change.share:+.3f}  {reason}"


def marked(snippet: found.Snippet, style: Style) -> str:
    parts, at = [], 0
    for start, end in snippet.marks:
        parts.append(style.clean(snippet.text[at:start]))
        parts.append(style.mark(snippet.text[start:end]))
        at = end
    return "".join([*parts, style.clean(snippet.text[at:])])


@operation(
    group="Find",
    for_people=search_for_people,
    for_models=search_for_models,
    detail="explain",
    command=Command(
        everyday=True,
        form=TextForm("--paths", "Print only the paths.", _paths),
    ),
    tool=Tool(
        "Search the vault",
        "Find passages of the user's notes by words, meaning and links. Use it "
        "first for a single fact or a place, then read the best hits; for a task "
        "or question, glassmind_context. The query may filter: tag:name "
        "path:folder file:name [property:value] before:2026-03 after:7d "
        '"phrase" -word.',
        page=Paging("hits", most=50, usual=lambda vault: vault.config.search.limit),
    ),
    route=Route("POST", "/search", sets=("core",), fails=(404, 409)),
)
def search(vault: Engine, arguments: SearchArguments, caller: Caller) -> SearchResult:
    """Search notes by keywords, meaning and links."""
    intent = None if arguments.intent == "balanced" else arguments.intent
    options = structs.asdict(arguments) | {"intent": intent}
    steady = caller.surface == "mcp"  # comes in pages
    return found_by(vault, options.pop("query"), **options, steady=steady)


def found_by(vault: Engine, query: str, **options: Any) -> SearchResult:
    where = vault.config.vault
    reply = vault.search(query, **options)
    return search_result(reply, vault=where.name, root=str(where.path))


def search_result(reply: found.SearchReply, *, vault: str, root: str) -> SearchResult:
    return copied(
        SearchResult,
        reply,
        vault=root,
        doubtful=reply.is_doubtful,
        hits=[search_hit(hit, vault) for hit in reply.hits],
    )


def search_hit(hit: found.Hit, vault: str) -> SearchHit:
    in_note = hit.is_note
    return copied(
        SearchHit,
        hit,
        heading=heading_address(hit.path, hit.heading_path),
        modified=iso_time(hit.mtime_ns) if in_note else None,
        uri=obsidian_uri(vault, hit.path, hit.heading_path) if in_note else None,
        generated=hit.generated or UNSET,
    )


PAGE_CHARS = 200_000  # characters of a note in one HTTP answer, at most a megabyte


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

    `characters` is the length of the whole text. If no note has this very name, this
    one is `guessed`: the closest.
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
    characters: int
    truncated: bool
    next_offset: int | None
    generated: bool | UnsetType = UNSET
    guessed: bool | UnsetType = UNSET

    def sources(self) -> DisclosedNotes:
        return shown([DisclosedLines(self.path, *self.lines)])

    def all_notices(self) -> list[str]:
        hides = hidden_notice(hidden_kinds(self.text))
        return [
            *([f"Closest match: {self.path}"] if self.guessed else []),
            *([UNREAD] if self.generated else []),
            *self.notices,
            *([hides] if hides else []),
        ]


def read_for_models(result: ReadResult, _view: ModelView) -> str:
    head = [f"Notice: {UNREAD}"] if result.generated else []
    if result.guessed:
        head.append("Notice: no note has this very name; this is the closest")
    where = [f"notice: {one_line(notice)}" for notice in result.notices]
    where.append(f"{named(result.path)}{_lines(result.lines)}")
    if result.heading_path:
        where.append(f"under: {' > '.join(one_line(h) for h in result.heading_path)}")
    where.append(f"digest: {result.digest[:16]}")  # `expected` of an edit
    where.append(result.uri)
    text = [*head, fenced("\n".join([*where, "", result.text]))]
    if result.next_offset is not None:
        text.append(f"Truncated. More: the same call with offset={result.next_offset}")
    return "\n".join(text)


@operation(
    group="Find",
    for_people=lambda result, *_: result.text,
    for_models=read_for_models,
    command=Command(everyday=True, verbatim=True),
    tool=Tool(
        "Read a note",
        "Read a note as it is on disk: all of it, the section under a heading, or "
        "some lines. Long notes come in parts; go on with offset.",
    ),
    route=Route("GET", "/notes/{name}", sets=("core",), fails=(404, 409)),
)
def read(vault: Engine, arguments: ReadArguments, caller: Caller) -> ReadResult:
    """Print a note, a section or some lines of it."""
    from glassmind.model.index import GuessedNote  # noqa: PLC0415 - 24 ms

    config = vault.config.vault
    name = named_by(vault, arguments.name, "name")
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
        characters=len(whole),
        truncated=end < len(whole),
        next_offset=end if end < len(whole) else None,
        generated=note.generated or UNSET,
        guessed=guessed or UNSET,
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
    if not text:
        return None
    match = _RANGE.fullmatch(text)
    if not match:
        raise BadValue("lines", "must be a range such as 12-34, or 12-")
    first = int(match[1])
    if match[2] and not match[3]:
        return first, None
    last = int(match[3] or first)
    if first > last:
        raise BadValue("lines", f"must not run backwards (got {text.strip()})")
    return first, last


class ReadChunksResult(Result):
    """All passages of a note."""

    path: str
    chunks: list[found.ChunkText]

    def sources(self) -> DisclosedNotes:
        return shown([DisclosedLines(self.path, *chunk.lines) for chunk in self.chunks])


def chunks_for_people(result: ReadChunksResult, _: Any, style: Style) -> Iterator[str]:
    for number, chunk in enumerate(result.chunks):
        place = f"{style.strong(chunk.heading)}{style.faint(_lines(chunk.lines))}"
        size = style.faint(f"{chunk.kind}, {chunk.tokens:,} tokens")
        yield f"{'' if number == 0 else chr(10)}[{chunk.chunk_index}] {place}  {size}"
        yield style.clean(chunk.text.rstrip("\n"))


def _lines(lines: Sequence[int]) -> str:
    return f":{lines[0]}-{lines[1]}"


@operation(
    group="Find",
    for_people=chunks_for_people,
    command=Command(expert=True),
)
def read_chunks(vault: Engine, arguments: NoteArguments) -> ReadChunksResult:
    """Print a note as it was split for the index."""
    path, chunks = vault.chunks(arguments.name)
    return ReadChunksResult(path=path, chunks=chunks)


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
    since: Since = None
    until: Until = None
    kind: Annotated[
        Literal["markdown", "canvas", "base", "excalidraw"] | None,
        arg("Notes of one kind.", only=("cli",)),
    ] = None
    newest: Annotated[bool, arg("Last modified first, not by path.")] = False
    limit: Annotated[int | None, most("notes", None)] = None
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

    empty_without = ("notes",)
    vault: str
    notes: list[ListedNote]
    total: int
    offset: int
    notices: list[str]
    closest: dict[str, list[str]] | UnsetType = UNSET

    def sources(self) -> DisclosedNotes:
        return shown([DisclosedLines(note.path) for note in self.notes])

    def all_notices(self) -> list[str]:
        first, last = self.offset + 1, self.offset + len(self.notes)
        place = f"Notes {first:,} to {last:,} of {self.total:,}."
        if not self.notes:
            none = "No more notes" if self.total else "No notes"
            place = " ".join([f"{none} match.", *_similar(self.closest or {})])
        is_whole = self.notes and self.total == len(self.notes)
        return [*self.notices, *([] if is_whole else [place])]


LOOKED_AT = 10_000  # the last modified notes, whose values are compared


def property_filter(text: str) -> tuple[str, str | None]:
    plain = text.strip()
    if plain.startswith("[") and plain.endswith("]"):
        plain = plain[1:-1]
    name, *value = re.split("[=:]", plain, maxsplit=1)
    return name.strip(), value[0].strip().strip('"') if value else None


def _unmatched(
    vault: Engine, given: ListArguments
) -> Iterator[tuple[str, str, list[str]]]:
    notes = vault.list_notes(newest=True, limit=LOOKED_AT).notes
    name, value = property_filter(given.property)
    wanted = name if value is None else f"{name}={value}"
    pairs = [pair for note in notes for pair in note.properties.items()]
    if value is None:
        properties = {key for key, _ in pairs}
    else:
        lists = [(key, v if isinstance(v, list) else [v]) for key, v in pairs]
        properties = {f"{key}={item}" for key, items in lists for item in items}
    folders = {str(up) for note in notes for up in PurePosixPath(note.path).parents}
    tags = {tag for note in notes for tag in note.tags}
    exact = {"property_name": name, "property_value": value}
    checks: list[tuple[str, str, str, set[str], dict[str, Any]]] = [
        ("folder", given.folder, "is in the folder", folders, {"folder": given.folder}),
        ("tag", given.tag, "has the tag", tags, {"tag": given.tag}),
        ("property", wanted, "has the property", properties, exact),
    ]
    for argument, text, has, known, filters in checks:
        if text and not vault.list_notes(limit=1, **filters).total:
            folded = {each.casefold(): each for each in sorted(known)}
            # half of the characters in order, as for names; chosen by eye
            plain = text.strip("#/ ").casefold()
            near = get_close_matches(plain, list(folded), n=3, cutoff=0.5)
            problem = f"no note {has} {shortened(text)!r}"
            yield argument, problem, [folded[each] for each in near]


def _similar(closest: dict[str, list[str]]) -> list[str]:
    return [f"Similar {name}: {', '.join(near)}." for name, near in closest.items()]


def list_for_people(result: ListResult, _: Any, style: Style) -> Iterator[str]:
    for note in result.notes:
        # columns of a known width come first, so that no script can misalign them
        day = note.day or note.modified[:10]
        tags = " ".join(f"#{tag}" for tag in note.tags)
        row = f"{day}  {bytes_in_words(note.size):>9}  {style.strong(note.path)}"
        yield f"{row}  {style.faint(tags)}" if tags else row


def list_for_models(result: ListResult, view: ModelView) -> str:
    if not result.notes:
        rows = _similar(result.closest or {})
        return listed([], rows, view, result.notices, nothing="No notes match.")
    last = view.first + len(result.notes) - 1
    head = f"Notes {view.first:,} to {last:,} of {result.total:,}."
    rows = []
    for note in result.notes:
        day, tags = note.day or note.modified[:10], " ".join(f"#{t}" for t in note.tags)
        rows.append(f"{day} {named(note.path)} {one_line(tags)}".rstrip())
        for name, value in note.properties.items() if view.detailed else ():
            if name != "tags":
                text = ", ".join(map(str, value)) if isinstance(value, list) else value
                rows.append(f"   {one_line(f'{name}: {text}')}")
    return listed([head], rows, view, result.notices)


@operation(
    group="Find",
    for_people=list_for_people,
    for_models=list_for_models,
    command=Command(path="list", everyday=True, piped=_paths),
    tool=Tool(
        "List notes",
        "List notes that pass every filter given, by path or newest first. To find "
        "what notes say use glassmind_search.",
        toolset="core",
        name="glassmind_list",
        page=Paging("notes", most=200, furthest=sys.maxsize, usual=lambda _: 25),
    ),
)
def list_notes(vault: Engine, arguments: ListArguments) -> ListResult:
    """List notes by folder, tag, property or date."""
    if arguments.tag and not arguments.tag.strip(" #/"):
        raise BadValue("tag", "must be a name such as project/garden")
    name, value = property_filter(arguments.property)
    if arguments.property and not name:
        raise BadValue("property", "must be name, name=value or name:value")
    options = structs.asdict(arguments) | {
        "tag": arguments.tag.strip(),
        "kind": arguments.kind or "",
        "limit": arguments.limit or sys.maxsize,
    }
    del options["property"]
    note_list = vault.list_notes(property_name=name, property_value=value, **options)
    wrong = [] if note_list.total else list(_unmatched(vault, arguments))
    closest = {argument: near for argument, _, near in wrong if near}
    where = vault.config.vault
    return ListResult(
        vault=str(where.path),
        notes=[
            copied(
                ListedNote,
                note,
                modified=iso_time(note.mtime_ns),
                uri=obsidian_uri(where.name, note.path),
            )
            for note in note_list.notes
        ],
        total=note_list.total,
        offset=arguments.offset,
        notices=[*note_list.notices, *(said for _, said, _ in wrong)],
        closest=closest or UNSET,
    )


def _receipts_in(text: str) -> list[str]:
    from glassmind.obsidian.receipts import receipts_in  # noqa: PLC0415 - 27 ms

    return list(dict.fromkeys(receipts_in(text)))


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


class VerifyResult(Result):
    """What became of each receipt."""

    receipts: list[ReceiptCheck]

    def sources(self) -> DisclosedNotes:
        texts = [text for row in self.receipts for text in (row.receipt, row.now)]
        return shown(named=[cited(text).path for text in texts if text])

    def is_empty(self) -> bool:
        return any(row.state not in ("unchanged", "moved") for row in self.receipts)


RECEIPT_COLOURS = {"unchanged": "ok", "moved": "warn", "unread": "warn"}


def verify_text(result: VerifyResult, _: Any, style: Style) -> Iterator[str]:
    for checked in result.receipts:
        colour = RECEIPT_COLOURS.get(checked.state, "fail")
        state = style.state(colour, f"{checked.state:<9}")
        yield f"{state}  {style.clean(one_line(checked.receipt))}"
        if checked.state != "unchanged":
            yield f"           {style.faint(one_line(checked.note))}"
        if checked.now is not None and checked.now != checked.receipt:
            yield f"           now {style.clean(one_line(checked.now))}"


@operation(
    group="Find",
    for_people=verify_text,
    command=Command(),
    tool=Tool(
        "Verify receipts",
        "Tell whether lines that were cited by receipts "
        "(path#heading:12-18@digest) are unchanged, moved, changed or gone.",
        page=Paging("receipts", most=1_000, grows=False),
    ),
    route=Route("POST", "/verify", sets=("memory",)),
)
def verify(vault: Engine, arguments: VerifyArguments) -> VerifyResult:
    """Check whether cited lines are unchanged, moved, changed or gone."""
    return VerifyResult(receipts=list(vault.bundles.verify(arguments.receipts)))
