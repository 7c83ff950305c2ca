"""What a shell may offer while a command is typed, read from the parsers themselves."""

from argparse import Action
from typing import NamedTuple

from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.cli.program import command_parser
from glassmind.serve.cli.table import all_commands

FOLDERS, FILES = ("PATH", "VAULT"), ("FILE",)
"""What a value is, by the name that help gives it."""


class Offer(NamedTuple):
    """One option, or with no names what may stand in its own place.

    `value` is empty for a flag, else `folder`, `file` or `text`; `many` means that any
    number of words may stand there.
    """

    names: tuple[str, ...]
    help_line: str
    value: str
    choices: tuple[str, ...]
    many: bool


def offers_of() -> dict[str, list[Offer]]:
    """Return what each command takes, by its name."""
    return {name: _offers(command_parser(name)[1]) for name in all_commands()}


def _offers(parser: CommandParser) -> list[Offer]:
    offers = [_offer(action) for action in parser.actions()]
    if parser.offered:
        offers.append(Offer((), "", "text", parser.offered, many=False))
    return offers


def _offer(action: Action) -> Offer:
    choices = tuple(str(choice) for choice in action.choices or ())
    value = "" if action.nargs == 0 else _value(str(action.metavar))
    return Offer(
        tuple(action.option_strings),
        action.help or "",
        value,
        choices,
        many=action.nargs == "*",
    )


def _value(metavar: str) -> str:
    if metavar in FOLDERS:
        return "folder"
    return "file" if metavar in FILES else "text"
