"""Tools of obsidian-brain.

Some replies are wrapped as `{data, context: {state, next_actions}}`.
docs/compatibility.md says where we differ from obsidian-brain.
"""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from datetime import datetime
from math import fsum
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, structs

from glassmind.engine import Engine
from glassmind.errors import BadArgument, IndexAbsent, NoMatch
from glassmind.files.names import NOTE_SUFFIX
from glassmind.model import NotePath, edits
from glassmind.model.access import DisclosedLines
from glassmind.model.edits import Scope, TextEdit, Where
from glassmind.model.graph import Chain, GraphPart, Theme
from glassmind.model.index import LinkEnd, NoteFacts, NoteLinks, UnresolvedName
from glassmind.model.search import ChannelName, Mode, Snippet
from glassmind.obsidian.frontmatter import read_head
from glassmind.operations import edit as ours
from glassmind.operations import find
from glassmind.operations.arguments import parsed_json, read
from glassmind.operations.edit import MODEL_DIFF_CHARS, state_for_models
from glassmind.operations.find import SearchHit, SearchResult, found_by
from glassmind.operations.graph import connections, path, rank, themes
from glassmind.operations.registry import Arguments, Caller, arg, copied, shown
from glassmind.serve.compat.tools import (
    TOOLS,
    Reply,
    mapped,
    missing,
    run,
    tool,
)

MOST_LINKS, MOST_NEIGHBOURS, MOST_EDGES, MOST_PATHS = 200, 100, 200, 10
"""What a reply shows, since hubs have tens of thousands of links: links of a note each
way, neighbours of each hop, edges of a subgraph, and paths."""

EXCERPT_CHARS, REMEMBERED, CROWD, NAMED = 200, 10, 10, 5
"""Characters of `chunkExcerpt`, results in the state of a search, neighbours that make
themes worth a look, members and tags in a summary: all as in obsidian-brain."""

NAMES = {
    "common": "includeCommon",
    "dry_run": "dryRun",
    "folder": "directory",
    "ghosts": "includeStubs",
    "id": "previewId",
    "least_inbound": "minIncomingLinks",
    "most_hops": "maxDepth",
    "properties": "frontmatter",
    "subgraph": "returnSubgraph",
    "text": "content",
    "theme": "themeId",
}
"""Our arguments that have other names in obsidian-brain."""

Name = Annotated[str, arg("path, title, file name, alias, or part of a title")]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
IncludeStubs = Annotated[bool, arg("also names linked to but not written")]
ThemeId = Annotated[str | None, Meta(max_length=1_000), arg("id or label of a theme")]


def hint(tool: str, reason: str, **args: object) -> dict[str, object]:
    title = next(known.title for known in TOOLS["brain"] if known.name == tool)
    return {"description": title, "tool": tool, "args": args, "reason": reason}


def wrapped(
    payload: object, state: Mapping[str, object], hints: Sequence[Mapping[str, object]]
) -> dict[str, Any]:
    return {"data": payload, "context": {"state": state, "next_actions": hints}}


STUB = "_stub/"  # the beginning of the id of a stub
IS_STUB: Mapping[str, object] = {"_stub": True}


def stub_id(target: str) -> str:
    return f"{STUB}{target.removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}"


def stub_name(name: str) -> str:
    is_stub = name.startswith(STUB)
    return name.removeprefix(STUB).removesuffix(NOTE_SUFFIX) if is_stub else name


def _stub(ghost: UnresolvedName) -> NoteFacts:
    path, title = stub_id(ghost.target), ghost.target.removesuffix(NOTE_SUFFIX)
    return NoteFacts(NotePath(path), title, "", 0, 0, None, properties=IS_STUB)


def _links_of(vault: Engine, name: str) -> NoteLinks:
    """Return the stub of an id, or else the note of a name, with its links."""
    if name.startswith(STUB):
        for ghost in vault.ghosts(named=stub_name(name), limit=MOST_LINKS):
            return NoteLinks(_stub(ghost), (), ghost.incoming, 0, ghost.links)
    return vault.links(name, limit=MOST_LINKS)


