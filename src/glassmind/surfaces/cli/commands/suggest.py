"""`glassmind suggest`: the same as `glassmind graph suggest`."""

from argparse import Namespace

from glassmind.surfaces.cli.commands import graph
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: all that the action does."""
    parser.set_defaults(action="suggest")
    graph.add_action(parser, "suggest")


def run(args: Namespace, output: Output) -> int:
    """Tell what should be linked, or link it."""
    return graph.run(args, output)
