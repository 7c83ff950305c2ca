"""`edit_note` of obsidian-brain with its six modes, and what commits a preview."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from glassmind.errors.editing import NeedsApproval, NoMatch
from glassmind.errors.serving import BadArgument
from glassmind.render.changes import APPROVING
from glassmind.serve.edits import (
    LONGEST_NOTE,
    MOST_EDITS,
    SCOPES,
    WHERES,
    whole_values,
)
from glassmind.serve.mcp.tool import (
    Answer,
    Argument,
    Call,
    Tool,
    from_json,
    read_arguments,
)
from glassmind.serve.mcp.tools.brain_buffer import BUFFER, LOOSE, Key
from glassmind.serve.mcp.tools.brain_shapes import EXACTLY
from glassmind.serve.mcp.tools.brain_written import preview_of, written
from glassmind.serve.mcp.tools.no_match import looser_helps
from glassmind.serve.mcp.tools.shapes import notes_as_json
from glassmind.serve.mcp.tools.write_answers import PATIENT_S, asking
from glassmind.types.editing import (
    FUZZY,
    Append,
    AtHeading,
    AtLine,
    Changed,
    ChangeProperty,
    Prepend,
    Replace,
    TextEdit,
)

EDIT, COMMIT = "edit_note", "apply_edit_preview"

PREVIEW_S = 5 * 60
"""Seconds that a preview may be committed in, as obsidian-brain has it."""

WINDOW = "replace_window"

AGAIN = "call edit_note with name and from_buffer true to take what is most like it"
"""What helps where a text was not found and its edit is kept."""

WAITS = (
    "only the user may apply this; repeat the call without dryRun, and it becomes a "
    "proposal that the user approves"
)

WAITS_ALREADY = (
    "it is a proposal already, which waits for the user, who alone can approve it: "
    f"{APPROVING} {{id}}"
)

LINE_OP = "after"
"""What `at_line` does unless told: what obsidian-brain does, whose page says replace;
and nothing is written over by a word that was left out."""


def _content(owner: str, given: Mapping[str, Any]) -> str:
    return str(_needed(owner, given, "content"))


def _needed(owner: str, given: Mapping[str, Any], name: str) -> Any:
    if given[name] is None:
        raise BadArgument(owner, f"mode {given['mode']} needs {name!r}")
    return given[name]


def _append(owner: str, given: Mapping[str, Any]) -> TextEdit:
    return Append(_content(owner, given))


def _prepend(owner: str, given: Mapping[str, Any]) -> TextEdit:
    return Prepend(_content(owner, given))


def _window(owner: str, given: Mapping[str, Any]) -> TextEdit:
    fuzzy = given["fuzzyThreshold"] if given["fuzzy"] else None
    search = _needed(owner, given, "search")
    return Replace(search, _content(owner, given), fuzzy)


def _heading(owner: str, given: Mapping[str, Any]) -> TextEdit:
    return AtHeading(
        _needed(owner, given, "heading"),
        _content(owner, given),
        given["headingOp"],
        given["scope"],
        given["headingIndex"],
    )


def _frontmatter(owner: str, given: Mapping[str, Any]) -> TextEdit:
    key, value = _needed(owner, given, "key"), given["value"]
    if given["valueJson"] is not None:
        try:
            value = from_json(given["valueJson"])
        except ValueError:
            raise BadArgument(owner, "'valueJson' is no JSON") from None
        whole_values(owner, {"valueJson": value})
    act = "unset" if value is None else "set"
    return ChangeProperty(key, act, value)  # type: ignore[arg-type]


def _line(owner: str, given: Mapping[str, Any]) -> TextEdit:
    line = _needed(owner, given, "line")
    return AtLine(line, _content(owner, given), given["lineOp"])


MODES: Mapping[str, Callable[[str, Mapping[str, Any]], TextEdit]] = {
    "append": _append,
    "prepend": _prepend,
    WINDOW: _window,
    "patch_heading": _heading,
    "patch_frontmatter": _frontmatter,
    "at_line": _line,
}

ONE: tuple[Argument, ...] = (
    Argument("mode", "string", "", None, choices=tuple(MODES)),
    Argument("content", "text", "what to write", None, most=LONGEST_NOTE),
    Argument("search", "string", "of replace_window", None, most=LONGEST_NOTE),
    Argument("fuzzy", "boolean", "", False),
    Argument("fuzzyThreshold", "number", "", FUZZY, least=0, most=1),
    Argument("heading", "string", "of patch_heading", None),
    Argument("headingOp", "string", "", "replace", choices=WHERES),
    Argument("scope", "string", "", "section", choices=SCOPES),
    Argument("headingIndex", "integer", "from 0", None, least=0),
    Argument("key", "string", "of patch_frontmatter", None),
    Argument("value", "value", "null clears", None),
    Argument("valueJson", "string", "wins over value", None, most=LONGEST_NOTE),
    Argument("line", "integer", "of at_line, from 1", None, least=1),
    Argument("lineOp", "string", "", LINE_OP, choices=WHERES),
)
"""What one edit takes, alone or in a list."""

ONE_OR_MORE = (*ONE, Argument("edits", "objects", "", None, most=MOST_EDITS))


def edit_note(call: Call) -> Answer:
    """Edit a note by a mode, by a list of them, or once more what found no place."""
    given = call.given
    if given["from_buffer"]:
        return _again(call)
    edits = _edits(given)
    wish = asking(call, dry_run=given["dryRun"])
    try:
        done = call.engine.editing.edit(given["name"], edits, wish)
    except NoMatch as error:
        helps = looser_helps(error, edits, LOOSE)
        if helps and BUFFER.keep(_key(call, error.path), edits):
            error.add_note(AGAIN)
        raise
    mode, more = given["mode"] or "edits", preview_of(done)
    if mode == "patch_heading":
        more["removedLen"] = _removed(done)
    return notes_as_json(written(done, mode=mode, **more))


def _again(call: Call) -> Answer:
    """Make the edit that is kept of a note, looking for its text loosely."""
    given = call.given
    for one in ONE_OR_MORE:
        mode = one.name == "mode" and given["mode"] == WINDOW
        if given[one.name] != one.default and not mode:
            said = f"'from_buffer' makes the edit that is kept: leave {one.name!r} out"
            raise BadArgument(EDIT, said)
    path = call.engine.editing.path_of(given["name"])
    key = _key(call, path)
    edits = _buffered(key)
    done = call.engine.editing.edit(path, edits, asking(call, dry_run=given["dryRun"]))
    if not given["dryRun"]:
        BUFFER.forget(key)
    mode = given["mode"] or "from_buffer"
    return notes_as_json(written(done, mode=mode, **preview_of(done)))


def _key(call: Call, path: str) -> Key:
    """Return by what an edit is kept: its note's path, however that was named."""
    return Key(str(call.engine.config.vault.path), call.client, path)


