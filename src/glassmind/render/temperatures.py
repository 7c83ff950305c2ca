"""How warm notes are, and what is pinned, as programs read it."""

from typing import Any

from glassmind.types.memory import Pins, Temperature, Temperatures


def temperatures_as_json(found: Temperatures) -> dict[str, Any]:
    """Return the warmest notes first, the active projects, and how many are what."""
    return {
        "notes": [_note(note) for note in found.notes],
        "projects": [
            {"name": one.name, "notes": one.notes, "last": one.last}
            for one in found.projects
        ],
        "hot": found.hot,
        "warm": found.warm,
        "cold": found.cold,
        "waiting": found.waiting,
        "notices": list(found.notices),
    }


def _note(note: Temperature) -> dict[str, Any]:
    return {
        "path": note.path,
        "title": note.title,
        "heat": note.heat,
        "level": note.level,
        "reasons": list(note.reasons),
        "pinned": note.pinned,
    }


def pins_as_json(found: Pins) -> dict[str, Any]:
    """Return what is pinned; `changed` is the note just pinned or let go, if any."""
    return {
        "paths": list(found.paths),
        "gone": list(found.gone),
        "changed": found.changed,
        "problems": list(found.problems),
    }
