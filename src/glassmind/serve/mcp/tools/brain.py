"""The tools of obsidian-brain: its names, its arguments, its replies.

A reply is JSON, in the text as in the values. `search`, `read_note`, `delete_note` and
`find_connections` wrap theirs as `{data, context: {state, next_actions}}`, the others
do not; a reply that is a list stands under `result` among the values, which have to be
an object. Where we do other than obsidian-brain, docs/compatibility.md says so.
"""

from math import fsum
from typing import Any

from glassmind.engine import Engine
from glassmind.errors import IndexAbsent
from glassmind.markdown.frontmatter import read_head
from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools import brain_edit, brain_graph, brain_write
from glassmind.serve.mcp.tools.brain_hints import (
    REMEMBERED,
    note_hints,
    search_hints,
)
from glassmind.serve.mcp.tools.brain_shapes import (
    NAME,
    SERVED,
    metadata,
    unique,
    wrapped,
)
from glassmind.serve.mcp.tools.brain_stubs import (
    STUB,
    is_stub,
    links_of,
    notice_of,
    stub_id,
    stub_of,
)
from glassmind.serve.mcp.tools.shapes import (
    FAULT,
    UNTRUSTED,
    as_json,
    missing,
    notes_as_json,
)
from glassmind.types.catalogue import LinkEnd, NoteLinks, Stats
from glassmind.types.search import Hit, SearchReply, Snippet

EXCERPT = 200
"""Characters of `chunkExcerpt`, as obsidian-brain has it."""

MOST_RESULTS, MOST_LISTED = 200, 10_000

UNKNOWN = (
    "advertisedMaxTokens",
    "discoveredMaxTokens",
    "prefixSource",
    "overrideApplied",
    "lastReindexReasons",
)
"""What obsidian-brain tells of its index and we have no word for."""

MOST_LINKS = 200
"""Links shown of a note each way; a hub may have tens of thousands."""


def search(call: Call) -> Answer:
    """Find notes or passages; by words alone where meaning cannot be asked."""
    query, mode = call.given["query"], call.given["mode"]
    chunks = call.given["unique"] == "chunks" and mode != "fulltext"
    reply = call.engine.search(
        query,
        limit=call.given["limit"],
        mode=mode,
        intent=None,
        fusion="rrf",
        channels=_channels(mode),
        rerank="off",
        unique="chunks" if chunks else "notes",
    )
    lacking = _lacking(call.engine, reply) if mode != "fulltext" else {}
    if mode == "semantic" and lacking:
        return as_json(lacking)
    ranked = sorted(
        ((_score(hit, mode), hit) for hit in reply.hits), key=lambda pair: -pair[0]
    )
    results = [_result(hit, score, chunks=chunks) for score, hit in ranked]
    found = list(dict.fromkeys(result["nodeId"] for result in results))
    state: dict[str, Any] = {
        "last_search_query": query,
        "last_search_results": found[:REMEMBERED],
    }
    if lacked := missing(reply, results):
        state["degraded"] = lacked
    hints = search_hints(query, mode, found)
    return notes_as_json({**lacking, **wrapped(results, state, hints)})


def _channels(mode: str) -> tuple[Any, ...]:
    """Return the channels of a mode: links and days have no vote in obsidian-brain."""
    by_mode = {"semantic": ("semantic",), "fulltext": ("lexical",)}
    return by_mode.get(mode, ("lexical", "semantic"))


def _lacking(engine: Engine, reply: SearchReply) -> dict[str, str]:
    """Return why nothing was asked by meaning; nothing when it was."""
    said = [text for text in reply.degraded if text.startswith("semantic: ")]
    if not said:
        return {}
    at_work = engine.status()
    state = "preparing" if at_work.writing or at_work.embedding else "failed"
    message = said[0].removeprefix("semantic: ")
    return {"status": state, "message": f"{message} (mode fulltext works)"}


def _score(hit: Hit, mode: str) -> float:
    """Return what obsidian-brain ranks by: a cosine, BM25, or the sum of both ranks."""
    if mode == "semantic" and hit.similarity is not None:
        return hit.similarity
    return fsum(evidence.share for evidence in hit.evidence)


