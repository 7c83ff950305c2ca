"""`glassmind changeset`: what was changed, shown or proposed, and how to undo it."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from glassmind.engine import Engine
from glassmind.errors import WrongUsage
from glassmind.errors.editing import ConfirmFirst
from glassmind.render.changes import changesets_as_json
from glassmind.render.changes_text import changesets_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import add_limit, notice_all, one_name
from glassmind.serve.cli.changing import (
    add_dry_run,
    add_yes,
    carried_out,
    is_confirmed,
    show_changed,
)
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.editing import STATES, ChangeState

if TYPE_CHECKING:  # help does without it
    from glassmind.editing.asking import Asking
    from glassmind.types.editing import Changed

USUAL = 20
"""Changesets of a list."""

DONE: tuple[ChangeState, ...] = ("applied", "undone", "failed")
"""States of what was carried out, or tried."""


class Action(NamedTuple):
    """One thing to do: what help says of it, and whether it names a changeset."""

    about: str
    names: str


ACTIONS: Mapping[str, Action] = {
    "list": Action("every changeset, the newest first", ""),
    "log": Action("what was applied, the newest first", ""),
    "show": Action("one changeset with its diffs", "ID"),
    "preview": Action("the same as show", "ID"),
    "apply": Action("apply what was shown by --dry-run", "ID"),
    "undo": Action("take back what was applied", "ID"),
}
"""By name; without one, they are listed."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: each action has a parser of its own."""
    elsewhere = {
        "--limit": "goes with list and log",
        "-n": "goes with list and log",
        "--state": "goes with list",
        "--dry-run": "goes with undo",
        "--yes": "goes with apply",
    }
    for name, own in added_actions(parser, ACTIONS, elsewhere, "changesets"):
        if name == "list":
            about = "only those in this state"
            own.add_argument("--state", choices=STATES, help=about)
        if name == "undo":
            add_dry_run(own)
        if name == "apply":
            add_yes(own)


def added_actions(
    parser: CommandParser,
    actions: Mapping[str, Action],
    elsewhere: Mapping[str, str],
    many: str,
) -> Iterator[tuple[str, CommandParser]]:
    """Yield the parser of each action: of one changeset, or of a list of `many`."""
    parser.take_actions("action", "names", elsewhere, usual="list")
    for name, action in actions.items():
        own = parser.add_action(name, action.about, action.names)
        if action.names:
            own.take_words("names", "ID", "its id, or as much of it as no other has")
        else:
            add_limit(own, f"most {many} ({USUAL})", USUAL)
        yield name, own


def run(args: Namespace, output: Output) -> int:
    """Do what the action says; without one, list them."""
    action = args.action or "list"
    if not ACTIONS[action].names:
        state = getattr(args, "state", None)
        states = DONE if action == "log" else (state,) if state else ()
        return listed(args, output, states)
    identity = one_name(args.names, f"changeset {action}", "changeset")
    if action == "apply":
        return carried_out(args, output, partial(_apply, args, output, identity))
    if action == "undo":
        return carried_out(
            args, output, lambda engine, asking: engine.editing.undo(identity, asking)
        )
    with engine_of(args, output) as engine:
        show_changed(engine.editing.show(identity), output, whole=True)
    return exits.OK


def _apply(
    args: Namespace, output: Output, identity: str, engine: Engine, asking: "Asking"
) -> "Changed":
    """Apply what was shown; a person is asked about what takes a note away.

    Raises:
        ConfirmFirst: that person says no, or there is none.
    """
    try:
        return engine.editing.apply(identity, asking, confirm=args.yes)
    except ConfirmFirst as fault:
        if not is_confirmed(args, output, f"{fault.what}. Apply {identity}?"):
            raise
    return engine.editing.apply(identity, asking, confirm=True)


def listed(args: Namespace, output: Output, states: Sequence[ChangeState]) -> int:
    """Print changesets in some states; exit with 1 where there are none.

    Raises:
        WrongUsage: words are given that name one.
    """
    if args.names:
        raise WrongUsage("a list takes no names", "changeset list")
    with engine_of(args, output) as engine:
        limit = getattr(args, "limit", USUAL)
        found = engine.editing.changesets(states, limit=limit)
    notice_all(output, found.notices)
    if output.as_json:
        output.json(changesets_as_json(found))
    else:
        output.text(changesets_as_text(found, output.style))
    return exits.OK if found.changesets else exits.NOTHING
