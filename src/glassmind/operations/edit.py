"""Operations that change notes: edit, create, delete, move, rename, merge, split."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from glassmind.editing.asking import Asking
from glassmind.editing.text.apply import KINDS
from glassmind.engine import Engine
from glassmind.errors.editing import NoMatch
from glassmind.errors.serving import BadArgument
from glassmind.operations.arguments import plain_value
from glassmind.operations.edit_text import changed_for_models, changed_for_people
from glassmind.operations.names import note_name
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Group,
    Result,
    Route,
    Run,
    Tool,
    arg,
    operation,
    shown,
)
from glassmind.operations.text_edits import (
    Edits,
    FromZero,
    arguments_of,
    edit_from,
    looser_helps,
    read_edits,
)
from glassmind.types import Digest
from glassmind.types import editing as changes
from glassmind.types.ledger import Passage, Shown

APPROVE = "glassmind proposals approve"
"""The command by which a person applies a proposal; nothing else can."""

PROPOSED = "May only make a proposal."
PATIENT_S = 120.0
"""Seconds for a change: a folder with thousands of links takes a while."""

FAILS = (403, 404, 409)

LOOSER = "give its words exactly as the note has them, or fuzzy"
"""What to do if a text to replace was not found."""

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)

Name = Annotated[str, Meta(max_length=4_096)]
DigestText = Annotated[str, Meta(min_length=8, max_length=128)]

NoteName = Annotated[
    Name,
    arg(
        "Path, title or alias of the note; not guessed.",
        positional="words",
        for_models="path, title or alias",
    ),
]
ExactName = Annotated[
    Name,
    arg(
        "Path, title or alias of the note; not guessed.",
        positional="word",
        for_models="the note",
    ),
]
Expected = Annotated[
    DigestText | None,
    arg(
        "Digest of the note as you read it, or its first 8 characters or more.",
        flag="--expect",
        metavar="DIGEST",
        for_models="digest as read, or its first 8 letters",
    ),
]
DryRun = Annotated[
    bool,
    arg(
        "Show what would change, and change nothing.",
        for_models="only show what would change",
    ),
]
Confirm = Annotated[
    bool,
    arg(
        "Do not ask; needed without a terminal.",
        flag="--yes",
        for_models="true: the user wants it",
    ),
]
Index = Annotated[
    Annotated[int, FromZero] | None,
    arg(
        "Which of several headings with this text, from 0.",
        for_models="which of several, from 0",
    ),
]


class LinksRewritten(Struct, frozen=True):
    """How many links were rewritten, and in how many files."""

    files: int
    occurrences: int


class Change(Result, frozen=True, kw_only=True):
    """What a changeset is, and its state; `undoes` is the id of another one."""

    id: str | None
    state: changes.ChangeState
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

    `path` is None for a new file.
    """

    files: list[changes.FileDiff]
    index: changes.IndexState
    notices: list[str]
    closed: bool | UnsetType = UNSET
    """True if the caller can no longer read a file that this change writes."""

    @property
    def changes_nothing(self) -> bool:
        """Whether every file is already as it should be."""
        same = (one.path == one.to and one.before == one.after for one in self.files)
        return not self.closed and all(same)

    def sources(self) -> Shown:
        """Return the notes whose lines the diffs show, and the notes they name.

        A note that goes elsewhere, such as to the trash, may leave its text in another.
        """
        gone = [file for file in self.files if file.path and file.path != file.to]
        return shown(
            [
                *(Passage(file.path or "") for file in gone if self.verb != "move"),
                *(
                    passage
                    for file in self.files
                    if file.path
                    for passage in diff_passages(file.path, file.diff)
                ),
            ],
            [name for file in self.files for name in (file.path, file.to)],
        )


def asking(vault: Engine, caller: Caller, *, dry_run: bool) -> Asking:
    """Return who asks for a change, and whether they read untrusted text before."""
    tainted = vault.tainted(caller.client)
    return Asking(client=caller.client, dry_run=dry_run, tainted=tainted)


def digest(text: str | None) -> Digest | None:
    """Return the digest that a caller read."""
    return None if text is None else Digest(text.lower())


def change_result(done: changes.Changed) -> ChangeResult:
    """Return the typed result of an edit."""
    return ChangeResult(
        **change_fields(done.changeset),
        applied=done.applied,
        files=list(done.files),
        index=done.index,
        notices=list(done.notices),
        closed=True if done.closed else UNSET,
    )


