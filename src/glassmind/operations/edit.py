"""Operations that change notes, and those on changesets: list, show, apply, undo."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import partial
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, structs

from glassmind.edit.text_edits import KINDS
from glassmind.edit.vault import EditRequest
from glassmind.engine import Engine
from glassmind.errors import CONFLICT, BadArgument, BadValue, ConfirmFirst
from glassmind.model import Digest
from glassmind.model import edits as domain
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.obsidian.text import Style, counted, on_one_line
from glassmind.operations.arguments import (
    fields_of,
    parsed_json,
    plain_value,
    property_schema,
    read,
)
from glassmind.operations.find import Name, most
from glassmind.operations.model_text import fenced, named, one_line
from glassmind.operations.names import note_name
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Group,
    ModelView,
    Paging,
    Result,
    Route,
    Run,
    Surface,
    Tool,
    arg,
    copied,
    operation,
    shown,
)

APPROVE = "glassmind proposals approve"  # nothing else can apply a proposal
PATIENT_S = 120.0  # rewriting thousands of links takes a while
DONE: tuple[domain.ChangeState, ...] = ("applied", "undone", "failed")
MOST_LISTED = 1_000

SHOWN_FILES, MODEL_FILES = 20, 50  # files of a change that are shown; JSON has them all
LISTED_FILES = 3  # files of each changeset in a list
MODEL_DIFF_CHARS = 6_000  # of all diffs, about 2,000 tokens

SENTENCES = {
    "previewed": "nothing was changed: this is what would be done",
    "proposed": "nothing was changed; this proposal waits for you",
    "applying": "it is being applied",
    "applied": "done",
    "undone": "it was undone",
    "rejected": "it was rejected; nothing was changed",
    "failed": "it failed; nothing was changed",
}
NO_CHANGE = "Nothing to change: every file is already as it should be."
PROPOSED = (
    "Nothing was changed. Only the user can approve this proposal: {approve}. Tell the "
    "user, and do not try another way."
)
WOULD_WAIT = (
    "It cannot be applied at once: the same call without a dry run makes a proposal, "
    "which waits for the user."
)
CLOSED = "After it you can no longer read what it writes, and only the user can undo it"

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)

Folder = Annotated[Name | None, arg("Folder of the new notes.", metavar="FOLDER")]
Expected = Annotated[
    Annotated[str, Meta(min_length=8, max_length=128)] | None,
    arg(
        "Digest of the note as you read it, or its first 8 characters or more.",
        flag="--expect",
        metavar="DIGEST",
        for_models="digest as read",
    ),
]
DryRun = Annotated[
    bool, arg("Show what would change, and change nothing.", for_models="only show it")
]
Confirm = Annotated[
    bool,
    arg(
        "Do not ask; needed without a terminal.",
        flag="--yes",
        for_models="the user wants it",
    ),
]


Kind = TypeVar("Kind", bound="Change")


class LinksRewritten(Struct, frozen=True):
    files: int
    occurrences: int


class Change(Result, frozen=True, kw_only=True):
    """What a changeset is, and its state; `undoes` is the id of another one."""

    id: str | None
    state: domain.ChangeState
    verb: str
    title: str
    created: str
    client: str
    links_rewritten: LinksRewritten
    adopted: int
    risks: list[str]
    undoes: str | None
    reason: str
    approve: str | None
    applied: bool


class ChangeResult(Change, frozen=True, kw_only=True):
    """The outcome of an edit; `before` and `after` of its files are sha256 digests.

    `path` is None for a new file. `closed` is true if the caller can no longer read a
    file that this change writes.
    """

    files: list[domain.FileDiff]
    index: domain.IndexState
    notices: list[str]
    closed: bool | UnsetType = UNSET

    @property
    def changes_nothing(self) -> bool:
        same = (
            file.path == file.to and file.before == file.after for file in self.files
        )
        return not self.closed and all(same)

    def sources(self) -> DisclosedNotes:
        """Return notes in diffs: one in the trash may leave its text in another."""
        passages = list[DisclosedLines]()
        for file in self.files:
            if file.path and file.path != file.to and self.verb != "move":
                passages.append(DisclosedLines(file.path))
            passages += diff_passages(file.path, file.diff) if file.path else ()
        return shown(passages, [name for f in self.files for name in (f.path, f.to)])


class FileMove(Struct, frozen=True):
    """A file before and after a change; `path` is None for a new file."""

    path: str | None
    to: str


def asking(vault: Engine, caller: Caller, *, dry_run: bool) -> EditRequest:
    tainted = vault.tainted(caller.client)
    return EditRequest(client=caller.client, dry_run=dry_run, tainted=tainted)


def change_result(done: domain.Changed) -> ChangeResult:
    return _change(
        ChangeResult,
        done.changeset,
        applied=done.applied,
        files=done.files,
        index=done.index,
        notices=done.notices,
        closed=True if done.closed else UNSET,
    )


def _change(kind: type[Kind], changeset: domain.Changeset, **others: Any) -> Kind:
    draft, waits = changeset.draft, changeset.state == "proposed"
    return copied(
        kind,
        changeset,
        id=changeset.id or None,
        verb=draft.verb,
        title=draft.title,
        links_rewritten=LinksRewritten(draft.rewritten.files, draft.rewritten.links),
        adopted=draft.adopted,
        risks=draft.risks,
        approve=f"{APPROVE} {changeset.id}" if waits else None,
        **others,
    )


def diff_passages(path: str, diff: str) -> Iterator[DisclosedLines]:
    """Yield the lines of a file that a unified diff shows as they were before."""
    for first, count in _HUNK.findall(diff):
        lines = int(count or 1)
        if lines:
            yield DisclosedLines(path, int(first), int(first) + lines - 1)


def changed_for_people(
    result: ChangeResult, _arguments: Arguments, style: Style, *, whole: bool = False
) -> str:
    title = style.clean(on_one_line(result.title))
    if result.changes_nothing and result.state in ("previewed", "applied"):
        return f"{title}\n{NO_CHANGE}\n"
    name = f"{style.strong(result.id)}  " if result.id else ""
    why = f": {on_one_line(result.reason)}" if result.reason else ""
    colour = {"applied": "ok", "failed": "fail"}.get(result.state, "warn")
    state = f"{result.state}: {SENTENCES[result.state]}{why}"
    lines = [f"{name}{title}", style.state(colour, state)]
    if result.undoes:
        lines.append(style.faint(f"undoes {result.undoes}"))
    if whole or not result.applied:
        for file in result.files:
            lines += _diff_lines(file, style)
    else:
        lines += [_file_line(file, style) for file in result.files[:SHOWN_FILES]]
        left = len(result.files) - SHOWN_FILES
        if left > 0:
            lines.append(style.faint(f"  and {counted(left, 'more file')}"))
    lines += [*_effects(result), *_next_step(result, style)]
    return "".join(f"{line}\n" for line in lines)


def changed_for_models(result: ChangeResult, _view: ModelView) -> str:
    return f"{state_for_models(result)}\n{fenced(chr(10).join(_rows(result)))}"


def state_for_models(result: ChangeResult) -> str:
    if result.changes_nothing and result.state in ("previewed", "applied"):
        return NO_CHANGE
    if result.state == "proposed":
        return PROPOSED.format(approve=result.approve)
    name = f" ({result.id})" if result.id else ""
    text = f"{SENTENCES[result.state].capitalize()}{name}."
    if result.closed and result.state in ("applied", "previewed"):
        undo = f": glassmind changeset undo {result.id}" if result.applied else ""
        text += f" {CLOSED}{undo}."
    waits = result.state == "previewed" and result.reason
    return f"{text} {WOULD_WAIT}" if waits else text


def _rows(result: ChangeResult) -> Iterator[str]:
    yield one_line(result.title)
    if result.reason:
        yield f"because: {one_line(result.reason)}"
    room, cut = MODEL_DIFF_CHARS, len(result.files) > MODEL_FILES
    for file in result.files[:MODEL_FILES]:
        digest = f", digest {(file.after or '')[:16]}" if result.applied else ""
        yield f"{_moved(file, named)} (+{file.added} -{file.removed}{digest})"
        diff = file.diff[:room]
        cut = cut or len(diff) < len(file.diff)
        room -= len(diff)
        if diff:
            yield diff.rstrip("\n")
    if cut:
        yield f"... cut; {len(result.files):,} files in all"
    yield from _effects(result)
    yield from (f"notice: {one_line(notice)}" for notice in result.notices)


def _effects(result: ChangeResult) -> Iterator[str]:
    links = result.links_rewritten
    if links.occurrences:
        where = counted(links.files, "file")
        yield f"{counted(links.occurrences, 'link')} in {where} rewritten"
    if result.adopted:
        adopted = counted(result.adopted, "unresolved link")
        yield f"{adopted} now lead{'s' if result.adopted == 1 else ''} to it"
    yield from (f"warning: {one_line(risk)}" for risk in result.risks)
    if result.applied and result.index == "pending":
        yield "search will find it shortly"


def _file_line(file: domain.FileDiff, style: Style) -> str:
    counts = style.faint(f"+{file.added} -{file.removed}")
    return f"  {style.strong(_moved(file))}  {counts}"


def _diff_lines(file: domain.FileDiff, style: Style) -> Iterator[str]:
    yield _file_line(file, style).lstrip()
    # only line feeds end a line: other line separators are part of the text
    lines = file.diff.rstrip("\n").split("\n") if file.diff else []
    if [line[:4] for line in lines[:2]] == ["--- ", "+++ "]:
        lines = lines[2:]  # the line above names the file
    for line in lines:
        text = line.removesuffix("\r")
        if text.startswith("@@"):
            yield style.faint(text)
        elif text.startswith(("+", "-")):
            yield style.state("ok" if text[0] == "+" else "fail", text)
        else:
            yield style.clean(text)


def _next_step(result: ChangeResult, style: Style) -> Iterator[str]:
    if result.approve:
        yield f"to apply it: {result.approve}"
    elif result.state == "previewed":
        verb = "propose" if result.reason else "apply"
        # without an id the preview is not stored, and the undo is repeated instead
        how = f"apply {result.id}" if result.id else f"undo {result.undoes}"
        yield style.faint(f"to {verb} it: glassmind changeset {how}")
    elif result.applied:
        yield style.faint(f"to undo it: glassmind changeset undo {result.id}")


def _moved(
    file: domain.FileDiff | FileMove, name: Callable[[str], str] = on_one_line
) -> str:
    if file.path is None:
        return f"{name(file.to)} (new)"
    if file.path == file.to:
        return name(file.path)
    return f"{name(file.path)} -> {name(file.to)}"


def change_operation(  # noqa: PLR0913 - a declaration names every part
    title: str = "",
    about: str = "",
    *,
    path: str = "",
    route_id: str = "",
    group: Group = "Edit",
    command: Command | None = None,
    destructive: bool = True,
    idempotent: bool = False,
) -> Callable[[Run], Run]:
    """Register an operation that changes notes; with a `title` it is a tool too."""

    def register(function: Run) -> Run:
        summary = (function.__doc__ or "").partition("\n")[0]
        tool = Tool(
            title,
            f"{about or summary} May only make a proposal.",
            destructive=destructive,
            idempotent=idempotent,
            timeout_s=PATIENT_S,
        )
        where, fails = (
            path or f"/{function.__name__}".replace("_", "-"),
            (403, 404, 409),
        )
        route = Route("POST", where, sets=("write",), fails=fails, id=route_id)
        return operation(
            group=group,
            for_people=changed_for_people,
            for_models=changed_for_models,
            writes=True,
            command=command or Command(),
            tool=tool if title else None,
            route=route if title or path else None,
        )(function)

    return register


def changed(
    change: Callable[..., domain.Changed],
    vault: Engine,
    arguments: Arguments,
    caller: Caller,
    *positional: str,
) -> ChangeResult:
    """Call a method of `vault.editing`; the `positional` arguments come first."""
    values = structs.asdict(arguments)
    request = asking(vault, caller, dry_run=values.pop("dry_run", False))
    if values.get("expected"):
        values["expected"] = values["expected"].lower()
    for name in {"name", "source", "into"} & values.keys():
        values[name] = note_name(vault, values[name], name)
    first = [values.pop(name) for name in positional]
    return change_result(change(*first, request, **values))


MOST_EDITS = 200
PLACE = 4_096  # characters of a name or heading
INDEX = arg("Which of several headings, from 0.", ge=0, le=10_000)
HeadingIndex = Annotated[int | None, INDEX]

FIELDS: Mapping[str, Meta] = {
    "text": arg(
        "The text to write; - reads standard input.",
        flag="--text",
        file="--file",
        note_text=True,
        for_models="what to write",
    ),
    "find": arg("The text to replace.", note_text=True, for_models="occurs once"),
    "task.find": arg("The text of the task, or a part of it.", note_text=True),
    "fuzzy": arg(
        "Replace the most similar text if it is at least this similar "
        f"({domain.FUZZY}).",
        metavar="SHARE",
        for_models=f"how similar is enough, as {domain.FUZZY}",
        ge=0,
        le=1,
    ),
    "heading": arg("The heading; Above#Below if several match.", longest=PLACE),
    "link.heading": arg("Add it at the end of this section.", longest=PLACE),
    "where": arg("Write the text in its place, before it or after it.", for_models=""),
    "scope": arg("The whole section, or its first paragraph.", for_models=""),
    "index": INDEX,
    "block": arg("The id of the block.", for_models="its ^id", longest=PLACE),
    "name": arg("The property.", for_models="", longest=PLACE),
    "act": arg("What to do with it.", for_models=""),
    "value": arg(
        "The value, or an item to add or remove.",
        note_text=True,
        for_models="not for unset; an item for add, remove",
    ),
    "line": arg("Number of the line; frontmatter counts.", ge=1),
    "last": arg("The last of several lines.", ge=1),
    "status": arg("The character between the brackets, or toggle.", longest=20),
    "target": arg("The note to link to.", flag="--to", metavar="NOTE", longest=PLACE),
    "sentence": arg(
        "The sentence; {link} in it marks the place of the link.",
        for_models="{link} marks its place",
        longest=PLACE,
    ),
}
"""Each field's description, by its name, or by `kind.field` if kinds differ."""


