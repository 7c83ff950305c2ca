"""`glassmind restore`: the index taken back from a copy."""

from argparse import Namespace
from pathlib import Path

from glassmind.config.places import current_folder
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("file", metavar="FILE", help="what glassmind backup wrote")
    add("--force", action="store_true", help="even if it seems to be of another vault")


def run(args: Namespace, output: Output) -> int:
    """Take the copy in."""
    file = Path(current_folder(), args.file)
    with engine_of(args, output) as engine:
        left = engine.restore(file, force=args.force)
    if left is not None:
        output.notice(f"the word index is not brought up to it yet: {left}")
    if output.as_json:
        output.json({"file": str(file)})
    else:
        output.notice(
            f"the index is as in {file}; glassmind index brings it up to date"
        )
    return exits.OK
