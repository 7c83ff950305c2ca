"""Themes as programs read them."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.types import NotePath
from glassmind.types.themes import Member, Theme, Themes


def themes_as_json(
    found: Themes, *, vault: str, members: int | None = None
) -> dict[str, Any]:
    """Return the themes, the largest first, and how sharply links part the vault.

    `vault` is the name that Obsidian knows the vault by. Of each
    theme the first `members` are told, by default all; `size` counts all of them.
    """
    return {
        "vault": vault,
        "themes": [
            theme_as_json(theme, vault=vault, members=members) for theme in found.themes
        ],
        "total": found.total,
        "modularity": found.modularity,
        "resolution": found.resolution,
        "notes": found.notes,
        "apart": found.apart,
        "ghosts": found.ghosts,
        "warning": found.warning,
    }


def theme_as_json(
    theme: Theme, *, vault: str, members: int | None = None
) -> dict[str, Any]:
    """Return one theme with its first `members`, or all."""
    return {
        "id": theme.id,
        "label": theme.label,
        "summary": theme.summary,
        "size": theme.size,
        "standing": theme.standing,
        "hub": theme.hub or None,
        "tags": [{"name": name, "notes": count} for name, count in theme.tags],
        "members": [_member(one, vault=vault) for one in theme.members[:members]],
    }


def _member(member: Member, *, vault: str) -> dict[str, Any]:
    return {
        "path": member.path,
        "title": member.title,
        "influence": member.influence,
        "ghost": member.ghost,
        "uri": None if member.ghost else obsidian_uri(vault, NotePath(member.path)),
    }
