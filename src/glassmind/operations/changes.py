"""Operations on changesets: list, show, apply and undo them, approve proposals."""

from typing import Annotated

from msgspec import Struct

from glassmind.engine import Engine
from glassmind.errors.editing import ConfirmFirst
from glassmind.operations import edit_text as text
from glassmind.operations.edit import (
    Change,
    ChangeResult,
    Confirm,
    DryRun,
    change_fields,
    change_operation,
    change_result,
    changed,
)
from glassmind.operations.failures import CONFLICT
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Page,
    Result,
    Route,
    Tool,
    arg,
    operation,
    shown,
)
from glassmind.types.editing import ChangeState
from glassmind.types.ledger import Shown

DONE: tuple[ChangeState, ...] = ("applied", "undone", "failed")
"""States of what was applied, or tried."""

MOST_LISTED = 1_000


class ChangesArguments(Arguments):
    state: Annotated[
        ChangeState | None, arg("Only changesets in this state.", for_models="")
    ] = None
    limit: Annotated[
        int, arg("Maximum number of changesets (20).", short="-n", ge=1, le=MOST_LISTED)
    ] = 20
    done: Annotated[bool, arg("Only what was applied, or tried.", only=())] = False


class FileMove(Struct, frozen=True):
    """A file before and after a change; `path` is None for a new file."""

    path: str | None
    to: str


class ListedChange(Change, frozen=True, kw_only=True):
    """A changeset without its diffs."""

    files: list[FileMove]


class ChangesResult(Result, frozen=True, kw_only=True):
    changesets: list[ListedChange]
    total: int
    notices: list[str]

    def sources(self) -> Shown:
        files = [file for change in self.changesets for file in change.files]
        return shown(named=[name for file in files for name in (file.path, file.to)])

    def is_empty(self) -> bool:
        return not self.changesets


@operation(
    group="Edit",
    for_people=text.changes_for_people,
    for_models=text.changes_for_models,
    command=Command(
        "changeset list",
        usual=True,
        aliases=(
            ("changeset log", {"state": None, "done": True}),
            ("proposals list", {"state": "proposed"}),
        ),
    ),
    tool=Tool(
        title="List changes",
        sets=("write",),
        description=(
            "List what was changed, proposed or only shown, newest first. Only the "
            "user can approve proposals, never a tool."
        ),
        page=Page("changesets", most=100, furthest=MOST_LISTED),
    ),
    route=Route("GET", "/changes", sets=("write",)),
)
def changes(vault: Engine, arguments: ChangesArguments) -> ChangesResult:
    """List changesets, newest first."""
    states = DONE if arguments.done else (arguments.state,) if arguments.state else ()
    found = vault.editing.changesets(states, limit=arguments.limit)
    return ChangesResult(
        changesets=[
            ListedChange(
                **change_fields(change),
                applied=change.state == "applied",
                files=[FileMove(step.path, step.to) for step in change.draft.steps],
            )
            for change in found.changesets
        ],
        total=found.total,
        notices=list(found.notices),
    )


class ChangeArguments(Arguments):
    id: Annotated[
        str,
        arg("Its id, or how it begins.", positional="word", for_models="", longest=100),
    ]


@operation(
    group="Edit",
    for_people=text.change_for_people,
    for_models=text.changed_for_models,
    command=Command(
        "changeset show", aliases=(("changeset preview", {}), ("proposals show", {}))
    ),
    tool=Tool(title="Show a change", sets=("write",)),
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
    title="Undo a change",
    about="Undo a change; if its files changed since, that becomes a proposal.",
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
