"""Commands made from operations: their options, and what they print."""

import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from glassmind.engine import Engine
from glassmind.errors import (
    NOTHING,
    OK,
    BadArgument,
    ConfigError,
    ConfirmFirst,
    WrongUsage,
)
from glassmind.operations.arguments import ArgumentField, fields_of, plain_value, read
from glassmind.operations.registry import (
    Caller,
    Command,
    FileForm,
    Operation,
    PeopleText,
    find_commands,
    joined,
)
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import (
    CommandParser,
    SingleOption,
    dest_of,
    refuse_action,
    split_command,
)

WORDS = "words"  # where the parser puts positional words
CLIENT = "cli"  # the name that is recorded for a person at the command line
STDIN = "-"  # stands for the text of standard input
MOST_MIB = 16  # the most that is read of a file or a pipe


class OperationCommand:
    """`preset` comes from an alias; `variants` run if their `option` is given."""

    def __init__(
        self,
        operation: Operation,
        preset: dict[str, object] | None = None,
        option: str = "",
    ) -> None:
        self.operation, self._preset, self.option = operation, preset or {}, option
        self._command = operation.command or Command()
        self.is_usual = self._command.usual
        self._path = operation.command_path
        self.variants: list[OperationCommand] = []
        declared = fields_of(operation.arguments, "cli")
        fields = [f for f in declared if f.name not in self._preset]
        self._positional = [f for f in fields if f.extra["positional"]]
        self._options = [
            f for f in fields if not f.extra["positional"] or f.extra["flag"]
        ]

    @property
    def summary(self) -> str:
        return self.operation.summary

    @property
    def positional_names(self) -> str:
        return " ".join(
            field.name.upper() if field.required else f"[{field.name.upper()}]"
            for field in self._positional
        )

    def own_flags(self) -> list[str]:
        flags = [self.option] if self.option else []
        for field in self._options:
            flags += filter(None, [self._flag(field), field.extra["file"]])
        return [*flags, self._command.form.flag] if self._command.form else flags

    def _flag(self, field: ArgumentField) -> str:
        own = self._path.rpartition(" ")[2]
        return self.option if self.option and field.flag == own else field.flag

    def add_arguments(self, parser: CommandParser) -> None:
        names = self.positional_names
        parser.usage = " ".join(filter(None, (parser.prog, names, "[OPTION ...]")))
        if names:
            about = "; ".join(f.about.description or "" for f in self._positional)
            parser.take_words(WORDS, names, about, self._positional[0].choices)
        taken: set[str] = set()
        for command in (self, *self.variants):
            command.add_options(parser, taken)

    def add_options(self, parser: CommandParser, taken: set[str]) -> None:
        for field in self._options:
            flag = self._flag(field)
            if flag not in taken:
                _add_option(parser, field, flag, takes_all=flag == self.option)
            taken.add(flag)
        form = self._command.form
        flags = {form.flag: form.help} if form else {}
        if self.option and self.option not in taken:
            flags[self.option] = self.operation.summary
        for flag, about in flags.items():
            parser.add_argument(flag, action="store_true", default=SUPPRESS, help=about)
            taken.add(flag)

    def run(self, args: Namespace, output: Output) -> int:
        commands = [v for v in self.variants if hasattr(args, dest_of(v.option))]
        command = commands[0] if commands else self
        usable = command.own_flags()
        for variant in (self, *self.variants):
            for flag in variant.own_flags():
                if flag not in usable and hasattr(args, dest_of(flag)):
                    problem = f"{flag} cannot be used with {command.option}"
                    if not commands:
                        problem = f"{flag} can only be used with {variant.option}"
                    raise WrongUsage(problem, self._path)
        return command.execute(args, output)

    def execute(self, args: Namespace, output: Output) -> int:
        command, arguments = self._command, self._arguments(args, output)
        form = self._file_form(arguments, output)
        live = None
        if command.live and output.on_terminal and not output.as_json:
            live = command.live(output) if arguments.live else None
        show = partial(self._print, self._renderer(args, output), output)
        try:
            opened = engine_of(args, output, need_vault=command.needs_vault)
        except ConfigError as error:
            if command.without_config is None:
                raise
            result = command.without_config(error)
        else:
            with opened as engine:
                result = self._result(engine, arguments, output, live, show)
        if result is None:
            output.notice("nothing was changed")
            return NOTHING
        output.notices(result.all_notices())
        if form:
            output.verbatim(form.render(result))
        elif output.as_json:
            output.json(result.to_json())
        elif live:
            output.text(live.rest(result, arguments))
        else:
            show(result, arguments)
        if command.exit_code:
            return command.exit_code(result, arguments)
        return NOTHING if result.is_empty() else OK

    def _result(
        self,
        engine: Engine,
        arguments: Any,
        output: Output,
        live: Any,
        show: Callable[[Any, Any], None],
    ) -> Any:
        """Run the operation; None if a person was asked to confirm it, and did not."""
        command = self._command
        shown = output.progress() if command.shows_progress else nullcontext(live)
        with shown as progress:
            caller = Caller("cli", CLIENT, progress, output.notice)
            try:
                return self.operation.run(engine, arguments, caller)
            except BadArgument as error:
                fields = fields_of(self.operation.arguments, "cli")
                labels = {field.name: field.label("cli") for field in fields}
                raise WrongUsage(error.message_with(labels), self._path) from None
            except ConfirmFirst as error:
                if not output.can_ask:
                    raise
                if command.preview:
                    show(command.preview(engine, arguments), arguments)
                if not output.says_yes(f"{error.what}. Continue?"):
                    return None
            finally:
                if live:
                    live.end_line()
            confirmed = msgspec.structs.replace(arguments, confirm=True)
            return self.operation.run(engine, confirmed, caller)

    def _print(
        self, render: PeopleText, output: Output, result: Any, arguments: Any
    ) -> None:
        text = joined(render(result, arguments, output.style))
        if self._command.verbatim:
            output.verbatim(text)
            if output.on_terminal and not text.endswith("\n"):
                output.line()
        else:
            output.text(text)

    def _file_form(self, arguments: Any, output: Output) -> FileForm | None:
        """Return the file that `--format` names; `--format json` is `--json`."""
        name = getattr(arguments, "format", None) if self.operation.files else None
        form = self.operation.files.get(name or "")
        if form and output.as_json:
            problem = f"--json and --format {name} cannot be used together"
            raise WrongUsage(problem, self._path)
        output.as_json = output.as_json or name == "json"
        return form

    def _renderer(self, args: Namespace, output: Output) -> PeopleText:
        form = self._command.form
        if form and hasattr(args, dest_of(form.flag)):
            return form.render
        piped = None if output.on_terminal else self._command.piped
        return piped or self.operation.for_people

    def _arguments(self, args: Namespace, output: Output) -> Any:
        offered = {field.name for field in fields_of(self.operation.arguments, "cli")}
        given = {k: v for k, v in self._preset.items() if k in offered}
        hidden = {k: v for k, v in self._preset.items() if k not in offered}
        for field in self._options:
            value = self._option_value(field, args)
            if value is not None:
                given[field.name] = value
        self._take_words(list(getattr(args, WORDS, ())), given)
        if output.as_json and self.operation.detail:
            given[self.operation.detail] = True
        kind, path = self.operation.arguments, self._path
        try:
            made = read(kind, given, owner=path, surface="cli", strict=False)
        except BadArgument as error:
            raise WrongUsage(error.problem, path) from None
        return msgspec.structs.replace(made, **hidden)

    def _written(self, field: ArgumentField, args: Namespace) -> Any:
        flag, path, option = field.flag, self._path, field.extra["file"]
        value = getattr(args, dest_of(self._flag(field)), None)
        file = getattr(args, dest_of(option), None)
        if option != flag and None not in (file, value):
            raise WrongUsage(f"{flag} and {option} cannot be used together", path)
        if STDIN in (value, file) and (option or _takes_stdin(field)):
            return "".join(_standard_input(field, path))
        if file is not None:
            return _text_in(file, path)
        is_piped = sys.stdin is not None and not sys.stdin.isatty()
        if option and value is None and field.required and is_piped:
            return _text_in(STDIN, path) or None
        return value

    def _option_value(self, field: ArgumentField, args: Namespace) -> Any:
        value, flag, path = self._written(field, args), field.flag, self._path
        if field.is_object and value is not None:
            return _pairs(field, value, path)
        if isinstance(value, str) and field.extra["separator"]:
            value = [part.strip() for part in value.split(field.extra["separator"])]
            if not all(value):
                raise WrongUsage(f"{flag} has an empty item", path)
        if field.extra["positional"]:
            if value is not None and not value.strip():
                raise WrongUsage(f"{field.name.upper()} is missing", path)
        elif value == "" and not field.extra["note_text"]:
            raise WrongUsage(f"{flag} needs a value", path)
        return value

    def _take_words(self, words: list[str], given: dict[str, Any]) -> None:
        path = self._path
        for field in self._positional:
            label, takes = field.name.upper(), field.extra["positional"]
            if field.name in given:
                if field.extra["flag"] and words:
                    raise WrongUsage(f"{label} is given twice", path)
                continue
            count = 1 if takes == "word" else len(words)
            taken = [
                item
                for word in words[:count]
                for item in (_standard_input(field, path) if word == STDIN else [word])
            ]
            words = words[count:]
            if any(word.strip() for word in taken):
                given[field.name] = taken if takes == "list" else " ".join(taken)
            elif field.required or taken:  # a blank name is not the whole vault
                raise WrongUsage(f"{label} is missing", path)
        if words:
            hint = 'put quotes around names with spaces, as in "Deep Work"'
            raise WrongUsage(f"unexpected argument {words[0]!r}; {hint}", path)


