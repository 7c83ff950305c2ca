"""The tool of vault-graphrag: `vault_search`, with its names, defaults and reply."""

from collections.abc import Mapping
from typing import Any, get_args

from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.shapes import FAULT, UNTRUSTED, missing, notes_as_json
from glassmind.types.search import ChannelName, Hit, Intent

CHANNELS: Mapping[ChannelName, str] = {"lexical": "bm25"}
"""What vault-graphrag calls a channel; the others it calls as we do."""

MOST_RESULTS, MOST_HOPS = 200, 5


def vault_search(call: Call) -> Answer:
    """Search by every channel, each counting as the intent wants it.

    An intent that is neither given nor plain from the query is `conceptual`.
    """
    given = call.given
    reply = call.engine.search(
        given["query"],
        limit=given["max_results"],
        mode="hybrid",
        intent=given["intent"] or "auto",
        fallback_intent="conceptual",
        root_note=given["root_note"] or None,
        hop_depth=given["hop_depth"],
        threshold=given["threshold"],
        fusion="weighted_rrf",
        rerank="off",
    )
    return notes_as_json(
        {
            "results": [_result(hit) for hit in reply.hits],
            "degraded": missing(reply, reply.hits),
        }
    )


def _result(hit: Hit) -> dict[str, Any]:
    first = hit.channels[0] if hit.is_note else "hindsight"  # whatever else it is near
    return {
        "path": hit.path,
        "title": hit.title,
        "channel": CHANNELS.get(first, first),
        "relevance": hit.relevance,
        "match_reason": hit.match_reason,
        "excerpt": hit.snippet.text,
        "depth": hit.depth,
        "connected_via": list(hit.connected_via),
    }


TOOLS: tuple[Tool, ...] = (
    Tool(
        "vault_search",
        "Search the vault",
        "Search notes by keywords, meaning, links and memory at once. The intent says "
        "what counts: factual_lookup (a fact or setting), context_load (all about a "
        "project or topic), conceptual (ideas), backlink (what links to a note), "
        "serendipity (unexpected connections); without one it is told from the query. "
        f"{UNTRUSTED}",
        (
            Argument("query", "string"),
            Argument("intent", "string", "", None, choices=get_args(Intent)),
            Argument("root_note", "string", "note that links are followed from", None),
            Argument("max_results", "integer", default=10, least=1, most=MOST_RESULTS),
            Argument(
                "hop_depth", "integer", "links to follow", 2, least=0, most=MOST_HOPS
            ),
            Argument("threshold", "number", "least relevance", 0.6, least=0, most=1),
        ),
        vault_search,
        fault_mark=FAULT,
    ),
)