def _result(hit: Hit, score: float, *, chunks: bool) -> dict[str, Any]:
    result = {
        "nodeId": hit.path,
        "title": hit.title,
        "score": score,
        "excerpt": marked(hit.snippet),
    }
    if not chunks:
        return result
    return result | {
        "chunkId": f"{hit.path}::{hit.chunk_index}",
        "chunkHeading": hit.heading_path[-1] if hit.heading_path else None,
        "chunkStartLine": hit.span.start,
        "chunkEndLine": hit.span.end,
        "chunkExcerpt": hit.snippet.text[:EXCERPT],
    }


def marked(snippet: Snippet) -> str:
    """Return a snippet with what matched between `>>>` and `<<<`."""
    text, parts, at = snippet.text, [], 0
    for start, end in snippet.marks:
        parts += [text[at:start], ">>>", text[start:end], "<<<"]
        at = end
    return "".join([*parts, text[at:]])


def list_notes(call: Call) -> Answer:
    """List notes, and behind them those that links lead to and nobody wrote yet."""
    directory, tag = call.given["directory"] or "", call.given["tag"] or ""
    limit = call.given["limit"]
    found = call.engine.list_notes(folder=directory, tag=tag, limit=limit)
    listed = [metadata(note) for note in found.notes]
    wants_stubs = call.given["includeStubs"] and not tag
    if wants_stubs and directory.strip("/") in {"", STUB[:-1]} and len(listed) < limit:
        ghosts = call.engine.ghosts(limit=limit - len(listed))
        listed += [metadata(stub_of(ghost)) for ghost in ghosts]
    return notes_as_json(listed)


def read_note(call: Call) -> Answer:
    """Give what is known of a note; in full its text and what stands around links."""
    links = links_of(call.engine, call.given["name"], limit=MOST_LINKS)
    note_id, stub = links.note.path, is_stub(links.note)
    full = call.given["mode"] == "full"
    shown = {**metadata(links.note), **(_contexts if full else _titles)(links)}
    if full:
        text = "" if stub else call.engine.read(note_id).text
        body = text[read_head(text).length :]
        most = call.given["maxContentLength"]
        shown |= {"content": body[:most], "truncated": len(body) > most}
    outgoing = unique(str(end.path) for end in links.outgoing if end.path)
    unresolved = _unresolved(links)
    state: dict[str, Any] = {
        "last_file_read": note_id,
        "last_file_outgoing": outgoing,
        "last_file_unresolved_links": unresolved,
    }
    if stub:
        state["notice"] = notice_of(links)
    return notes_as_json(
        wrapped(shown, state, note_hints(note_id, outgoing, unresolved))
    )


def _titles(links: NoteLinks) -> dict[str, Any]:
    return {
        "outgoing": unique(end.title for end in links.outgoing),
        "incoming": unique(end.title for end in links.incoming),
    }


def _contexts(links: NoteLinks) -> dict[str, Any]:
    return {
        "outgoing": [_edge(end) for end in links.outgoing],
        "incoming": [_edge(end) for end in links.incoming],
    }


def _edge(end: LinkEnd) -> dict[str, Any]:
    note_id = end.path or stub_id(end.target)
    return {"id": note_id, "title": end.title, "context": end.context}


def _unresolved(links: NoteLinks) -> list[str]:
    """Return what links of the text lead to in vain; an embed is rarely of a note."""
    return unique(e.target for e in links.outgoing if e.path is None and not e.embed)


def reindex(call: Call) -> Answer:
    """Bring the index and its themes up to the vault and say what changed."""
    resolution = call.given["resolution"]
    before = _stats(call.engine)
    report = call.engine.index(reason="reindex", progress=call.progress)
    themes = call.engine.knowledge.themes(
        resolution=resolution, refresh=resolution is not None
    )
    after = call.engine.stats()
    links, ghosts = (before.links, before.ghosts) if before else (0, 0)
    made = after.ghosts - ghosts
    return as_json(
        {
            "nodesIndexed": report.added + report.changed + report.moved,
            "nodesSkipped": report.unchanged,
            "nodesRemoved": report.removed,
            "edgesIndexed": max(0, after.links - links),
            "stubNodesCreated": max(0, made),
            "stubsPruned": max(0, -made),
            "communitiesDetected": themes.total,
            "warnings": list(report.warnings),
        }
    )


