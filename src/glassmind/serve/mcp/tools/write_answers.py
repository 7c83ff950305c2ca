"""What came of a change, as a tool answers it: our words first, notes in the fence."""

from collections.abc import Iterator
from typing import Any

from glassmind.editing.asking import Asking
from glassmind.operations.model_text import fenced, labelled, named, one_line
from glassmind.render.changes import APPROVING, changed_as_json
from glassmind.serve.asking import asking_of
from glassmind.serve.mcp.tool import Answer, Call
from glassmind.types.editing import Changed

DIFF_CHARS = 6_000
"""Letters of all diffs in an answer, about 2,000 tokens; a changeset has them all."""

MOST_FILES = 50
"""Files that an answer names."""

PATIENT_S = 120.0
"""Seconds for a change: a folder with thousands of links takes some."""

WAITS = (
    "Nothing was changed. This is a proposal, {id}, that waits for the user, who alone "
    "can approve it: {approve}. Tell the user, and do not try another way."
)

SAID = {
    "previewed": "Nothing was changed: this is what would be done ({id}).",
    "proposed": WAITS,
    "applying": "It is being applied ({id}).",
    "applied": "Done ({id}).",
    "undone": "It was taken back ({id}).",
    "rejected": "The user rejected it; nothing was changed ({id}).",
    "failed": "It failed, and nothing was changed ({id}).",
}
"""What a state means for an agent."""

NOTHING = "Nothing is to be changed: no note would be another."

WOULD_WAIT = (
    "It cannot be applied at once: the same call without a dry run makes a proposal of "
    "it, which waits for the user."
)
"""What is said of a preview that only a person may apply."""

CLOSED = {
    "applied": (
        "You cannot read any more what it wrote, and only the user can take it back: "
        "glassmind changeset undo {id}."
    ),
    "previewed": (
        "After it you could not read any more what it writes, and only the user could "
        "take it back."
    ),
}
"""What is said of a change that hides a note from who asks for it."""


def asking(call: Call, *, dry_run: bool) -> Asking:
    """Return who asks, by the name that the client of a call gives itself."""
    return asking_of(call.engine, call.client, dry_run=dry_run)


def said_of(done: Changed) -> str:
    """Return in our own words what state a change is in, and what that means."""
    one = done.changeset
    if done.is_empty and one.state in ("previewed", "applied"):
        return NOTHING
    said = SAID[one.state].format(id=one.id, approve=f"{APPROVING} {one.id}")
    said = said.replace(" ()", "")  # what is kept nowhere has no id
    if done.closed and one.state in CLOSED:
        said = f"{said} {CLOSED[one.state].format(id=one.id)}"
    return f"{said} {WOULD_WAIT}" if one.state == "previewed" and one.reason else said


def answer_of(done: Changed) -> Answer:
    """Return what came of a change, diffs cut where they grow too long."""
    values = clipped(changed_as_json(done))
    text = f"{said_of(done)}\n{fenced(chr(10).join(_rows(values)))}"
    return Answer(text, labelled(values))


def clipped(values: dict[str, Any]) -> dict[str, Any]:
    """Return a change with the first of its files and of its diffs.

    Where something was left out, `clipped` says so and `files_total` how many there
    are.
    """
    left, files, cut = DIFF_CHARS, [], len(values["files"]) > MOST_FILES
    for file in values["files"][:MOST_FILES]:
        diff = file["diff"][:left]
        cut = cut or len(diff) < len(file["diff"])
        left -= len(diff)
        files.append({**file, "diff": diff})
    more = {"files_total": len(values["files"]), "clipped": True} if cut else {}
    return {**values, "files": files, **more}


def _rows(values: dict[str, Any]) -> Iterator[str]:
    yield one_line(values["title"])
    if values["reason"]:
        yield f"because: {one_line(values['reason'])}"
    for file in values["files"]:
        was, to = file["path"], named(file["to"])
        moved = f"{named(was)} -> {to}" if was and was != file["to"] else to
        made = " (new)" if was is None else ""
        digest = f", digest {file['after'][:16]}" if values["applied"] else ""
        yield f"{moved}{made} (+{file['added']} -{file['removed']}{digest})"
        if file["diff"]:
            yield file["diff"].rstrip("\n")
    if values.get("clipped"):
        yield f"... cut; {values['files_total']:,} files in all"
    rewritten = values["links_rewritten"]
    if rewritten["occurrences"]:
        links, files = rewritten["occurrences"], rewritten["files"]
        yield f"links rewritten: {links:,} in {files:,} files"
    if values["adopted"]:
        yield f"links that lead to it now: {values['adopted']:,}"
    yield from (f"risk: {one_line(said)}" for said in values["risks"])
    yield from (f"notice: {one_line(said)}" for said in values["notices"])
    if values["applied"] and values["index"] == "pending":
        yield "searches find it a little later"