def change_fields(changeset: changes.Changeset) -> dict[str, Any]:
    """Return the fields of a `Change`, without `applied`."""
    draft, waits = changeset.draft, changeset.state == "proposed"
    return {
        "id": changeset.id or None,
        "state": changeset.state,
        "verb": draft.verb,
        "title": draft.title,
        "created": changeset.created,
        "client": changeset.client,
        "links_rewritten": LinksRewritten(draft.rewritten.files, draft.rewritten.links),
        "adopted": draft.adopted,
        "risks": list(draft.risks),
        "undoes": changeset.undoes,
        "reason": changeset.reason,
        "approve": f"{APPROVE} {changeset.id}" if waits else None,
    }


def diff_passages(path: str, diff: str) -> Iterator[Passage]:
    """Yield the lines of a file that a unified diff shows as they were before."""
    for first, count in _HUNK.findall(diff):
        lines = int(count or 1)
        if lines:
            yield Passage(path, int(first), int(first) + lines - 1)


def change_operation(  # noqa: PLR0913 - a declaration names every part
    *,
    title: str = "",
    about: str = "",
    path: str = "",
    route_id: str = "",
    group: Group = "Edit",
    command: Command | None = None,
    destructive: bool = True,
    idempotent: bool = False,
) -> Callable[[Run], Run]:
    """Register an operation that changes notes and returns a `ChangeResult`.

    With a `title` it is a tool, which `about` or else its docstring describes; with a
    `path`, a route.
    """

    def register(function: Run) -> Run:
        summary = (function.__doc__ or "").partition("\n")[0]
        tool = Tool(
            title=title,
            sets=("write",),
            description=f"{about or summary} {PROPOSED}",
            destructive=destructive,
            idempotent=idempotent,
            timeout_s=PATIENT_S,
        )
        route = Route("POST", path, sets=("write",), fails=FAILS, id=route_id)
        return operation(
            group=group,
            for_people=changed_for_people,
            for_models=changed_for_models,
            writes=True,
            command=command or Command(),
            tool=tool if title else None,
            route=route if path else None,
        )(function)

    return register


class NoteArguments(Arguments, frozen=True, kw_only=True):
    """What every edit of one note takes."""

    name: NoteName
    expected: Expected = None
    dry_run: DryRun = False


class EditArguments(NoteArguments, frozen=True, kw_only=True):
    edits: Edits


@change_operation(
    title="Edit a note",
    about=(
        "Change the text of a note, exactly there and nowhere else. Give expected "
        "when you write over something that you read."
    ),
    path="/edit",
    command=Command("edit apply", everyday=True),
)
def edit(vault: Engine, arguments: EditArguments, caller: Caller) -> ChangeResult:
    """Apply a list of edits to a note, all or none."""
    edits = read_edits(arguments.edits, caller.surface)
    return edit_note(vault, arguments, edits, caller)


def edit_note(
    vault: Engine,
    arguments: NoteArguments,
    edits: Sequence[changes.TextEdit],
    caller: Caller,
) -> ChangeResult:
    """Apply edits to a note, all or none."""
    try:
        done = vault.editing.edit(
            note_name(vault, arguments.name, "name"),
            edits,
            asking(vault, caller, dry_run=arguments.dry_run),
            expected=digest(arguments.expected),
        )
    except NoMatch as error:
        if looser_helps(error, edits):
            error.add_note(LOOSER)
        raise
    return change_result(done)


SUMMARIES: dict[type, str] = {
    changes.Append: "Add text at the end of a note.",
    changes.Prepend: "Add text at the beginning of a note, after its properties.",
    changes.Replace: "Replace a text that occurs exactly once.",
    changes.AtHeading: "Change the text under a heading, or next to it.",
    changes.AtBlock: "Change a block that has an id.",
    changes.AtLine: "Change lines by number.",
    changes.SetTask: "Complete a task, or set another status.",
    changes.AddLink: "Add a sentence with a link.",
}
"""Each kind of edit that has a command derived from its fields, with its help."""


