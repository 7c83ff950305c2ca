"""How a neighbourhood grew, as programs read it."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.types.timeline import Event, Timeline


def timeline_as_json(found: Timeline, *, vault: str) -> dict[str, Any]:
    """Return the events, the first thing first, and how many there are in all.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "path": found.path,
        "title": found.title,
        "uri": obsidian_uri(vault, found.path),
        "events": [_event(event, vault) for event in found.events],
        "total": found.total,
        "notices": list(found.notices),
    }


def _event(event: Event, vault: str) -> dict[str, Any]:
    return {
        "day": event.day,
        "time": event.time,
        "kind": event.kind,
        "path": event.path,
        "title": event.title,
        "origin": event.origin,
        "detail": event.detail,
        "sentence": event.sentence,
        "commit": event.commit,
        "uri": obsidian_uri(vault, event.path),
    }
