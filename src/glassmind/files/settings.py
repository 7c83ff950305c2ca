"""Obsidian's own settings in a vault, and those of the Tasks plugin; never written."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from glassmind.errors import GlassmindError, VaultMissing
from glassmind.files.ignore import SETTINGS_LIMIT_BYTES
from glassmind.files.read import VaultFiles
from glassmind.model.context import OPEN_BOXES

TEMPLATES = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)
DAYS = ((".obsidian/daily-notes.json", "folder"),)

LinkFormat: TypeAlias = Literal["shortest", "relative", "absolute"]
_LINK_FORMATS: dict[object, LinkFormat] = {
    "relative": "relative",
    "absolute": "absolute",
}


class ObsidianSettings(NamedTuple):
    """The types of properties by name, folders of templates and days, what went wrong.

    `new_notes` is the folder that notes are made in, "" for the root, and None where
    they are made beside the one they are made from. `markdown_links` says that links
    are written as Markdown has them.
    """

    property_types: Mapping[str, str]
    template_folders: tuple[str, ...]
    day_folders: tuple[str, ...] = ()
    new_notes: str | None = ""
    notices: tuple[str, ...] = ()
    link_format: LinkFormat = "shortest"
    markdown_links: bool = False


def obsidian_settings(root: Path) -> ObsidianSettings:
    notices: list[str] = []

    def read(path: str) -> dict[str, Any]:
        try:
            found = json.loads(files.read(path, limit_bytes=SETTINGS_LIMIT_BYTES))
        except GlassmindError:  # absent, or none of ours to read
            return {}
        except (ValueError, RecursionError):
            notices.append(f"{path} is no valid JSON: what it says is left out")
            return {}
        return found if isinstance(found, dict) else {}

    def folders(settings: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
        named = [read(path).get(key) for path, key in settings]
        plain = [name.strip("/ ") for name in named if isinstance(name, str)]
        return tuple(filter(None, plain))

    try:
        with VaultFiles(root) as files:
            app = read(".obsidian/app.json")
            types = read(".obsidian/types.json").get("types", {})
            templates, days = folders(TEMPLATES), folders(DAYS)
    except VaultMissing:  # the index still answers
        return ObsidianSettings({}, ())
    declared = types.items() if isinstance(types, dict) else ()
    new_notes: str | None = ""
    if app.get("newFileLocation") == "current":
        new_notes = None
    elif app.get("newFileLocation") == "folder":
        folder = app.get("newFileFolderPath", "")
        new_notes = folder.strip("/") if isinstance(folder, str) else ""
    return ObsidianSettings(
        {name: kind for name, kind in declared if isinstance(kind, str)},
        templates,
        days,
        new_notes,
        tuple(notices),
        _LINK_FORMATS.get(str(app.get("newLinkFormat")), "shortest"),
        app.get("useMarkdownLinks") is True,
    )


TASKS = ".obsidian/plugins/obsidian-tasks-plugin/data.json"

OPEN_TYPES = frozenset(("TODO", "IN_PROGRESS", "ON_HOLD"))
"""Of the plugin's types of statuses, those of a task that is not over; the others are
DONE, CANCELLED and NON_TASK."""


def open_boxes(root: Path) -> tuple[str, ...]:
    try:
        facts = (root / TASKS).stat()
    except OSError:
        return OPEN_BOXES
    return _open_boxes(root, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=8)
def _open_boxes(root: Path, _changed: int, _size: int) -> tuple[str, ...]:
    try:
        with VaultFiles(root) as files:
            text = files.read(TASKS, limit_bytes=SETTINGS_LIMIT_BYTES)
        settings = json.loads(text)["statusSettings"]
        lists = [settings.get("coreStatuses"), settings.get("customStatuses")]
    except (GlassmindError, ValueError, RecursionError):
        return OPEN_BOXES
    except (AttributeError, KeyError, TypeError):  # other data than the plugin's
        return OPEN_BOXES
    is_open = dict.fromkeys(OPEN_BOXES, True)
    statuses = [
        status for found in lists if isinstance(found, list) for status in found
    ]
    for status in statuses:
        if isinstance(status, dict):
            box, kind = status.get("symbol"), status.get("type")
            if isinstance(box, str) and len(box) == 1 and isinstance(kind, str):
                is_open[box] = kind.upper() in OPEN_TYPES
    return tuple(sorted(box for box, is_it in is_open.items() if is_it))
