"""Tools of obsidian-brain that change notes."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, replace
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, structs

from glassmind.engine import Engine
from glassmind.errors import BadArgument, NoMatch
from glassmind.model import edits
from glassmind.model.edits import Scope, TextEdit, Where
from glassmind.obsidian.frontmatter import read_head
from glassmind.operations import edit as ours
from glassmind.operations.arguments import parsed_json, read
from glassmind.operations.edit import MODEL_DIFF_CHARS, state_for_models
from glassmind.operations.registry import Arguments, Caller, arg, copied
from glassmind.serve.compat.brain import (
    NAMES,
    counts_of,
    hint,
    less,
    stub_name,
    wrapped,
)
from glassmind.serve.compat.tools import Reply, mapped, run, tool

PREVIEW_S = 5 * 60
"""Seconds in which a preview may be committed, as in obsidian-brain."""

Mode = Literal[
    "append",
    "prepend",
    "replace_window",
    "patch_heading",
    "patch_frontmatter",
    "at_line",
]

Name = Annotated[str, Meta(max_length=4_096)]
NoteName = Annotated[Name, arg("exact path, title, file name or alias")]
Text = Annotated[str, Meta(max_length=1_000_000)]
"""A book, not a library."""

# --- edit_note ----------------------------------------------------------------------


class Edit(Arguments, rename="camel"):
    """One edit, alone or in a list."""

    mode: Mode | None = None
    content: Annotated[Text | None, arg("what to write", note_text=True)] = None
    search: Annotated[Text | None, arg("of replace_window")] = None
    fuzzy: bool = False
    fuzzy_threshold: Annotated[float, Meta(ge=0, le=1)] = edits.FUZZY
    heading: Annotated[str | None, arg("of patch_heading")] = None
    heading_op: Where = "replace"
    scope: Scope = "section"
    heading_index: Annotated[Annotated[int, Meta(ge=0)] | None, arg("from 0")] = None
    key: Annotated[str | None, arg("of patch_frontmatter")] = None
    value: Annotated[Any, arg("null clears", note_text=True)] = None
    value_json: Annotated[Text | None, arg("wins over value")] = None
    line: Annotated[Annotated[int, Meta(ge=1)] | None, arg("of at_line, from 1")] = None
    line_op: Where = "after"  # as obsidian-brain does; its documentation says replace

    @property
    def similarity(self) -> float | None:
        return self.fuzzy_threshold if self.fuzzy else None

    @property
    def act(self) -> str:
        return "unset" if self.value is None else "set"


class EditNoteArguments(Edit, kw_only=True, rename=NAMES):
    name: NoteName
    edits: Annotated[list[dict[str, Any]], Meta(max_length=200)] | None = None
    dry_run: bool = False
    from_buffer: Annotated[
        bool, arg("alone with name: the last that found no match, loosely")
    ] = False


MODES: Mapping[Mode, tuple[Any, str]] = {
    "append": (edits.Append, "content"),
    "prepend": (edits.Prepend, "content"),
    "replace_window": (edits.Replace, "search content similarity"),
    "patch_heading": (
        edits.AtHeading,
        "heading content heading_op scope heading_index",
    ),
    "patch_frontmatter": (edits.ChangeProperty, "key act value"),
    "at_line": (edits.AtLine, "line content line_op"),
}
"""The edit that each mode makes, and our names of its fields in their order."""


@tool("brain", "Edit a note", writes=True, destructive=True)
def edit_note(vault: Engine, arguments: EditNoteArguments, caller: Caller) -> Reply:
    """Edit one note by a mode, or by edits, a list of such calls, all or none.

    Modes: append, prepend (content), replace_window (search, content, fuzzy),
    patch_heading (heading, content), patch_frontmatter (key, value), at_line (line,
    content). dryRun gives a diff and a previewId. May only make a proposal that the
    user approves.
    """
    path, mode = vault.editing.path_of(arguments.name), str(arguments.mode or "edits")
    key = str(vault.config.vault.path), caller.client, path
    is_again = arguments.from_buffer
    wanted = from_buffer(arguments, key) if is_again else _wanted(arguments)
    request = ours.asking(vault, caller, dry_run=arguments.dry_run)
    try:
        done = vault.editing.edit(path, wanted, request)
    except NoMatch as error:
        looser = _looser(wanted)
        if looser != wanted and keep(key, looser):
            error.add_note(AGAIN)
        raise
    if is_again and not arguments.dry_run:
        KEPT.pop(key, None)
    more: dict[str, Any] = {"mode": mode}
    if mode == "patch_heading":
        facts: Any = done.changeset.draft.facts.get("edits", ())
        more["removedLen"] = sum(int(fact["removed"]) for fact in facts)
    return _changed(ours.change_result(done), path, **more)


def _wanted(arguments: EditNoteArguments) -> list[TextEdit]:
    listed = arguments.edits
    if (arguments.mode is None) == (not listed):
        raise BadArgument("edit_note", "it takes a mode or a list of edits")
    if not listed:
        return [_text_edit("edit_note", arguments)]
    wanted = []
    for number, given in enumerate(listed):
        owner = f"edit_note: edits[{number}]"
        edit = read(Edit, given, owner=owner, surface="mcp", strict=False)
        wanted.append(_text_edit(owner, edit))
    return wanted


def _text_edit(owner: str, edit: Edit) -> TextEdit:
    mode = edit.mode
    if mode is None:
        raise BadArgument(owner, "mode is missing")
    if edit.value_json is not None:
        try:
            edit = structs.replace(edit, value=parsed_json(edit.value_json))
        except ValueError:
            raise BadArgument(owner, "valueJson is not valid JSON") from None
    kind, names = MODES[mode]
    values = {name: getattr(edit, name) for name in names.split()}
    for name, part in zip(values, fields(kind), strict=False):
        if values[name] is None and part.default is MISSING:
            raise BadArgument(owner, f"mode {mode} needs {name}")
    made: TextEdit = kind(*values.values())
    return made


# --- edits that found no match, for from_buffer -------------------------------------

LOOSE, TTL_S, MOST_ENTRIES, LARGEST = 0.5, 30 * 60.0, 20, 512 * 1024
"""The similarity that `from_buffer` asks for; seconds, entries, and bytes of one entry:
all as in obsidian-brain."""

AGAIN = "call edit_note with name and from_buffer true to replace the most similar text"

Key: TypeAlias = tuple[str, str, str]
"""A vault, a client, and the path of a note, however it was named."""

KEPT: dict[Key, tuple[float, Sequence[TextEdit]]] = {}
"""When an edit of a note found no match, and a looser edit; the oldest first."""


def _looser(wanted: Sequence[TextEdit]) -> list[TextEdit]:
    return [
        replace(edit, fuzzy=LOOSE if edit.fuzzy is None else min(edit.fuzzy, LOOSE))
        if isinstance(edit, edits.Replace)
        else edit
        for edit in wanted
    ]


def keep(key: Key, wanted: Sequence[TextEdit]) -> bool:
    """Keep edits, unless they are too large; return whether they are kept."""
    if len(repr(wanted).encode("utf-8", "backslashreplace")) > LARGEST:
        return False
    KEPT.pop(key, None)
    KEPT[key] = (time.monotonic(), wanted)
    for oldest in list(KEPT)[:-MOST_ENTRIES]:
        KEPT.pop(oldest, None)
    return True


def from_buffer(arguments: EditNoteArguments, key: Key) -> Sequence[TextEdit]:
    """Return the edits of a note that are kept."""
    given = copied(Edit, arguments)
    if given not in (Edit(), Edit(mode="replace_window")) or arguments.edits:
        raise BadArgument("edit_note", "from_buffer takes only name and dryRun")
    since, wanted = KEPT.get(key, (0.0, ()))
    if not wanted or time.monotonic() - since > TTL_S:
        raise BadArgument("edit_note", "no edit of this note is kept; give it again")
    return wanted


# --- other changes ------------------------------------------------------------------


class BrainApplyArguments(Arguments, rename=NAMES):
    id: Annotated[str, Meta(max_length=100)]


@tool("brain", "Commit a preview", writes=True, destructive=True)
def apply_edit_preview(
    vault: Engine, arguments: BrainApplyArguments, caller: Caller
) -> Reply:
    """Make the edit that edit_note with dryRun showed, within five minutes.

    The note must be as it was. May only make a proposal that the user approves.
    """
    preview = run(ours.show_change, vault, arguments, caller)
    created, problem = datetime.fromisoformat(preview.created), ""
    if (preview.id, preview.client, preview.verb) != (
        arguments.id,
        caller.client,
        "edit",
    ):
        problem = "previewId must be the whole id that edit_note with dryRun gave you"
    elif time.time() - created.timestamp() > PREVIEW_S:
        problem = "the preview is older than 5 minutes; make it again"
    if problem:
        raise BadArgument("apply_edit_preview", problem)
    result = run(ours.apply_change, vault, arguments, caller)
    return _changed(result, "", previewId=preview.id)


class BrainCreateArguments(Arguments, rename=NAMES):
    title: Name
    text: Text
    folder: Name | None = None
    properties: Annotated[dict[str, Any] | None, arg("title: null leaves that out")] = (
        None
    )


@tool("brain", "Create a note", writes=True)
def create_note(
    vault: Engine, arguments: BrainCreateArguments, caller: Caller
) -> Reply:
    """Create a note; it never overwrites one, and links that named it lead to it then.

    May only make a proposal that the user approves.
    """
    title = stub_name(arguments.title)
    name = title.rpartition("/")[2].removesuffix(".md")
    has_title = "title" in read_head(arguments.text).frontmatter.properties
    own = {} if has_title else {"title": name}
    properties = {**own, **(arguments.properties or {})}
    if properties.get("title", name) is None:
        del properties["title"]
    facts = {"title": title, "properties": properties or None}
    result = run(ours.create, vault, arguments, caller, **facts)
    return _changed(result, title, title=name, linksAdopted=result.adopted)


class LinkArguments(Arguments, rename=NAMES):
    source: NoteName
    target: Name
    context: Annotated[Text, arg("the sentence")]
    dry_run: bool = False


@tool("brain", "Link two notes", writes=True)
def link_notes(vault: Engine, arguments: LinkArguments, caller: Caller) -> Reply:
    """Add a sentence at the end of source, with a link to target, a note or a name.

    May only make a proposal that the user approves.
    """
    source, target = arguments.source, stub_name(arguments.target)
    note = ours.EditedNoteArguments(name=source, dry_run=arguments.dry_run)
    link = edits.AddLink(target, arguments.context)
    result = ours.edit_note(vault, note, [link], caller)
    return _changed(result, source, target=target)


def _stubs(vault: Engine) -> set[str]:
    return {ghost.target.lower() for ghost in vault.ghosts(limit=sys.maxsize)}


class BrainMoveArguments(Arguments, rename=NAMES):
    source: NoteName
    destination: Annotated[Name, arg("path; a folder ends in /")]
    dry_run: bool = False


@tool("brain", "Move a note", writes=True, destructive=True)
def move_note(vault: Engine, arguments: BrainMoveArguments, caller: Caller) -> Reply:
    """Give a note another name or folder, and update every link to it.

    It never overwrites a note. May only make a proposal that the user approves.
    """
    source, stubs = vault.editing.path_of(arguments.source), _stubs(vault)
    result = run(ours.move, vault, arguments, caller, source=source)
    return _changed(
        result,
        arguments.destination,
        linksRewritten=structs.asdict(result.links_rewritten),
        stubsPruned=len(stubs - _stubs(vault)) if result.applied else 0,
    )


class BrainDeleteArguments(Arguments, rename=NAMES):
    name: NoteName
    confirm: Annotated[bool, arg("true")]
    dry_run: bool = False


@tool("brain", "Delete a note", writes=True, destructive=True, idempotent=True)
def delete_note(
    vault: Engine, arguments: BrainDeleteArguments, caller: Caller
) -> Reply:
    """Move a note to the vault's trash; confirm must be true.

    May only make a proposal that the user approves.
    """
    before, stubs = counts_of(vault), _stubs(vault)
    result = run(ours.delete, vault, arguments, caller)
    was = result.files[0].path if result.files else arguments.name
    lost = less(before, counts_of(vault) if result.applied else before)
    lost["stubsPruned"] = len(stubs - _stubs(vault)) if result.applied else 0
    data, sources = _changed(result, was, deletedFromIndex=lost)
    reason = "notes that it linked to may have no other link"
    hints = [hint("rank_notes", reason, minIncomingLinks=0)] if result.applied else []
    return Reply(wrapped({**data, "id": was}, {}, hints), sources)


CHANGE = {"status": "state", "applied": "applied", "changeset": "id", "index": "index"}


def _changed(result: ours.ChangeResult, note: str, **more: Any) -> Reply:
    """Return what a change did to a note; `note` is its name if no file is shown."""
    moved = [file for file in result.files if file.path != file.to]
    main = next((file.to for file in [*moved, *result.files]), note)
    diff = "".join(file.diff for file in result.files)
    reply = {"id": main, "path": main, **mapped(result, CHANGE), **more}
    reply |= {"message": state_for_models(result), "diff": diff[:MODEL_DIFF_CHARS]}
    if len(diff) > MODEL_DIFF_CHARS:
        reply["truncated"] = True
    if result.state == "previewed" and not result.changes_nothing:
        is_edit = result.id and result.verb == "edit"
        reply |= {"dryRun": True} | ({"previewId": result.id} if is_edit else {})
    for name in ("approve", "reason", "risks", "notices"):
        if value := getattr(result, name):
            reply[name] = value
    return Reply(reply, result.sources())
