"""`glassmind split`: make notes of sections of a note."""

from argparse import ArgumentTypeError, Namespace

from glassmind.serve.cli.asking import one_name
from glassmind.serve.cli.changing import add_dry_run, carried_out
from glassmind.serve.cli.commands.edit_options import add_option
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

DEEPEST = 6
"""The last rank of headings that Markdown knows."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("name", "NOTE", "path, title or alias, to the letter")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--heading", metavar="TEXT", default="", help="this section")
    which.add_argument(
        "--level", metavar="N", type=level, help="every section of a rank, from 1 to 6"
    )
    about = "the folder of the new notes; else that of the note"
    parser.add_argument("--folder", metavar="FOLDER", help=about)
    add_option(parser, "index")
    add_option(parser, "expect")
    add_dry_run(parser)


def level(text: str) -> int:
    """Return a rank of headings; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    if text.isascii() and text.isdigit() and 1 <= int(text) <= DEEPEST:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no rank from 1 to {DEEPEST}")


def run(args: Namespace, output: Output) -> int:
    """Split it, and say what was done."""
    name = one_name(args.name, "split")
    return carried_out(
        args,
        output,
        lambda engine, asking: engine.editing.split(
            name,
            asking,
            heading=args.heading,
            level=args.level,
            folder=args.folder,
            index=args.index,
            expected=args.expect,
        ),
    )
