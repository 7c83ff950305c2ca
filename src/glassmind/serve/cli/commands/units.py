"""`glassmind service`: print what lets the system index by the clock."""

import os
import sys
from argparse import ArgumentTypeError, Namespace
from pathlib import Path

from glassmind.config import Config
from glassmind.config.places import current_folder, index_name
from glassmind.errors import WrongUsage
from glassmind.render.units import (
    HOUR_MIN,
    Units,
    launchd_units,
    systemd_units,
    units_as_json,
    units_as_text,
)
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

KINDS = ("systemd", "launchd")
USUAL_MIN = 15
"""Minutes between two runs: one that finds nothing new takes a tenth of a second."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("action", choices=("print",), help="print a script that sets it up")
    add("--kind", choices=KINDS, help="for which system; yours unless said")
    add(
        "--every",
        type=minutes,
        default=USUAL_MIN,
        metavar="MINUTES",
        help=f"how often to index, from 1 to {HOUR_MIN} minutes",
    )


def minutes(text: str) -> int:
    """Return a number of minutes within an hour; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    if text.isascii() and text.isdigit() and 1 <= int(text) <= HOUR_MIN:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no number of minutes from 1 to {HOUR_MIN}")


def run(args: Namespace, output: Output) -> int:
    """Print the files for this vault; nothing is installed."""
    config = config_of(args)
    kind = args.kind or ("launchd" if sys.platform == "darwin" else "systemd")
    units = units_of(config, kind, command_of(args, config), args.every)
    if output.as_json:
        output.json(units_as_json(units))
    else:
        output.verbatim(units_as_text(units))
    return exits.OK


def command_of(args: Namespace, config: Config) -> list[str]:
    """Return the command that indexes this vault, wherever it is started."""
    chosen = getattr(args, "config", None) or os.environ.get("GLASSMIND_CONFIG")
    named = []
    if chosen:
        named = ["--config", str(current_folder() / Path(chosen).expanduser())]
    vault = ["--vault", str(config.vault.path)]
    return [sys.executable, "-m", "glassmind", *vault, *named, "index", "--quiet"]


def units_of(config: Config, kind: str, command: list[str], every_min: int) -> Units:
    """Return the files for a system.

    Raises:
        WrongUsage: it cannot be told of a vault with such a name.
    """
    vault = config.vault.path
    letters = index_name(vault).encode("ascii", "replace").decode().replace("?", "_")
    name = f"glassmind-{letters}"
    if kind == "systemd":
        shown = str(vault)
        return systemd_units(command, name=name, vault=shown, every_min=every_min)
    try:
        return launchd_units(command, name=name, every_min=every_min)
    except ValueError as error:
        problem = f"no property list can hold the name {str(vault)!r}"
        raise WrongUsage(problem, "service") from error