def arguments_of(kind: type, base: type[Arguments] = Arguments) -> type[Arguments]:
    hints = get_type_hints(kind)
    declared: list[Any] = []
    for field in fields(kind):
        meta = FIELDS.get(f"{KINDS[kind]}.{field.name}") or FIELDS[field.name]
        hint = Any if field.name == "value" else hints[field.name]
        default = () if field.default is MISSING else (field.default,)
        declared.append((field.name, Annotated[hint, meta], *default))
    name = f"{kind.__name__}Arguments"
    made = defstruct(name, declared, bases=(base,), frozen=True, kw_only=True)
    return cast("type[Arguments]", made)


ARGUMENTS = {name: (kind, arguments_of(kind)) for kind, name in KINDS.items()}
"""Each kind of edit with its arguments, by the name that callers use for it."""


def edit_from(kind: type, arguments: Arguments) -> domain.TextEdit:
    edit: domain.TextEdit = kind(
        **{f.name: getattr(arguments, f.name) for f in fields(kind)}
    )
    return edit


def read_edits(
    given: Sequence[Mapping[str, Any]], surface: Surface
) -> list[domain.TextEdit]:
    if not given:
        raise BadValue("edits", "must have at least one edit")
    return [_read_edit(f"edits[{at}]", each, surface) for at, each in enumerate(given)]


