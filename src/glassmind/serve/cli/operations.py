"""Commands made from operations: their options, and what they print."""

import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from glassmind.engine import Engine
from glassmind.errors import ConfigError, WrongUsage
from glassmind.errors.editing import ConfirmFirst
from glassmind.errors.serving import BadArgument
from glassmind.operations.arguments import Field, fields_of, plain_value, read
from glassmind.operations.registry import (
    Caller,
    Command,
    FileForm,
    Live,
    Operation,
    PeopleText,
    TextForm,
    find_commands,
    joined,
)
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import STDIN, STDIN_BYTES, piped_text
from glassmind.serve.cli.changing import can_ask, says_yes
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser, Once
from glassmind.serve.cli.progress import shown_progress

WORDS = "words"
"""Where the parser puts positional words."""

CLIENT = "cli"
"""The name that is recorded for a person at the command line."""


class OperationCommand:
    """One operation as a command; `preset` arguments come from an alias.

    `variants` run instead if their `option` is given, such as `health --fix`.
    """

    def __init__(
        self,
        operation: Operation,
        preset: dict[str, object] | None = None,
        option: str = "",
    ) -> None:
        self.operation, self._preset, self.option = operation, preset or {}, option
        self.variants: list[OperationCommand] = []
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
        return " ".join(
            field.name.upper() if field.required else f"[{field.name.upper()}]"
            for field in self._positional
        )

    def all_flags(self) -> list[str]:
        """Return the options of the command and of its variants."""
        commands = (self, *self.variants)
        return [flag for command in commands for flag in command.own_flags()]

    def own_flags(self) -> list[str]:
        """Return the options of this operation alone."""
        flags = [self.option] if self.option else []
        for field in self._options():
            more = field.extra["short"], field.extra["file"]
            flags += [self._flag(field), *filter(None, more)]
        return flags + [form.flag for form in self._forms]

    def _options(self) -> list[Field]:
        return [
            field
            for field in self._fields
            if not field.extra["positional"] or field.extra["flag"]
        ]

    def _flag(self, field: Field) -> str:
        """Return the option of an argument; a variant's own option has its alias."""
        own = self.operation.command_path.rpartition(" ")[2]
        return self.option if self.option and field.flag == own else field.flag

    def add_arguments(self, parser: CommandParser) -> None:
        """Add every argument of the operation and of its variants to a parser."""
        if self._positional:
            names = self.positional_names
            about = "; ".join(f.about.description or "" for f in self._positional)
            parser.take_words(WORDS, names, about, self._positional[0].choices)
        taken: set[str] = set()
        for command in (self, *self.variants):
            command.add_options(parser, taken)

    def add_options(self, parser: CommandParser, taken: set[str]) -> None:
        """Add the options that are not taken."""
        for field in self._options():
            flag = self._flag(field)
            if flag not in taken:
                _add_option(parser, field, flag, takes_all=flag == self.option)
            taken.add(flag)
        flags = {form.flag: form.help for form in self._forms}
        if self.option and self.option not in taken:
            flags[self.option] = self.help_line
        for flag, about in flags.items():
            parser.add_argument(flag, action="store_true", default=SUPPRESS, help=about)
            taken.add(flag)

    def run(self, args: Namespace, output: Output) -> int:
        """Run the operation or a variant, print its result, return the exit code.

        Raises:
            WrongUsage: options are given that cannot be used together.
        """
        chosen = [one for one in self.variants if hasattr(args, _dest(one.option))]
        command = chosen[0] if chosen else self
        if len(chosen) > 1:
            used = f"{chosen[0].option} and {chosen[1].option}"
            problem = f"{used} cannot be used together"
            raise WrongUsage(problem, self.operation.command_path)
        usable = {_dest(flag) for flag in command.own_flags()}
        for flag in self.all_flags():
            if hasattr(args, _dest(flag)) and _dest(flag) not in usable:
                problem = f"{flag} cannot be used with {command.option}"
                if not chosen:
                    owners = [v.option for v in self.variants if flag in v.own_flags()]
                    problem = f"{flag} can only be used with {' or '.join(owners)}"
                raise WrongUsage(problem, self.operation.command_path)
        return command.execute(args, output)

    def execute(self, args: Namespace, output: Output) -> int:
        """Run this operation, print its result and return the exit code."""
        arguments = self._arguments(args, output)
        form = self._file_form(arguments, output)
        command = self.operation.command or Command()
        live = self._live(arguments, output)
        try:
            engine = engine_of(args, output, need_vault=command.needs_vault)
        except ConfigError as error:
            if command.without_config is None:
                raise
            result = command.without_config(error)
        else:
            with engine:
                result = self._result(engine, command, arguments, args, output, live)
        if result is None:
            output.notice("nothing was changed")
            return exits.NOTHING
        for notice in result.all_notices():
            output.notice(notice)
        if form:
            output.verbatim(form.render(result))
        elif output.as_json:
            output.json(result.to_json())
        elif live:
            output.text(live.rest(result, arguments))
        else:
            self._print(result, arguments, args, output)
        if command.exit_code:
            return command.exit_code(result, arguments)
        return exits.NOTHING if result.is_empty() else exits.OK

    def _live(self, arguments: Any, output: Output) -> Live | None:
        """Return what shows the result while the operation runs, on a terminal."""
        make = self.operation.command and self.operation.command.live
        shown = output.on_terminal and not output.as_json
        return make(output) if make and shown and arguments.live else None

    def _result(  # noqa: PLR0913, PLR0917 - what one call consists of
        self,
        engine: Engine,
        command: Command,
        arguments: Any,
        args: Namespace,
        output: Output,
        live: Live | None,
    ) -> Any:
        """Run the operation; None if a person was asked to confirm it, and did not."""
        shown = shown_progress(output) if command.shows_progress else nullcontext(live)
        edit = partial(_edited, self.operation.command_path)
        with shown as progress:
            caller = Caller("cli", CLIENT, progress, output.notice, edit=edit)
            try:
                return self.operation.run(engine, arguments, caller)
            except ConfirmFirst as error:
                if not can_ask(output):
                    raise
                if command.preview:
                    preview = command.preview(engine, arguments)
                    self._print(preview, arguments, args, output)
                if not says_yes(f"{error.what}. Continue?", output):
                    return None
            finally:
                if live:
                    live.end_line()
            confirmed = msgspec.structs.replace(arguments, confirm=True)
            return self.operation.run(engine, confirmed, caller)

    def _print(
        self, result: Any, arguments: Any, args: Namespace, output: Output
    ) -> None:
        text = joined(self._renderer(args, output)(result, arguments, output.style))
        if self.operation.command and self.operation.command.verbatim:
            output.verbatim(text)
            if output.on_terminal and not text.endswith("\n"):
                output.line()
        else:
            output.text(text)

    def _file_form(self, arguments: Any, output: Output) -> FileForm | None:
        """Return the file that `--format` names; `--format json` is `--json`.

        Raises:
            WrongUsage: `--json` is given too.
        """
        name = getattr(arguments, "format", None) if self.operation.files else None
        form = self.operation.files.get(name or "")
        if form and output.as_json:
            problem = f"--json and --format {name} cannot be used together"
            raise WrongUsage(problem, self.operation.command_path)
        output.as_json = output.as_json or name == "json"
        return form

    def _renderer(self, args: Namespace, output: Output) -> PeopleText:
        for form in self._forms:
            if hasattr(args, _dest(form.flag)):
                return form.render
        command = self.operation.command
        if command and command.piped and not output.on_terminal:
            return command.piped
        return self.operation.for_people

    def _arguments(self, args: Namespace, output: Output) -> Any:
        """Return the arguments.

        Raises:
            WrongUsage: they cannot be used.
        """
        path = self.operation.command_path
        offered = {field.name for field in fields_of(self.operation.arguments, "cli")}
        given: dict[str, Any] = {
            name: value for name, value in self._preset.items() if name in offered
        }
        preset = {k: v for k, v in self._preset.items() if k not in offered}
        for field in self._options():
            value = self._option_value(field, args)
            if value is not None:
                given[field.name] = value
        self._take_words(list(getattr(args, WORDS, ())), given)
        if output.as_json and self.operation.detail:
            given[self.operation.detail] = True
        try:
            made = read(
                self.operation.arguments, given, owner=path, surface="cli", strict=False
            )
        except BadArgument as error:
            raise WrongUsage(error.problem, path) from None
        return msgspec.structs.replace(made, **preset)

    def _option_value(self, field: Field, args: Namespace) -> Any:
        """Return the value that an option gives an argument, or None.

        Raises:
            WrongUsage: it cannot be used.
        """
        path = self.operation.command_path
        value = getattr(args, _dest(self._flag(field)), None)
        if field.extra["file"]:
            value = _text_or_file(field, value, args, path)
        if field.is_object and value is not None:
            return _pairs(field, value, path)
        if isinstance(value, str) and field.extra["separator"]:
            value = [part.strip() for part in value.split(field.extra["separator"])]
            if not all(value):
                raise WrongUsage(f"{field.flag} has an empty item", path)
        is_positional = field.extra["positional"]
        if value == "" and not is_positional and not field.extra["note_text"]:
            raise WrongUsage(f"{field.flag} needs a value", path)
        if value == STDIN and _takes_stdin(field):
            value = "".join(_standard_input(field, path))
        if is_positional and value is not None and not value.strip():
            raise WrongUsage(f"{field.name.upper()} is missing", path)
        return value

    def _take_words(self, words: list[str], given: dict[str, Any]) -> None:
        """Assign positional words to arguments, in order."""
        path = self.operation.command_path
        for field in self._positional:
            label = field.name.upper()
            if field.name in given:
                if field.extra["flag"] and words:
                    raise WrongUsage(f"{label} is given twice", path)
                continue
            taken, words = _split_words(field, words)
            taken = [
                item
                for word in taken
                for item in (_standard_input(field, path) if word == STDIN else [word])
            ]
            if not any(word.strip() for word in taken):
                if field.required:
                    raise WrongUsage(f"{label} is missing", path)
                continue
            is_list = field.extra["positional"] == "list"
            given[field.name] = taken if is_list else " ".join(taken)
        if words:
            hint = 'put quotes around names with spaces, as in "Deep Work"'
            raise WrongUsage(f"unexpected argument {words[0]!r}; {hint}", path)


