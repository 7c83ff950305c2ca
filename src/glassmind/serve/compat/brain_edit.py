"""Tools of obsidian-brain that change notes."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta
from msgspec.structs import replace as with_fields

from glassmind.engine import Engine
from glassmind.errors import IndexAbsent
from glassmind.errors.editing import NeedsApproval, NoMatch
from glassmind.errors.serving import BadArgument
from glassmind.handing import ghosts_gone
from glassmind.markdown.frontmatter import read_head
from glassmind.operations.arguments import parsed_json, read
from glassmind.operations.edit import (
    APPROVE,
    MODEL_DIFF_CHARS,
    asking,
    change_result,
    state_for_models,
)
from glassmind.operations.registry import Arguments, Caller, arg, copied, shown
from glassmind.serve.compat.brain import STUB, hint, stats_of, stub_name, wrapped
from glassmind.serve.compat.tools import Reply, tool
from glassmind.types import editing as edits
from glassmind.types.editing import Changed, FileDiff, Scope, TextEdit, Where

PREVIEW_S = 5 * 60
"""Seconds in which a preview may be committed, as in obsidian-brain."""

LOOSE = 0.5
"""The similarity that `from_buffer` asks for, as in obsidian-brain."""

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

AGAIN = "call edit_note with name and from_buffer true to replace the most similar text"
WAITS = (
    "only the user may apply this; repeat edit_note without dryRun to make a proposal "
    "that the user approves"
)

# --- edit_note ----------------------------------------------------------------------


class Edit(Arguments, frozen=True, rename="camel"):
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


class EditNoteArguments(Edit, frozen=True, kw_only=True, rename={"dry_run": "dryRun"}):
    name: NoteName
    edits: Annotated[list[dict[str, Any]], Meta(max_length=200)] | None = None
    dry_run: bool = False
    from_buffer: Annotated[
        bool, arg("alone with name: the last that found no match, loosely")
    ] = False


@tool("brain", "Edit a note", writes=True, destructive=True)
def edit_note(vault: Engine, arguments: EditNoteArguments, caller: Caller) -> Reply:
    """Edit one note by a mode, or by edits, a list of such calls, all or none.

    Modes: append, prepend (content), replace_window (search, content, fuzzy),
    patch_heading (heading, content), patch_frontmatter (key, value), at_line (line,
    content). dryRun gives a diff and a previewId. May only make a proposal that the
    user approves.
    """
    wish = asking(vault, caller, dry_run=arguments.dry_run)
    name, mode = arguments.name, str(arguments.mode or "edits")
    if arguments.from_buffer:
        mode = arguments.mode or "from_buffer"
        name = vault.editing.path_of(name)
        wanted = _from_buffer(arguments, _key(vault, caller, name))
    else:
        wanted = _wanted(arguments)
    try:
        done = vault.editing.edit(name, wanted, wish)
    except NoMatch as error:
        key = _key(vault, caller, error.path)
        is_first = not arguments.from_buffer and _may_match_loosely(error, wanted)
        if is_first and keep(key, wanted):
            error.add_note(AGAIN)
        raise
    if arguments.from_buffer and not arguments.dry_run:
        KEPT.pop(_key(vault, caller, name), None)
    more = _preview(done)
    if arguments.mode == "patch_heading":
        facts: Any = done.changeset.draft.facts.get("edits", ())
        more["removedLen"] = sum(int(fact["removed"]) for fact in facts)
    return _changed(done, mode=mode, **more)


def _wanted(arguments: EditNoteArguments) -> list[TextEdit]:
    listed = arguments.edits
    if (arguments.mode is None) == (listed is None):
        raise BadArgument("edit_note", "it takes a mode or a list of edits")
    if listed is None:
        return [_text_edit("edit_note", arguments)]
    if not listed:
        raise BadArgument("edit_note", "edits is empty")
    wanted = []
    for number, given in enumerate(listed):
        owner = f"edit_note: edits[{number}]"
        edit = read(Edit, given, owner=owner, surface="mcp", strict=False)
        wanted.append(_text_edit(owner, edit))
    return wanted


MODES: Mapping[str, tuple[tuple[str, ...], Callable[[Any], TextEdit]]] = {
    "append": (("content",), lambda edit: edits.Append(edit.content)),
    "prepend": (("content",), lambda edit: edits.Prepend(edit.content)),
    "replace_window": (
        ("search", "content"),
        lambda edit: edits.Replace(
            edit.search, edit.content, edit.fuzzy_threshold if edit.fuzzy else None
        ),
    ),
    "patch_heading": (
        ("heading", "content"),
        lambda edit: edits.AtHeading(
            edit.heading, edit.content, edit.heading_op, edit.scope, edit.heading_index
        ),
    ),
    "patch_frontmatter": (
        ("key",),
        lambda edit: edits.ChangeProperty(
            edit.key, "unset" if edit.value is None else "set", edit.value
        ),
    ),
    "at_line": (
        ("line", "content"),
        lambda edit: edits.AtLine(edit.line, edit.content, edit.line_op),
    ),
}
"""What each mode needs, and the edit that it makes."""


def _text_edit(owner: str, edit: Edit) -> TextEdit:
    if edit.mode is None:
        raise BadArgument(owner, "mode is missing")
    needed, make = MODES[edit.mode]
    for name in needed:
        if getattr(edit, name) is None:
            raise BadArgument(owner, f"mode {edit.mode} needs {name}")
    if edit.value_json is not None:
        try:
            edit = with_fields(edit, value=parsed_json(edit.value_json))
        except ValueError:
            raise BadArgument(owner, "valueJson is not valid JSON") from None
    return make(edit)


# --- edits that found no match, for from_buffer -------------------------------------

TTL_S, MOST_ENTRIES, LARGEST = 30 * 60.0, 20, 512 * 1024
"""Seconds, entries, and bytes of one entry, as in obsidian-brain."""

Key: TypeAlias = tuple[str, str, str]
"""A vault, a client, and the path of a note, however it was named."""

KEPT: dict[Key, tuple[float, Sequence[TextEdit]]] = {}
"""When an edit of a note found no match, and the edit; the oldest first."""

LOCK = threading.Lock()


def keep(key: Key, wanted: Sequence[TextEdit]) -> bool:
    """Keep edits, unless they are too large; return whether they are kept."""
    if len(repr(wanted).encode("utf-8", "backslashreplace")) > LARGEST:
        return False
    with LOCK:
        KEPT.pop(key, None)
        KEPT[key] = (time.monotonic(), wanted)
        for oldest in list(KEPT)[:-MOST_ENTRIES]:
            del KEPT[oldest]
    return True


def kept(key: Key) -> Sequence[TextEdit]:
    """Return the edits that are kept; none if they are too old."""
    since, wanted = KEPT.get(key, (0.0, ()))
    return wanted if time.monotonic() - since <= TTL_S else ()


def _key(vault: Engine, caller: Caller, path: str) -> Key:
    return str(vault.config.vault.path), caller.client, path


def _from_buffer(arguments: EditNoteArguments, key: Key) -> list[TextEdit]:
    """Return the kept edits of a note, with a looser search."""
    given = copied(Edit, arguments)
    if given not in (Edit(), Edit(mode="replace_window")) or arguments.edits:
        raise BadArgument("edit_note", "from_buffer takes only name and dryRun")
    wanted = kept(key)
    if not wanted:
        raise BadArgument("edit_note", "no edit of this note is kept; give it again")
    return [
        replace(edit, fuzzy=LOOSE) if isinstance(edit, edits.Replace) else edit
        for edit in wanted
    ]


def _may_match_loosely(error: NoMatch, wanted: Sequence[TextEdit]) -> bool:
    """Return whether the edit that failed looks for a text, and not loosely yet."""
    places = [f"edits[{number}]" for number in range(len(wanted))]
    edit = wanted[places.index(error.place) if error.place in places else 0]
    if not isinstance(edit, edits.Replace):
        return False
    return edit.fuzzy is None or edit.fuzzy > LOOSE


# --- other changes ------------------------------------------------------------------


class ApplyArguments(Arguments, frozen=True, rename="camel"):
    preview_id: Annotated[str, Meta(max_length=100)]


@tool("brain", "Commit a preview", writes=True, destructive=True)
def apply_edit_preview(
    vault: Engine, arguments: ApplyArguments, caller: Caller
) -> Reply:
    """Make the edit that edit_note with dryRun showed, within five minutes.

    The note must be as it was, and the user's settings must let notes be edited.
    """
    preview_id = arguments.preview_id
    change = vault.editing.show(preview_id).changeset
    age = now() - datetime.fromisoformat(change.created)
    problem, identity = "", (change.id, change.client, change.draft.verb)
    if identity != (preview_id, caller.client, "edit"):
        problem = "previewId must be the whole id that edit_note with dryRun gave you"
    elif change.state == "proposed":
        problem = f"a proposal already; the user can approve it: {APPROVE} {change.id}"
    elif change.state == "previewed" and age.total_seconds() > PREVIEW_S:
        problem = "the preview is older than 5 minutes; make it again"
    elif change.state == "previewed" and change.reason:
        problem = WAITS
    if problem:
        raise BadArgument("apply_edit_preview", problem)
    wish = asking(vault, caller, dry_run=False)
    try:
        done = vault.editing.apply(change.id, wish, or_propose=False)
    except NeedsApproval:
        raise BadArgument("apply_edit_preview", WAITS) from None
    return _changed(done, previewId=change.id)


def now() -> datetime:
    """Return the time with its zone."""
    return datetime.now().astimezone()


class CreateArguments(Arguments, frozen=True):
    title: Name
    content: Text
    directory: Name | None = None
    frontmatter: Annotated[
        dict[str, Any] | None, arg("title: null leaves that out")
    ] = None


@tool("brain", "Create a note", writes=True)
def create_note(vault: Engine, arguments: CreateArguments, caller: Caller) -> Reply:
    """Create a note; it never overwrites one, and links that named it lead to it then.

    May only make a proposal that the user approves.
    """
    title, folder = stub_name(arguments.title), arguments.directory
    name = title.rpartition("/")[2].removesuffix(".md")
    given = arguments.frontmatter or {}
    in_text = read_head(arguments.content).frontmatter.properties
    properties = given if "title" in {*given, *in_text} else {"title": name, **given}
    if properties.get("title", name) is None:
        properties = {key: value for key, value in given.items() if key != "title"}
    done = vault.editing.create(
        title,
        arguments.content,
        asking(vault, caller, dry_run=False),
        folder=None if folder and folder.strip("/") == STUB.strip("/") else folder,
        properties=properties or None,
    )
    return _changed(done, title=name, linksAdopted=done.changeset.draft.adopted)


class LinkArguments(Arguments, frozen=True, rename="camel"):
    source: NoteName
    target: Name
    context: Annotated[Text, arg("the sentence")]
    dry_run: bool = False


@tool("brain", "Link two notes", writes=True)
def link_notes(vault: Engine, arguments: LinkArguments, caller: Caller) -> Reply:
    """Add a sentence at the end of source, with a link to target, a note or a name.

    May only make a proposal that the user approves.
    """
    target = stub_name(arguments.target)
    wish = asking(vault, caller, dry_run=arguments.dry_run)
    link = edits.AddLink(target, arguments.context)
    done = vault.editing.edit(arguments.source, [link], wish)
    return _changed(done, target=target, **_preview(done))


class MoveArguments(Arguments, frozen=True, rename="camel"):
    source: NoteName
    destination: Annotated[Name, arg("path; a folder ends in /")]
    dry_run: bool = False


@tool("brain", "Move a note", writes=True, destructive=True)
def move_note(vault: Engine, arguments: MoveArguments, caller: Caller) -> Reply:
    """Give a note another name or folder, and update every link to it.

    It never overwrites a note. May only make a proposal that the user approves.
    """
    source = vault.editing.path_of(arguments.source)
    pruned = _pruning(vault)
    wish = asking(vault, caller, dry_run=arguments.dry_run)
    done = vault.editing.move(source, arguments.destination, wish)
    links = done.changeset.draft.rewritten
    return _changed(
        done,
        linksRewritten={"files": links.files, "occurrences": links.links},
        stubsPruned=pruned() if done.applied else 0,
        **_preview(done),
    )


class DeleteArguments(Arguments, frozen=True, rename="camel"):
    name: NoteName
    confirm: Annotated[bool, arg("true")]
    dry_run: bool = False


@tool("brain", "Delete a note", writes=True, destructive=True, idempotent=True)
def delete_note(vault: Engine, arguments: DeleteArguments, caller: Caller) -> Reply:
    """Move a note to the vault's trash; confirm must be true.

    May only make a proposal that the user approves.
    """
    before, pruned = stats_of(vault), _pruning(vault)
    wish = asking(vault, caller, dry_run=arguments.dry_run)
    done = vault.editing.delete(arguments.name, wish, confirm=arguments.confirm)
    after = stats_of(vault) if done.applied else before
    names = {"node": "notes", "edges": "links", "embedding": "embedded_notes"}
    lost = {
        name: max(0, getattr(before, field, 0) - getattr(after, field, 0))
        for name, field in names.items()
    }
    lost["stubsPruned"] = pruned() if done.applied else 0
    reply = _changed(done, deletedFromIndex=lost, **_preview(done))
    main = _main_file(done)
    was = main.path if main and main.path else arguments.name
    reason = "notes that it linked to may have no other link"
    hints = [hint("rank_notes", reason, minIncomingLinks=0)] if done.applied else []
    state = {"last_file_deleted": was} if done.applied else {}
    return Reply(wrapped({**reply.payload, "id": was}, state, hints), reply.sources)


def _changed(done: Changed, **more: Any) -> Reply:
    """Return the note that a change is about, what was done, and the diff."""
    result, room, files = change_result(done), MODEL_DIFF_CHARS, []
    for file in result.files:
        if room > 0:
            files.append(replace(file, diff=file.diff[:room]))
            room -= len(file.diff)
    main_file = _main_file(done)
    main = str(main_file.to) if main_file else ""
    if done.closed:
        main = str(done.closed[0])
    reply = {
        "id": main,
        "path": main,
        "status": result.state,
        "applied": result.applied,
        "changeset": done.changeset.id,
        "message": state_for_models(result),
        **more,
        "diff": "".join(file.diff for file in files),
        "index": result.index,
    }
    if room < 0 or len(files) < len(result.files):
        reply["truncated"] = True
    for name in ("approve", "reason", "risks", "notices"):
        if value := getattr(result, name):
            reply[name] = value
    sources = with_fields(result, files=files).sources()
    return Reply(reply, shown(sources.passages, [*sources.named, main]))


def _main_file(done: Changed) -> FileDiff | None:
    """Return the file that is moved, or the first; other files only link to it."""
    moved = (file for file in done.files if file.path != file.to)
    return next(moved, done.files[0] if done.files else None)


def _preview(done: Changed) -> dict[str, Any]:
    """Return the id that commits a preview of an edit; a change of nothing has none."""
    changeset = done.changeset
    if changeset.state != "previewed" or done.is_empty:
        return {}
    is_edit = changeset.id and changeset.draft.verb == "edit"
    return {"dryRun": True} | ({"previewId": changeset.id} if is_edit else {})


def _pruning(vault: Engine) -> Callable[[], int]:
    """Return a function that counts how many of today's stubs are gone by then."""
    try:
        return ghosts_gone(vault)
    except IndexAbsent:
        return lambda: 0
