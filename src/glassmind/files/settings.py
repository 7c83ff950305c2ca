"""Obsidian's own settings in a vault, and those of the Tasks plugin; never written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from glassmind.errors import GlassmindError, VaultMissing
from glassmind.files.ignore import SETTINGS_LIMIT_BYTES
from glassmind.files.read import VaultFiles
from glassmind.model.context import OPEN_BOXES

APP = ".obsidian/app.json"
TYPES = ".obsidian/types.json"
TEMPLATES = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)
DAYS = ((".obsidian/daily-notes.json", "folder"),)

LinkFormat: TypeAlias = Literal["shortest", "relative", "absolute"]


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
    try:
        with VaultFiles(root) as files:
            app = _read(files, APP, notices)
            types = _read(files, TYPES, notices).get("types", {})
            templates = tuple(_folders(files, TEMPLATES, notices))
            days = tuple(_folders(files, DAYS, notices))
    except VaultMissing:  # the index still answers
        return ObsidianSettings({}, ())
    declared = types.items() if isinstance(types, dict) else ()
    return ObsidianSettings(
        {name: kind for name, kind in declared if isinstance(kind, str)},
        templates,
        days,
        _new_notes(app),
        tuple(notices),
        _link_format(app),
        app.get("useMarkdownLinks") is True,
    )


def _folders(
    files: VaultFiles, settings: Sequence[tuple[str, str]], notices: list[str]
) -> Iterator[str]:
    for path, name in settings:
        folder = _read(files, path, notices).get(name)
        if isinstance(folder, str) and folder.strip("/ "):
            yield folder.strip("/ ")


def _new_notes(app: Mapping[str, Any]) -> str | None:
    folder = app.get("newFileFolderPath", "")
    match app.get("newFileLocation"):
        case "current":
            return None
        case "folder" if isinstance(folder, str):
            return folder.strip("/")
        case _:
            return ""


def _link_format(app: Mapping[str, Any]) -> LinkFormat:
    match app.get("newLinkFormat"):
        case "relative":
            return "relative"
        case "absolute":
            return "absolute"
        case _:
            return "shortest"


def _read(files: VaultFiles, path: str, notices: list[str]) -> dict[str, Any]:
    try:
        found = json.loads(files.read(path, limit_bytes=SETTINGS_LIMIT_BYTES))
    except GlassmindError:  # absent, or none of ours to read
        return {}
    except (ValueError, RecursionError):
        notices.append(f"{path} is no valid JSON: what it says is left out")
        return {}
    return found if isinstance(found, dict) else {}


SETTINGS = ".obsidian/plugins/obsidian-tasks-plugin/data.json"

OPEN_TYPES = frozenset(("TODO", "IN_PROGRESS", "ON_HOLD"))
"""Of the plugin's types of statuses, those of a task that is not over; the others are
DONE, CANCELLED and NON_TASK."""


def open_boxes(root: Path) -> tuple[str, ...]:
    try:
        there = (root / SETTINGS).stat()
    except OSError:
        return OPEN_BOXES
    return _open_boxes(root, there.st_mtime_ns, there.st_size)


@lru_cache(maxsize=8)
def _open_boxes(root: Path, _changed: int, _size: int) -> tuple[str, ...]:
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
    held = settings.get("statusSettings") if isinstance(settings, dict) else None
    for name in ("coreStatuses", "customStatuses"):
        many = held.get(name) if isinstance(held, dict) else None
        for one in many if isinstance(many, list) else ():
            if not isinstance(one, dict):
                continue
            box, kind = one.get("symbol"), one.get("type")
            if isinstance(box, str) and len(box) == 1 and isinstance(kind, str):
                yield box, kind.upper()
