"""`glassmind merge`: add a note to another, which its links lead to then."""

from argparse import Namespace

from glassmind.serve.cli.asking import two_names
from glassmind.serve.cli.changing import (
    add_dry_run,
    add_yes,
    carried_out,
    is_confirmed,
)
from glassmind.serve.cli.commands.edit_options import add_option
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    about = "the note that goes to the trash, and the one that it is added to"
    parser.take_words("names", "NOTE", about)
    add_option(parser, "expect")
    add_yes(parser)
    add_dry_run(parser)


def run(args: Namespace, output: Output) -> int:
    """Merge them, and say what was done."""
    source, into = two_names(args.names, "merge")
    question = f"Add {source} to {into}, and move it to the trash?"
    confirm = args.dry_run or is_confirmed(args, output, question)
    return carried_out(
        args,
        output,
        lambda engine, asking: engine.editing.merge(
            source, into, asking, confirm=confirm, expected=args.expect
        ),
    )
