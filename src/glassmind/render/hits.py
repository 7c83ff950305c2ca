"""Hits as programs read them."""

from typing import Any

from glassmind.render.address import heading_address, iso_time, obsidian_uri
from glassmind.render.approval import mark_of
from glassmind.types import NotePath
from glassmind.types.search import Evidence, Hit, Passage, SearchReply, Snippet


def hits_as_json(reply: SearchReply, *, vault: str, root: str) -> dict[str, Any]:
    """Return the hits of a search, best first, and what was missing.

    `vault` is the name that Obsidian knows the vault by, `root` its folder.
    """
    return {
        "vault": root,
        "query": reply.query,
        "mode": reply.mode,
        "intent": reply.intent,
        "channels": list(reply.channels),
        "confidence": reply.confidence,
        "doubtful": reply.is_doubtful,
        "reranked": reply.reranked,
        "hits": [hit_as_json(hit, vault=vault) for hit in reply.hits],
        "degraded": list(reply.degraded),
    }


def hit_as_json(hit: Hit, *, vault: str) -> dict[str, Any]:
    """Return one hit: where it stands, why it is here, what it says.

    A fact of Hindsight was not modified, as far as we know, and Obsidian opens none.
    """
    return {
        "path": hit.path,
        "title": hit.title,
        "heading_path": list(hit.heading_path),
        "heading": heading_address(hit.path, hit.heading_path),
        "lines": [hit.span.start, hit.span.end],
        "chunk_index": hit.chunk_index,
        "score": hit.score,
        "relevance": hit.relevance,
        "channels": list(hit.channels),
        "match_reason": hit.match_reason,
        "similarity": hit.similarity,
        "depth": hit.depth,
        "connected_via": list(hit.connected_via),
        "hops": [dict(hop._asdict()) for hop in hit.hops],
        "evidence": [_evidence(evidence) for evidence in hit.evidence],
        "adjustments": [dict(one._asdict()) for one in hit.adjustments],
        "snippet": _snippet(hit.snippet),
        "more": [_passage(hit.path, passage) for passage in hit.more],
        "digest": hit.digest,
        "modified": iso_time(hit.mtime_ns) if hit.is_note else None,
        "uri": obsidian_uri(vault, hit.path, hit.heading_path) if hit.is_note else None,
        **mark_of(generated=hit.generated),
    }


def _snippet(snippet: Snippet) -> dict[str, Any]:
    return {"text": snippet.text, "marks": [list(mark) for mark in snippet.marks]}


def _passage(path: NotePath, passage: Passage) -> dict[str, Any]:
    return {
        "heading_path": list(passage.heading_path),
        "heading": heading_address(path, passage.heading_path),
        "lines": [passage.span.start, passage.span.end],
        "chunk_index": passage.chunk_index,
        "snippet": _snippet(passage.snippet),
        "digest": passage.digest,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "channel": evidence.channel,
        "rank": evidence.rank,
        "share": evidence.share,
        "reason": evidence.reason,
        "fields": dict(evidence.fields),
    }