CHANNELS: Mapping[Mode, tuple[ChannelName, ...]] = {
    "hybrid": ("lexical", "semantic"),
    "semantic": ("semantic",),
    "fulltext": ("lexical",),
}
"""The channels of each mode: obsidian-brain does not rank by links and days."""


class BrainSearchArguments(Arguments):
    query: str
    mode: Mode = "hybrid"
    limit: Annotated[int, Meta(ge=1, le=200)] = 20
    unique: Literal["notes", "chunks"] = "notes"


@tool("brain", "Search notes")
def search(vault: Engine, arguments: BrainSearchArguments) -> Reply:
    """Find notes by keywords and meaning (hybrid).

    Or by meaning alone (semantic), or keywords alone (fulltext). Returns ids, titles,
    scores and excerpts, best first; unique 'chunks' gives passages with their lines.
    Read one with read_note.
    """
    query, mode = arguments.query, arguments.mode
    chunks = arguments.unique == "chunks" and mode != "fulltext"
    result = found_by(
        vault,
        query,
        limit=arguments.limit,
        mode=mode,
        intent=None,
        fusion="rrf",
        channels=CHANNELS[mode],
        rerank="off",
        unique="chunks" if chunks else "notes",
    )
    lacking = _lacking(vault, result) if mode != "fulltext" else {}
    if mode == "semantic" and lacking:
        return Reply(lacking)
    ranked = sorted(result.hits, key=lambda hit: -_score(hit, mode))
    ids = _unique(hit.path for hit in ranked)
    state = {"last_search_query": query, "last_search_results": ids[:REMEMBERED]}
    if degraded := missing(result):
        state["degraded"] = degraded
    hints = []
    if ids:
        hints.append(hint("read_note", "it is the best match", name=ids[0]))
    if len(ids) > 1:
        reason = f"links may connect the {len(ids)} notes"
        hints.append(hint("find_connections", reason, name=ids[0], depth=2))
    data = [_result(hit, mode, chunks=chunks) for hit in ranked]
    return Reply({**lacking, **wrapped(data, state, hints)}, result.sources())


def _lacking(vault: Engine, result: SearchResult) -> dict[str, str]:
    if not result.semantic_failure:
        return {}
    status, message = vault.status(), f"{result.semantic_failure} (mode fulltext works)"
    state = "preparing" if status.writing or status.embedding else "failed"
    return {"status": state, "message": message}


def _score(hit: SearchHit, mode: Mode) -> float:
    """Return a cosine, BM25, or the sum of both ranks, as in obsidian-brain."""
    if mode == "semantic" and hit.similarity is not None:
        return hit.similarity
    return fsum(evidence.share for evidence in hit.evidence)


def _result(hit: SearchHit, mode: Mode, *, chunks: bool) -> dict[str, Any]:
    result = {
        "nodeId": hit.path,
        "title": hit.title,
        "score": _score(hit, mode),
        "excerpt": _marked(hit.snippet),
    }
    if chunks:
        result |= {
            "chunkId": f"{hit.path}::{hit.chunk_index}",
            "chunkHeading": hit.heading_path[-1] if hit.heading_path else None,
            "chunkStartLine": hit.lines[0],
            "chunkEndLine": hit.lines[1],
            "chunkExcerpt": hit.snippet.text[:EXCERPT_CHARS],
        }
    return result


def _marked(snippet: Snippet) -> str:
    text = snippet.text
    for start, end in reversed(snippet.marks):
        text = f"{text[:start]}>>>{text[start:end]}<<<{text[end:]}"
    return text


class BrainListArguments(Arguments, rename=NAMES):
    folder: Annotated[str | None, arg("folder of the notes")] = None
    tag: Annotated[str | None, arg("with or without #; nested tags count")] = None
    limit: Annotated[int, Meta(ge=1, le=10_000)] = 100
    ghosts: IncludeStubs = True


METADATA = {"id": "path", "title": "title", "tags": "tags", "frontmatter": "properties"}


