"""`glassmind backup`: a copy of the index, made while others use it."""

from argparse import Namespace
from pathlib import Path

from glassmind.config.places import current_folder
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.add_argument("file", metavar="FILE", help="a file that is not there yet")


def run(args: Namespace, output: Output) -> int:
    """Write the copy."""
    file = Path(current_folder(), args.file)
    with engine_of(args, output) as engine:
        engine.backup(file)
    if output.as_json:
        output.json({"file": str(file), "bytes": file.stat().st_size})
    else:
        output.notice(f"the index is copied to {file}")
    return exits.OK
