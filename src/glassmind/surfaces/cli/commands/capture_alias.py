"""`glassmind capture-memory` and its like: `capture` with the kind in its name."""

from argparse import Namespace

from glassmind.surfaces.cli.commands import capture
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: all that `capture` does but the kind."""
    parser.set_defaults(kind=parser.prog.rpartition("-")[2])
    capture.add_content(parser)


def run(args: Namespace, output: Output) -> int:
    """Keep it, and say where it is."""
    return capture.run(args, output)
