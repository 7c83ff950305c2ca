"""`glassmind move`: give a note, another file or a folder another name or place."""

from argparse import Namespace

from glassmind.surfaces.cli.changing import add_dry_run, carried_out
from glassmind.surfaces.cli.commands.edit_options import add_option
from glassmind.surfaces.cli.commands.supersede import two_names
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    about = "what to move, and where: a new name, a path, or a folder with / behind it"
    parser.take_words("names", "NAME", about)
    add_option(parser, "expect")
    add_dry_run(parser)


def run(args: Namespace, output: Output) -> int:
    """Move it, links and all, and say what was done."""
    source, destination = two_names(args.names, "move")
    return carried_out(
        args,
        output,
        lambda engine, asking: engine.editing.move(
            source, destination, asking, expected=args.expect
        ),
    )
