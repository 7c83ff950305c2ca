"""`glassmind graph`: what follows from the links."""

from argparse import Namespace
from typing import Any

from glassmind.errors import WrongUsage
from glassmind.render.graph_files import GRAPH_FILES
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.commands.graph_actions import ACTIONS, Action, Asked
from glassmind.surfaces.cli.commands.graph_options import OPTIONS, add_option
from glassmind.surfaces.cli.opening import engine_of, tell_guesses
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser

NAMES = "path, title or alias"


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: each action has a parser of its own."""
    parser.take_actions("action", "names", _elsewhere())
    for name, action in ACTIONS.items():
        add_action(parser.add_action(name, action.about, action.names), name)


def add_action(own: CommandParser, name: str) -> None:
    """Tell the parser of one action what that takes."""
    action = ACTIONS[name]
    if action.names:
        own.take_words("names", "NAME", NAMES)
    for option in action.takes:
        add_option(own, option, action.limit if option == "limit" else "")


def _elsewhere() -> dict[str, str]:
    """Return with which actions each option goes, by how it is written."""
    users = {
        name: [one for one, action in ACTIONS.items() if name in action.takes]
        for name in OPTIONS
    }
    return {
        flag: f"goes with {_listed(users[name])}"
        for name, option in OPTIONS.items()
        for flag in option.flags
    }


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def run(args: Namespace, output: Output) -> int:
    """Do what the action says; without one, tell which there are."""
    if args.action is None:
        return _list_actions(output)
    action = ACTIONS[args.action]
    wishes = {name: getattr(args, name) for name in action.takes if hasattr(args, name)}
    names = _names(args, action)
    _choose_shape(wishes, output)
    ghosts = bool(wishes.get("ghosts"))
    with engine_of(args, output) as engine:
        code = action.run(Asked(engine, names, wishes, output))
        tell_guesses(engine, names, output, ghosts=ghosts)
    return code


def _list_actions(output: Output) -> int:
    if output.as_json:
        listed = [{"name": name, "help": one.about} for name, one in ACTIONS.items()]
        output.json({"actions": listed})
        return exits.OK
    output.line("usage: glassmind graph ACTION ...")
    output.line()
    for name, one in ACTIONS.items():
        output.line(f"  {f'{name} {one.names}':<20} {one.about}".rstrip())
    output.line()
    output.line("glassmind graph ACTION --help tells what an action takes.")
    return exits.OK


def _choose_shape(wishes: dict[str, Any], output: Output) -> None:
    """Let the output follow the shape that was asked for.

    Raises:
        WrongUsage: two shapes were.
    """
    shape = wishes.get("format", "text")
    if output.as_json and shape in GRAPH_FILES:
        raise WrongUsage(f"--json and --format {shape} do not go together", "graph")
    output.as_json = output.as_json or shape == "json"


def _names(args: Namespace, action: Action) -> tuple[str, ...]:
    """Return the names of notes that were given: several words are one name.

    Raises:
        WrongUsage: there are too few of them, or too many.
    """
    words, wanted = list(args.names), action.named
    if wanted == 1 and words:
        words = [" ".join(words)]
    given = len(words)
    if given != wanted and not (action.alone and given == 0):
        hint = {0: "takes no names", 1: "takes the NAME of a note"}.get(
            wanted, 'takes two names; write those with blanks as "Deep Work"'
        )
        raise WrongUsage(f"graph {args.action} {hint}", f"graph {args.action}")
    if not all(word.strip() for word in words):
        raise WrongUsage("no note is named", f"graph {args.action}")
    return tuple(words)