def _split_words(field: Field, words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words that an argument takes, and the rest."""
    count = 1 if field.extra["positional"] == "word" else len(words)
    return words[:count], words[count:]


def _takes_stdin(field: Field) -> bool:
    return bool(field.extra["positional"] or field.extra["from_stdin"])


def _standard_input(field: Field, path: str) -> list[str]:
    """Return the text of standard input, or the items in it.

    Raises:
        WrongUsage: it is empty, too long or not text.
    """
    text = piped_text(path)
    if not text.strip():
        problem = f"{field.name.upper()} is missing: standard input is empty"
        raise WrongUsage(problem, path)
    find = field.extra["from_stdin"]
    items: list[str] = [text] if find is None else find(text)
    if not items:
        raise WrongUsage(f"standard input has no {field.name}", path)
    return items


def _text_or_file(
    field: Field, value: str | None, args: Namespace, path: str
) -> str | None:
    """Return a value that is given as text, in a file, or through a pipe.

    Raises:
        WrongUsage: it is given twice, or cannot be read.
    """
    option = field.extra["file"]
    file = getattr(args, _dest(option), None)
    if option != field.flag and None not in (file, value):
        raise WrongUsage(f"{field.flag} and {option} cannot be used together", path)
    if STDIN in (value, file):
        return "".join(_standard_input(field, path))
    if file is not None:
        return _file_text(file, path)
    is_piped = sys.stdin is not None and not sys.stdin.isatty()
    if value is None and field.required and is_piped:
        return piped_text(path) or None
    return value


def _file_text(name: str, path: str) -> str:
    """Return the text of a file.

    Raises:
        WrongUsage: it cannot be read, is too large, or is not text.
    """
    try:
        with Path(name).open("rb") as file:
            raw = file.read(STDIN_BYTES + 1)
        if len(raw) > STDIN_BYTES:
            most = STDIN_BYTES // (1024 * 1024)
            raise WrongUsage(f"{name} is larger than {most} MiB", path)
        return str(raw, "utf-8-sig")
    except OSError as error:
        problem = f"{name} cannot be read ({error.strerror or error})"
        raise WrongUsage(problem, path) from error
    except ValueError as error:
        raise WrongUsage(f"{name} is not text in UTF-8 ({error})", path) from error


def _pairs(field: Field, given: list[str], path: str) -> dict[str, Any]:
    """Return the object that `KEY=VALUE` texts describe.

    Raises:
        WrongUsage: one is written differently, or a key is given twice.
    """
    values: dict[str, Any] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals or not name or name in values:
            problem = "is given twice" if name in values else "is not KEY=VALUE"
            raise WrongUsage(f"{field.flag}: {pair!r} {problem}", path)
        values[name] = plain_value(text)
    return values


def _dest(flag: str) -> str:
    """Return where the parser puts the value of an option."""
    return flag.strip("-").replace("-", "_")


def _add_option(
    parser: CommandParser, field: Field, flag: str, *, takes_all: bool
) -> None:
    """Add an option; one that `takes_all` may have any number of values."""
    options: dict[str, Any] = {
        "dest": _dest(flag),
        "default": SUPPRESS,
        "help": field.about.description,
    }
    if field.kind is bool and field.default:
        options |= {"action": "store_false", "help": f"Turn off: {options['help']}"}
    elif field.kind is bool:
        options["action"] = "store_true"
    elif field.choices:
        options["choices"] = field.choices
    else:
        usual = {int: "N", float: "X"}.get(field.kind, "TEXT")
        options["metavar"] = field.extra["metavar"] or usual
    if field.is_list and takes_all:
        options["nargs"] = "*"
    elif field.extra["note_text"] and not field.is_object:
        options["action"] = Once
    elif (field.is_list and not field.extra["separator"]) or field.is_object:
        options["action"] = "append"
    elif field.kind is str and _takes_stdin(field):
        options["action"] = Once
    file = field.extra["file"]
    if file and file != flag:
        parser.add_argument(
            file,
            dest=_dest(file),
            default=SUPPRESS,
            metavar="FILE",
            action=Once,
            help="A file with the text; - reads standard input.",
        )
    flags = [flag, *filter(None, [field.extra["short"]])]
    parser.add_argument(*flags, **options)


def _edited(path: str, text: str) -> str:
    from glassmind.serve.cli.editor import edited  # noqa: PLC0415 - rarely needed

    return edited(text, path)


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
        parser.take_actions("action", WORDS, self._owners(), *usual[:1])
        for action, command in self._commands.items():
            names = command.positional_names
            part = parser.add_action(action, command.operation.summary, names)
            command.add_arguments(part)
        parser.set_defaults(action=next(iter(usual), None))

    def _owners(self) -> dict[str, str]:
        """Return which actions have each option, for those who use it elsewhere."""
        owners: dict[str, list[str]] = {}
        for action, command in self._commands.items():
            for flag in dict.fromkeys(command.all_flags()):
                owners.setdefault(flag, []).append(action)
        return {
            flag: f"can only be used with {', '.join(actions)}"
            for flag, actions in owners.items()
        }

    def run(self, args: Namespace, output: Output) -> int:
        """Run the action that was named; without one, list them all."""
        if args.action is not None:
            return self._commands[args.action].run(args, output)
        listed = {action: one.help_line for action, one in self._commands.items()}
        if output.as_json:
            actions = [{"name": name, "help": line} for name, line in listed.items()]
            output.json({"actions": actions})
            return exits.OK
        output.line(f"Usage: glassmind {self._word} ACTION ...\n")
        for action, line in listed.items():
            names = self._commands[action].positional_names
            output.line(f"  {f'{action} {names}':<22} {line}")
        output.line(f"\nRun 'glassmind {self._word} ACTION --help' for details.")
        return exits.OK


def operation_command(word: str) -> OperationCommand | CommandGroup | None:
    """Return the command, or the group of commands, that a word names."""
    found: dict[str, OperationCommand] = {}
    declared = find_commands(word)
    # a variant may be declared before its command, in another module
    for path in sorted(declared, key=lambda path: " --" in path):
        base, _, last = path.rpartition(" ")
        if last.startswith("--"):
            variant = OperationCommand(*declared[path], last)
            found[base].variants.append(variant)
        else:
            found[path] = OperationCommand(*declared[path])
    if not found:
        return None
    return found[word] if word in found else CommandGroup(word, found)
