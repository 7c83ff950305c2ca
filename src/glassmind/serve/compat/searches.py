"""Search as vault-graphrag, the Knowledge layer and obsidian-rag offer it."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct, structs

from glassmind.engine import Engine
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.model.search import FACTS, ChannelName, Intent
from glassmind.operations.find import SearchHit, found_by
from glassmind.operations.registry import (
    Arguments,
    Result,
    Route,
    arg,
    operation,
    shown,
)
from glassmind.search.query import SAYS
from glassmind.serve.compat.tools import Reply, missing, tool


class VaultSearchArguments(Arguments, frozen=True):
    query: str
    intent: Intent | None = None
    root_note: Annotated[str | None, arg("note that links are followed from")] = None
    max_results: Annotated[int, Meta(ge=1, le=200)] = 10
    hop_depth: Annotated[int, Meta(ge=0, le=5), arg("links to follow")] = 2
    threshold: Annotated[float, Meta(ge=0, le=1), arg("least relevance")] = 0.6


@tool("graphrag", "Search the vault")
def vault_search(vault: Engine, arguments: VaultSearchArguments) -> Reply:
    """Search notes by keywords, meaning, links and memory at once.

    The intent says what counts: factual_lookup (a fact or setting), context_load (all
    about a project or topic), conceptual (ideas), backlink (what links to a note),
    serendipity (unexpected connections); without one the query decides.
    """
    result = found_by(
        vault,
        arguments.query,
        limit=arguments.max_results,
        mode="hybrid",
        intent=arguments.intent or "auto",
        fallback_intent="conceptual",
        root_note=arguments.root_note,
        hop_depth=arguments.hop_depth,
        threshold=arguments.threshold,
        fusion="weighted_rrf",
        rerank="off",
    )
    results = list(map(_vault_result, result.hits))
    reply = {"results": results, "degraded": missing(result)}
    return Reply(reply, result.sources())


def _vault_result(hit: SearchHit) -> dict[str, Any]:
    channel = hit.channels[0] if hit.is_note else "hindsight"
    return {
        "path": hit.path,
        "title": hit.title,
        "channel": "bm25" if channel == "lexical" else channel,
        "relevance": hit.relevance,
        "match_reason": hit.match_reason,
        "excerpt": hit.snippet.text,
        "depth": hit.depth,
        "connected_via": hit.connected_via,
    }


class KnowledgeArguments(Arguments, frozen=True):
    query: str
    top_k: Annotated[int, Meta(ge=1, le=20), arg("files in the reply")] = 8
    folder: Annotated[str | None, arg("only files below it")] = None
    tags: Annotated[list[str] | None, arg("only files with all of them")] = None
    since: Annotated[str | None, arg("only files from this day on: YYYY-MM-DD, 7d")] = (
        None
    )


@tool("knowledge", "Search by meaning")
def semantic_search(vault: Engine, arguments: KnowledgeArguments) -> Reply:
    """Find files by what they mean and by the links that lead to them.

    Returns path, excerpt, relevance and, where links led to a file, the connection
    path.
    """
    return _files(vault, arguments, "semantic", "graph", "implicit")


@tool("knowledge", "Search files")
def search_files(vault: Engine, arguments: KnowledgeArguments) -> Reply:
    """Find files by keywords and meaning; without a model, by keywords alone.

    Returns path, excerpt and relevance.
    """
    return _files(vault, arguments, "lexical", "semantic", "graph", "implicit")


def _files(
    vault: Engine, arguments: KnowledgeArguments, *channels: ChannelName
) -> Reply:
    folder = (arguments.folder or "").strip().strip("/").casefold()
    top_k, query = arguments.top_k, " ".join([*_filters(arguments), arguments.query])
    limit = 4 * top_k if folder else top_k  # as in the Knowledge layer
    used = channels if arguments.query.strip() else None  # filters alone: newest first
    options: dict[str, Any] = {"limit": limit, "intent": None}
    result = found_by(vault, query, mode="hybrid", channels=used, **options)
    lacking = result.degraded
    if result.semantic_failure:
        result = found_by(vault, query, mode="fulltext", **options)
        both = dict.fromkeys([*lacking, *result.degraded])
        result = structs.replace(result, degraded=list(both))
    # the path filter matches the folder anywhere in a path
    inside = f"{folder}/" if folder else ""
    hits = [hit for hit in result.hits if hit.path.casefold().startswith(inside)]
    result = structs.replace(result, hits=hits[:top_k])
    reply = {
        "results": list(map(_file, result.hits)),
        "mode": "semantic" if "semantic" in result.channels else "keyword",
        "degraded": missing(result),
    }
    return Reply(reply, result.sources())


def _filters(arguments: KnowledgeArguments) -> Iterator[str]:
    """Yield filters of a query; before its words, no quote can swallow them."""
    tags = [("tag", tag) for tag in arguments.tags or ()]
    filters = [("path", arguments.folder), *tags, ("after", arguments.since)]
    for name, value in filters:
        plain = (value or "").replace('"', " ").strip()
        if plain:
            yield f'{name}:"{plain.strip("/")}"'


def _file(hit: SearchHit) -> dict[str, Any]:
    result = {
        "path": hit.path,
        "title": hit.title,
        "excerpt": hit.snippet.text,
        "relevance": hit.relevance,
        "more": [passage.snippet.text for passage in hit.more[:1]],
    }
    if hit.connected_via:
        result["connection_path"] = [*hit.connected_via, hit.path]
        result["connection"] = hit.match_reason
    return result


class PassagesArguments(Arguments, frozen=True):
    query: Annotated[
        str,
        Meta(max_length=2_000),
        arg("Words, phrases and filters, or a question.", pattern=SAYS),
    ]
    limit: Annotated[int, Meta(ge=1, le=1_000), arg("Maximum number of passages.")] = 20


class FoundPassage(Struct, frozen=True, rename="camel"):
    """A passage with its whole text."""

    chunk_id: str
    path: str
    chunk_index: int
    content: str
    score: float


class Passages(Result, frozen=True):
    """Passages, best first; the JSON is a list."""

    list_field: ClassVar[str] = "passages"

    passages: list[FoundPassage]

    def sources(self) -> DisclosedNotes:
        paths = (passage.path for passage in self.passages)
        return shown(
            [DisclosedLines(path) for path in paths if not path.startswith(FACTS)]
        )


@operation(group="Find", route=Route("GET", "/api/search", sets=("core",)))
def passages(vault: Engine, arguments: PassagesArguments) -> Passages:
    """Find passages, in the shape of obsidian-rag."""
    reply = vault.search(arguments.query, limit=arguments.limit, unique="chunks")
    texts: dict[tuple[str, int], str] = {}
    for path in {hit.path for hit in reply.hits if hit.is_note}:
        chunks = vault.chunks(path)[1]
        texts |= {(path, chunk.chunk_index): chunk.text for chunk in chunks}
    found_passages = []
    for hit in reply.hits:
        path, at = hit.path, hit.chunk_index
        text = texts.get((path, at), hit.snippet.text)
        found_passages.append(FoundPassage(f"{path}::{at}", path, at, text, hit.score))
    return Passages(passages=found_passages)
