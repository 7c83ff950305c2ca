"""`glassmind supersede`: let one memo take the place of another."""

from argparse import Namespace

from glassmind.errors import WrongUsage
from glassmind.render.memos import superseded_as_json
from glassmind.render.memos_text import superseded_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import notice_all
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("names", "NAME", "the old one and the new one, without a slip")


def run(args: Namespace, output: Output) -> int:
    """Link the two, and say so."""
    old, new = two_names(args.names, "supersede")
    with engine_of(args, output) as engine:
        done = engine.memory.supersede(old, new)
    notice_all(output, done.notices)
    if output.as_json:
        output.json(superseded_as_json(done))
    else:
        output.text(superseded_as_text(done, output.style))
    return exits.OK


def two_names(words: list[str], command: str) -> tuple[str, str]:
    """Return two names, each a word of its own.

    Raises:
        WrongUsage: there are more or fewer, or one is empty.
    """
    match [word for word in words if word.strip()]:
        case [first, second] if len(words) == 2:  # noqa: PLR2004 - two of them
            return first, second
        case _:
            hint = 'takes two names; write those with blanks as "Deep Work"'
            raise WrongUsage(f"{command} {hint}", command)
