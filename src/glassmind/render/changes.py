"""What was changed, proposed or only shown, as programs read it."""

from typing import Any

from glassmind.types.editing import (
    Changed,
    Changeset,
    FileDiff,
    Rewritten,
)

APPROVING = "glassmind proposals approve"
"""How a person lets a proposal be applied; nothing else can."""


def changed_as_json(done: Changed) -> dict[str, Any]:
    """Return what came of a change, with a diff for each file.

    `approve` is the command of a person that would apply it, null where none is to.
    """
    return {
        **_head(done.changeset),
        "applied": done.applied,
        "files": [_file(one) for one in done.files],
        "index": done.index,
        "notices": list(done.notices),
    }


def approving(one: Changeset) -> str | None:
    """Return the command by which a person applies it; None where it does not wait."""
    return f"{APPROVING} {one.id}" if one.state == "proposed" else None


def rewritten_as_json(rewritten: Rewritten) -> dict[str, int]:
    """Return how many files had links written anew, and how many links."""
    return {"files": rewritten.files, "occurrences": rewritten.links}


def _head(one: Changeset) -> dict[str, Any]:
    draft = one.draft
    return {
        "id": one.id or None,
        "state": one.state,
        "verb": draft.verb,
        "title": draft.title,
        "created": one.created,
        "client": one.client,
        "links_rewritten": rewritten_as_json(draft.rewritten),
        "adopted": draft.adopted,
        "risks": list(draft.risks),
        "undoes": one.undoes,
        "reason": one.reason,
        "approve": approving(one),
    }


def _file(one: FileDiff) -> dict[str, Any]:
    return {
        "path": one.path,
        "to": one.to,
        "before": one.before,
        "after": one.after,
        "added": one.added,
        "removed": one.removed,
        "diff": one.diff,
    }
