"""`glassmind graph`: what follows from the links."""

from argparse import SUPPRESS, ArgumentTypeError, Namespace
from math import isfinite
from typing import Any

from glassmind.errors import WrongUsage
from glassmind.surfaces.cli.commands.graph_actions import ACTIONS, Action, Asked
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, at_least_one, at_least_zero

DEPTHS = (1, 2, 3)
METRICS = ("influence", "bridging", "hubs", "authorities")
SHAPES = ("text", "json", "graphml", "dot")

FLAGS = {
    "most_hops": "--hops",
    "common": "--no-common",
    "least_inbound": "--min-inbound",
}
"""How an option is written, where it is not called as what it says."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    told = "; ".join(f"{name}: {one.about}" for name, one in ACTIONS.items())
    parser.add_argument("action", choices=ACTIONS, help=told)
    parser.take_words(
        "names", "NAME", "path, title or alias; in quotes if two are asked for"
    )
    add = parser.add_argument
    add(
        "--limit",
        "-n",
        type=at_least_one,
        metavar="N",
        default=SUPPRESS,
        help="most of what is asked for",
    )
    add(
        "--ghosts",
        action="store_true",
        default=SUPPRESS,
        help="count names in that links lead to and no file has",
    )
    _add_ways(parser)
    _add_choices(parser)


def _add_ways(parser: CommandParser) -> None:
    """Tell the parser how far links are followed, and how that is shown."""
    add = parser.add_argument
    add(
        "--depth",
        type=int,
        choices=DEPTHS,
        default=SUPPRESS,
        help="connections: how many links away",
    )
    add(
        "--format",
        choices=SHAPES,
        default=SUPPRESS,
        help="connections: as text, as JSON, or the notes and links as a graph",
    )
    add(
        "--subgraph",
        action="store_true",
        default=SUPPRESS,
        help="connections: in JSON, the links among these notes too",
    )
    add(
        "--hops",
        dest="most_hops",
        type=at_least_one,
        metavar="N",
        default=SUPPRESS,
        help="path: most links in a chain",
    )
    add(
        "--no-common",
        dest="common",
        action="store_false",
        default=SUPPRESS,
        help="path: leave out the notes that both are linked with",
    )


def _add_choices(parser: CommandParser) -> None:
    """Tell the parser what themes and ranks may be asked for."""
    add = parser.add_argument
    add(
        "--theme",
        metavar="THEME",
        default=SUPPRESS,
        help="themes, rank: one theme alone, by its number or label",
    )
    add(
        "--resolution",
        type=positive,
        metavar="R",
        default=SUPPRESS,
        help="themes: above 1 more and smaller ones, below 1 fewer",
    )
    add(
        "--refresh",
        action="store_true",
        default=SUPPRESS,
        help="themes: find them anew",
    )
    add(
        "--least",
        type=float,
        metavar="C",
        default=SUPPRESS,
        help="similar: least cosine between two notes",
    )
    add(
        "--metric",
        choices=METRICS,
        default=SUPPRESS,
        help="rank: what counts",
    )
    add(
        "--about",
        metavar="QUERY",
        default=SUPPRESS,
        help="rank: only around what a search finds",
    )
    add(
        "--min-inbound",
        dest="least_inbound",
        type=at_least_zero,
        metavar="N",
        default=SUPPRESS,
        help="rank: only notes that so many others lead to",
    )


def positive(text: str) -> float:
    """Return a number above 0; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not isfinite(number) or number <= 0:
        raise ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def run(args: Namespace, output: Output) -> int:
    """Do what the action says."""
    action = ACTIONS[args.action]
    wishes = _wishes(args, action)
    names = _names(args, action)
    shape = wishes.get("format", "text")
    if output.as_json and shape in {"graphml", "dot"}:
        raise WrongUsage(f"--json and --format {shape} do not go together", "graph")
    output.as_json = output.as_json or shape == "json"
    with engine_of(args, output) as engine:
        return action.run(Asked(engine, names, wishes, output))


def _wishes(args: Namespace, action: Action) -> dict[str, Any]:
    """Return the options that were given.

    Raises:
        WrongUsage: one of them goes with another action.
    """
    every = dict.fromkeys(name for one in ACTIONS.values() for name in one.takes)
    given = {name: getattr(args, name) for name in every if hasattr(args, name)}
    for name in given:
        if name not in action.takes:
            flag = FLAGS.get(name, f"--{name}")
            users = [one for one, known in ACTIONS.items() if name in known.takes]
            raise WrongUsage(f"{flag} goes with {' and '.join(users)}", "graph")
    return given


def _names(args: Namespace, action: Action) -> tuple[str, ...]:
    """Return the names of notes that were given: several words are one name.

    Raises:
        WrongUsage: there are too few of them, or too many.
    """
    words, wanted = list(args.names), action.names
    if wanted == 1 and words:
        words = [" ".join(words)]
    given = len(words)
    if given != wanted and not (action.alone and given == 0):
        hint = {0: "takes no names", 1: "takes the NAME of a note"}.get(
            wanted, 'takes two names; write those with blanks as "Deep Work"'
        )
        raise WrongUsage(f"graph {args.action} {hint}", "graph")
    if not all(word.strip() for word in words):
        raise WrongUsage("no note is named", "graph")
    return tuple(words)
