"""Asking a person before a command changes something."""

import sys
from argparse import Namespace

from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser


def add_yes(parser: CommandParser) -> None:
    """Add the option that answers yes before a person is asked."""
    about = "Do not ask; needed without a terminal."
    parser.add_argument("--yes", action="store_true", help=about)


def can_ask(output: Output) -> bool:
    """Return whether a person is at a terminal and can answer a question."""
    there = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    return there and not output.as_json


def is_confirmed(args: Namespace, output: Output, question: str) -> bool:
    """Return whether a person says yes: by an option, or asked at a terminal."""
    return args.yes or (can_ask(output) and says_yes(question, output))


def says_yes(question: str, output: Output) -> bool:
    """Ask a person at a terminal."""
    output.flush()
    sys.stderr.write(f"{output.style.clean(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
