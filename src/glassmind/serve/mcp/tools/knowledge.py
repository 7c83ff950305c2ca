"""The tools of the Knowledge layer: `semantic_search` and `search_files`."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.shapes import FAULT, UNTRUSTED, missing, notes_as_json
from glassmind.types.search import ChannelName, Hit, Mode, SearchReply

USUAL, MOST = 8, 20
"""Files in a reply, as the Knowledge layer has it."""

REACH, FARTHEST = 4, 80
"""How many more are asked for where a folder leaves some out, and the most; its own."""


def semantic_search(call: Call) -> Answer:
    """Find by meaning and by links; by keywords where meaning cannot be asked."""
    return _answered(call, ("semantic", "graph", "implicit"))


def search_files(call: Call) -> Answer:
    """Find by keywords and meaning; by keywords alone where meaning cannot be asked."""
    return _answered(call, ("lexical", "semantic", "graph", "implicit"))


def _answered(call: Call, channels: tuple[ChannelName, ...]) -> Answer:
    reply = _asked(call, "hybrid", channels)
    if any(text.startswith("semantic: ") for text in reply.degraded):
        said = reply.degraded
        reply = _asked(call, "fulltext", None)
        reply = reply._replace(degraded=tuple(dict.fromkeys((*said, *reply.degraded))))
    passing = [hit for hit in reply.hits if _stands_in(hit, call.given["folder"])]
    return notes_as_json(
        {
            "results": [_result(hit) for hit in passing[: call.given["top_k"]]],
            "mode": "semantic" if "semantic" in reply.channels else "keyword",
            "degraded": missing(reply, passing),
        }
    )


def _asked(
    call: Call, mode: Mode, channels: tuple[ChannelName, ...] | None
) -> SearchReply:
    top_k, folder = call.given["top_k"], call.given["folder"]
    asks = bool(call.given["query"].strip())  # else filters choose, newest first
    return call.engine.search(
        " ".join([*_filters(call.given), call.given["query"]]),
        limit=min(REACH * top_k, FARTHEST) if folder else top_k,
        mode=mode,
        intent=None,
        channels=channels if asks else None,
    )


def _filters(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield filters as a query has them; before its words, no quote can swallow them.

    A path need only hold the folder here: where it begins is looked at afterwards.
    """
    tags = given["tags"] or []
    wanted = [("path", given["folder"]), *(("tag", tag) for tag in tags)]
    for name, value in (*wanted, ("after", given["since"])):
        plain = (value or "").replace('"', " ").strip()
        if plain:
            yield f'{name}:"{plain.strip("/")}"'


def _stands_in(hit: Hit, folder: str | None) -> bool:
    wanted = (folder or "").strip().strip("/").casefold()
    return not wanted or hit.path.casefold().startswith(f"{wanted}/")


def _result(hit: Hit) -> dict[str, Any]:
    """Return a file with one or two of its passages, and how links led to it."""
    shown = {
        "path": hit.path,
        "title": hit.title,
        "excerpt": hit.snippet.text,
        "relevance": hit.relevance,
        "more": [passage.snippet.text for passage in hit.more[:1]],
    }
    if hit.connected_via:
        shown["connection_path"] = [*hit.connected_via, hit.path]
        shown["connection"] = hit.match_reason
    return shown


ARGUMENTS = (
    Argument("query", "string"),
    Argument("top_k", "integer", "files in the reply", USUAL, least=1, most=MOST),
    Argument("folder", "string", "only files below it", None),
    Argument("tags", "strings", "only files with all of them", None),
    Argument("since", "string", "only files from this day on: YYYY-MM-DD, 7d", None),
)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "semantic_search",
        "Search by meaning",
        "Find files by what they mean and by the links that lead to them. Returns "
        "path, excerpt, relevance and, where links led to a file, the connection "
        f"path. {UNTRUSTED}",
        ARGUMENTS,
        semantic_search,
        fault_mark=FAULT,
    ),
    Tool(
        "search_files",
        "Search files",
        "Find files by keywords and meaning together, by keywords alone where there "
        f"is no model. Returns path, excerpt and relevance. {UNTRUSTED}",
        ARGUMENTS,
        search_files,
        fault_mark=FAULT,
    ),
)
