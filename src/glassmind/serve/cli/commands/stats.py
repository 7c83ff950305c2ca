"""`glassmind stats`: how much the index holds."""

from argparse import Namespace

from glassmind.render.reports import stats_as_json
from glassmind.render.reports_text import stats_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_arguments(_parser: CommandParser) -> None:
    """Tell the parser what the command takes: nothing of its own."""


def run(args: Namespace, output: Output) -> int:
    """Print the counts."""
    with engine_of(args, output) as engine:
        stats = engine.stats()
        root = str(engine.config.vault.path)
    if output.as_json:
        output.json(stats_as_json(stats, root=root))
    else:
        output.text(stats_as_text(stats, output.style, root=root))
    return exits.OK
