"""`glassmind_restructure`: rename headings and tags, merge and split notes."""

from glassmind.errors.serving import BadArgument
from glassmind.serve.edits import DRY_RUN, EXPECTED
from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.naming import LONGEST_NAME, note_name
from glassmind.serve.mcp.tools.write_answers import PATIENT_S, answer_of, asking
from glassmind.serve.mcp.tools.write_edit import PROPOSED, digest_given

RESTRUCTURE = "glassmind_restructure"

NEEDS: dict[str, tuple[str, ...]] = {
    "rename-heading": ("name", "heading", "new"),
    "rename-tag": ("name", "new"),
    "merge": ("name", "new"),
    "split": ("name",),
}
"""What each of them has to be given."""

GOES_WITH: dict[str, tuple[str, ...]] = {
    "new": ("rename-heading", "rename-tag", "merge"),
    "heading": ("rename-heading", "split"),
    "index": ("rename-heading", "split"),
    "level": ("split",),
    "folder": ("split",),
    "confirm": ("merge",),
    "expected": ("rename-heading", "merge", "split"),
}
"""What only some of them take."""


def restructure(call: Call) -> Answer:
    """Rename a heading or a tag, merge two notes, or split one."""
    given, editing = call.given, call.engine.editing
    what = given["what"]
    for name in NEEDS[what]:
        if given[name] is None:
            raise BadArgument(RESTRUCTURE, f"{what} needs {name!r}")
    for name, takers in GOES_WITH.items():
        is_given = given[name] is not None and given[name] is not False
        if is_given and what not in takers:
            with_these = " and ".join(map(repr, takers))
            raise BadArgument(RESTRUCTURE, f"{name!r} goes with {with_these}")
    wish = asking(call, dry_run=given["dry_run"])
    if what == "rename-tag":
        return answer_of(editing.rename_tag(given["name"], given["new"], wish))
    note, expected = note_name(call, RESTRUCTURE), digest_given(call)
    if what == "rename-heading":
        words, index = (given["heading"], given["new"]), given["index"]
        done = editing.rename_heading(
            note, *words, wish, index=index, expected=expected
        )
    elif what == "merge":
        confirm = given["confirm"]
        into = note_name(call, RESTRUCTURE, "new")
        done = editing.merge(note, into, wish, confirm=confirm, expected=expected)
    else:
        done = editing.split(
            note,
            wish,
            heading=given["heading"] or "",
            level=given["level"],
            folder=given["folder"],
            index=given["index"],
            expected=expected,
        )
    return answer_of(done)


_NAME = Argument("name", "string", "", None, most=LONGEST_NAME)

RESTRUCTURE_TOOL = Tool(
    RESTRUCTURE,
    "Rename headings and tags, merge, split",
    "rename-heading: heading of name becomes new, links follow. rename-tag: tag name "
    "becomes new, everywhere. merge: name is added to note new and goes to the trash. "
    "split: the section of heading, or all of a level, become notes. "
    f"{PROPOSED}",
    (
        Argument("what", "string", "", choices=tuple(NEEDS)),
        _NAME._replace(doc="the note, or the tag", default=None),
        Argument("heading", "string", "", None, most=LONGEST_NAME),
        Argument("index", "integer", "which of one name, from 0", None, least=0),
        _NAME._replace(name="new", doc="new words, tag, or the note to merge into"),
        Argument("level", "integer", "of split", None, least=1, most=6),
        _NAME._replace(name="folder", doc="of the notes that split makes"),
        EXPECTED,
        Argument("confirm", "boolean", "true for merge: the user wants it", False),
        DRY_RUN,
    ),
    restructure,
    read_only=False,
    destructive=True,
    idempotent=False,
    timeout_s=PATIENT_S,
)
