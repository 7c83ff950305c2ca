"""Tools of obsidian-brain that read notes, follow links, and index.

Some replies are wrapped as `{data, context: {state, next_actions}}`.
docs/compatibility.md says where we differ from obsidian-brain.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from math import fsum
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, field

from glassmind.engine import Engine
from glassmind.errors import AmbiguousName, IndexAbsent, NoteNotFound
from glassmind.markdown.frontmatter import read_head
from glassmind.markdown.style import counted
from glassmind.markdown.tokens import estimate_tokens
from glassmind.operations.registry import Arguments, Caller, arg, shown
from glassmind.serve.compat.tools import TOOLS, Reply, hit_sources, missing, tool
from glassmind.serve.mcp.tool import MOST_TOKENS, USUAL_TOKENS
from glassmind.store.lexical.query import STOPWORDS
from glassmind.types import NotePath
from glassmind.types.catalogue import Ghost, LinkEnd, NoteFacts, NoteLinks, Stats
from glassmind.types.chains import Chain
from glassmind.types.connections import GraphLink, GraphNode, GraphPart
from glassmind.types.ledger import Passage
from glassmind.types.ranks import Metric
from glassmind.types.search import ChannelName, Hit, Mode, SearchReply, Snippet
from glassmind.types.themes import Theme
from glassmind.vault.resolve import NOTE_SUFFIX

MOST_LINKS = 200
"""Links of a note that are shown each way; a hub may have tens of thousands."""

MOST_NEIGHBOURS, MOST_PATHS = 1_000, 50

EXCERPT_CHARS, REMEMBERED, CROWD, NAMED = 200, 10, 10, 5
"""Characters of `chunkExcerpt`, results in the state of a search, neighbours that make
themes worth a look, members and tags in a summary: all as in obsidian-brain."""

Item = TypeVar("Item")

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


def simplified(query: str) -> str:
    """Return a query with half of the words that matter; empty if none is simpler.

    It keeps at least two words, as one word matches anything.
    """
    words = [w for w in query.split() if w.lower().strip("?!.,;:") not in STOPWORDS]
    kept = words[: max(2, (len(words) + 1) // 2)]
    simpler = " ".join(kept)
    return simpler if len(kept) > 1 and simpler != " ".join(query.split()) else ""


STUB = "_stub/"
"""The beginning of the id of a stub: a name that links lead to and that no note has."""

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
    """Return the note or the stub of a name, with its links.

    A note of exactly this name comes first, then a stub, then a guessed note.
    """
    if not name.startswith(STUB):
        with suppress(NoteNotFound, AmbiguousName):
            if vault.knowledge.guess(name) is None:
                return vault.links(name, limit=MOST_LINKS)
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


class SearchArguments(Arguments, frozen=True):
    query: str
    mode: Mode = "hybrid"
    limit: Annotated[int, Meta(ge=1, le=200)] = 20
    unique: Literal["notes", "chunks"] = "notes"


@tool("brain", "Search notes")
def search(vault: Engine, arguments: SearchArguments) -> Reply:
    """Find notes by keywords and meaning (hybrid).

    Or by meaning alone (semantic), or keywords alone (fulltext). Returns ids, titles,
    scores and excerpts, best first; unique 'chunks' gives passages with their lines.
    Read one with read_note.
    """
    query, mode, limit = arguments.query, arguments.mode, arguments.limit
    chunks = arguments.unique == "chunks" and mode != "fulltext"
    reply = vault.search(
        query,
        limit=limit,
        mode=mode,
        intent=None,
        fusion="rrf",
        channels=CHANNELS[mode],
        rerank="off",
        unique="chunks" if chunks else "notes",
    )
    lacking = _lacking(vault, reply) if mode != "fulltext" else {}
    if mode == "semantic" and lacking:
        return Reply(lacking)
    ranked = sorted(reply.hits, key=lambda hit: -_score(hit, mode))
    results = [_result(hit, mode, chunks=chunks) for hit in ranked]
    ids = _unique(result["nodeId"] for result in results)
    state = {"last_search_query": query, "last_search_results": ids[:REMEMBERED]}
    if degraded := missing(reply, results):
        state["degraded"] = degraded
    hints = []
    if ids:
        hints.append(hint("read_note", "it is the best match", name=ids[0]))
    elif simpler := simplified(query):
        hints.append(hint("search", "no results", query=simpler, mode=mode))
    if len(ids) > 1:
        reason = f"links may connect the {len(ids)} notes"
        hints.append(hint("find_connections", reason, name=ids[0], depth=2))
    data = wrapped(results, state, hints)
    return Reply({**lacking, **data}, hit_sources(reply.hits))


def _lacking(vault: Engine, reply: SearchReply) -> dict[str, str]:
    """Return why there was no semantic search; nothing if there was."""
    for text in reply.degraded:
        if text.startswith("semantic: "):
            status = vault.status()
            state = "preparing" if status.writing or status.embedding else "failed"
            message = text.removeprefix("semantic: ")
            return {"status": state, "message": f"{message} (mode fulltext works)"}
    return {}


def _score(hit: Hit, mode: Mode) -> float:
    """Return a cosine, BM25, or the sum of both ranks, as in obsidian-brain."""
    if mode == "semantic" and hit.similarity is not None:
        return hit.similarity
    return fsum(evidence.share for evidence in hit.evidence)


def _result(hit: Hit, mode: Mode, *, chunks: bool) -> dict[str, Any]:
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
            "chunkStartLine": hit.lines.start,
            "chunkEndLine": hit.lines.end,
            "chunkExcerpt": hit.snippet.text[:EXCERPT_CHARS],
        }
    return result


def _marked(snippet: Snippet) -> str:
    """Return a snippet with its matches between `>>>` and `<<<`."""
    text = snippet.text
    for start, end in reversed(snippet.marks):
        text = f"{text[:start]}>>>{text[start:end]}<<<{text[end:]}"
    return text


class ListArguments(Arguments, frozen=True, rename="camel"):
    directory: Annotated[str | None, arg("folder of the notes")] = None
    tag: Annotated[str | None, arg("with or without #; nested tags count")] = None
    limit: Annotated[int, Meta(ge=1, le=10_000)] = 100
    include_stubs: IncludeStubs = True


@tool("brain", "List notes")
def list_notes(vault: Engine, arguments: ListArguments) -> Reply:
    """List notes by id with title, tags and frontmatter, of one directory or tag."""
    directory, tag = arguments.directory or "", arguments.tag or ""
    limit = arguments.limit
    notes = list(vault.list_notes(folder=directory, tag=tag, limit=limit).notes)
    has_stubs = directory.strip("/") in ("", STUB.strip("/")) and not tag
    stubs = []
    if arguments.include_stubs and has_stubs and len(notes) < limit:
        stubs = [_stub(ghost) for ghost in vault.ghosts(limit=limit - len(notes))]
    texts = [Passage(note.path) for note in notes if note.properties]
    sources = shown(texts, [note.path for note in notes])
    return Reply([_metadata(note) for note in (*notes, *stubs)], sources)


def _metadata(note: NoteFacts) -> dict[str, Any]:
    return {
        "id": note.path,
        "title": note.title,
        "tags": list(note.tags),
        "frontmatter": dict(note.properties),
    }


class ReadArguments(Arguments, frozen=True, rename="camel"):
    name: Name
    mode: Literal["brief", "full"] = "brief"
    max_content_length: Annotated[Count, arg("characters of text")] = 2_000


@tool("brain", "Read a note")
def read_note(vault: Engine, arguments: ReadArguments) -> Reply:
    """Read one note.

    Brief gives metadata and the titles of linked notes; full adds its text and the
    paragraph around each link.
    """
    links = _links_of(vault, arguments.name)
    note, is_stub, full = links.note, not links.note.kind, arguments.mode == "full"
    ends = (*links.outgoing, *links.incoming)
    data = _metadata(note)
    texts = [] if is_stub or not (full or note.properties) else [Passage(note.path)]
    if full:
        text = "" if is_stub else vault.read(note.path).text
        body, most = text[read_head(text).length :], arguments.max_content_length
        data["outgoing"] = list(map(_link, links.outgoing))
        data["incoming"] = list(map(_link, links.incoming))
        data |= {"content": body[:most], "truncated": len(body) > most}
        texts += [Passage(end.path) for end in links.incoming if end.path]
    else:
        data["outgoing"] = _unique(end.title for end in links.outgoing)
        data["incoming"] = _unique(end.title for end in links.incoming)
    outgoing = _unique(str(end.path) for end in links.outgoing if end.path)
    # an embed is seldom of a note
    unresolved = _unique(
        end.target for end in links.outgoing if end.path is None and not end.embed
    )
    state: dict[str, Any] = {
        "last_file_read": note.path,
        "last_file_outgoing": outgoing,
        "last_file_unresolved_links": unresolved,
    }
    if is_stub:
        count = counted(links.incoming_total, "link")
        state["notice"] = f"{note.title} is not written yet ({count} to it)"
    names = [end.path for end in ends] + ([] if is_stub else [note.path])
    hints = []
    if unresolved:
        reason = f"{len(unresolved)} of its links lead to no note yet"
        hints.append(hint("create_note", reason, title=unresolved[0], content=""))
    if outgoing:
        reason = f"it links to {counted(len(outgoing), 'note')}"
        hints.append(hint("find_connections", reason, name=note.path))
    return Reply(wrapped(data, state, hints), shown(texts, names))


def _link(end: LinkEnd) -> dict[str, Any]:
    note_id = end.path or stub_id(end.target)
    return {"id": note_id, "title": end.title, "context": end.context}


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


# --- links --------------------------------------------------------------------------


class ConnectionsArguments(Arguments, frozen=True, rename="camel"):
    name: Name
    depth: Annotated[int, Meta(ge=1, le=3), arg("links away")] = 1
    return_subgraph: Annotated[bool, arg("nodes and edges")] = False
    include_stubs: IncludeStubs = False


@tool("brain", "Find connections")
def find_connections(vault: Engine, arguments: ConnectionsArguments) -> Reply:
    """Find the notes linked with a note, up to depth links away.

    Returns a list or, with returnSubgraph, nodes and all links between them with the
    sentence around each.
    """
    name, ghosts = _named(arguments.name, stubs=arguments.include_stubs)
    found = vault.knowledge.connections(
        name,
        depth=arguments.depth,
        limit=MOST_NEIGHBOURS,
        ghosts=ghosts,
        subgraph=arguments.return_subgraph,
    )
    near = [note for ring in found.hops for note in ring.neighbours]
    root = _id(found)
    texts: list[Passage] = []
    data: Any
    if found.subgraph:
        data, texts, names, left_out = _subgraph(found.subgraph)
    else:
        listed, left_out = _fitting(near, _entry, "notes", MOST_TOKENS)
        data, names = list(map(_entry, listed)), _note_paths(listed)
    state = {"last_connections_root": root, "last_connections_count": len(near)}
    if notices := [*found.notices, *left_out]:
        state["notices"] = notices
    hints = []
    if len(near) > CROWD:
        hints.append(hint("detect_themes", f"{len(near)} notes are connected"))
    if near:
        ends = {"from": root, "to": _id(near[-1])}
        hints.append(hint("find_path_between", "it is the furthest of them", **ends))
    sources = shown(texts, [*_note_paths([found]), *names])
    return Reply(wrapped(data, state, hints), sources)


def _named(name: str, *, stubs: bool) -> tuple[str, bool]:
    """Return a name, and whether stubs count: they do if one is named."""
    return stub_name(name), stubs or name.startswith(STUB)


def _id(node: Any) -> str:
    return stub_id(node.path) if node.ghost else node.path


def _entry(node: Any) -> dict[str, Any]:
    return {"id": _id(node), "title": node.title}


def _note_paths(nodes: Iterable[Any]) -> list[str]:
    return [node.path for node in nodes if not node.ghost]


def _fitting(
    items: Sequence[Item], show: Callable[[Item], object], what: str, budget: int
) -> tuple[list[Item], list[str]]:
    """Return as many of the first items as fit into a budget of tokens, at least one.

    The notice says if others do not fit.
    """
    texts = (json.dumps(show(item), ensure_ascii=False, default=str) for item in items)
    totals = accumulate(map(estimate_tokens, texts))
    kept = items[: max(1, sum(total <= budget for total in totals))]
    notice = f"to fit, the first {len(kept):,} of {len(items):,} {what} are here"
    return list(kept), [notice] if len(kept) < len(items) else []


def _subgraph(
    graph: GraphPart,
) -> tuple[dict[str, Any], list[Passage], list[str], list[str]]:
    """Return the nodes and edges that fit, their sources, and what was left out.

    Between two notes there is one edge each way, with the sentence of its first link.
    """
    nodes, fewer_nodes = _fitting(graph.nodes, _node, "nodes", MOST_TOKENS // 2)
    ids = {node.path: _id(node) for node in nodes}
    first: dict[tuple[str, str], GraphLink] = {}
    for link in graph.edges:
        if link.source in ids and link.target in ids:
            first.setdefault((link.source, link.target), link)

    def edge(link: GraphLink) -> dict[str, Any]:
        return _edge(ids[link.source], ids[link.target], link.sentence)

    links, fewer_edges = _fitting([*first.values()], edge, "edges", MOST_TOKENS // 2)
    data = {"nodes": list(map(_node, nodes)), "edges": list(map(edge, links))}
    texts = [Passage(node.path) for node in nodes if node.properties and not node.ghost]
    texts += _sentences(links)
    return data, texts, _note_paths(nodes), [*fewer_nodes, *fewer_edges]


def _node(node: GraphNode) -> dict[str, Any]:
    properties = IS_STUB if node.ghost else node.properties
    return {**_entry(node), "frontmatter": dict(properties)}


def _edge(source: str, target: str, context: str) -> dict[str, Any]:
    return {"sourceId": source, "targetId": target, "context": context}


def _sentences(links: Iterable[GraphLink]) -> list[Passage]:
    return [Passage(one.source, one.line, one.line) for one in links if one.sentence]


class PathArguments(Arguments, frozen=True, rename="camel"):
    source: Name = field(name="from")
    target: str = field(name="to")
    max_depth: Annotated[int, Meta(ge=1, le=20)] = 3
    include_common: bool = False
    include_stubs: IncludeStubs = False


@tool("brain", "Find paths")
def find_path_between(vault: Engine, arguments: PathArguments) -> Reply:
    """Find chains of links between two notes, shortest first.

    With includeCommon, also the notes linked with both.
    """
    source, stub_source = _named(arguments.source, stubs=arguments.include_stubs)
    target, stub_target = _named(arguments.target, stubs=arguments.include_stubs)
    found = vault.knowledge.path(
        source,
        target,
        limit=MOST_PATHS,
        most_hops=arguments.max_depth,
        common=arguments.include_common,
        ghosts=stub_source or stub_target,
    )
    chains, notices = _fitting(found.chains, _chain, "paths", USUAL_TOKENS)
    common = found.common if arguments.include_common else ()
    reply: dict[str, Any] = {"paths": list(map(_chain, chains))}
    if notices:
        reply["notices"] = notices
    if arguments.include_common:
        reply["common"] = list(map(_entry, common))
    if found.reason is not None:
        reply["reason"] = found.reason.text
    stops = [stop for chain in chains for stop in chain.notes]
    links = [
        link for chain in chains for step in chain.steps for link in step.edges[:1]
    ]
    return Reply(reply, shown(_sentences(links), _note_paths([*stops, *common])))


def _chain(chain: Chain) -> dict[str, Any]:
    ids = list(map(_id, chain.notes))
    return {
        "nodes": ids,
        "edges": [
            _edge(source, target, step.edges[0].sentence if step.edges else "")
            for source, target, step in zip(ids, ids[1:], chain.steps, strict=False)
        ],
        "length": len(chain.steps),
    }


class ThemesArguments(Arguments, frozen=True, rename="camel"):
    theme_id: ThemeId = None
    include_stubs: IncludeStubs = False


@tool("brain", "Detect themes")
def detect_themes(vault: Engine, arguments: ThemesArguments) -> Reply:
    """List groups of linked notes with label, summary and members, or one of them.

    reindex with a resolution makes them broader or finer.
    """
    theme = arguments.theme_id
    found = vault.knowledge.themes(theme=theme, ghosts=arguments.include_stubs)
    members = [member for theme in found.themes for member in theme.members]
    sources = shown(named=_note_paths(members))
    clusters = list(map(_cluster, found.themes))
    if theme is not None:
        return Reply(clusters[0], sources)
    warning = {"warning": found.warning} if found.warning else {}
    reply = {"clusters": clusters, "modularity": found.modularity, **warning}
    return Reply(reply, sources)


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


class RankArguments(Arguments, frozen=True, rename="camel"):
    metric: Literal["influence", "bridging", "both"] = "both"
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 20
    theme_id: ThemeId = None
    include_stubs: IncludeStubs = False
    min_incoming_links: Annotated[Count, arg("of influence")] = 2


@tool("brain", "Rank notes")
def rank_notes(vault: Engine, arguments: RankArguments) -> Reply:
    """Rank notes by influence (PageRank), by bridging (betweenness), or both."""
    both: tuple[Metric, ...] = ("influence", "bridging")
    ranked: dict[str, list[dict[str, Any]]] = {}
    names: list[str] = []
    for metric in both if arguments.metric == "both" else (arguments.metric,):
        notes = vault.knowledge.rank(
            metric=metric,
            limit=arguments.limit,
            theme=arguments.theme_id,
            least_inbound=arguments.min_incoming_links if metric == "influence" else 0,
            ghosts=arguments.include_stubs,
        ).notes
        ranked[metric] = [{**_entry(note), "score": note.score} for note in notes]
        names += _note_paths(notes)
    only = ranked.get(arguments.metric)
    return Reply(ranked if only is None else only, shown(named=names))


# --- the index ----------------------------------------------------------------------


class ReindexArguments(Arguments, frozen=True):
    resolution: Annotated[
        Annotated[float, Meta(ge=0.01, le=100)] | None,
        arg("of themes: 0.5 broader, 2 finer; kept until the next one"),
    ] = None


@tool("brain", "Index the vault", writes=True, idempotent=True, timeout_s=600)
def reindex(vault: Engine, arguments: ReindexArguments, caller: Caller) -> Reply:
    """Update the index from the notes on disk; only what changed is read.

    Returns what was indexed, skipped and removed.
    """
    resolution = arguments.resolution
    before = stats_of(vault)
    links, stubs = (before.links, before.ghosts) if before else (0, 0)
    report = vault.index(reason="reindex", progress=caller.progress)
    refresh = resolution is not None
    themes = vault.knowledge.themes(resolution=resolution, refresh=refresh)
    after = vault.stats()
    return Reply(
        {
            "nodesIndexed": report.added + report.changed + report.moved,
            "nodesSkipped": report.unchanged,
            "nodesRemoved": report.removed,
            "edgesIndexed": max(0, after.links - links),
            "stubNodesCreated": max(0, after.ghosts - stubs),
            "stubsPruned": max(0, stubs - after.ghosts),
            "communitiesDetected": themes.total,
            "warnings": list(report.warnings),
        }
    )


def stats_of(vault: Engine) -> Stats | None:
    """Return what the index holds; None if there is no index."""
    try:
        return vault.stats()
    except IndexAbsent:
        return None


NOT_OURS = (
    "advertisedMaxTokens",
    "discoveredMaxTokens",
    "prefixSource",
    "overrideApplied",
    "lastReindexReasons",
)
"""What obsidian-brain reports of its index and we do not have."""


@tool("brain", "Show the index")
def index_status(vault: Engine, _: Arguments) -> Reply:
    """Show how much is indexed and embedded, by which model, and what is missing."""
    status, stats = vault.status(), vault.stats()
    coverage = status.coverage
    bare = stats.notes - stats.embedded_notes - stats.empty_notes
    others = vault.knowledge.dismissals().problems
    problems = [notice for notice in status.notices if notice not in others]
    covered = f"{coverage.covered:,} of {coverage.total:,} passages are embedded"
    return Reply(
        {
            **dict.fromkeys(NOT_OURS),
            "model": status.model or None,
            "dim": stats.width or None,
            "provider": vault.config.embeddings.backend,
            "notesTotal": stats.notes,
            "notesWithEmbeddings": stats.embedded_notes,
            "notesNoEmbeddableContent": stats.empty_notes,
            "notesMissingEmbeddings": max(0, bare),
            "chunksTotal": status.chunks,
            "chunksWithEmbeddings": coverage.covered,
            "chunksMissingEmbeddings": coverage.missing,
            "chunksNoEmbeddableContent": status.chunks - coverage.total,
            "summary": f"{status.notes:,} notes; {covered}",
            "failedChunks": [],
            "reindexInProgress": bool(status.writing or status.embedding),
            "embedderReady": bool(status.space) and not problems,
            "initError": "; ".join(problems) or None,
        }
    )