@tool("brain", "List notes")
def list_notes(vault: Engine, arguments: BrainListArguments) -> Reply:
    """List notes by id with title, tags and frontmatter, of one directory or tag."""
    folder, tag, limit = arguments.folder or "", arguments.tag or "", arguments.limit
    options = find.ListArguments(folder=folder, tag=tag, limit=limit)
    result, stubs = find.list_notes(vault, options), list[NoteFacts]()
    room = limit - len(result.notes)
    if arguments.ghosts and room and not tag and folder.strip("/") in ("", "_stub"):
        stubs = [_stub(ghost) for ghost in vault.ghosts(limit=room)]
    listed = [mapped(note, METADATA) for note in (*result.notes, *stubs)]
    return Reply(listed, result.sources())


class BrainReadArguments(Arguments, rename={"most": "maxContentLength"}):
    name: Name
    mode: Literal["brief", "full"] = "brief"
    most: Annotated[Count, arg("characters of text")] = 2_000


@tool("brain", "Read a note")
def read_note(vault: Engine, arguments: BrainReadArguments) -> Reply:
    """Read one note.

    Brief gives metadata and the titles of linked notes; full adds its text and the
    paragraph around each link.
    """
    links = _links_of(vault, arguments.name)
    note, outgoing, incoming = links.note, links.outgoing, links.incoming
    texts = [note.path] if note.kind else []
    data = mapped(note, METADATA)
    if arguments.mode == "full":
        text = vault.read(note.path).text if note.kind else ""
        body, most = text[read_head(text).length :], arguments.most
        data |= {"content": body[:most], "truncated": len(body) > most}
        data |= {"outgoing": list(map(_link, outgoing))}
        data |= {"incoming": list(map(_link, incoming))}
        texts += [end.path for end in incoming if end.path]
    else:
        data["outgoing"] = _unique(end.title for end in outgoing)
        data["incoming"] = _unique(end.title for end in incoming)
    linked = _unique(end.path for end in outgoing if end.path)
    # an embed is seldom of a note
    unresolved = _unique(end.target for end in outgoing if not (end.path or end.embed))
    state = {
        "last_file_read": note.path,
        "last_file_outgoing": linked,
        "last_file_unresolved_links": unresolved,
    }
    hints = []
    if unresolved:
        reason = "some of its links lead to no note yet"
        hints.append(hint("create_note", reason, title=unresolved[0], content=""))
    if linked:
        hints.append(hint("find_connections", "it links to notes", name=note.path))
    names = [end.path for end in (*outgoing, *incoming)]
    return Reply(wrapped(data, state, hints), shown(map(DisclosedLines, texts), names))


def _link(end: LinkEnd) -> dict[str, Any]:
    note_id = end.path or stub_id(end.target)
    return {"id": note_id, "title": end.title, "context": end.context}


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


class BrainConnectionsArguments(Arguments, rename=NAMES):
    name: Name
    depth: Annotated[int, Meta(ge=1, le=3), arg("links away")] = 1
    subgraph: Annotated[bool, arg("nodes and edges")] = False
    ghosts: IncludeStubs = False


@tool("brain", "Find connections")
def find_connections(
    vault: Engine, arguments: BrainConnectionsArguments, caller: Caller
) -> Reply:
    """Find the notes linked with a note, up to depth links away.

    Returns a list or, with returnSubgraph, nodes and all links between them with the
    sentence around each.
    """
    ends = _ends(arguments, "name")
    found = run(connections, vault, arguments, caller, limit=MOST_NEIGHBOURS, **ends)
    near, root = [note for hop in found.hops for note in hop.neighbours], _id(found)
    count = sum(hop.total for hop in found.hops)
    state = {"last_connections_root": root, "last_connections_count": count}
    hints = []
    if count > CROWD:
        hints.append(hint("detect_themes", f"{count} notes are connected"))
    if near:
        pair = {"from": root, "to": _id(near[-1])}
        hints.append(hint("find_path_between", "it is the furthest of them", **pair))
    data: Any = list(map(_entry, near))
    if found.subgraph:
        data, edges = _subgraph(found.subgraph)
        if edges > MOST_EDGES:
            notice = f"the first {MOST_EDGES} of {edges:,} edges are here"
            state["notices"] = [notice]
    return Reply(wrapped(data, state, hints), found.sources())


