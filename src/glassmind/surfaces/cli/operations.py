"""Commands made from operations: their options, and what they print."""

import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from glassmind.errors import WrongUsage
from glassmind.errors.editing import ConfirmFirst
from glassmind.errors.serving import BadArgument
from glassmind.operations.arguments import Field, fields_of, read
from glassmind.operations.registry import (
    Caller,
    Operation,
    TextForm,
    find_commands,
)
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.asking import STDIN, piped_text
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, Once

WORDS = "words"
"""Where the parser puts positional words."""

CLIENT = "cli"
"""The name that is recorded for a person at the command line."""


class OperationCommand:
    """One operation as a command; `preset` arguments come from an alias."""

    def __init__(
        self, operation: Operation, preset: dict[str, object] | None = None
    ) -> None:
        self.operation, self._preset = operation, preset or {}
        fields = fields_of(operation.arguments, "cli")
        self._fields = [field for field in fields if field.name not in self._preset]
        self._positional = [f for f in self._fields if f.extra["positional"]]

    @property
    def _forms(self) -> tuple[TextForm, ...]:
        command = self.operation.command
        return command.forms if command else ()

    @property
    def help_line(self) -> str:
        """What the command does, in one line."""
        return self.operation.summary

    @property
    def positional_names(self) -> str:
        """The positional arguments, as help shows them."""
        return " ".join(field.name.upper() for field in self._positional)

    def add_arguments(self, parser: CommandParser) -> None:
        """Add every argument of the operation to a parser."""
        if self._positional:
            names = self.positional_names
            about = "; ".join(f.about.description or "" for f in self._positional)
            parser.take_words(WORDS, names, about)
        for field in self._fields:
            if not field.extra["positional"] or field.extra["flag"]:
                _add_option(parser, field)
        for form in self._forms:
            parser.add_argument(form.flag, action="store_true", help=form.help)

    def run(self, args: Namespace, output: Output) -> int:
        """Run the operation, print its result and return the exit code."""
        operation = self.operation
        arguments = self._arguments(args, output)
        with engine_of(args, output) as engine:
            try:
                result = operation.run(engine, arguments, Caller("cli", CLIENT))
            except ConfirmFirst as error:
                if not _is_confirmed(str(error), output):
                    raise
                confirmed = msgspec.structs.replace(arguments, confirm=True)
                result = operation.run(engine, confirmed, Caller("cli", CLIENT))
        for notice in result.all_notices():
            output.notice(notice)
        if output.as_json:
            output.json(msgspec.to_builtins(result))
        else:
            output.text(self._renderer(args)(result, arguments, output.style))
        return exits.NOTHING if result.is_empty() else exits.OK

    def _renderer(self, args: Namespace) -> Callable[..., str]:
        for form in self._forms:
            if getattr(args, form.flag.strip("-").replace("-", "_")):
                return form.render
        return self.operation.for_people

    def _arguments(self, args: Namespace, output: Output) -> Any:
        """Return the arguments.

        Raises:
            WrongUsage: they cannot be used.
        """
        path = self.operation.command_path
        given: dict[str, Any] = dict(self._preset)
        for field in self._fields:
            value = getattr(args, field.name, None)
            separator = field.extra["separator"]
            if isinstance(value, str) and separator:
                value = [part.strip() for part in value.split(separator)]
                if not all(value):
                    raise WrongUsage(f"{field.flag} has an empty item", path)
            if value == STDIN and field.extra["positional"]:
                value = _standard_input(field, path)
            if field.extra["positional"] and value is not None and not value.strip():
                raise WrongUsage(f"{field.name.upper()} is missing", path)
            if value is not None:
                given[field.name] = value
        self._take_words(list(getattr(args, WORDS, ())), given)
        if output.as_json and self.operation.detail:
            given[self.operation.detail] = True
        try:
            return read(
                self.operation.arguments, given, owner=path, surface="cli", strict=False
            )
        except BadArgument as error:
            raise WrongUsage(error.problem, path) from None

    def _take_words(self, words: list[str], given: dict[str, Any]) -> None:
        """Assign positional words to arguments, in order."""
        path = self.operation.command_path
        for field in self._positional:
            if field.name in given and field.extra["flag"] and words:
                raise WrongUsage(f"{field.name.upper()} is given twice", path)
            if field.name in given:
                continue
            if field.extra["positional"] == "words":
                text, words = " ".join(words), []
            else:
                text, words = (words[0], words[1:]) if words else ("", [])
            if text == STDIN:
                text = _standard_input(field, path)
            if text.strip():
                given[field.name] = text
            elif field.required:
                raise WrongUsage(f"{field.name.upper()} is missing", path)
        if words:
            hint = 'put quotes around names with spaces, as in "Deep Work"'
            raise WrongUsage(f"unexpected argument {words[0]!r}; {hint}", path)


def _standard_input(field: Field, path: str) -> str:
    """Return the text of standard input.

    Raises:
        WrongUsage: it is empty, too long or not text.
    """
    text = piped_text(path)
    if not text.strip():
        raise WrongUsage(
            f"{field.name.upper()} is missing: standard input is empty", path
        )
    return text


def _add_option(parser: CommandParser, field: Field) -> None:
    options: dict[str, Any] = {
        "dest": field.name,
        "default": SUPPRESS,
        "help": field.about.description,
    }
    if field.kind is bool:
        options["action"] = "store_true"
    elif field.choices:
        options["choices"] = field.choices
    else:
        usual = {int: "N", float: "X"}.get(field.kind, "TEXT")
        options["metavar"] = field.extra["metavar"] or usual
    if field.is_list and not field.extra["separator"]:
        options["action"] = "append"
    elif field.kind is str and field.extra["positional"]:
        options["action"] = Once
    flags = [field.flag, *filter(None, [field.extra["short"]])]
    parser.add_argument(*flags, **options)


def _is_confirmed(question: str, output: Output) -> bool:
    """Ask a person at a terminal; without one, the answer is no."""
    there = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    if not there or output.as_json:
        return False
    output.flush()
    sys.stderr.write(f"{output.style.clean(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


class CommandGroup:
    """Several operations as actions of one command, such as `graph path`."""

    def __init__(self, word: str, commands: Mapping[str, OperationCommand]) -> None:
        self._word = word
        self._commands = {
            path.partition(" ")[2]: command for path, command in commands.items()
        }

    @property
    def help_line(self) -> str:
        """What the group does, in one line."""
        return f"{', '.join(self._commands)}: see each action"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add a parser for each action."""
        usual = [
            action
            for action, command in self._commands.items()
            if command.operation.command and command.operation.command.usual
        ]
        parser.take_actions("action", WORDS, {}, *usual[:1])
        for action, command in self._commands.items():
            names = command.positional_names
            part = parser.add_action(action, command.operation.summary, names)
            command.add_arguments(part)
        parser.set_defaults(action=next(iter(usual), None))

    def run(self, args: Namespace, output: Output) -> int:
        """Run the action that was named."""
        if args.action is None:
            known = ", ".join(self._commands)
            raise WrongUsage(f"{self._word} needs an action: {known}", self._word)
        return self._commands[args.action].run(args, output)


def operation_command(word: str) -> OperationCommand | CommandGroup | None:
    """Return the command, or the group of commands, that a word names."""
    found = {
        path: OperationCommand(operation, preset)
        for path, (operation, preset) in find_commands(word).items()
    }
    if not found:
        return None
    return found[word] if word in found else CommandGroup(word, found)