def _read_edit(
    owner: str, given: Mapping[str, Any], surface: Surface
) -> domain.TextEdit:
    rest = dict(given)
    op = rest.pop("op", None)
    if not isinstance(op, str) or op not in ARGUMENTS:
        raise BadArgument(owner, f"op must be one of {', '.join(ARGUMENTS)}")
    kind, arguments = ARGUMENTS[op]
    # only the terminal offers options; a list of edits is JSON there too
    made = read(arguments, rest, owner=owner, surface="mcp", strict=surface == "http")
    edit = edit_from(kind, made)
    is_property = isinstance(edit, domain.ChangeProperty) and edit.act != "unset"
    if is_property and "value" not in rest:
        raise BadArgument(owner, "value is missing; null empties the property")
    return edit


def _item_schema() -> dict[str, Any]:
    properties: dict[str, Any] = {"op": {"type": "string", "enum": list(ARGUMENTS)}}
    for _kind, arguments in ARGUMENTS.values():
        for field in fields_of(arguments):
            schema = property_schema(field, "mcp")
            schema.pop("default", None)
            properties.setdefault(field.name, schema)
    return {"properties": properties, "required": ["op"], "additionalProperties": False}


def _fields_of_kinds() -> str:
    kinds = []
    for name, (_kind, arguments) in ARGUMENTS.items():
        taken = [f.name if f.required else f"[{f.name}]" for f in fields_of(arguments)]
        kinds.append(f"{name}: {', '.join(taken)}")
    return "; ".join(kinds)


