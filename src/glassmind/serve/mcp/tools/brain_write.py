"""Tools of obsidian-brain that make, link, move and delete notes."""

from collections.abc import Mapping
from typing import Any

from glassmind.markdown.frontmatter import read_head
from glassmind.render.changes import rewritten_as_json
from glassmind.serve.edits import LONGEST_NOTE, whole_values
from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.brain_hints import deleted_hints
from glassmind.serve.mcp.tools.brain_shapes import EXACTLY, wrapped
from glassmind.serve.mcp.tools.brain_stubs import STUB, stub_name
from glassmind.serve.mcp.tools.brain_written import (
    counts_of,
    lost,
    main_file,
    preview_of,
    pruning,
    written,
)
from glassmind.serve.mcp.tools.naming import LONGEST_NAME
from glassmind.serve.mcp.tools.shapes import notes_as_json
from glassmind.serve.mcp.tools.write_answers import PATIENT_S, asking
from glassmind.types.editing import AddLink

TITLE = "title"


def create_note(call: Call) -> Answer:
    """Make a note, with its title among the properties unless that is not wished."""
    given, title = call.given, stub_name(call.given["title"])
    name = title.rpartition("/")[2].removesuffix(".md")
    done = call.engine.editing.create(
        title,
        given["content"],
        asking(call, dry_run=False),
        folder=_folder(given["directory"]),
        properties=_properties(given, name),
    )
    adopted = done.changeset.draft.adopted
    return notes_as_json(written(done, title=name, linksAdopted=adopted))


def _folder(directory: str | None) -> str | None:
    """Return where a note is made; stubs are listed in a folder that is none."""
    return None if directory and directory.strip("/") == STUB[:-1] else directory


def _properties(given: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """Return the properties of a new note beside those of its content."""
    own = dict(whole_values("create_note", given["frontmatter"] or {}))
    if TITLE in own and own[TITLE] is None:
        del own[TITLE]
    elif TITLE not in {*own, *read_head(given["content"]).frontmatter.properties}:
        own = {TITLE: name, **own}
    return own or None


def link_notes(call: Call) -> Answer:
    """Add a sentence with a link at the end of a note."""
    given = call.given
    wish = asking(call, dry_run=given["dryRun"])
    target = stub_name(given["target"])
    edit = AddLink(target, given["context"])
    done = call.engine.editing.edit(given["source"], [edit], wish)
    return notes_as_json(written(done, target=target, **preview_of(done)))


def move_note(call: Call) -> Answer:
    """Move a note and write the links to it anew; a folder is none."""
    given = call.given
    source = call.engine.editing.path_of(given["source"])
    wish = asking(call, dry_run=given["dryRun"])
    pruned = pruning(call.engine)
    done = call.engine.editing.move(source, given["destination"], wish)
    facts = {
        "linksRewritten": rewritten_as_json(done.changeset.draft.rewritten),
        "stubsPruned": pruned() if done.applied else 0,
        **preview_of(done),
    }
    return notes_as_json(written(done, **facts))


def delete_note(call: Call) -> Answer:
    """Move a note to the trash, once it is confirmed."""
    given = call.given
    before, pruned = counts_of(call.engine), pruning(call.engine)
    done = call.engine.editing.delete(
        given["name"],
        asking(call, dry_run=given["dryRun"]),
        confirm=given["confirm"],
    )
    after = counts_of(call.engine) if done.applied else before
    gone = {
        "node": lost(before, after, "notes"),
        "edges": lost(before, after, "links"),
        "embedding": lost(before, after, "embedded_notes"),
        "stubsPruned": pruned() if done.applied else 0,
    }
    main = main_file(done)
    was = str(main.path) if main else given["name"]
    shown = written(done, deletedFromIndex=gone, **preview_of(done)) | {"id": was}
    state = {"last_file_deleted": was} if done.applied else {}
    hints = deleted_hints() if done.applied else []
    return notes_as_json(wrapped(shown, state, hints))


_DRY_RUN = Argument("dryRun", "boolean", "", False)
_SOURCE = EXACTLY._replace(name="source")
_PROPOSED = "May only make a proposal that the user approves."

TABLE: tuple[Tool, ...] = (
    Tool(
        "create_note",
        "Create a note",
        "Make a note; it never writes over one, and links that named it before lead to "
        f"it then. {_PROPOSED}",
        (
            Argument("title", "string", most=LONGEST_NAME),
            Argument("content", "string", most=LONGEST_NOTE),
            Argument("directory", "string", "", None, most=LONGEST_NAME),
            Argument("frontmatter", "object", "title: null leaves that out", None),
        ),
        create_note,
        read_only=False,
        idempotent=False,
        timeout_s=PATIENT_S,
    ),
    Tool(
        "link_notes",
        "Link two notes",
        "Add a sentence at the end of source, with a link to target, which need not "
        f"exist yet. {_PROPOSED}",
        (
            _SOURCE,
            Argument("target", "string", most=LONGEST_NAME),
            Argument("context", "string", "the sentence", most=LONGEST_NOTE),
            _DRY_RUN,
        ),
        link_notes,
        read_only=False,
        idempotent=False,
        timeout_s=PATIENT_S,
    ),
    Tool(
        "move_note",
        "Move a note",
        "Give a note another name or folder; every link that led to it leads to it "
        f"afterwards. It never writes over a note. {_PROPOSED}",
        (
            _SOURCE,
            Argument(
                "destination", "string", "path; a folder ends in /", most=LONGEST_NAME
            ),
            _DRY_RUN,
        ),
        move_note,
        read_only=False,
        destructive=True,
        idempotent=False,
        timeout_s=PATIENT_S,
    ),
    Tool(
        "delete_note",
        "Delete a note",
        f"Move a note to the vault's trash; confirm has to be true. {_PROPOSED}",
        (EXACTLY, Argument("confirm", "boolean", "true"), _DRY_RUN),
        delete_note,
        read_only=False,
        destructive=True,
        timeout_s=PATIENT_S,
    ),
)