def _ends(arguments: Any, *names: str) -> dict[str, Any]:
    """Return names of notes without the prefix of stubs, which count if one has it."""
    given = {name: getattr(arguments, name) for name in names}
    is_stub = any(name.startswith(STUB) for name in given.values())
    plain = {name: stub_name(value) for name, value in given.items()}
    return {**plain, "ghosts": arguments.ghosts or is_stub}


def _id(node: Any) -> str:
    return stub_id(node.path) if node.ghost else node.path


def _entry(node: Any) -> dict[str, Any]:
    return {"id": _id(node), "title": node.title}


def _subgraph(part: GraphPart) -> tuple[dict[str, Any], int]:
    """Return nodes and nearest edges, one each way, and how many there are."""
    ids = {node.path: _id(node) for node in part.nodes}
    sentences: dict[tuple[str, str], str] = {}
    for link in part.edges:
        sentences.setdefault((ids[link.source], ids[link.target]), link.sentence)
    nodes = [
        {**_entry(node), "frontmatter": IS_STUB if node.ghost else node.properties}
        for node in part.nodes
    ]
    edges = [_edge(*ends, text) for ends, text in sentences.items()]
    return {"nodes": nodes, "edges": edges[:MOST_EDGES]}, len(edges)


def _edge(source: str, target: str, context: str) -> dict[str, Any]:
    return {"sourceId": source, "targetId": target, "context": context}


class BrainPathArguments(Arguments, rename={**NAMES, "source": "from", "target": "to"}):
    source: Name
    target: str
    most_hops: Annotated[int, Meta(ge=1, le=20)] = 3
    common: bool = False
    ghosts: IncludeStubs = False


@tool("brain", "Find paths")
def find_path_between(
    vault: Engine, arguments: BrainPathArguments, caller: Caller
) -> Reply:
    """Find chains of links between two notes, shortest first.

    With includeCommon, also the notes linked with both.
    """
    ends = _ends(arguments, "source", "target")
    found = run(path, vault, arguments, caller, limit=MOST_PATHS, **ends)
    reply: dict[str, Any] = {"paths": list(map(_chain, found.chains))}
    if arguments.common:
        reply["common"] = list(map(_entry, found.common))
    if found.reason is not None:
        reply["reason"] = found.reason.text
    return Reply(reply, found.sources())


def _chain(chain: Chain) -> dict[str, Any]:
    ids = list(map(_id, chain.notes))
    edges = [
        _edge(source, target, step.edges[0].sentence if step.edges else "")
        for source, target, step in zip(ids, ids[1:], chain.steps, strict=False)
    ]
    return {"nodes": ids, "edges": edges, "length": chain.length}


class BrainThemesArguments(Arguments, rename=NAMES):
    theme: ThemeId = None
    ghosts: IncludeStubs = False


@tool("brain", "Detect themes")
def detect_themes(
    vault: Engine, arguments: BrainThemesArguments, caller: Caller
) -> Reply:
    """List groups of linked notes with label, summary and members, or one of them.

    reindex with a resolution makes them broader or finer.
    """
    found = run(themes, vault, arguments, caller)
    clusters = list(map(_cluster, found.themes))
    if arguments.theme is not None:
        return Reply(clusters[0], found.sources())
    reply = {"clusters": clusters, "modularity": found.modularity}
    if found.warning:
        reply["warning"] = found.warning
    return Reply(reply, found.sources())


def _cluster(theme: Theme) -> dict[str, Any]:
    members = ", ".join(member.title for member in theme.members[:NAMED])
    tags = ", ".join(tag.name for tag in theme.tags[:NAMED])
    tagged = f" Tags: {tags}." if tags else ""
    return {
        "id": theme.id,
        "label": theme.label,
        # word for word as in obsidian-brain
        "summary": f"Key members: {members}.{tagged} {theme.size} nodes total.",
        "nodeIds": list(map(_id, theme.members)),
        "staleMembersFiltered": 0,
    }


class BrainRankArguments(Arguments, rename=NAMES):
    metric: Literal["influence", "bridging", "both"] = "both"
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 20
    theme: ThemeId = None
    ghosts: IncludeStubs = False
    least_inbound: Annotated[Count, arg("of influence")] = 2