def _edit_command(kind: type) -> Callable[..., ChangeResult]:
    """Return the function of a command that makes one edit."""

    def run(vault: Engine, arguments: Any, caller: Caller) -> ChangeResult:
        return edit_note(vault, arguments, [edit_from(kind, arguments)], caller)

    run.__name__, run.__doc__ = f"edit_{KINDS[kind]}", SUMMARIES[kind]
    run.__annotations__["arguments"] = arguments_of(kind, NoteArguments)
    return run


for _kind in SUMMARIES:
    change_operation(command=Command(f"edit {KINDS[_kind]}"))(_edit_command(_kind))


class EditPropertyArguments(NoteArguments, frozen=True, kw_only=True):
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
        str | None,
        arg("Set it to this JSON value.", metavar="JSON", note_text=True),
    ] = None
    add: Annotated[
        str | None,
        arg("Add an item to its list.", metavar="ITEM", note_text=True),
    ] = None
    remove: Annotated[
        str | None,
        arg("Remove an item from its list.", metavar="ITEM", note_text=True),
    ] = None
    unset: Annotated[bool, arg("Remove the property.")] = False


@change_operation(
    command=Command("edit property", aliases=(("edit frontmatter", {}),)),
)
def edit_property(
    vault: Engine, arguments: EditPropertyArguments, caller: Caller
) -> ChangeResult:
    """Set or remove a property, or an item of its list."""
    texts = {"set": arguments.value, "add": arguments.add, "remove": arguments.remove}
    acts = [
        changes.ChangeProperty(arguments.key, act, plain_value(text))  # type: ignore[arg-type]
        for act, text in texts.items()
        if text is not None
    ]
    if arguments.set_json is not None:
        try:
            value = json.loads(arguments.set_json)
        except (ValueError, RecursionError):
            raise BadArgument("edit property", "--set-json must be JSON") from None
        acts.append(changes.ChangeProperty(arguments.key, "set", value))
    if arguments.unset:
        acts.append(changes.ChangeProperty(arguments.key, "unset"))
    if len(acts) != 1:
        options = "--set, --set-json, --add, --remove and --unset"
        raise BadArgument("edit property", f"give exactly one of {options}")
    return edit_note(vault, arguments, acts, caller)


class CreateArguments(Arguments, frozen=True, kw_only=True):
    title: Annotated[
        Name,
        arg(
            "Its name, or its path.", positional="words", for_models="its name, or path"
        ),
    ]
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
    folder: Annotated[
        Name | None, arg("Its folder.", metavar="FOLDER", for_models="")
    ] = None
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
    template: Annotated[
        Name | None,
        arg("A note to begin with.", metavar="NOTE", for_models="a note to begin with"),
    ] = None
    dry_run: DryRun = False


@change_operation(
    title="Create a note",
    about=(
        "Create a note; it never overwrites one. Links that already name it lead to "
        "it then."
    ),
    path="/notes",
    command=Command("edit create"),
    destructive=False,
)
def create(vault: Engine, arguments: CreateArguments, caller: Caller) -> ChangeResult:
    """Create a note; an existing one is never overwritten."""
    done = vault.editing.create(
        arguments.title,
        arguments.text,
        asking(vault, caller, dry_run=arguments.dry_run),
        folder=arguments.folder,
        properties=arguments.properties or None,
        template=arguments.template or "",
    )
    return change_result(done)


class DeleteArguments(NoteArguments, frozen=True, kw_only=True):
    confirm: Confirm = False


@change_operation(
    title="Delete a note",
    about="Move a note to the vault's trash. Only when the user wants it.",
    path="/delete",
    command=Command("edit delete"),
    idempotent=True,
)
def delete(vault: Engine, arguments: DeleteArguments, caller: Caller) -> ChangeResult:
    """Move a note to the trash of the vault."""
    done = vault.editing.delete(
        note_name(vault, arguments.name, "name"),
        asking(vault, caller, dry_run=arguments.dry_run),
        confirm=arguments.confirm,
        expected=digest(arguments.expected),
    )
    return change_result(done)


class MoveArguments(Arguments, frozen=True, kw_only=True):
    source: Annotated[
        Name,
        arg(
            "What to move: a note, another file or a folder.",
            positional="word",
            for_models="note, file or folder",
        ),
    ]
    destination: Annotated[
        Name,
        arg(
            "Its new name, path, or folder (ending in /).",
            positional="word",
            for_models="new path; a folder ends in /",
        ),
    ]
    expected: Expected = None
    dry_run: DryRun = False


