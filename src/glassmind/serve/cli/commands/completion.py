"""`glassmind completion`: a script that lets a shell complete our commands."""

from argparse import Namespace

from glassmind.serve.cli import exits
from glassmind.serve.cli.offers import offers_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.cli.scripts import SHELLS


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.add_argument("shell", choices=SHELLS, help="the shell to complete in")


def run(args: Namespace, output: Output) -> int:
    """Print the script."""
    script = SHELLS[args.shell](offers_of())
    if output.as_json:
        output.json({"shell": args.shell, "script": script})
    else:
        output.text(script)
    return exits.OK