def _stats(engine: Engine) -> Stats | None:
    try:
        return engine.stats()
    except IndexAbsent:
        return None


def index_status(call: Call) -> Answer:
    """Say how far the index is, and what meaning is asked of."""
    status, stats = call.engine.status(), call.engine.stats()
    coverage = status.coverage
    bare = stats.notes - stats.embedded_notes - stats.empty_notes
    apart = call.engine.knowledge.dismissals().problems
    lacks = [said for said in status.notices if said not in apart]
    ready = bool(status.space) and not lacks
    said = f"{coverage.covered:,} of {coverage.total:,} passages are embedded"
    return as_json(
        {
            **dict.fromkeys(UNKNOWN),
            "model": status.model or None,
            "dim": stats.width or None,
            "provider": call.engine.config.embeddings.backend,
            "notesTotal": stats.notes,
            "notesWithEmbeddings": stats.embedded_notes,
            "notesNoEmbeddableContent": stats.empty_notes,
            "notesMissingEmbeddings": max(0, bare),
            "chunksTotal": status.chunks,
            "chunksWithEmbeddings": coverage.covered,
            "chunksMissingEmbeddings": coverage.missing,
            "chunksNoEmbeddableContent": status.chunks - coverage.total,
            "summary": f"{status.notes:,} notes; {said}",
            "failedChunks": [],
            "reindexInProgress": bool(status.writing or status.embedding),
            "embedderReady": ready,
            "initError": "; ".join(lacks) or None,
        }
    )


MODES = ("hybrid", "semantic", "fulltext")

_TABLE: tuple[Tool, ...] = (
    Tool(
        "search",
        "Search notes",
        "Find notes by meaning and words (hybrid), meaning alone (semantic) or words "
        "alone (fulltext). Returns ids, titles, scores and excerpts, best first; "
        "unique 'chunks' gives passages with their lines. Read one with read_note. "
        f"{UNTRUSTED}",
        (
            Argument("query", "string"),
            Argument("mode", "string", default="hybrid", choices=MODES),
            Argument("limit", "integer", default=20, least=1, most=MOST_RESULTS),
            Argument("unique", "string", default="notes", choices=("notes", "chunks")),
        ),
        search,
    ),
    Tool(
        "list_notes",
        "List notes",
        "List notes by id with title, tags and frontmatter, of one directory or tag.",
        (
            Argument("directory", "string", "folder the notes stand below", None),
            Argument("tag", "string", "with or without #; nested tags count", None),
            Argument("limit", "integer", default=100, least=1, most=MOST_LISTED),
            Argument(
                "includeStubs", "boolean", "also names linked to but not written", True
            ),
        ),
        list_notes,
    ),
    Tool(
        "read_note",
        "Read a note",
        "Read one note: brief gives metadata and the titles it links with; full adds "
        f"its text and the paragraph around each link. {UNTRUSTED}",
        (
            NAME,
            Argument("mode", "string", default="brief", choices=("brief", "full")),
            Argument(
                "maxContentLength", "integer", "characters of text", 2000, least=0
            ),
        ),
        read_note,
    ),
    Tool(
        "reindex",
        "Index the vault",
        "Bring the index up to the notes on disk; only what changed is read. Returns "
        "what was indexed, skipped and removed.",
        (
            Argument(
                "resolution",
                "number",
                "of themes: 0.5 broader, 2 finer; kept until the next one",
                None,
                least=0.01,
                most=100,
            ),
        ),
        reindex,
        read_only=False,
        timeout_s=600,
    ),
    Tool(
        "index_status",
        "Show the index",
        "Say how much is indexed and embedded, by which model, and what is missing.",
        (),
        index_status,
    ),
)

_TABLES = (*_TABLE, *brain_graph.TABLE, *brain_edit.TABLE, *brain_write.TABLE)
_BY_NAME = {tool.name: tool for tool in _TABLES}

TOOLS = tuple(_BY_NAME[name]._replace(fault_mark=FAULT) for name in SERVED)
