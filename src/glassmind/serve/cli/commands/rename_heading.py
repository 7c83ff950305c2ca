"""`glassmind rename-heading`: give a heading other words, and the links to it too."""

from argparse import Namespace

from glassmind.errors import WrongUsage
from glassmind.serve.cli.changing import add_dry_run, carried_out
from glassmind.serve.cli.commands.edit_options import add_option
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

COMMAND = "rename-heading"


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    about = "the note, the heading and its new words, each as one word of the shell"
    parser.take_words("names", "NAME", about)
    add_option(parser, "index")
    add_option(parser, "expect")
    add_dry_run(parser)


def run(args: Namespace, output: Output) -> int:
    """Rename it, and say what was done."""
    match args.names:
        case [note, heading, new] if all(word.strip() for word in args.names):
            pass
        case _:
            hint = 'takes NOTE HEADING NEW; write those with blanks as "Deep Work"'
            raise WrongUsage(f"{COMMAND} {hint}", COMMAND)
    return carried_out(
        args,
        output,
        lambda engine, asking: engine.editing.rename_heading(
            note, heading, new, asking, index=args.index, expected=args.expect
        ),
    )
