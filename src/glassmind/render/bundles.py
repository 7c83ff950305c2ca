"""Bundles as programs read them."""

from typing import Any

from glassmind.render.address import heading_address, obsidian_uri
from glassmind.render.hidden_text import holds_hidden
from glassmind.types import Span
from glassmind.types.context import (
    AnswerSentence,
    Bundle,
    BundleNote,
    Conflict,
    Dropped,
    Excerpt,
    Item,
    NextRead,
    Side,
)


def bundle_as_json(bundle: Bundle, *, vault: str, root: str) -> dict[str, Any]:
    """Return a bundle with all that its Markdown has, and texts to the letter.

    `vault` is the name that Obsidian knows the vault by, `root` its folder.
    """
    return {
        "vault": root,
        "query": bundle.query,
        "project": bundle.project,
        "mode": bundle.mode,
        "intent": bundle.intent,
        "channels": list(bundle.channels),
        "confidence": bundle.confidence,
        "doubtful": bundle.is_doubtful,
        "budget_tokens": bundle.budget_tokens,
        "tokens": bundle.tokens,
        "tokenizer": bundle.tokenizer,
        "answer": [_sentence(one) for one in bundle.answer],
        "notes": [_note(note, vault) for note in bundle.notes],
        "decisions": [item_as_json(one) for one in bundle.decisions],
        "questions": [item_as_json(one) for one in bundle.questions],
        "tasks": [item_as_json(one) for one in bundle.tasks],
        "suggested": [read_as_json(one) for one in bundle.suggested],
        "conflicts": [conflict_as_json(one) for one in bundle.conflicts],
        "sources": list(dict.fromkeys(receipts_of(bundle))),
        "follow_ups": list(bundle.follow_ups),
        "dropped": [dropped_as_json(one) for one in bundle.dropped],
        "degraded": list(bundle.degraded),
        "saved": bundle.saved,
    }


def receipts_of(bundle: Bundle) -> list[str]:
    """Return the receipts of a bundle in the order of its Markdown."""
    return [
        *(one.receipt for one in bundle.answer),
        *(excerpt.receipt for note in bundle.notes for excerpt in note.excerpts),
        *(one.receipt for one in bundle.decisions),
        *(one.receipt for one in bundle.questions),
        *(one.receipt for one in bundle.tasks),
        *(side.receipt for one in bundle.conflicts for side in one.sides),
    ]


def _note(note: BundleNote, vault: str) -> dict[str, Any]:
    return {
        "path": note.path,
        "title": note.title,
        "date": note.date,
        "relevance": note.relevance,
        "why": note.why,
        "channels": list(note.channels),
        "generated": note.generated,
        "superseded_by": note.superseded_by,
        "excerpts": [_excerpt(note.path, one) for one in note.excerpts],
        "uri": obsidian_uri(vault, note.path),
    }


def _excerpt(path: str, excerpt: Excerpt) -> dict[str, Any]:
    return {
        "heading_path": list(excerpt.heading_path),
        "heading": heading_address(path, excerpt.heading_path),
        "lines": lines_as_json(excerpt.span),
        "text": excerpt.text,
        "receipt": excerpt.receipt,
        "trimmed": excerpt.trimmed,
        "hidden": excerpt.hidden,
    }


def _sentence(sentence: AnswerSentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "path": sentence.path,
        "receipt": sentence.receipt,
    }


def item_as_json(item: Item) -> dict[str, Any]:
    """Return a decision, a question or a task."""
    return {
        "kind": item.kind,
        "text": item.text,
        "path": item.path,
        "title": item.title,
        "heading_path": list(item.heading_path),
        "heading": heading_address(item.path, item.heading_path),
        "lines": lines_as_json(item.span),
        "receipt": item.receipt,
        "date": item.date,
        "rule": item.rule,
        "approved": item.is_approved,
        "trimmed": item.trimmed,
        "hidden": holds_hidden(item.text),
    }


def read_as_json(read: NextRead) -> dict[str, Any]:
    """Return a note that is worth reading next."""
    return {"path": read.path, "title": read.title, "why": read.why}


def conflict_as_json(conflict: Conflict) -> dict[str, Any]:
    """Return two sources that do not agree."""
    return {
        "kind": conflict.kind,
        "about": conflict.about,
        "sides": [_side(side) for side in conflict.sides],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "path": side.path,
        "title": side.title,
        "value": side.value,
        "date": side.date,
        "receipt": side.receipt,
        "approved": side.is_approved,
    }


def dropped_as_json(dropped: Dropped) -> dict[str, Any]:
    """Return what the budget left no room for."""
    return {
        "section": dropped.section,
        "count": dropped.count,
        "tokens": dropped.tokens,
        "at_least": dropped.at_least,
    }


def lines_as_json(span: Span) -> list[int]:
    """Return the first and the last line."""
    return [span.start, span.end]