@change_operation(
    title="Move or rename",
    about=(
        "Give a note, another file or a folder another name or place, and update all "
        "links to it; nothing is overwritten."
    ),
    path="/move",
)
def move(vault: Engine, arguments: MoveArguments, caller: Caller) -> ChangeResult:
    """Move or rename a note, file or folder, and update all links to it."""
    done = vault.editing.move(
        note_name(vault, arguments.source, "source"),
        arguments.destination,
        asking(vault, caller, dry_run=arguments.dry_run),
        expected=digest(arguments.expected),
    )
    return change_result(done)


class RenameHeadingArguments(Arguments, frozen=True, kw_only=True):
    name: ExactName
    heading: Annotated[Name, arg("The heading.", positional="word", for_models="")]
    new: Annotated[Name, arg("Its new text.", positional="word", for_models="")]
    index: Index = None
    expected: Expected = None
    dry_run: DryRun = False


@change_operation(title="Rename a heading", path="/rename-heading")
def rename_heading(
    vault: Engine, arguments: RenameHeadingArguments, caller: Caller
) -> ChangeResult:
    """Rename a heading, and update all links to it."""
    done = vault.editing.rename_heading(
        note_name(vault, arguments.name, "name"),
        arguments.heading,
        arguments.new,
        asking(vault, caller, dry_run=arguments.dry_run),
        index=arguments.index,
        expected=digest(arguments.expected),
    )
    return change_result(done)


class RenameTagArguments(Arguments, frozen=True, kw_only=True):
    old: Annotated[Name, arg("The tag, with # or without.", positional="word")]
    new: Annotated[Name, arg("Its new name.", positional="word", for_models="")]
    dry_run: DryRun = False


@change_operation(title="Rename a tag", path="/rename-tag")
def rename_tag(
    vault: Engine, arguments: RenameTagArguments, caller: Caller
) -> ChangeResult:
    """Rename a tag and the tags below it everywhere."""
    request = asking(vault, caller, dry_run=arguments.dry_run)
    return change_result(
        vault.editing.rename_tag(arguments.old, arguments.new, request)
    )


class MergeArguments(Arguments, frozen=True, kw_only=True):
    source: Annotated[Name, arg("The note that goes to the trash.", positional="word")]
    into: Annotated[Name, arg("The note that it is added to.", positional="word")]
    expected: Annotated[
        DigestText | None,
        arg(
            "Digest of SOURCE as you read it, or its first 8 characters or more.",
            flag="--expect",
            metavar="DIGEST",
            for_models="digest of source as read",
        ),
    ] = None
    confirm: Confirm = False
    dry_run: DryRun = False


@change_operation(
    title="Merge two notes",
    about=(
        "Add a note to another, which its links lead to then, and move it to the "
        "trash. Only when the user wants it."
    ),
    path="/merge",
)
def merge(vault: Engine, arguments: MergeArguments, caller: Caller) -> ChangeResult:
    """Add a note to another, and update all links to it."""
    done = vault.editing.merge(
        note_name(vault, arguments.source, "source"),
        note_name(vault, arguments.into, "into"),
        asking(vault, caller, dry_run=arguments.dry_run),
        confirm=arguments.confirm,
        expected=digest(arguments.expected),
    )
    return change_result(done)


class SplitArguments(NoteArguments, frozen=True, kw_only=True):
    heading: Annotated[Name, arg("Only this section.", for_models="this section")] = ""
    level: Annotated[
        Annotated[int, Meta(ge=1, le=6)] | None,
        arg("Every section of this level.", for_models="or all of a level"),
    ] = None
    folder: Annotated[
        Name | None,
        arg(
            "The folder of the new notes; else that of the note.",
            metavar="FOLDER",
            for_models="of the new notes",
        ),
    ] = None
    index: Index = None


@change_operation(title="Split a note", path="/split")
def split(vault: Engine, arguments: SplitArguments, caller: Caller) -> ChangeResult:
    """Move sections of a note to notes of their own."""
    done = vault.editing.split(
        note_name(vault, arguments.name, "name"),
        asking(vault, caller, dry_run=arguments.dry_run),
        heading=arguments.heading,
        level=arguments.level,
        folder=arguments.folder,
        index=arguments.index,
        expected=digest(arguments.expected),
    )
    return change_result(done)
