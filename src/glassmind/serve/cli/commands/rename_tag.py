"""`glassmind rename-tag`: give a tag and those below it another name."""

from argparse import Namespace

from glassmind.serve.cli.asking import two_names
from glassmind.serve.cli.changing import add_dry_run, carried_out
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("names", "TAG", "the tag and its new name, with # or without")
    add_dry_run(parser)


def run(args: Namespace, output: Output) -> int:
    """Rename it, and say what was done."""
    old, new = two_names(args.names, "rename-tag")
    return carried_out(
        args,
        output,
        lambda engine, asking: engine.editing.rename_tag(old, new, asking),
    )
