"""`glassmind pin`: keep a note warm until it is unpinned."""

from argparse import Namespace

from glassmind.errors import WrongUsage
from glassmind.render.temperatures import pins_as_json
from glassmind.render.temperatures_text import pinned_as_text, pins_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import notice_all, one_name
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.memory import Pins


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("name", "NAME", "path, title or alias, without a slip")
    parser.add_argument("--list", action="store_true", help="tell what is pinned")


def run(args: Namespace, output: Output) -> int:
    """Pin a note, or list what is pinned."""
    if args.list and args.name:
        raise WrongUsage("--list names no note", "pin")
    if args.list:
        return _list(args, output)
    name = one_name(args.name, "pin")
    with engine_of(args, output) as engine:
        done = engine.memory.pin(name)
    show_done(done, name, output, back=False)
    return exits.OK


def show_done(done: Pins, name: str, output: Output, *, back: bool) -> None:
    """Print what pinning a note, or with `back` letting it go, came to."""
    notice_all(output, done.problems)
    if output.as_json:
        output.json(pins_as_json(done))
    else:
        output.text(pinned_as_text(done, name, output.style, back=back))


def _list(args: Namespace, output: Output) -> int:
    with engine_of(args, output) as engine:
        found = engine.memory.pins()
    notice_all(output, found.problems)
    if output.as_json:
        output.json(pins_as_json(found))
    else:
        output.text(pins_as_text(found, output.style))
    return exits.OK if found.paths or found.gone else exits.NOTHING