Edits = Annotated[
    list[Annotated[dict[str, Any], Meta(extra_json_schema=_item_schema())]],
    Meta(max_length=MOST_EDITS),
    arg(
        "A file with a JSON list of edits; - reads standard input.",
        flag="--edits",
        metavar="FILE",
        file="--edits",
        note_text=True,
        for_models=f"applied in order, all or none. By op: {_fields_of_kinds()}",
    ),
]


class EditedNoteArguments(Arguments):
    name: Annotated[Name, arg("Its exact path, title or alias.", positional="words")]
    expected: Expected = None
    dry_run: DryRun = False


class EditArguments(EditedNoteArguments, kw_only=True):
    edits: Edits


@change_operation(
    "Edit a note",
    "Change the text of a note, exactly there and nowhere else. Give expected "
    "when you write over something that you read.",
    command=Command("edit apply", everyday=True),
)
def edit(vault: Engine, arguments: EditArguments, caller: Caller) -> ChangeResult:
    """Apply a list of edits to a note, all or none."""
    edits = read_edits(arguments.edits, caller.surface)
    name = note_name(vault, arguments.name, "name")
    request = asking(vault, caller, dry_run=arguments.dry_run)
    expected = Digest(arguments.expected.lower()) if arguments.expected else None
    return change_result(vault.editing.edit(name, edits, request, expected=expected))