@tool("brain", "Rank notes")
def rank_notes(vault: Engine, arguments: BrainRankArguments, caller: Caller) -> Reply:
    """Rank notes by influence (PageRank), by bridging (betweenness), or both."""
    both: tuple[str, ...] = ("influence", "bridging")
    ranked: dict[str, list[dict[str, Any]]] = {}
    names: list[str] = []
    for metric in both if arguments.metric == "both" else (arguments.metric,):
        options: dict[str, Any] = {"metric": metric}
        if metric == "bridging":
            options["least_inbound"] = 0
        found = run(rank, vault, arguments, caller, **options)
        ranked[metric] = [{**_entry(note), "score": note.score} for note in found.notes]
        names += found.sources().named
    return Reply(ranked.get(arguments.metric, ranked), shown(named=names))


class ReindexArguments(Arguments):
    resolution: Annotated[
        Annotated[float, Meta(ge=0.01, le=100)] | None,
        arg("of themes: 0.5 broader, 2 finer; kept until the next one"),
    ] = None


@tool(
    "brain",
    "Index the vault",
    writes=True,
    idempotent=True,
    timeout_s=600,
    of_notes=False,
    owner_only=True,
)
def reindex(vault: Engine, arguments: ReindexArguments, caller: Caller) -> Reply:
    """Update the index from the notes on disk; only what changed is read.

    Returns what was indexed, skipped and removed.
    """
    before = counts_of(vault)
    report = vault.index(reason="reindex", progress=caller.progress)
    refresh = arguments.resolution is not None
    found = run(themes, vault, arguments, caller, refresh=refresh)
    after = counts_of(vault)
    return Reply(
        {
            "nodesIndexed": report.added + report.changed + report.moved,
            "nodesSkipped": report.unchanged,
            "nodesRemoved": report.removed,
            "edgesIndexed": less(after, before)["edges"],
            "stubNodesCreated": less(after, before)["stubsPruned"],
            "stubsPruned": less(before, after)["stubsPruned"],
            "communitiesDetected": found.total,
            "warnings": report.warnings,
        }
    )


COUNTS = {
    "node": "notes",
    "edges": "links",
    "embedding": "embedded_notes",
    "stubsPruned": "ghosts",
}


def counts_of(vault: Engine) -> dict[str, int]:
    try:
        return mapped(vault.stats(), COUNTS)
    except IndexAbsent:
        return dict.fromkeys(COUNTS, 0)


