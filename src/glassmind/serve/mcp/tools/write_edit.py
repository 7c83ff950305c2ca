"""`glassmind_edit`, `glassmind_create`, `glassmind_delete`: the text of notes."""

from glassmind.errors.editing import NoMatch
from glassmind.serve.edits import (
    DRY_RUN,
    EDITS,
    EXPECTED,
    LONGEST_NOTE,
    read_edits,
    whole_values,
)
from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.naming import (
    LONGEST_NAME,
    NAME_ARGUMENT,
    note_name,
)
from glassmind.serve.mcp.tools.no_match import looser_helps
from glassmind.serve.mcp.tools.write_answers import PATIENT_S, answer_of, asking
from glassmind.types import Digest

EDIT, CREATE, DELETE = "glassmind_edit", "glassmind_create", "glassmind_delete"

LOOSER = "give its words as they stand there, or fuzzy"
"""What helps where a text to be replaced was not found."""

PROPOSED = "Where the user's settings want it, this only makes a proposal."


def digest_given(call: Call) -> Digest | None:
    """Return the digest that the caller read, if it says one."""
    said = call.given["expected"]
    return None if said is None else Digest(said)


def edit(call: Call) -> Answer:
    """Edit a note: every edit in order, or none."""
    given = call.given
    edits = read_edits(EDIT, given["edits"])
    try:
        done = call.engine.editing.edit(
            note_name(call, EDIT),
            edits,
            asking(call, dry_run=given["dry_run"]),
            expected=digest_given(call),
        )
    except NoMatch as error:
        if looser_helps(error, edits):
            error.add_note(LOOSER)
        raise
    return answer_of(done)


def create(call: Call) -> Answer:
    """Make a note; none is written over."""
    given = call.given
    properties = given["properties"]
    done = call.engine.editing.create(
        given["title"],
        given["text"],
        asking(call, dry_run=given["dry_run"]),
        folder=given["folder"],
        properties=whole_values(CREATE, properties) if properties else None,
        template=given["template"] or "",
    )
    return answer_of(done)


def delete(call: Call) -> Answer:
    """Move a note to the trash, once it is confirmed."""
    given = call.given
    done = call.engine.editing.delete(
        note_name(call, DELETE),
        asking(call, dry_run=given["dry_run"]),
        confirm=given["confirm"],
        expected=digest_given(call),
    )
    return answer_of(done)


EDIT_TOOL = Tool(
    EDIT,
    "Edit a note",
    "Change the text of a note, exactly there and nowhere else. Give expected when you "
    f"write over something that you read. {PROPOSED}",
    (NAME_ARGUMENT, EDITS, EXPECTED, DRY_RUN),
    edit,
    read_only=False,
    destructive=True,
    idempotent=False,
    timeout_s=PATIENT_S,
)

CREATE_TOOL = Tool(
    CREATE,
    "Create a note",
    "Make a note; it never writes over one. Links that named it before lead to it "
    f"then. {PROPOSED}",
    (
        Argument("title", "string", "its name, or path", most=LONGEST_NAME),
        Argument("text", "text", "Markdown", "", most=LONGEST_NOTE),
        Argument("folder", "string", "", None, most=LONGEST_NAME),
        Argument("properties", "object", "its frontmatter", None),
        Argument("template", "string", "a note to begin with", None, most=LONGEST_NAME),
        DRY_RUN,
    ),
    create,
    read_only=False,
    idempotent=False,
    timeout_s=PATIENT_S,
)

DELETE_TOOL = Tool(
    DELETE,
    "Delete a note",
    f"Move a note to the vault's trash. Only when the user wants it. {PROPOSED}",
    (
        NAME_ARGUMENT,
        EXPECTED,
        Argument("confirm", "boolean", "true: the user wants it", False),
        DRY_RUN,
    ),
    delete,
    read_only=False,
    destructive=True,
    timeout_s=PATIENT_S,
)
