"""`glassmind forget`: move what was captured to the trash of the agent folder."""

from argparse import Namespace

from glassmind.render.memos import moved_as_json
from glassmind.render.memos_text import moved_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import notice_all, one_name
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.memory import Moved


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("name", "NAME", "path, file name or title, without a slip")


def run(args: Namespace, output: Output) -> int:
    """Move it, and say where it is now."""
    name = one_name(args.name, "forget", "memo")
    with engine_of(args, output) as engine:
        done = engine.memory.forget(name)
    show_moved(done, output)
    return exits.OK


def show_moved(done: Moved, output: Output) -> None:
    """Print where a memo was and is."""
    notice_all(output, done.notices)
    if output.as_json:
        output.json(moved_as_json(done))
    else:
        output.text(moved_as_text(done, output.style))