def less(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {name: max(0, count - after[name]) for name, count in before.items()}


@tool("brain", "Show the index", of_notes=False)
def index_status(vault: Engine, _: Arguments) -> Reply:
    """Show how much is indexed and embedded, by which model, and what is missing."""
    status, stats = vault.status(), vault.stats()
    coverage = status.coverage
    bare = stats.notes - stats.embedded_notes - stats.empty_notes
    covered = f"{coverage.covered:,} of {coverage.total:,} passages are embedded"
    others = vault.knowledge.dismissals().problems
    problems = [notice for notice in status.notices if notice not in others]
    return Reply(
        {
            "model": status.model or None,
            "dim": stats.width or None,
            "provider": vault.config.embeddings.backend,
            "notesTotal": stats.notes,
            "notesWithEmbeddings": stats.embedded_notes,
            "notesNoEmbeddableContent": stats.empty_notes,
            "notesMissingEmbeddings": max(0, bare),
            "chunksTotal": status.chunks,
            "summary": f"{status.notes:,} notes; {covered}",
            "failedChunks": [],
            "reindexInProgress": bool(status.writing or status.embedding),
            "embedderReady": bool(status.space) and not problems,
            "initError": "; ".join(problems) or None,
            # what obsidian-brain reports of its index and we do not have
            "advertisedMaxTokens": None,
            "discoveredMaxTokens": None,
            "prefixSource": None,
            "overrideApplied": None,
            "lastReindexReasons": None,
        }
    )


PREVIEW_S = 5 * 60  # seconds in which a preview may be committed, as in obsidian-brain

EditMode = Literal[
    "append",
    "prepend",
    "replace_window",
    "patch_heading",
    "patch_frontmatter",
    "at_line",
]

NameText = Annotated[str, Meta(max_length=4_096)]
NoteName = Annotated[NameText, arg("exact path, title, file name or alias")]
Text = Annotated[str, Meta(max_length=1_000_000)]  # a book, not a library


class BrainEdit(Arguments, rename="camel"):
    """One edit, alone or in a list."""

    mode: EditMode | None = None
    content: Annotated[Text | None, arg("what to write", note_text=True)] = None
    search: Annotated[Text | None, arg("of replace_window")] = None
    fuzzy: bool = False
    fuzzy_threshold: Annotated[float, Meta(ge=0, le=1)] = edits.FUZZY
    heading: Annotated[str | None, arg("of patch_heading")] = None
    heading_op: Where = "replace"
    scope: Scope = "section"
    heading_index: Annotated[Annotated[int, Meta(ge=0)] | None, arg("from 0")] = None
    key: Annotated[str | None, arg("of patch_frontmatter")] = None
    value: Annotated[Any, arg("null clears", note_text=True)] = None
    value_json: Annotated[Text | None, arg("wins over value")] = None
    line: Annotated[Annotated[int, Meta(ge=1)] | None, arg("of at_line, from 1")] = None
    line_op: Where = "after"  # as obsidian-brain does; its documentation says replace

    @property
    def similarity(self) -> float | None:
        return self.fuzzy_threshold if self.fuzzy else None

    @property
    def act(self) -> str:
        return "unset" if self.value is None else "set"


class EditNoteArguments(BrainEdit, kw_only=True, rename=NAMES):
    name: NoteName
    edits: Annotated[list[dict[str, Any]], Meta(max_length=200)] | None = None
    dry_run: bool = False
    from_buffer: Annotated[
        bool, arg("alone with name: the last that found no match, loosely")
    ] = False


MODES: Mapping[EditMode, tuple[Any, str]] = {
    "append": (edits.Append, "content"),
    "prepend": (edits.Prepend, "content"),
    "replace_window": (edits.Replace, "search content similarity"),
    "patch_heading": (
        edits.AtHeading,
        "heading content heading_op scope heading_index",
    ),
    "patch_frontmatter": (edits.ChangeProperty, "key act value"),
    "at_line": (edits.AtLine, "line content line_op"),
}


@tool("brain", "Edit a note", writes=True, destructive=True)
def edit_note(vault: Engine, arguments: EditNoteArguments, caller: Caller) -> Reply:
    """Edit one note by a mode, or by edits, a list of such calls, all or none.

    Modes: append, prepend (content), replace_window (search, content, fuzzy),
    patch_heading (heading, content), patch_frontmatter (key, value), at_line (line,
    content). dryRun gives a diff and a previewId. May only make a proposal that the
    user approves.
    """
    path, mode = vault.editing.path_of(arguments.name), str(arguments.mode or "edits")
    key = str(vault.config.vault.path), caller.client, path
    is_again = arguments.from_buffer
    wanted = from_buffer(arguments, key) if is_again else _wanted(arguments)
    request = ours.asking(vault, caller, dry_run=arguments.dry_run)
    try:
        done = vault.editing.edit(path, wanted, request)
    except NoMatch as error:
        looser = _looser(wanted)
        if looser != wanted:
            keep(key, looser)
            error.add_note(AGAIN)
        raise
    if is_again and not arguments.dry_run:
        KEPT.pop(key, None)
    more: dict[str, Any] = {"mode": mode}
    if mode == "patch_heading":
        facts: Any = done.changeset.draft.facts.get("edits", ())
        more["removedLen"] = sum(int(fact["removed"]) for fact in facts)
    return _changed(ours.change_result(done), path, **more)


def _wanted(arguments: EditNoteArguments) -> list[TextEdit]:
    listed = arguments.edits
    if (arguments.mode is None) == (not listed):
        raise BadArgument("edit_note", "it takes a mode or a list of edits")
    if not listed:
        return [_text_edit("edit_note", arguments)]
    wanted = []
    for number, given in enumerate(listed):
        owner = f"edit_note: edits[{number}]"
        edit = read(BrainEdit, given, owner=owner, surface="mcp", strict=False)
        wanted.append(_text_edit(owner, edit))
    return wanted


def _text_edit(owner: str, edit: BrainEdit) -> TextEdit:
    mode = edit.mode
    if mode is None:
        raise BadArgument(owner, "mode is missing")
    if edit.value_json is not None:
        try:
            edit = structs.replace(edit, value=parsed_json(edit.value_json))
        except ValueError:
            raise BadArgument(owner, "valueJson is not valid JSON") from None
    kind, names = MODES[mode]
    values = {name: getattr(edit, name) for name in names.split()}
    for name, part in zip(values, fields(kind), strict=False):
        if values[name] is None and part.default is MISSING:
            raise BadArgument(owner, f"mode {mode} needs {name}")
    made: TextEdit = kind(*values.values())
    return made


LOOSE, MOST_ENTRIES = 0.5, 20  # what `from_buffer` asks for, and edits kept
AGAIN = "call edit_note with name and from_buffer true to replace the most similar text"

Key: TypeAlias = tuple[str, str, str]
"""A vault, a client, and the path of a note, however it was named."""

KEPT: dict[Key, Sequence[TextEdit]] = {}
"""A looser edit of each note where one found no match; the oldest first."""


def _looser(wanted: Sequence[TextEdit]) -> list[TextEdit]:
    return [
        replace(edit, fuzzy=LOOSE if edit.fuzzy is None else min(edit.fuzzy, LOOSE))
        if isinstance(edit, edits.Replace)
        else edit
        for edit in wanted
    ]


def keep(key: Key, wanted: Sequence[TextEdit]) -> None:
    KEPT.pop(key, None)
    KEPT[key] = wanted
    if len(KEPT) > MOST_ENTRIES:
        del KEPT[next(iter(KEPT))]


def from_buffer(arguments: EditNoteArguments, key: Key) -> Sequence[TextEdit]:
    edit = copied(BrainEdit, arguments)
    if edit not in (BrainEdit(), BrainEdit(mode="replace_window")) or arguments.edits:
        raise BadArgument("edit_note", "from_buffer takes only name and dryRun")
    wanted = KEPT.get(key)
    if wanted is None:
        raise BadArgument("edit_note", "no edit of this note is kept; give it again")
    return wanted


class BrainApplyArguments(Arguments, rename=NAMES):
    id: Annotated[str, Meta(max_length=100)]


@tool("brain", "Commit a preview", writes=True, destructive=True)
def apply_edit_preview(
    vault: Engine, arguments: BrainApplyArguments, caller: Caller
) -> Reply:
    """Make the edit that edit_note with dryRun showed, within five minutes.

    The note must be as it was. May only make a proposal that the user approves.
    """
    preview = run(ours.show_change, vault, arguments, caller)
    created, problem = datetime.fromisoformat(preview.created), ""
    if (preview.id, preview.client, preview.verb) != (
        arguments.id,
        caller.client,
        "edit",
    ):
        problem = "previewId must be the whole id that edit_note with dryRun gave you"
    elif time.time() - created.timestamp() > PREVIEW_S:
        problem = "the preview is older than 5 minutes; make it again"
    if problem:
        raise BadArgument("apply_edit_preview", problem)
    result = run(ours.apply_change, vault, arguments, caller)
    return _changed(result, "", previewId=preview.id)


class BrainCreateArguments(Arguments, rename=NAMES):
    title: NameText
    text: Text
    folder: NameText | None = None
    properties: Annotated[dict[str, Any] | None, arg("title: null leaves that out")] = (
        None
    )


@tool("brain", "Create a note", writes=True)
def create_note(
    vault: Engine, arguments: BrainCreateArguments, caller: Caller
) -> Reply:
    """Create a note; it never overwrites one, and links that named it lead to it then.

    May only make a proposal that the user approves.
    """
    title = stub_name(arguments.title)
    name = title.rpartition("/")[2].removesuffix(".md")
    has_title = "title" in read_head(arguments.text).frontmatter.properties
    own = {} if has_title else {"title": name}
    properties = {**own, **(arguments.properties or {})}
    if properties.get("title", name) is None:
        del properties["title"]
    facts = {"title": title, "properties": properties or None}
    result = run(ours.create, vault, arguments, caller, **facts)
    return _changed(result, title, title=name, linksAdopted=result.adopted)


class LinkArguments(Arguments, rename=NAMES):
    source: NoteName
    target: NameText
    context: Annotated[Text, arg("the sentence")]
    dry_run: bool = False


@tool("brain", "Link two notes", writes=True)
def link_notes(vault: Engine, arguments: LinkArguments, caller: Caller) -> Reply:
    """Add a sentence at the end of source, with a link to target, a note or a name.

    May only make a proposal that the user approves.
    """
    source, target = arguments.source, stub_name(arguments.target)
    note = ours.EditedNoteArguments(name=source, dry_run=arguments.dry_run)
    link = edits.AddLink(target, arguments.context)
    result = ours.edit_note(vault, note, [link], caller)
    return _changed(result, source, target=target)


def _stubs(vault: Engine) -> set[str]:
    return {ghost.target.lower() for ghost in vault.ghosts(limit=sys.maxsize)}


class BrainMoveArguments(Arguments, rename=NAMES):
    source: NoteName
    destination: Annotated[NameText, arg("path; a folder ends in /")]
    dry_run: bool = False


@tool("brain", "Move a note", writes=True, destructive=True)
def move_note(vault: Engine, arguments: BrainMoveArguments, caller: Caller) -> Reply:
    """Give a note another name or folder, and update every link to it.

    It never overwrites a note. May only make a proposal that the user approves.
    """
    source, stubs = vault.editing.path_of(arguments.source), _stubs(vault)
    result = run(ours.move, vault, arguments, caller, source=source)
    return _changed(
        result,
        arguments.destination,
        linksRewritten=structs.asdict(result.links_rewritten),
        stubsPruned=len(stubs - _stubs(vault)) if result.applied else 0,
    )


class BrainDeleteArguments(Arguments, rename=NAMES):
    name: NoteName
    confirm: Annotated[bool, arg("true")]
    dry_run: bool = False


@tool("brain", "Delete a note", writes=True, destructive=True, idempotent=True)
def delete_note(
    vault: Engine, arguments: BrainDeleteArguments, caller: Caller
) -> Reply:
    """Move a note to the vault's trash; confirm must be true.

    May only make a proposal that the user approves.
    """
    before, stubs = counts_of(vault), _stubs(vault)
    result = run(ours.delete, vault, arguments, caller)
    was = result.files[0].path if result.files else arguments.name
    lost = less(before, counts_of(vault) if result.applied else before)
    lost["stubsPruned"] = len(stubs - _stubs(vault)) if result.applied else 0
    data, sources = _changed(result, was, deletedFromIndex=lost)
    reason = "notes that it linked to may have no other link"
    hints = [hint("rank_notes", reason, minIncomingLinks=0)] if result.applied else []
    return Reply(wrapped({**data, "id": was}, {}, hints), sources)


CHANGE = {"status": "state", "applied": "applied", "changeset": "id", "index": "index"}


def _changed(result: ours.ChangeResult, note: str, **more: Any) -> Reply:
    diffs = [file for file in result.files if file.path != file.to]
    main = next((file.to for file in [*diffs, *result.files]), note)
    diff = "".join(file.diff for file in result.files)
    reply = {"id": main, "path": main, **mapped(result, CHANGE), **more}
    reply |= {"message": state_for_models(result), "diff": diff[:MODEL_DIFF_CHARS]}
    if len(diff) > MODEL_DIFF_CHARS:
        reply["truncated"] = True
    if result.state == "previewed" and not result.changes_nothing:
        is_edit = result.id and result.verb == "edit"
        reply |= {"dryRun": True} | ({"previewId": result.id} if is_edit else {})
    for name in ("approve", "reason", "risks", "notices"):
        if value := getattr(result, name):
            reply[name] = value
    return Reply(reply, result.sources())
