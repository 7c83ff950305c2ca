"""`glassmind status`: what is current, and who is at work."""

from argparse import Namespace

from glassmind.render.reports import status_as_json
from glassmind.render.reports_text import status_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(_parser: CommandParser) -> None:
    """Tell the parser what the command takes: nothing of its own."""


def run(args: Namespace, output: Output) -> int:
    """Print how far rows, words and vectors have come."""
    with engine_of(args, output) as engine:
        status = engine.status()
        root = str(engine.config.vault.path)
    for notice in status.notices:
        output.notice(notice)
    if output.as_json:
        output.json(status_as_json(status, root=root))
    else:
        output.text(status_as_text(status, output.style, root=root))
    return exits.OK
