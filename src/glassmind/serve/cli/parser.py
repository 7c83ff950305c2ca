"""The parser of one command, with the options that every command takes."""

import os
from argparse import SUPPRESS, Action, ArgumentParser, HelpFormatter, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, NoReturn

from msgspec import Meta

from glassmind.errors import BadArgument, WrongUsage
from glassmind.obsidian.text import shortened
from glassmind.operations.arguments import ArgumentField, checked, problem
from glassmind.operations.registry import Group, arg
from glassmind.serve.cli.output import Output

VALUED = ("--vault", "--config")  # options of every command that take a value
SIMILAR = 0.75  # `raed` and `read` just have it


class SingleOption(Action):
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
    names: tuple[str, ...]
    how: Mapping[str, Any]
    field: ArgumentField | None = None


def option(
    names: str,
    about: str,
    metavar: str | None = None,
    *,
    choices: Iterable[str] = (),
    bounds: Meta | None = None,
    **how: Any,
) -> Option:
    """Declare an option with a value, or a word; with `bounds` a whole number."""
    how |= {"help": about, "metavar": metavar}
    first, field = names.split(maxsplit=1)[0], None
    if is_word := not first.startswith("-"):
        how["metavar"] = metavar or first.upper()
        how["help"] = ": ".join(filter(None, (about, ", ".join(choices))))
    if choices or bounds:
        how |= {"choices": tuple(choices)} | ({"nargs": "?"} if is_word else {})
        field = field_of(dest_of(first), choices, bounds, is_word=is_word)
    return Option(tuple(names.split()), how, field)


def dest_of(flag: str) -> str:
    return flag.strip("-").replace("-", "_")


def field_of(
    name: str, choices: Iterable[str], bounds: Meta | None = None, *, is_word: bool
) -> ArgumentField:
    kind = Literal.__getitem__(tuple(choices)) if choices else int
    about = arg("", positional="word" if is_word else None)
    return ArgumentField(name, kind, bounds or Meta(), about, is_word, None, name)


def flag(names: str, about: str, **how: Any) -> Option:
    return Option(tuple(names.split()), {"action": "store_true", "help": about, **how})


class LocalCommand(NamedTuple):
    """A command that is not an operation: it sets up or starts something.

    The docstring of `run` is its summary. `help` lists expert ones only on request.
    `words` are (destination, names, help) of positional words.
    """

    run: Callable[[Namespace, Output], int]
    group: Group
    options: tuple[Option, ...] = ()
    words: tuple[str, str, str] | None = None
    expert: bool = False

    @property
    def summary(self) -> str:
        return self.run.__doc__ or ""

    def add_arguments(self, parser: "CommandParser") -> None:
        words = []
        for names, how, field in self.options:
            parser.add_argument(*names, **how)
            if field:
                parser.checks.append(field)
            if not names[0].startswith("-"):
                is_required = field and field.required
                words.append(how["metavar"] if is_required else f"[{how['metavar']}]")
        if self.words:
            parser.take_words(*self.words)
            words.append(f"[{self.words[1]}]")
        parser.usage = " ".join((parser.prog, *words, "[OPTION ...]"))


class CommandParser(ArgumentParser):
    def __init__(self, name: str, help_line: str = "") -> None:
        self.checks: list[ArgumentField] = []
        super().__init__(
            prog=f"glassmind {name}".rstrip(),
            description=help_line,
            formatter_class=_formatter,
            allow_abbrev=False,
        )
        self._name, self._words = name, ""
        add = self.add_argument_group("options of every command").add_argument
        for names, how, _ in COMMON:
            add(*names, default=SUPPRESS, **how)

    def take_words(
        self, dest: str, metavar: str, help_line: str, choices: Sequence[str] = ()
    ) -> None:
        """Take any number of free words; behind `--` they may begin with a dash."""
        self._words = dest
        how = {"metavar": metavar, "help": help_line, "choices": choices or None}
        self.add_argument(dest, nargs="*", **how)  # type: ignore[arg-type]

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
        for field in self.checks:
            value = getattr(args, field.name)
            try:
                if field.required or value != self.get_default(field.name):
                    made = checked(field, value, "", "cli", strict=False)
                    setattr(args, field.name, made)
            except BadArgument as error:
                self.error(error.problem)
        return args

    def _check_value(self, action: Action, value: Any) -> None:
        """Do nothing: `checked` words bad values alike on every surface."""

    def _refuse(self, word: str) -> NoReturn:
        options = [name for action in self._actions for name in action.option_strings]
        near = nearest(word.partition("=")[0], options)
        hint = "; put -- before words that begin with -" if self._words else ""
        if near and word.startswith("--"):
            hint = f"; did you mean {near}?"
        self.error(f"there is no option {shortened(word)}{hint}")

    def error(self, message: str) -> NoReturn:
        if message.startswith("argument "):
            names, _, said = message.removeprefix("argument ").partition(": ")
            name = names.partition("/")[0]
            if said == "expected one argument":
                joined = f"one that begins with - is joined to it, as in {name}=-x"
                said = f"needs a value; {joined}"
            elif said.startswith("ignored explicit argument "):
                said = f"takes no value (got {said.split(None, 3)[3]})"
            message = f"{name} {said}"
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
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in VALUED else 1
    if at >= len(argv):
        return argv, None, []
    return argv[:at], argv[at], argv[at + 1 :]


def nearest(word: str, known: Iterable[str]) -> str:
    names = {name.lstrip("-"): name for name in known}
    near = get_close_matches(word.lstrip("-"), names, n=1, cutoff=SIMILAR)
    return names[near[0]] if near else ""


def refuse_action(command: str, word: str, actions: Iterable[str]) -> NoReturn:
    if near := nearest(word, actions):
        said = f"there is no action {shortened(word)!r}; did you mean {command} {near}?"
        raise WrongUsage(said, command)
    field = field_of("action", actions, is_word=True)
    raise WrongUsage(problem(field, word, "cli"), command)


def one_of(args: Namespace, command: str, *flags: str, needed: bool = False) -> None:
    values = vars(args)
    given = [name for name in flags if values.get(dest_of(name)) not in (None, False)]
    if len(given) > 1:
        said = f"{given[0]} and {given[1]} cannot be used together"
        raise WrongUsage(said, command)
    if needed and not given:
        *others, last = flags
        raise WrongUsage(f"give {', '.join(others)} or {last}", command)
