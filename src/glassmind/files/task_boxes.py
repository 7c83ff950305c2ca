"""Which signs in the box of a task leave it open, as the Tasks plugin is set."""

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from glassmind.errors import GlassmindError
from glassmind.files.ignore import SETTINGS_LIMIT_BYTES
from glassmind.files.read import VaultFiles
from glassmind.model.sections import OPEN_BOXES

SETTINGS = ".obsidian/plugins/obsidian-tasks-plugin/data.json"

OPEN_TYPES = frozenset(("TODO", "IN_PROGRESS", "ON_HOLD"))
"""Of the plugin's types of statuses, those of a task that is not over; the others are
DONE, CANCELLED and NON_TASK."""


def open_boxes(root: Path) -> tuple[str, ...]:
    """Return the signs of open tasks: the plugin's, and the usual ones it leaves open.

    Where its settings are absent or cannot be read, the usual ones. They are read again
    only once the file was changed.
    """
    try:
        there = (root / SETTINGS).stat()
    except OSError:
        return OPEN_BOXES
    return _read(root, there.st_mtime_ns, there.st_size)


@lru_cache(maxsize=8)
def _read(root: Path, _changed: int, _size: int) -> tuple[str, ...]:
    try:
        with VaultFiles(root) as files:
            text = files.read(SETTINGS, limit_bytes=SETTINGS_LIMIT_BYTES)
        declared = dict(_statuses(json.loads(text)))
    except (GlassmindError, ValueError, RecursionError):
        return OPEN_BOXES
    found = {box: kind in OPEN_TYPES for box, kind in declared.items()}
    usual = dict.fromkeys(OPEN_BOXES, True)
    return tuple(sorted(box for box, is_open in {**usual, **found}.items() if is_open))


def _statuses(settings: object) -> Iterator[tuple[str, str]]:
    """Yield each sign with its type; those a person added come last, and count."""
    held = settings.get("statusSettings") if isinstance(settings, dict) else None
    for name in ("coreStatuses", "customStatuses"):
        many = held.get(name) if isinstance(held, dict) else None
        for one in many if isinstance(many, list) else ():
            if not isinstance(one, dict):
                continue
            box, kind = one.get("symbol"), one.get("type")
            if isinstance(box, str) and len(box) == 1 and isinstance(kind, str):
                yield box, kind.upper()
