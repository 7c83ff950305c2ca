"""The parser of one command, with the options that every command takes."""

import argparse
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
from typing import Any, NamedTuple, NoReturn, cast

from glassmind.errors import WrongUsage
from glassmind.markdown.style import shortened
from glassmind.serve.cli.output import Output


def _as_it_is(said: str | None) -> str | None:
    """Return what argparse says, untranslated.

    We read it (`LACKS_VALUE`), and looking for a translation takes two milliseconds of
    every command.
    """
    return said


vars(argparse)["_"] = _as_it_is

VALUED = ("--vault", "--config")
"""Options of every command that take a value."""

_BAD_CHOICE = re.compile(
    r"argument ([^:]+): invalid choice: (.+) \(choose from (.+)\)", re.DOTALL
)

LACKS_VALUE = "expected one argument"
"""How argparse tells of an option that a dash or nothing follows."""


class Once(Action):
    """An option whose value is the user's own words: none of them is dropped."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Take the value.

        Raises:
            WrongUsage: there is one already.
        """
        if getattr(namespace, self.dest, None) is not None:
            parser.error(f"{option_string} is given twice; give all of it at once")
        setattr(namespace, self.dest, values)


class Option(NamedTuple):
    """One argument of a command, as `add_argument` takes it."""

    names: tuple[str, ...]
    how: Mapping[str, Any]


def option(*names: str, **how: Any) -> Option:
    """Declare an option with a value, or a positional argument."""
    return Option(names, how)


def flag(name: str, about: str, **how: Any) -> Option:
    """Declare an option without a value."""
    return Option((name,), {"action": "store_true", "help": about, **how})


