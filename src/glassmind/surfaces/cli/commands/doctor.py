"""`glassmind doctor`: what is well, what is not, and what to do about it."""

from argparse import Namespace

from glassmind.render.reports import checks_as_json
from glassmind.render.reports_text import checks_as_text
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import config_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser
from glassmind.wiring import engine_for


def add_arguments(_parser: CommandParser) -> None:
    """Tell the parser what the command takes: nothing of its own."""


def run(args: Namespace, output: Output) -> int:
    """Examine, and say by the exit code whether anything failed."""
    # Warnings of the configuration are among the findings.
    with engine_for(config_of(args)) as engine:
        checks = engine.doctor()
    if output.as_json:
        output.json(checks_as_json(checks))
    else:
        output.text(checks_as_text(checks, output.style))
    failed = any(check.state == "fail" for check in checks)
    return exits.USAGE if failed else exits.OK