def edit_note(
    vault: Engine,
    arguments: EditedNoteArguments,
    edits: Sequence[domain.TextEdit],
    caller: Caller,
) -> ChangeResult:
    name = note_name(vault, arguments.name, "name")
    request = asking(vault, caller, dry_run=arguments.dry_run)
    expected = Digest(arguments.expected.lower()) if arguments.expected else None
    return change_result(vault.editing.edit(name, edits, request, expected=expected))


SUMMARIES: dict[type, str] = {
    domain.Append: "Add text at the end of a note.",
    domain.Prepend: "Add text at the beginning of a note, after its properties.",
    domain.Replace: "Replace a text that occurs exactly once.",
    domain.AtHeading: "Change the text under a heading, or next to it.",
    domain.AtBlock: "Change a block that has an id.",
    domain.AtLine: "Change lines by number.",
    domain.SetTask: "Complete a task, or set another status.",
    domain.AddLink: "Add a sentence with a link.",
}


def _edit_command(kind: type) -> Callable[..., ChangeResult]:
    def run(vault: Engine, arguments: Any, caller: Caller) -> ChangeResult:
        return edit_note(vault, arguments, [edit_from(kind, arguments)], caller)

    run.__name__, run.__doc__ = f"edit_{KINDS[kind]}", SUMMARIES[kind]
    run.__annotations__["arguments"] = arguments_of(kind, EditedNoteArguments)
    return run


for _kind in SUMMARIES:
    change_operation(command=Command(f"edit {KINDS[_kind]}"))(_edit_command(_kind))


