"""From arguments to an exit code: find the command, run it, report errors."""

import atexit
import gc
import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn, TypeAlias, cast, get_args

from glassmind import errors
from glassmind.errors import BUG, INTERRUPTED, OK
from glassmind.index.background import allow_lowering
from glassmind.obsidian.text import shortened
from glassmind.operations.arguments import fields_of
from glassmind.operations.registry import Group, all_operations
from glassmind.serve.cli.operations import (
    CommandGroup,
    OperationCommand,
    operation_command,
)
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import (
    CommandParser,
    LocalCommand,
    flag,
    nearest,
    split_command,
)
from glassmind.version import __version__


class CommandListing(NamedTuple):
    group: Group
    summary: str
    everyday: bool = False
    expert: bool = False


LOCAL = {
    "init": "setup",
    "watch": "start",
    "mcp": "start",
    "serve": "start",
    "connect": "setup",
    "disconnect": "setup",
    "service": "start",
    "config": "settings",
    "trust": "settings",
    "eval": "measure",
    "tune": "measure",
    "completion": "completion",
    "help": "program",
    "version": "program",
}
"""Commands that are not operations, and set up or start something, by module."""

GROUP_SUMMARIES = {
    "edit": "Change, create or delete a note.",
    "changeset": "Show what was changed, and undo it.",
    "proposals": "Review proposed changes.",
    "inbox": "Review what agents saved.",
}


def local_command(name: str) -> LocalCommand:
    module = import_module(f"{__package__}.{LOCAL[name]}")
    return cast("LocalCommand", module.COMMANDS[name])


def all_commands() -> dict[str, CommandListing]:
    listings: dict[str, CommandListing] = {}
    aliases: dict[str, CommandListing] = {}
    for operation in all_operations():
        if (command := operation.command) is None:
            continue
        word, _, action = operation.command_path.partition(" ")
        if action.startswith("--"):
            continue  # a variant of the command before it
        summary = GROUP_SUMMARIES.get(word) if action else None
        summary = summary or operation.summary
        row = CommandListing(operation.group, summary, command.everyday, command.expert)
        listings.setdefault(word, row)
        for path, _preset in command.aliases:
            same = f"Same as '{operation.command_path}'."
            aliases.setdefault(
                path.split()[0], CommandListing(operation.group, same, expert=True)
            )
    local = {
        name: CommandListing(command.group, command.summary, expert=command.expert)
        for name, command in zip(LOCAL, map(local_command, LOCAL), strict=True)
    }
    order = get_args(Group)
    return dict(
        sorted(
            (aliases | listings | local).items(),
            key=lambda item: order.index(item[1].group),
        )
    )


def overview(*, everything: bool = False) -> str:
    commands = all_commands()
    lines = ["Usage: glassmind [--vault PATH] COMMAND ...", ""]
    if not everything:
        everyday = {name: row for name, row in commands.items() if row.everyday}
        lines += ["Everyday", *_rows(everyday), ""]
        commands = {
            name: row
            for name, row in commands.items()
            if not row.everyday and not row.expert
        }
    for group in get_args(Group):
        members = {name: row for name, row in commands.items() if row.group == group}
        if members:
            lines += [group, *_rows(members), ""]
    more = "" if everything else ", 'glassmind help --all' for every command"
    lines.append(f"Run 'glassmind help COMMAND' for details{more}.")
    return "".join(f"{line}\n" for line in lines)


def _rows(commands: dict[str, CommandListing]) -> Iterator[str]:
    for name, row in commands.items():
        yield f"  {name:<17} {row.summary.rstrip('.')}"


def similar_command(name: str) -> str:
    """Return the command that was probably meant: `accept` is `inbox accept`."""
    for operation in all_operations():
        word, _, action = operation.command_path.partition(" ")
        if operation.command and action == name:
            return f"{word} {action}"
        fields = fields_of(operation.arguments, "cli")
        first = [field for field in fields if field.extra["positional"]][:1]
        if operation.command and first and name in first[0].choices:
            return f"{operation.command_path} {name}"
    return nearest(name, all_commands())


Command: TypeAlias = LocalCommand | OperationCommand


