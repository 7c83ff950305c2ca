"""Tools of obsidian-brain that read notes, follow links, and index.

Some replies are wrapped as `{data, context: {state, next_actions}}`.
docs/compatibility.md says where we differ from obsidian-brain.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Annotated, Any, Literal

from msgspec import Meta

from glassmind.engine import Engine
from glassmind.errors import IndexAbsent
from glassmind.files.names import NOTE_SUFFIX
from glassmind.model import NotePath
from glassmind.model.access import Passage
from glassmind.model.graph import Chain, GraphPart, Theme
from glassmind.model.index import Ghost, LinkEnd, NoteFacts, NoteLinks
from glassmind.model.search import ChannelName, Mode, Snippet
from glassmind.obsidian.frontmatter import read_head
from glassmind.operations import find
from glassmind.operations.find import SearchHit, SearchResult
from glassmind.operations.graph import connections, path, rank, themes
from glassmind.operations.registry import Arguments, Caller, arg, shown
from glassmind.serve.compat.tools import (
    TOOLS,
    Reply,
    found_by,
    mapped,
    missing,
    run,
    tool,
)
from glassmind.store.lexical.query import STOPWORDS

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
    """Return a call that may be worth making next."""
    title = next(one.title for one in TOOLS["brain"] if one.name == tool)
    return {"description": title, "tool": tool, "args": args, "reason": reason}


def wrapped(
    payload: object, state: Mapping[str, object], hints: Sequence[Mapping[str, object]]
) -> dict[str, Any]:
    return {"data": payload, "context": {"state": state, "next_actions": hints}}


# --- stubs: names that links lead to and that no note has -----------------------------

STUB = "_stub/"
"""The beginning of the id of a stub."""

IS_STUB: Mapping[str, object] = {"_stub": True}


def stub_id(target: str) -> str:
    return f"{STUB}{target.removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}"


def stub_name(name: str) -> str:
    """Return the name in the id of a stub; other names stay as they are."""
    is_stub = name.startswith(STUB)
    return name.removeprefix(STUB).removesuffix(NOTE_SUFFIX) if is_stub else name


def _stub(ghost: Ghost) -> NoteFacts:
    """Return a stub as a note; it has no kind."""
    path, title = stub_id(ghost.target), ghost.target.removesuffix(NOTE_SUFFIX)
    return NoteFacts(NotePath(path), title, "", 0, 0, None, properties=IS_STUB)


def _links_of(vault: Engine, name: str) -> NoteLinks:
    """Return the stub of an id, or else the note of a name, with its links."""
    if name.startswith(STUB):
        for ghost in vault.ghosts(named=stub_name(name), limit=MOST_LINKS):
            return NoteLinks(_stub(ghost), (), ghost.incoming, 0, ghost.links)
    return vault.links(name, limit=MOST_LINKS)


# --- notes --------------------------------------------------------------------------

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
    elif simpler := simplified(query):
        hints.append(hint("search", "no results", query=simpler, mode=mode))
    if len(ids) > 1:
        reason = f"links may connect the {len(ids)} notes"
        hints.append(hint("find_connections", reason, name=ids[0], depth=2))
    data = [_result(hit, mode, chunks=chunks) for hit in ranked]
    return Reply({**lacking, **wrapped(data, state, hints)}, result.sources())


def simplified(query: str) -> str:
    """Return half of the words that matter, at least two; nothing if none is left."""
    words = [w for w in query.split() if w.lower().strip("?!.,;:") not in STOPWORDS]
    kept = words[: max(2, (len(words) + 1) // 2)]
    return " ".join(kept) if 1 < len(kept) < len(query.split()) else ""


def _lacking(vault: Engine, result: SearchResult) -> dict[str, str]:
    """Return why there was no semantic search; nothing if there was."""
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
    """Return a snippet with its matches between `>>>` and `<<<`."""
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
    found, stubs = find.list_notes(vault, options), list[NoteFacts]()
    room = limit - len(found.notes)
    if arguments.ghosts and room and not tag and folder.strip("/") in ("", "_stub"):
        stubs = [_stub(ghost) for ghost in vault.ghosts(limit=room)]
    listed = [mapped(note, METADATA) for note in (*found.notes, *stubs)]
    return Reply(listed, found.sources())


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
    return Reply(wrapped(data, state, hints), shown(map(Passage, texts), names))


def _link(end: LinkEnd) -> dict[str, Any]:
    note_id = end.path or stub_id(end.target)
    return {"id": note_id, "title": end.title, "context": end.context}


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


# --- links --------------------------------------------------------------------------


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
    """Return nodes and the nearest edges, and how many edges there are.

    Between two notes there is one each way, with the sentence of its first link.
    """
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
        ranked[metric] = [{**_entry(one), "score": one.score} for one in found.notes]
        names += found.sources().named
    return Reply(ranked.get(arguments.metric, ranked), shown(named=names))


# --- the index ----------------------------------------------------------------------


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
    """Return what the index holds; nothing if there is no index."""
    try:
        return mapped(vault.stats(), COUNTS)
    except IndexAbsent:
        return dict.fromkeys(COUNTS, 0)


def less(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Return by how much each count is less afterwards."""
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
