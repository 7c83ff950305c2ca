"""`glassmind_changes`: what was changed or proposed, and how it is taken back."""

from collections.abc import Iterator
from typing import Any

from glassmind.errors.serving import BadArgument
from glassmind.operations.model_text import fenced, labelled, named, one_line
from glassmind.render.changes import changesets_as_json
from glassmind.serve.edits import DRY_RUN
from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.write_answers import PATIENT_S, answer_of, asking
from glassmind.types.editing import STATES

NAME = "glassmind_changes"

ACTIONS = ("list", "show", "undo")

MOST_LISTED, NAMED_FILES, LONGEST_ID = 100, 5, 100


def run(call: Call) -> Answer:
    """List changesets, show one, or take one back."""
    given, editing = call.given, call.engine.editing
    if given["action"] == "list":
        return _list(call)
    if given["id"] is None:
        raise BadArgument(NAME, f"{given['action']} needs an 'id'")
    if given["action"] == "show":
        return answer_of(editing.show(given["id"]))
    return answer_of(editing.undo(given["id"], asking(call, dry_run=given["dry_run"])))


def _list(call: Call) -> Answer:
    state = call.given["state"]
    found = call.engine.editing.changesets(
        (state,) if state else (), limit=call.given["limit"]
    )
    values = changesets_as_json(found)
    if not values["changesets"]:
        return Answer("There are none.", labelled(values))
    for one in values["changesets"]:
        one["files_total"] = len(one["files"])
        one["files"] = one["files"][:NAMED_FILES]
    head = f"{len(found.changesets):,} of {found.total:,}, the newest first."
    return Answer(f"{head}\n{fenced(chr(10).join(_rows(values)))}", labelled(values))


def _rows(values: dict[str, Any]) -> Iterator[str]:
    for one in values["changesets"]:
        who = f" by {one_line(one['client'])}" if one["client"] else ""
        yield f"{one['id']} {one['state']}{who}: {one_line(one['title'])}"
        files = [named(file["to"]) for file in one["files"]]
        left = one["files_total"] - len(files)
        more = [f"and {left:,} more"] if left else []
        yield f"   {', '.join([*files, *more])}"
    yield from (f"notice: {one_line(said)}" for said in values["notices"])


TOOL = Tool(
    NAME,
    "Show and undo changes",
    "List what was changed, proposed or shown, show one with its diffs, or undo one: "
    "where its files changed since, that becomes a proposal. Proposals are approved by "
    "the user alone, never by a tool.",
    (
        Argument("action", "string", "", "list", choices=ACTIONS),
        Argument("id", "string", "of show, undo", None, most=LONGEST_ID),
        Argument("state", "string", "of list", None, choices=STATES),
        Argument("limit", "integer", "", 20, least=1, most=MOST_LISTED),
        DRY_RUN,
    ),
    run,
    read_only=False,
    destructive=True,
    timeout_s=PATIENT_S,
)