def _edits(given: Mapping[str, Any]) -> Sequence[TextEdit]:
    listed = given["edits"]
    if (given["mode"] is None) == (listed is None):
        raise BadArgument(EDIT, "it takes a 'mode' or a list of 'edits'")
    if listed is None:
        return [_edit(EDIT, given)]
    if not listed:
        raise BadArgument(EDIT, "'edits' holds no edit")
    return [_edit_of(f"{EDIT}: edits[{at}]", one) for at, one in enumerate(listed)]


def _edit_of(owner: str, one: Mapping[str, Any]) -> TextEdit:
    given = read_arguments(owner, ONE, one)
    if given["mode"] is None:
        raise BadArgument(owner, "the argument 'mode' is missing")
    return _edit(owner, given)


def _edit(owner: str, given: Mapping[str, Any]) -> TextEdit:
    return MODES[given["mode"]](owner, whole_values(owner, given))


def _buffered(key: Key) -> Sequence[TextEdit]:
    """Return what was kept of the last edit of a note, to be looked for loosely.

    Raises:
        BadArgument: nothing is.
    """
    kept = BUFFER.find(key)
    if not kept:
        said = "nothing is kept of an edit of that note; say it again"
        raise BadArgument(EDIT, said)
    return [
        replace(one, fuzzy=LOOSE) if isinstance(one, Replace) else one for one in kept
    ]


def _removed(done: Changed) -> int:
    """Return how many letters an edit put others in the place of."""
    edits: Any = done.changeset.draft.facts.get("edits", ())
    return sum(int(one["removed"]) for one in edits)


def apply_edit_preview(call: Call) -> Answer:
    """Commit a preview, where the settings let notes be edited at once.

    Raises:
        BadArgument: it is none of an edit, of this client, and of a while ago; or only
            a person may apply it.
    """
    identity = call.given["previewId"]
    shown = call.engine.editing.show(identity).changeset
    if (shown.id, shown.client, shown.draft.verb) != (identity, call.client, "edit"):
        said = f"it commits what {EDIT} with dryRun showed to you, by its whole id"
        raise BadArgument(COMMIT, said)
    if shown.state == "proposed":
        raise BadArgument(COMMIT, WAITS_ALREADY.format(id=shown.id))
    if shown.state == "previewed":
        if _age_s(shown.created) > PREVIEW_S:
            minutes = PREVIEW_S // 60
            said = f"the preview is older than {minutes} minutes; make it again"
            raise BadArgument(COMMIT, said)
        if shown.reason:
            raise BadArgument(COMMIT, WAITS)
    try:
        wish = asking(call, dry_run=False)
        done = call.engine.editing.apply(shown.id, wish, or_propose=False)
    except NeedsApproval:
        raise BadArgument(COMMIT, WAITS) from None
    return notes_as_json(written(done, previewId=shown.id))


def _age_s(created: str) -> float:
    return (now() - datetime.fromisoformat(created)).total_seconds()


def now() -> datetime:
    """Return the time, with its zone."""
    return datetime.now().astimezone()


TABLE: tuple[Tool, ...] = (
    Tool(
        EDIT,
        "Edit a note",
        "Edit one note by a mode, or by edits, a list of such calls, all or none: "
        "append, prepend (content), replace_window (search, content, fuzzy), "
        "patch_heading (heading, content), patch_frontmatter (key, value), at_line "
        "(line, content). dryRun gives a diff and a previewId. May only make a "
        "proposal that the user approves.",
        (
            EXACTLY,
            *ONE_OR_MORE,
            Argument("dryRun", "boolean", "", False),
            Argument(
                "from_buffer",
                "boolean",
                "alone with name: the last that found no match, loosely",
                False,
            ),
        ),
        edit_note,
        read_only=False,
        destructive=True,
        idempotent=False,
        timeout_s=PATIENT_S,
    ),
    Tool(
        COMMIT,
        "Commit a preview",
        "Make the edit that edit_note with dryRun showed, within five minutes, while "
        "the note is as it was; only where the user's settings let notes be edited.",
        (Argument("previewId", "string", most=100),),
        apply_edit_preview,
        read_only=False,
        destructive=True,
        idempotent=False,
        timeout_s=PATIENT_S,
    ),
)
