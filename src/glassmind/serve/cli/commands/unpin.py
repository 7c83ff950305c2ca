"""`glassmind unpin`: let a note cool again."""

from argparse import Namespace

from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import one_name
from glassmind.serve.cli.commands.pin import show_done
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("name", "NAME", "path, title or alias, without a slip")


def run(args: Namespace, output: Output) -> int:
    """Let a note go."""
    name = one_name(args.name, "unpin")
    with engine_of(args, output) as engine:
        done = engine.memory.unpin(name)
    show_done(done, name, output, back=True)
    return exits.OK