class EditPropertyArguments(EditedNoteArguments, kw_only=True):
    key: Annotated[Name, arg("The property.", flag="--name", metavar="KEY")]
    value: Annotated[
        str | None,
        arg(
            "Set it to this value: a number or true if written so, else text.",
            flag="--set",
            metavar="VALUE",
            note_text=True,
        ),
    ] = None
    set_json: Annotated[
        str | None, arg("Set it to this JSON value.", metavar="JSON", note_text=True)
    ] = None
    add: Annotated[
        str | None, arg("Add an item to its list.", metavar="ITEM", note_text=True)
    ] = None
    remove: Annotated[
        str | None, arg("Remove an item from its list.", metavar="ITEM", note_text=True)
    ] = None
    unset: Annotated[bool, arg("Remove the property.")] = False


@change_operation(command=Command("edit property", aliases=(("edit frontmatter", {}),)))
def edit_property(
    vault: Engine, arguments: EditPropertyArguments, caller: Caller
) -> ChangeResult:
    """Set or remove a property, or an item of its list."""
    texts = {"set": arguments.value, "add": arguments.add, "remove": arguments.remove}
    acts: list[tuple[Any, Any]] = [
        (act, plain_value(text)) for act, text in texts.items() if text is not None
    ]
    if arguments.set_json is not None:
        try:
            acts.append(("set", parsed_json(arguments.set_json)))
        except ValueError:
            raise BadValue("set_json", "must be JSON") from None
    acts += [("unset", None)] * arguments.unset
    if len(acts) != 1:
        names = "value set_json add remove unset"
        raise BadValue(names, "cannot be combined or left out: give exactly one")
    change = domain.ChangeProperty(arguments.key, *acts[0])
    return edit_note(vault, arguments, [change], caller)


class CreateArguments(Arguments):
    title: Annotated[Name, arg("Its name, or its path.", positional="words")]
    text: Annotated[
        str,
        arg(
            "Its text; - reads standard input.",
            flag="--text",
            file="--file",
            note_text=True,
            for_models="Markdown",
        ),
    ] = ""
    folder: Folder = None
    properties: Annotated[
        dict[str, Any] | None,
        arg(
            "A property; may be repeated.",
            flag="--property",
            metavar="KEY=VALUE",
            note_text=True,
            for_models="its frontmatter",
        ),
    ] = None
    template: Annotated[Name, arg("A note to begin with.", metavar="NOTE")] = ""
    dry_run: DryRun = False


@change_operation(
    "Create a note",
    "Create a note; it never overwrites one. Links that already name it lead to "
    "it then.",
    path="/notes",
    command=Command("edit create"),
    destructive=False,
)
def create(vault: Engine, arguments: CreateArguments, caller: Caller) -> ChangeResult:
    """Create a note; an existing one is never overwritten."""
    return changed(vault.editing.create, vault, arguments, caller, "title", "text")


class DeleteArguments(EditedNoteArguments):
    confirm: Confirm = False


@change_operation(
    "Delete a note",
    "Move a note to the vault's trash. Only when the user wants it.",
    command=Command("edit delete"),
    idempotent=True,
)
def delete(vault: Engine, arguments: DeleteArguments, caller: Caller) -> ChangeResult:
    """Move a note to the trash of the vault."""
    return changed(vault.editing.delete, vault, arguments, caller, "name")


class MoveArguments(Arguments):
    source: Annotated[Name, arg("A note, another file or a folder.", positional="word")]
    destination: Annotated[
        Name, arg("Its new name, path, or folder (ending in /).", positional="word")
    ]
    expected: Expected = None
    dry_run: DryRun = False


@change_operation(
    "Move or rename",
    "Give a note, another file or a folder another name or place, and update all "
    "links to it; nothing is overwritten.",
)
def move(vault: Engine, arguments: MoveArguments, caller: Caller) -> ChangeResult:
    """Move or rename a note, file or folder, and update all links to it."""
    names = "source", "destination"
    return changed(vault.editing.move, vault, arguments, caller, *names)