class LocalCommand(NamedTuple):
    """A command that is not an operation: it sets up or starts something.

    `words` are (destination, names, help) of positional words. Of the options in
    `one_of` only one may be given, and one must be if that `is_required`.
    """

    run: Callable[[Namespace, Output], int]
    options: tuple[Option, ...] = ()
    words: tuple[str, str, str] | None = None
    one_of: tuple[Option, ...] = ()
    is_required: bool = False

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
        self._name = name
        self._words = ""
        self.offered: tuple[str, ...] = ()
        self._parts: Any = None
        self._elsewhere: Mapping[str, str] = {}
        self._usual = ""
        add_global_options(self)

    def take_words(
        self, dest: str, metavar: str, help_line: str, offered: Sequence[str] = ()
    ) -> None:
        """Take any number of free words; behind `--` they may begin with a dash.

        `offered` are values of the first word that a shell may complete.
        """
        self._words, self.offered = dest, tuple(offered)
        self.add_argument(dest, nargs="*", metavar=metavar, help=help_line)

    def take_actions(
        self, dest: str, words: str, elsewhere: Mapping[str, str], usual: str = ""
    ) -> None:
        """Take the name of an action, each of which has a parser of its own.

        Free words of an action stand under `words`; `elsewhere` says of options where
        they belong, for whoever gives them to another action. Options alone are of the
        `usual` one, if there is one.
        """
        self._words, self._elsewhere, self._usual = words, elsewhere, usual
        self.set_defaults(**{words: []})
        self._parts = self.add_subparsers(
            dest=dest,
            metavar=dest.upper(),
            title="actions",
            help="what to ask",
            parser_class=cast("type[CommandParser]", _part),
        )

    def add_action(self, name: str, help_line: str, names: str) -> "CommandParser":
        """Return the parser of a new action; `names` is how help writes its words."""
        part: CommandParser = self._parts.add_parser(
            name, help=help_line, help_line=help_line
        )
        part.usage = " ".join(filter(None, (part.prog, names, "[OPTION ...]")))
        return part

    def actions(self) -> list[Action]:
        """Return what the command takes, in the order it was told.

        What several actions of it take is told once.
        """
        found = list(self._actions)
        parts = self._parts.choices.values() if self._parts else ()
        found += [action for part in parts for action in part.actions()]
        once: dict[tuple[str, ...], Action] = {}
        for action in found:
            once.setdefault((*action.option_strings, action.dest), action)
        return list(once.values())

    def read(self, argv: list[str]) -> Namespace:
        """Return what the arguments say.

        Raises:
            WrongUsage: they cannot be understood.
        """
        if not self._words:
            return self.parse_args(argv)
        # By hand: argparse loses words that stand behind an option.
        argv = self._with_action(argv)
        stop = argv.index("--") if "--" in argv else len(argv)
        self._check_order(argv)
        args, more = self.parse_known_args(argv[:stop])
        for word in more:
            if word.startswith("-"):
                self._refuse(word)
        words = [*getattr(args, self._words), *more, *argv[stop + 1 :]]
        setattr(args, self._words, words)
        return args

    def _with_action(self, argv: list[str]) -> list[str]:
        """Return arguments with the usual action, where they are options of one."""
        named = self._parts is not None and any(
            word in self._parts.choices for word in argv
        )
        flags = (word.partition("=")[0] for word in argv)
        if named or not self._usual or self._elsewhere.keys().isdisjoint(flags):
            return argv
        return [self._usual, *argv]

    def _check_order(self, argv: list[str]) -> None:
        """Refuse an option of an action that stands before the action."""
        for word in argv:
            if self._parts is None or word in self._parts.choices:
                return
            flag = word.partition("=")[0]
            if flag in self._elsewhere:
                self.error(f"{flag} goes behind the action")

    def _refuse(self, word: str) -> NoReturn:
        flag = word.partition("=")[0]
        if flag in self._elsewhere:
            self.error(f"{flag} {self._elsewhere[flag]}")
        options = [name for one in self.actions() for name in one.option_strings]
        near = get_close_matches(flag, options, n=1) if flag.startswith("--") else []
        hint = (
            f"did you mean {near[0]}?"
            if near
            else "words that begin with - go behind --"
        )
        self.error(f"there is no option {shortened(word)}; {hint}")

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments.

        Raises:
            WrongUsage: always.
        """
        if message.endswith(LACKS_VALUE):
            flag = message.removeprefix("argument ").partition(":")[0].partition("/")[0]
            how = f"one that begins with - is joined to it, as in {flag}=-x"
            message = f"{flag} needs a value; {how}"
        if found := _BAD_CHOICE.fullmatch(message):
            name, got, choices = found.groups()
            listed = choices.replace("'", "")
            message = f"{name.partition('/')[0]} must be one of {listed} (got {got})"
        raise WrongUsage(message, self._name)


def _part(prog: str, help_line: str) -> CommandParser:
    return CommandParser(prog.removeprefix("glassmind "), help_line)


def _formatter(prog: str) -> HelpFormatter:
    """Return a formatter that knows its width: to find it, argparse loads `shutil`."""
    try:
        width = os.get_terminal_size().columns
    except (OSError, ValueError):
        width = 80
    return HelpFormatter(prog, width=max(width - 2, 40))


def add_global_options(parser: ArgumentParser) -> None:
    """Add what every command takes; absent ones leave no trace in the namespace."""
    group = parser.add_argument_group("options of every command")
    add = group.add_argument
    add("--vault", metavar="PATH", default=SUPPRESS, help="the vault's folder")
    add("--config", metavar="FILE", default=SUPPRESS, help="use this file as your own")
    add("--json", action="store_true", default=SUPPRESS, help="print JSON, not text")
    add("--quiet", "-q", action="store_true", default=SUPPRESS, help="no notices")
    add(
        "--verbose",
        "-v",
        action="store_true",
        default=SUPPRESS,
        help="show where an error came from",
    )
    add("--no-color", action="store_true", default=SUPPRESS, help="no colours")


def at_least_one(text: str) -> int:
    """Return a whole number from 1; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    return _count(text, 1)


def at_least_zero(text: str) -> int:
    """Return a whole number from 0; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    return _count(text, 0)


def _count(text: str, least: int) -> int:
    if text.isascii() and text.isdigit() and int(text) >= least:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no whole number from {least}")
