"""What should be linked, as programs read it."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.types.suggestions import (
    Mention,
    ProposedEdit,
    Sign,
    Suggestion,
    Suggestions,
    key_of,
)


def suggestions_as_json(found: Suggestions, *, vault: str) -> dict[str, Any]:
    """Return suggestions, best first; `note` is null for those of a whole vault.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "note": found.note,
        "suggestions": [_suggestion(one, vault) for one in found.suggestions],
        "notices": list(found.notices),
    }


def _suggestion(one: Suggestion, vault: str) -> dict[str, Any]:
    return {
        "key": key_of(one),
        "kind": one.kind,
        "source": one.source,
        "source_title": one.source_title,
        "source_uri": obsidian_uri(vault, one.source),
        "target": one.target,
        "target_title": one.target_title,
        "target_uri": obsidian_uri(vault, one.target),
        "score": one.score,
        "reason": one.reason,
        "signs": [_sign(sign) for sign in one.signs],
        "mention": _mention(one.mention) if one.mention else None,
        "property": one.property or None,
        "similarity": one.similarity,
        "shared_notes": list(one.shared_notes),
        "shared_tags": list(one.shared_tags),
        "edit": edit_as_json(one.edit) if one.edit else None,
    }


def _sign(sign: Sign) -> dict[str, Any]:
    return {
        "name": sign.name,
        "strength": sign.strength,
        "share": sign.share,
        "reason": sign.reason,
    }


def _mention(mention: Mention) -> dict[str, Any]:
    return {
        "text": mention.text,
        "line": mention.line,
        "sentence": mention.sentence,
        "namesakes": list(mention.namesakes),
    }


def edit_as_json(edit: ProposedEdit) -> dict[str, Any]:
    """Return a proposed edit; `bytes` is where it stands in the file, half open."""
    return {
        "path": edit.path,
        "digest": edit.digest,
        "line": edit.line,
        "bytes": [edit.start, edit.end],
        "before": edit.before,
        "after": edit.after,
    }