class RenameHeadingArguments(Arguments):
    name: Annotated[Name, arg("Its exact path, title or alias.", positional="word")]
    heading: Annotated[Name, arg("The heading.", positional="word", for_models="")]
    new: Annotated[Name, arg("Its new text.", positional="word", for_models="")]
    index: HeadingIndex = None
    expected: Expected = None
    dry_run: DryRun = False


@change_operation("Rename a heading")
def rename_heading(
    vault: Engine, arguments: RenameHeadingArguments, caller: Caller
) -> ChangeResult:
    """Rename a heading, and update all links to it."""
    names = "name", "heading", "new"
    return changed(vault.editing.rename_heading, vault, arguments, caller, *names)


class RenameTagArguments(Arguments):
    old: Annotated[Name, arg("The tag, with # or without.", positional="word")]
    new: Annotated[Name, arg("Its new name.", positional="word", for_models="")]
    dry_run: DryRun = False


@change_operation("Rename a tag")
def rename_tag(
    vault: Engine, arguments: RenameTagArguments, caller: Caller
) -> ChangeResult:
    """Rename a tag and the tags below it everywhere."""
    return changed(vault.editing.rename_tag, vault, arguments, caller, "old", "new")


class MergeArguments(Arguments):
    source: Annotated[Name, arg("The note that goes to the trash.", positional="word")]
    into: Annotated[Name, arg("The note that it is added to.", positional="word")]
    expected: Expected = None
    confirm: Confirm = False
    dry_run: DryRun = False


@change_operation(
    "Merge two notes",
    "Add a note to another, which its links lead to then, and move it to the "
    "trash; expected is of source. Only when the user wants it.",
)
def merge(vault: Engine, arguments: MergeArguments, caller: Caller) -> ChangeResult:
    """Add a note to another, and update all links to it."""
    return changed(vault.editing.merge, vault, arguments, caller, "source", "into")


class SplitArguments(EditedNoteArguments):
    heading: Annotated[Name, arg("Only this section.")] = ""
    level: Annotated[int | None, arg("Every section of this level.", ge=1, le=6)] = None
    folder: Folder = None
    index: HeadingIndex = None


@change_operation("Split a note")
def split(vault: Engine, arguments: SplitArguments, caller: Caller) -> ChangeResult:
    """Move sections of a note to notes of their own."""
    return changed(vault.editing.split, vault, arguments, caller, "name")


class ChangesArguments(Arguments):
    state: Annotated[
        domain.ChangeState | None,
        arg("Only changesets in this state.", for_models=""),
    ] = None
    limit: Annotated[int, most("changesets (20)", MOST_LISTED)] = 20
    done: Annotated[bool, arg("Only what was applied, or tried.", only=())] = False


class ListedChange(Change, frozen=True, kw_only=True):
    files: list[FileMove]


class ChangesResult(Result, frozen=True, kw_only=True):
    empty_without = ("changesets",)
    changesets: list[ListedChange]
    total: int
    notices: list[str]

    def sources(self) -> DisclosedNotes:
        files = [file for change in self.changesets for file in change.files]
        return shown(named=[name for file in files for name in (file.path, file.to)])


def changes_for_people(result: ChangesResult, _: Any, style: Style) -> Iterator[str]:
    if not result.changesets:
        yield "No changesets."
    for change in result.changesets:
        yield from _listed_lines(change, style)
    left = result.total - len(result.changesets)
    if result.changesets and left > 0:
        yield style.faint(f"and {counted(left, 'more changeset')}")


def _listed_lines(change: ListedChange, style: Style) -> Iterator[str]:
    who = f" ({on_one_line(change.client)})" if change.client else ""
    title = style.clean(f"{change.state}{who}  {on_one_line(change.title)}")
    created = style.clean(change.created[:16])
    yield f"{style.strong(change.id or '')}  {created}  {title}"
    names = [style.clean(_moved(file)) for file in change.files]
    if names:
        left = len(names) - LISTED_FILES
        more = [f"and {left:,} more"] if left > 0 else []
        yield f"  {', '.join(names[:LISTED_FILES] + more)}"
    if change.reason:
        yield style.faint(f"  {on_one_line(change.reason)}")


