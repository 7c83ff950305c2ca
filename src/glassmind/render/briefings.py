"""Briefings and summaries as programs read them."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.render.bundles import (
    conflict_as_json,
    dropped_as_json,
    item_as_json,
    read_as_json,
)
from glassmind.types.context import AnswerSentence, Briefing, ChangedNote, Summary


def briefing_as_json(briefing: Briefing, *, vault: str) -> dict[str, Any]:
    """Return a briefing with all that its Markdown has, and texts to the letter.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "project": briefing.project,
        "since": briefing.since,
        "budget_tokens": briefing.budget_tokens,
        "tokens": briefing.tokens,
        "tokenizer": briefing.tokenizer,
        "hot": [read_as_json(one) for one in briefing.hot],
        "decisions": [item_as_json(one) for one in briefing.decisions],
        "questions": [item_as_json(one) for one in briefing.questions],
        "tasks": [item_as_json(one) for one in briefing.tasks],
        "changed": [_changed(one, vault) for one in briefing.changed],
        "conflicts": [conflict_as_json(one) for one in briefing.conflicts],
        "sources": briefing_receipts(briefing),
        "dropped": [dropped_as_json(one) for one in briefing.dropped],
        "degraded": list(briefing.degraded),
        "notices": list(briefing.notices),
    }


def briefing_receipts(briefing: Briefing) -> list[str]:
    """Return the receipts of a briefing in the order of its Markdown, each once."""
    items = (*briefing.decisions, *briefing.questions, *briefing.tasks)
    found = [one.receipt for one in items]
    found += [side.receipt for one in briefing.conflicts for side in one.sides]
    return list(dict.fromkeys(found))


def _changed(note: ChangedNote, vault: str) -> dict[str, Any]:
    return {
        "path": note.path,
        "title": note.title,
        "date": note.date,
        "uri": obsidian_uri(vault, note.path),
    }


def summary_as_json(summary: Summary) -> dict[str, Any]:
    """Return a summary: its Markdown, and each sentence of it with its receipt."""
    return {
        "project": summary.project,
        "text": summary.text,
        "sentences": [_sentence(one) for one in summary.sentences],
        "sources": list(dict.fromkeys(one.receipt for one in summary.sentences)),
        "tokens": summary.tokens,
        "tokenizer": summary.tokenizer,
        "saved": summary.saved,
        "notices": list(summary.notices),
    }


def _sentence(sentence: AnswerSentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "path": sentence.path,
        "receipt": sentence.receipt,
        "trimmed": sentence.trimmed,
    }
