"""Answers as programs read them.

What obsidian-rag has is called as it calls it; the rest is called as everywhere here.
"""

from typing import Any

from glassmind.render.address import heading_address, obsidian_uri
from glassmind.render.bundles import conflict_as_json
from glassmind.types.answers import Answer, Source, Statement

EXTRACTIVE = "extractive"
"""The model that is named where the sentences are the notes' own."""


def answer_as_json(answer: Answer, *, vault: str) -> dict[str, Any]:
    """Return an answer with its statements, and every source it may rest on.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "question": answer.question,
        "answer": answer.text,
        "sources": [source_as_json(one, vault=vault) for one in answer.sources],
        "modelUsed": answer.model_used or EXTRACTIVE,
        "in_notes": answer.in_notes,
        "statements": [statement_as_json(one) for one in answer.statements],
        "dropped": answer.dropped,
        "confidence": answer.confidence,
        "mode": answer.mode,
        "intent": answer.intent,
        "degraded": list(answer.degraded),
        "conflicts": [conflict_as_json(one) for one in answer.conflicts],
    }


def source_as_json(source: Source, *, vault: str) -> dict[str, Any]:
    """Return a passage; one that stands in no note has no address in Obsidian."""
    path, headings = source.path, source.heading_path
    return {
        "number": source.number,
        "path": path,
        "chunkIndex": source.chunk_index,
        "relevanceScore": source.relevance,
        "excerpt": source.excerpt,
        "title": source.title,
        "heading_path": list(headings),
        "heading": heading_address(path, headings),
        "lines": [source.span.start, source.span.end],
        "receipt": source.receipt,
        "generated": source.generated,
        "superseded_by": source.superseded_by,
        "uri": obsidian_uri(vault, path, headings) if source.receipt else "",
    }


def statement_as_json(statement: Statement) -> dict[str, Any]:
    """Return a part of an answer, with the words that bear it out."""
    return {
        "text": statement.text,
        "support": statement.support,
        "citations": [
            {"source": one.source, "quote": one.quote, "receipt": one.receipt}
            for one in statement.citations
        ],
        "problem": statement.problem,
    }