@operation(
    group="Edit",
    for_people=changes_for_people,
    command=Command(
        "changeset list",
        usual=True,
        aliases=(
            ("changeset log", {"state": None, "done": True}),
            ("proposals list", {"state": "proposed"}),
        ),
    ),
    tool=Tool(
        "List changes",
        "List what was changed, proposed or only shown, newest first. Only the "
        "user can approve proposals, never a tool.",
        page=Paging("changesets", most=100, furthest=MOST_LISTED),
    ),
    route=Route("GET", "/changes", sets=("write",)),
)
def changes(vault: Engine, arguments: ChangesArguments) -> ChangesResult:
    """List changesets, newest first."""
    states = DONE if arguments.done else (arguments.state,) if arguments.state else ()
    changeset_list = vault.editing.changesets(states, limit=arguments.limit)
    return ChangesResult(
        changesets=[
            _change(
                ListedChange,
                change,
                applied=change.state == "applied",
                files=[FileMove(step.path, step.to) for step in change.draft.steps],
            )
            for change in changeset_list.changesets
        ],
        total=changeset_list.total,
        notices=list(changeset_list.notices),
    )


class ChangeArguments(Arguments):
    id: Annotated[
        str,
        arg("Its id, or how it begins.", positional="word", for_models="", longest=100),
    ]


@operation(
    group="Edit",
    for_people=partial(changed_for_people, whole=True),
    for_models=changed_for_models,
    command=Command(
        "changeset show", aliases=(("changeset preview", {}), ("proposals show", {}))
    ),
    tool=Tool("Show a change"),
    route=Route("GET", "/changes/{id}", ("write",), fails=(404, 409), id="get_change"),
)
def show_change(vault: Engine, arguments: ChangeArguments) -> ChangeResult:
    """Show a changeset with its diffs."""
    return change_result(vault.editing.show(arguments.id))


class ApplyArguments(ChangeArguments):
    confirm: Confirm = False


@change_operation(
    path="/changes/{id}/apply",
    route_id="apply_change",
    command=Command("changeset apply"),
)
def apply_change(
    vault: Engine, arguments: ApplyArguments, caller: Caller
) -> ChangeResult:
    """Apply a preview, or propose it if a person has to approve it."""
    return changed(vault.editing.apply, vault, arguments, caller, "id")


class UndoArguments(ChangeArguments):
    dry_run: DryRun = False


@change_operation(
    "Undo a change",
    "Undo a change; if its files changed since, that becomes a proposal.",
    path="/changes/{id}/undo",
    route_id="undo_change",
    command=Command("changeset undo"),
    idempotent=True,
)
def undo_change(
    vault: Engine, arguments: UndoArguments, caller: Caller
) -> ChangeResult:
    """Undo a change that was applied."""
    return changed(vault.editing.undo, vault, arguments, caller, "id")


def _approval_exit(result: ChangeResult, _: Arguments) -> int:
    if result.applied:
        return 0
    return CONFLICT if result.state == "proposed" else 1


@change_operation(
    command=Command(
        "proposals approve",
        everyday=True,
        preview=show_change,
        exit_code=_approval_exit,
    )
)
def approve_proposal(
    vault: Engine, arguments: ApplyArguments, caller: Caller
) -> ChangeResult:
    """Apply a proposal, after showing it."""
    if not arguments.confirm:
        changeset = vault.editing.show(arguments.id).changeset
        raise ConfirmFirst(f"Only a person can apply {changeset.id}")
    result = change_result(vault.editing.approve(arguments.id, client=caller.client))
    if result.state == "proposed":
        caller.notice("Files changed meanwhile. Review the new proposal.")
    return result


@change_operation(command=Command("proposals reject"))
def reject_proposal(
    vault: Engine, arguments: ChangeArguments, caller: Caller
) -> ChangeResult:
    """Reject a proposal; nothing is changed."""
    return change_result(vault.editing.reject(arguments.id, client=caller.client))
