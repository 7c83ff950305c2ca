"""Changing the vault on request; a person approves proposals, and no route does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from glassmind.editing.asking import Asking
from glassmind.errors.serving import BadArgument
from glassmind.render.changes import changed_as_json, changesets_as_json
from glassmind.serve.asking import asking_of
from glassmind.serve.edits import read_edits, whole_values
from glassmind.serve.http.arguments import LONGEST_SENT
from glassmind.serve.http.asked import USUAL, Asked
from glassmind.serve.http.errors import placeless
from glassmind.serve.http.replies import Reply, answered
from glassmind.serve.mcp.callers import plain_caller
from glassmind.types.editing import Changed


def post_edit(asked: Asked) -> Reply:
    """Edit a note: every edit in order, or none."""
    given = asked.given
    edits = read_edits("POST /edit", _short(given["edits"]))
    return changed_reply(
        asked,
        lambda asking: asked.engine.editing.edit(
            given["note"], edits, asking, expected=given["expected"]
        ),
    )


def _short(edits: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return edits none of whose texts is longer than that of a new note may be.

    Raises:
        BadArgument: one is.
    """
    for at, one in enumerate(edits):
        for name, value in one.items():
            if isinstance(value, str) and len(value) > LONGEST_SENT:
                said = f"edits[{at}]: {name!r} is longer than {LONGEST_SENT:,} letters"
                raise BadArgument("POST /edit", said)
    return edits


def post_note(asked: Asked) -> Reply:
    """Make a note; none is written over."""
    given = asked.given
    properties = whole_values("POST /notes", given["properties"] or {})
    return changed_reply(
        asked,
        lambda asking: asked.engine.editing.create(
            given["title"],
            given["text"],
            asking,
            folder=given["folder"],
            properties=properties or None,
            template=given["template"],
        ),
    )


def post_delete(asked: Asked) -> Reply:
    """Move a note to the trash."""
    given = asked.given
    return changed_reply(
        asked,
        lambda asking: asked.engine.editing.delete(
            given["note"],
            asking,
            confirm=given["confirm"],
            expected=given["expected"],
        ),
    )


def post_rename_heading(asked: Asked) -> Reply:
    """Give a heading other words."""
    given = asked.given
    return changed_reply(
        asked,
        lambda asking: asked.engine.editing.rename_heading(
            given["note"],
            given["heading"],
            given["new"],
            asking,
            index=given["index"],
            expected=given["expected"],
        ),
    )


def post_rename_tag(asked: Asked) -> Reply:
    """Give a tag another name."""
    ends = asked.given["old"], asked.given["new"]
    return changed_reply(
        asked, lambda asking: asked.engine.editing.rename_tag(*ends, asking)
    )


def post_merge(asked: Asked) -> Reply:
    """Add a note to another."""
    given = asked.given
    return changed_reply(
        asked,
        lambda asking: asked.engine.editing.merge(
            given["source"],
            given["into"],
            asking,
            confirm=given["confirm"],
            expected=given["expected"],
        ),
    )


def post_split(asked: Asked) -> Reply:
    """Make notes of sections."""
    given = asked.given
    return changed_reply(
        asked,
        lambda asking: asked.engine.editing.split(
            given["note"],
            asking,
            heading=given["heading"],
            level=given["level"],
            folder=given["folder"],
            index=given["index"],
            expected=given["expected"],
        ),
    )


def get_changes(asked: Asked) -> Reply:
    """Answer with changesets, the newest first."""
    state = asked.given["state"]
    found = asked.engine.editing.changesets(
        (state,) if state else (), limit=asked.given["limit"]
    )
    return answered(_told(asked, changesets_as_json(found)))


def get_change(asked: Asked) -> Reply:
    """Answer with one changeset and its diffs."""
    return _reply(asked, asked.engine.editing.show(asked.given["id"]))


def post_undo(asked: Asked) -> Reply:
    """Take back what was applied."""
    identity = asked.given["id"]
    return changed_reply(
        asked, lambda asking: asked.engine.editing.undo(identity, asking)
    )


def post_apply(asked: Asked) -> Reply:
    """Apply what was shown before, or propose it where a person has to approve."""
    identity, confirm = asked.given["id"], asked.given["confirm"]
    return changed_reply(
        asked,
        lambda asking: asked.engine.editing.apply(identity, asking, confirm=confirm),
    )


def changed_reply(asked: Asked, verb: Callable[[Asking], Changed]) -> Reply:
    """Have a change made, proposed or shown, and answer with what came of it."""
    client = plain_caller(asked.given["client"], USUAL)
    dry_run = bool(asked.given.get("dry_run", False))
    return _reply(asked, verb(asking_of(asked.engine, client, dry_run=dry_run)))


def _reply(asked: Asked, done: Changed) -> Reply:
    return answered(_told(asked, changed_as_json(done)))


def _told(asked: Asked, made: dict[str, object]) -> dict[str, object]:
    """Return an answer whose notices name no place on the machine."""
    notices = made["notices"]
    config = asked.engine.config
    said = [placeless(one, config) for one in notices] if notices else []  # type: ignore[attr-defined]
    return made | {"notices": said}
