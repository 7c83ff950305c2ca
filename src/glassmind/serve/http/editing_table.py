"""The routes that change the vault: a part of the table of all routes.

None of them approves a proposal: that is done by a person, at the command line.
"""

from collections.abc import Callable

from glassmind.serve.edits import DRY_RUN, EDITS, EXPECTED
from glassmind.serve.http import editing
from glassmind.serve.http.arguments import LONGEST_NAME, LONGEST_SENT
from glassmind.serve.http.asked import Asked, Route
from glassmind.serve.http.replies import Reply
from glassmind.serve.mcp.callers import NAME_CHARS
from glassmind.serve.mcp.tool import Argument
from glassmind.types.editing import STATES

FAILS = (403, 404, 409)

_CLIENT = Argument("client", "string", "Who asks, for the record.", "", most=NAME_CHARS)
CHANGING = (DRY_RUN._replace(doc="Only show it."), _CLIENT)
"""What every route takes that changes the vault."""

_CONFIRM = Argument("confirm", "boolean", "That it is meant.", False)
_INDEX = Argument(
    "index", "integer", "Which of one name, from 0.", None, least=0, most=10_000
)
_ID = Argument("id", "string", "The id of a changeset.", most=100)


def _text(name: str, doc: str) -> Argument:
    return Argument(name, "string", doc, most=LONGEST_NAME)


def _writing(
    path: str, doc: str, run: Callable[[Asked], Reply], *arguments: Argument
) -> Route:
    taken = (*arguments, *CHANGING)
    return Route("POST", path, doc, run, "Changed", taken, FAILS)


EDITING: tuple[Route, ...] = (
    _writing(
        "/edit",
        "Edit a note: every edit in order, or none.",
        editing.post_edit,
        _text("note", "The note, to the letter."),
        EDITS,
        EXPECTED,
    ),
    _writing(
        "/notes",
        "Make a note; none is written over.",
        editing.post_note,
        _text("title", "Its name, or its path."),
        Argument("text", "string", "What it says.", "", most=LONGEST_SENT),
        _text("folder", "Where it is made.")._replace(default=None),
        Argument("properties", "object", "Its frontmatter.", None),
        _text("template", "A note to begin with.")._replace(default=""),
    ),
    _writing(
        "/delete",
        "Move a note to the trash of the vault.",
        editing.post_delete,
        _text("note", "The note, to the letter."),
        EXPECTED,
        _CONFIRM,
    ),
    _writing(
        "/rename-heading",
        "Give a heading other words, and the links to it too.",
        editing.post_rename_heading,
        _text("note", "The note, to the letter."),
        _text("heading", "Its words."),
        _text("new", "Its new words."),
        _INDEX,
        EXPECTED,
    ),
    _writing(
        "/rename-tag",
        "Give a tag and those below it another name.",
        editing.post_rename_tag,
        _text("old", "The tag."),
        _text("new", "Its new name."),
    ),
    _writing(
        "/merge",
        "Add a note to another, which its links lead to then.",
        editing.post_merge,
        _text("source", "The note that goes to the trash."),
        _text("into", "The note that it is added to."),
        EXPECTED._replace(
            doc="digest of source as it was read, or its first 8 letters"
        ),
        _CONFIRM,
    ),
    _writing(
        "/split",
        "Make notes of sections of a note.",
        editing.post_split,
        _text("note", "The note, to the letter."),
        _text("heading", "This section.")._replace(default=""),
        Argument("level", "integer", "All of this rank.", None, least=1, most=6),
        _text("folder", "Of the new notes.")._replace(default=None),
        _INDEX,
        EXPECTED,
    ),
    Route(
        "GET",
        "/changes",
        "List what was changed, proposed or shown, the newest first.",
        editing.get_changes,
        "Changesets",
        (
            Argument("state", "string", "Those alone.", None, STATES),
            Argument("limit", "integer", "Most of them.", 20, least=1, most=1_000),
        ),
    ),
    Route(
        "GET",
        "/changes/{id}",
        "Show one changeset with its diffs.",
        editing.get_change,
        "Changed",
        (_ID,),
        (404, 409),
        called="get_change",
    ),
    Route(
        "POST",
        "/changes/{id}/undo",
        "Take back what was applied.",
        editing.post_undo,
        "Changed",
        (_ID, *CHANGING),
        FAILS,
        called="undo_change",
    ),
    Route(
        "POST",
        "/changes/{id}/apply",
        "Apply what was only shown; where a person has to approve, it is proposed.",
        editing.post_apply,
        "Changed",
        (_ID, _CONFIRM, _CLIENT),
        FAILS,
        called="apply_change",
    ),
)