def _takes_stdin(field: ArgumentField) -> bool:
    return bool(field.extra["positional"] or field.extra["from_stdin"])


def _standard_input(field: ArgumentField, path: str) -> list[str]:
    text = _text_in(STDIN, path)
    if not text.strip():
        problem = f"{field.name.upper()} is missing: standard input is empty"
        raise WrongUsage(problem, path)
    find = field.extra["from_stdin"]
    items: list[str] = [text] if find is None else find(text)
    if not items:
        raise WrongUsage(f"standard input has no {field.name}", path)
    return items


def _text_in(file: str, path: str) -> str:
    name, most = "standard input" if file == STDIN else file, MOST_MIB * 1024 * 1024
    try:
        if file == STDIN:
            raw = sys.stdin.buffer.read(most + 1) if sys.stdin else b""
        else:
            with Path(file).open("rb") as opened:
                raw = opened.read(most + 1)
        if len(raw) > most:
            raise WrongUsage(f"{name} is larger than {MOST_MIB} MiB", path)
        return str(raw, "utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: it is not UTF-8
        reason = getattr(error, "strerror", None) or error
        raise WrongUsage(f"{name} cannot be read ({reason})", path) from error


def _pairs(field: ArgumentField, given: list[str], path: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals or not name or name in values:
            problem = "is given twice" if name in values else "is not KEY=VALUE"
            raise WrongUsage(f"{field.flag}: {pair!r} {problem}", path)
        values[name] = plain_value(text)
    return values


def _add_option(
    parser: CommandParser, field: ArgumentField, flag: str, *, takes_all: bool
) -> None:
    options: dict[str, Any] = {"help": field.about.description}
    if field.kind is bool and field.default:
        options |= {"action": "store_false", "help": f"Turn off: {options['help']}"}
    elif field.kind is bool:
        options["action"] = "store_true"
    elif field.choices:
        options["choices"] = field.choices
    else:
        usual = {int: "N", float: "X"}.get(field.kind, "TEXT")
        options["metavar"] = field.extra["metavar"] or usual
    is_repeated = field.is_object or (field.is_list and not field.extra["separator"])
    if field.is_list and takes_all:
        options["nargs"] = "*"
    elif is_repeated and not (field.is_list and field.extra["note_text"]):
        options["action"] = "append"
    elif field.extra["note_text"] or (field.kind is str and _takes_stdin(field)):
        options["action"] = SingleOption
    flags = [flag, *filter(None, [field.extra["short"]])]
    parser.add_argument(*flags, dest=dest_of(flag), default=SUPPRESS, **options)
    file = field.extra["file"]
    if file and file != flag:
        about = "A file with the text; - reads standard input."
        how: dict[str, Any] = {"action": SingleOption, "metavar": "FILE", "help": about}
        parser.add_argument(file, dest=dest_of(file), default=SUPPRESS, **how)


class CommandGroup:
    def __init__(self, word: str, commands: dict[str, OperationCommand]) -> None:
        self._word = word
        self.actions = {path.partition(" ")[2]: cmd for path, cmd in commands.items()}
        usual = (name for name, part in self.actions.items() if part.is_usual)
        self.usual = next(usual, None)

    def chosen(self, argv: list[str]) -> tuple[str | None, list[str]]:
        before, word, after = split_command(argv)
        if word in self.actions:
            return word, before + after
        if {"--help", "-h"} & set(argv):
            return None, argv
        if word and (self.usual is None or not before):
            refuse_action(self._word, word, self.actions)
        return self.usual, argv

    def show(self, output: Output) -> None:
        parts = self.actions.items()
        lines = [f"Usage: glassmind {self._word} ACTION ...", ""]
        for name, part in parts:
            lines.append(f"  {f'{name} {part.positional_names}':<22} {part.summary}")
        lines += ["", f"Run 'glassmind {self._word} ACTION --help' for details."]
        listed = [{"name": name, "help": part.summary} for name, part in parts]
        output.result({"actions": listed}, joined(lines))


def operation_command(word: str) -> OperationCommand | CommandGroup | None:
    commands: dict[str, OperationCommand] = {}
    declared = find_commands(word)
    # a variant may be declared before its command, in another module
    for path in sorted(declared, key=lambda path: " --" in path):
        base, _, last = path.rpartition(" ")
        if last.startswith("--"):
            variant = OperationCommand(*declared[path], last)
            commands[base].variants.append(variant)
        else:
            commands[path] = OperationCommand(*declared[path])
    if not commands:
        return None
    return commands[word] if word in commands else CommandGroup(word, commands)
