"""`glassmind proposals`: what waits for a person, who alone approves it."""

from argparse import Namespace
from collections.abc import Mapping

from glassmind.engine import Engine
from glassmind.errors.editing import ConfirmFirst
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import one_name
from glassmind.serve.cli.changing import (
    CLIENT,
    LEFT,
    add_yes,
    can_ask,
    is_confirmed,
    show_changed,
)
from glassmind.serve.cli.commands.changeset import Action, added_actions, listed
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

ACTIONS: Mapping[str, Action] = {
    "list": Action("what waits for you, the newest first", ""),
    "show": Action("one proposal with its diffs", "ID"),
    "approve": Action("apply a proposal, having shown it", "ID"),
    "reject": Action("leave a proposal; nothing is changed", "ID"),
}
"""By name; without one, they are listed."""

ANEW = (
    "files changed meanwhile; the change on what they are now waits as a new proposal"
)


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: each action has a parser of its own."""
    elsewhere = {
        "--limit": "goes with list",
        "-n": "goes with list",
        "--yes": "goes with approve",
    }
    for name, own in added_actions(parser, ACTIONS, elsewhere, "proposals"):
        if name == "approve":
            add_yes(own)


def run(args: Namespace, output: Output) -> int:
    """Do what the action says; without one, list them."""
    action = args.action or "list"
    if action == "list":
        return listed(args, output, ("proposed",))
    identity = one_name(args.names, f"proposals {action}", "proposal")
    with engine_of(args, output) as engine:
        if action == "approve":
            return _approve(engine, args, output, identity)
        if action == "reject":
            done = engine.editing.reject(identity, client=CLIENT)
        else:
            done = engine.editing.show(identity)
    show_changed(done, output, whole=action == "show")
    return exits.OK


def _approve(engine: Engine, args: Namespace, output: Output, identity: str) -> int:
    """Apply a proposal once a person has seen it and said so.

    Raises:
        ConfirmFirst: nobody is there to say so, and no option does.
    """
    if not args.yes:
        if not can_ask(output):
            raise ConfirmFirst(f"{identity} is applied by a person alone")
        shown = engine.editing.show(identity)
        show_changed(shown, output, whole=True)
        if not is_confirmed(args, output, f"Apply {shown.changeset.id}?"):
            output.notice(f"{LEFT}; it still waits")
            return exits.NOTHING
    done = engine.editing.approve(identity, client=CLIENT)
    anew = done.changeset.state == "proposed"
    if anew:
        output.notice(ANEW)
    show_changed(done, output)
    if done.applied:
        return exits.OK
    return exits.CONFLICT if anew else exits.NOTHING
