"""Which notes matter, as programs read it."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.types.ranks import RankedNote, Ranking


def ranking_as_json(found: Ranking, *, vault: str) -> dict[str, Any]:
    """Return the notes by rank; `margin` is how far a score may be off, mostly 0.

    `vault` is the name that Obsidian knows the vault by.
    """
    theme = found.theme
    return {
        "metric": found.metric,
        "theme": {"id": theme.id, "label": theme.label} if theme else None,
        "about": found.about,
        "notes": [_note(note, vault) for note in found.notes],
        "total": found.total,
        "margin": found.error,
        "samples": found.samples,
        "notices": list(found.notices),
    }


def _note(note: RankedNote, vault: str) -> dict[str, Any]:
    return {
        "rank": note.rank,
        "path": note.path,
        "title": note.title,
        "ghost": note.ghost,
        "score": note.score,
        "inbound": note.inbound,
        "outbound": note.outbound,
        "hit": note.hit,
        "reason": note.reason,
        "uri": None if note.ghost else obsidian_uri(vault, note.path),
    }
