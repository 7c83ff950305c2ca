"""`glassmind changeset`: what was changed, shown or proposed, and how to undo it."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from glassmind.engine import Engine
from glassmind.errors import WrongUsage
from glassmind.render.changes import changesets_as_json
from glassmind.render.changes_text import changesets_as_text
from glassmind.surfaces.asking import asking_of
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.asking import add_limit, notice_all, one_name
from glassmind.surfaces.cli.changing import CLIENT, add_dry_run, show_changed
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser
from glassmind.types.editing import STATES, ChangeState

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
    }
    parser.take_actions("action", "names", elsewhere)
    for name, action in ACTIONS.items():
        own = parser.add_action(name, action.about, action.names)
        if action.names:
            own.take_words("names", "ID", "its id, or as much of it as no other has")
        else:
            add_limit(own, f"most changesets ({USUAL})", USUAL)
        if name == "list":
            about = "only those in this state"
            own.add_argument("--state", choices=STATES, help=about)
        if name == "undo":
            add_dry_run(own)


def run(args: Namespace, output: Output) -> int:
    """Do what the action says; without one, list them."""
    action = args.action or "list"
    if not ACTIONS[action].names:
        state = getattr(args, "state", None)
        states = DONE if action == "log" else (state,) if state else ()
        return listed(args, output, states)
    identity = one_name(args.names, f"changeset {action}", "changeset")
    with engine_of(args, output) as engine:
        return _one(engine, args, output, identity)


def _one(engine: Engine, args: Namespace, output: Output, identity: str) -> int:
    editing = engine.editing
    if args.action == "show":
        show_changed(editing.show(identity), output, whole=True)
        return exits.OK
    dry_run = bool(getattr(args, "dry_run", False))
    asking = asking_of(engine, CLIENT, dry_run=dry_run)
    verb = editing.apply if args.action == "apply" else editing.undo
    show_changed(verb(identity, asking), output)
    return exits.OK


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
