"""What the tools of obsidian-brain share: how a note looks, and a reply in its wrap."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glassmind.serve.mcp.tool import Argument
from glassmind.serve.mcp.tools.brain_hints import Hint
from glassmind.types.catalogue import NoteFacts

NAME = Argument("name", "string", "path, title, file name, alias, or part of a title")

EXACTLY = NAME._replace(doc="path, title, file name or alias of a note, to the letter")
"""Of a note that is to be changed: nothing is written on a guess."""

SERVED = (
    "search",
    "list_notes",
    "read_note",
    "find_connections",
    "find_path_between",
    "detect_themes",
    "rank_notes",
    "create_note",
    "edit_note",
    "apply_edit_preview",
    "link_notes",
    "move_note",
    "delete_note",
    "reindex",
    "index_status",
)
"""Tools that a hint may name: those there are."""


def metadata(note: NoteFacts) -> dict[str, Any]:
    """Return what is told of a note wherever one is listed."""
    return {
        "id": note.path,
        "title": note.title,
        "tags": list(note.tags),
        "frontmatter": dict(note.properties),
    }


def unique(texts: Iterable[str]) -> list[str]:
    """Return each text once, in the order they came."""
    return list(dict.fromkeys(texts))


def wrapped(
    payload: object, state: Mapping[str, Any], hints: Sequence[Hint]
) -> dict[str, Any]:
    """Return a reply with its context; only tools that are served are named."""
    actions = [
        {
            "description": hint.description,
            "tool": hint.tool,
            "args": dict(hint.arguments),
            "reason": hint.reason,
        }
        for hint in hints
        if hint.tool in SERVED
    ]
    return {"data": payload, "context": {"state": state, "next_actions": actions}}