def run_program(argv: Sequence[str], *, as_program: bool = False) -> int:
    """Return the exit code; `as_program` may lower the priority of this process."""
    if as_program:
        allow_lowering()
    verbose = "-v" in argv or "--verbose" in argv
    output = Output(as_json="--json" in argv, verbose=verbose)
    try:
        code = _guarded(list(argv), output)
        output.flush()
    except BrokenPipeError:  # `| head` has seen enough
        output.abandon()
        return OK
    except OSError:  # the disk behind stdout is full
        output.abandon()
        return BUG
    return code


def leave(code: int) -> NoReturn:
    """End the process at once: freeing every object takes a tenth of a search."""
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public name for it
    os._exit(code)


def _guarded(argv: list[str], output: Output) -> int:
    try:
        code = _dispatch(argv, output)
        output.flush()
    except errors.GlassmindError as error:
        output.failed(error, _sentence_of(error))
        return error.exit_code
    except KeyboardInterrupt as error:
        output.interrupted(str(error))
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except SystemExit as error:  # argparse, having printed help
        return int(error.code or OK)
    except Exception as error:  # noqa: BLE001 - the edge: no traceback for users
        hint = "" if output.verbose else "; --verbose shows where"
        output.failed(error, f"unexpected {type(error).__name__}: {error}{hint}")
        return BUG
    return code


def _sentence_of(error: errors.GlassmindError) -> str:
    if error.option:
        return f"{error}{error.option}"
    if isinstance(error, errors.MemoryNotFound) and not error.closest:
        return f"{error}; see: glassmind recall"
    if isinstance(error, errors.NoteNotFound) and not error.closest:
        return f"{error}; see: glassmind list"
    if isinstance(error, errors.NoteChanged) and error.found:
        return f"{error}; its digest is {error.found} now"
    if isinstance(error, errors.ChangesetUnknown) and not error.nearest:
        return f"{error}; see: glassmind changeset list"
    return str(error)


def _dispatch(argv: list[str], output: Output) -> int:
    before, name, after = split_command(argv)
    if "--help" in before or "-h" in before or not argv:
        before = [word for word in before if word not in {"--help", "-h"}]
        name, after = "help", []
    if name is None:
        CommandParser("").read(before)  # refuses other options
        raise errors.WrongUsage("no command is named")
    command = command_named(name)
    if isinstance(command, CommandGroup):
        action, after = command.chosen(after)
        if action is None:
            known = [word for word in after if word not in {"--help", "-h"}]
            CommandParser(name).read([*before, *known])  # refuses other options
            command.show(output)
            return OK
        name, command = f"{name} {action}", command.actions[action]
    args = parser_of(name, command).read([*before, *after])
    output.adopt(args)
    gc.freeze()
    gc.enable()
    return command.run(args, output)


def command_named(name: str) -> Command | CommandGroup:
    if name in LOCAL:
        return local_command(name)
    if command := operation_command(name):
        return command
    near = similar_command(name)
    hint = f"; did you mean {near}?" if near else ""
    raise errors.WrongUsage(f"there is no command {shortened(name)!r}{hint}")


def parser_of(name: str, command: Command) -> CommandParser:
    parser = CommandParser(name, command.summary)
    command.add_arguments(parser)
    return parser


def parsers_of(name: str) -> dict[str, CommandParser]:
    command = command_named(name)
    if not isinstance(command, CommandGroup):
        return {name: parser_of(name, command)}
    paths = {f"{name} {action}": part for action, part in command.actions.items()}
    return {path: parser_of(path, part) for path, part in paths.items()}


def show_help(args: Namespace, output: Output) -> int:
    """Show all commands, or what one takes."""
    if args.words:
        return _dispatch([*args.words, "--help"], output)
    listed = [
        {"name": name, "group": row.group, "help": row.summary}
        for name, row in all_commands().items()
    ]
    output.result({"commands": listed}, overview(everything=args.all))
    return OK


def show_version(_: Namespace, output: Output) -> int:
    """Show the version."""
    output.result({"version": __version__}, f"glassmind {__version__}\n")
    return OK


COMMANDS = {
    "help": LocalCommand(
        show_help,
        "Maintain",
        (flag("--all", "list expert commands too"),),
        words=("words", "COMMAND", "the command; without one, all are listed"),
    ),
    "version": LocalCommand(show_version, "Maintain"),
}
