"""The parser of one command, with the options that every command takes."""

import os
import re
from argparse import (
    SUPPRESS,
    Action,
    ArgumentParser,
    ArgumentTypeError,
    HelpFormatter,
    Namespace,
)
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from math import inf
from typing import Any, NamedTuple, NoReturn

from glassmind.errors import WrongUsage
from glassmind.markdown.style import shortened
from glassmind.operations.registry import Group
from glassmind.serve.cli.output import Output

VALUED = ("--vault", "--config")
"""Options of every command that take a value."""

BAD_CHOICE = re.compile(r"invalid choice: (.+) \(choose from (.+)\)", re.DOTALL)


class Once(Action):
    """An option for a text of the user; a second one would drop the first."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest, None) is not None:
            parser.error(f"{option_string} is given twice; give all of it at once")
        setattr(namespace, self.dest, values)


class Option(NamedTuple):
    """One argument of a command, as `add_argument` takes it."""

    names: tuple[str, ...]
    how: Mapping[str, Any]


def option(names: str, about: str, metavar: str | None = None, **how: Any) -> Option:
    """Declare an option with a value, or a positional argument."""
    return Option(tuple(names.split()), {"help": about, "metavar": metavar, **how})


def flag(names: str, about: str, **how: Any) -> Option:
    """Declare an option without a value."""
    return Option(tuple(names.split()), {"action": "store_true", "help": about, **how})


class LocalCommand(NamedTuple):
    """A command that is not an operation: it sets up or starts something.

    The docstring of `run` is its summary. `help` lists expert ones only on request.
    `words` are (destination, names, help) of positional words. Of the options in
    `one_of` only one may be given, and one must be if that `is_required`.
    """

    run: Callable[[Namespace, Output], int]
    group: Group
    options: tuple[Option, ...] = ()
    words: tuple[str, str, str] | None = None
    one_of: tuple[Option, ...] = ()
    is_required: bool = False
    expert: bool = False

    @property
    def summary(self) -> str:
        return self.run.__doc__ or ""

    def add_arguments(self, parser: "CommandParser") -> None:
        """Add every argument to a parser."""
        if self.one_of:
            group = parser.add_mutually_exclusive_group(required=self.is_required)
            for names, how in self.one_of:
                group.add_argument(*names, **how)
        for names, how in self.options:
            parser.add_argument(*names, **how)
        if self.words:
            parser.take_words(*self.words)


class CommandParser(ArgumentParser):
    """Parses one command; what it does not understand is a `WrongUsage`."""

    def __init__(self, name: str, help_line: str) -> None:
        super().__init__(
            prog=f"glassmind {name}",
            description=help_line,
            formatter_class=_formatter,
            allow_abbrev=False,
        )
        self._name, self._words = name, ""
        self.offered: tuple[str, ...] = ()
        add = self.add_argument_group("options of every command").add_argument
        for names, how in COMMON:
            add(*names, default=SUPPRESS, **how)

    def take_words(
        self, dest: str, metavar: str, help_line: str, offered: Sequence[str] = ()
    ) -> None:
        """Take any number of free words; behind `--` they may begin with a dash.

        `offered` are values of the first word that a shell may complete.
        """
        self._words, self.offered = dest, tuple(offered)
        self.add_argument(dest, nargs="*", metavar=metavar, help=help_line)

    def read(self, argv: list[str]) -> Namespace:
        # by hand: argparse loses words behind an option
        stop = argv.index("--") if self._words and "--" in argv else len(argv)
        args, words = self.parse_known_args(argv[:stop])
        for word in words:
            if word.startswith("-"):
                self._refuse(word)
        words += argv[stop + 1 :]
        if self._words:
            setattr(args, self._words, [*getattr(args, self._words), *words])
        elif words:
            self.error(f"unexpected argument {words[0]!r}")
        return args

    def _refuse(self, word: str) -> NoReturn:
        options = [name for action in self._actions for name in action.option_strings]
        near = get_close_matches(word.partition("=")[0], options, n=1)
        hint = "words that begin with - go behind --"
        if near and word.startswith("--"):
            hint = f"did you mean {near[0]}?"
        self.error(f"there is no option {shortened(word)}; {hint}")

    def error(self, message: str) -> NoReturn:
        """Raise `WrongUsage` for what argparse found wrong."""
        if message.startswith("argument "):
            names, _, problem = message.removeprefix("argument ").partition(": ")
            name = names.partition("/")[0]
            if problem == "expected one argument":
                joined = f"one that begins with - is joined to it, as in {name}=-x"
                problem = f"needs a value; {joined}"
            elif found := BAD_CHOICE.fullmatch(problem):
                got, choices = found.groups()
                listed = choices.replace("'", "")
                problem = f"must be one of {listed} (got {got})"
            message = f"{name} {problem}"
        raise WrongUsage(message, self._name)


def _formatter(prog: str) -> HelpFormatter:
    """Return a formatter that knows its width: to find it, argparse loads `shutil`."""
    try:
        width = os.get_terminal_size().columns
    except (OSError, ValueError):
        width = 80
    return HelpFormatter(prog, width=max(width - 2, 40))


COMMON = (
    option("--vault", "the vault's folder", "PATH"),
    option("--config", "use this file as your own", "FILE"),
    flag("--json", "print JSON, not text"),
    flag("--quiet -q", "no notices"),
    flag("--verbose -v", "show where an error came from"),
    flag("--no-color", "no colours"),
)
"""Options of every command; absent ones leave no trace in the namespace."""


def split_command(argv: list[str]) -> tuple[list[str], str | None, list[str]]:
    """Return the options before the command, the command and all behind it."""
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in VALUED else 1
    if at >= len(argv):
        return argv, None, []
    return argv[:at], argv[at], argv[at + 1 :]


def whole_number(least: int, most: float = inf) -> Callable[[str], int]:
    """Return the type of an option that takes a whole number."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and least <= int(text) <= most:
            return int(text)
        wanted = f"{least} or more" if most == inf else f"from {least} to {most}"
        raise ArgumentTypeError(f"must be {wanted} (got {text})")

    return read
