"""From arguments to an exit code: find the command, run it, tell what went wrong."""

import atexit
import gc
import os
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, Protocol

from glassmind.errors import GlassmindError, WrongUsage
from glassmind.markdown.style import is_text, shortened
from glassmind.serve.cli import exits
from glassmind.serve.cli.operations import operation_command
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import VALUED, CommandParser
from glassmind.serve.cli.table import COMMANDS
from glassmind.version import __version__

OF_WORDS = frozenset([
    "ask", "brief", "capture", "capture-decision", "capture-memory", "capture-task",
    "changeset", "context", "edit", "forget", "hot",
    "inbox", "list", "log", "merge", "move", "pin",
    "proposals", "recall", "rename-heading", "rename-tag", "resolve", "split",
    "summarize", "supersede", "unpin", "verify",
])  # fmt: skip
"""Commands that take names of notes and other words, which are text in the vault."""

PLACES = ("vault", "config", "file", "edits")
"""Arguments of those that are places on the disk, which may hold any bytes."""


class Command(Protocol):
    """A command, or the module of one."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Tell the parser what the command takes."""

    def run(self, args: Namespace, output: Output) -> int:
        """Carry the command out and return the exit code."""


BACKGROUND = frozenset(["index", "init", "mcp", "serve", "watch"])
"""Commands with background work, which may lower its priority."""


def run_program(argv: Sequence[str], *, as_program: bool = False) -> int:
    """Run one command and return its exit code; errors are printed, never raised.

    With `as_program` the command may lower the priority of this process.
    """
    if as_program and split_command(list(argv))[1] in BACKGROUND:
        from glassmind.indexing.background import (  # noqa: PLC0415 - only for these
            allow_lowering,
        )

        allow_lowering()
    output = Output(
        as_json="--json" in argv, verbose="-v" in argv or "--verbose" in argv
    )
    try:
        code = _guarded(list(argv), output)
        output.flush()
    except BrokenPipeError:
        # `| head` has seen enough; that is no fault of anyone.
        output.abandon()
        return exits.OK
    except OSError:
        # The error could not be told either: the disk behind stdout is full.
        output.abandon()
        return exits.BUG
    return code


def leave(code: int) -> NoReturn:
    """End the process at once.

    Taking the interpreter apart, object by object, takes a tenth of a search and helps
    nobody: the engine is closed, the output flushed, and who asked for a last word
    gets it.
    """
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public name for it
    os._exit(code)


def _guarded(argv: list[str], output: Output) -> int:
    try:
        code = _dispatch(argv, output)
        output.flush()
    except GlassmindError as error:
        from glassmind.serve.cli import failures  # noqa: PLC0415 - only for these

        output.failed(error, failures.sentence_of(error))
        return failures.exit_code(error)
    except KeyboardInterrupt as error:
        output.interrupted(str(error))
        return exits.INTERRUPTED
    except BrokenPipeError:
        raise
    except SystemExit as error:  # argparse, having printed help
        return int(error.code or exits.OK)
    except Exception as error:  # noqa: BLE001 - the edge: nobody is shown a traceback
        hint = "" if output.verbose else "; --verbose shows where"
        output.failed(error, f"unexpected {type(error).__name__}: {error}{hint}")
        return exits.BUG
    return code


def _dispatch(argv: list[str], output: Output) -> int:
    before, name, after = split_command(argv)
    if "--help" in before or "-h" in before or not argv:
        return _show_help([word for word in before if word == "--json"], output)
    if name == "help":
        return _show_help(after, output)
    if name == "version":
        output.line(f"glassmind {__version__}")
        return exits.OK
    if name is None:
        raise WrongUsage("no command is named")
    module, parser = command_parser(name)
    args = parser.read([*before, *after])
    if name in OF_WORDS:
        _refuse_broken(args, name)
    output.adopt(args)
    gc.freeze()
    gc.enable()
    return module.run(args, output)


def _refuse_broken(args: Namespace, name: str) -> None:
    """Raise `WrongUsage` where a word holds bytes that are no text; places may."""
    for key, value in vars(args).items():
        for word in value if isinstance(value, list | tuple) else [value]:
            if isinstance(word, str) and key not in PLACES and not is_text(word):
                shown = shortened(word.encode("utf-8", "backslashreplace").decode())
                raise WrongUsage(f"{shown!r} holds half a character", name)


def split_command(argv: list[str]) -> tuple[list[str], str | None, list[str]]:
    """Return the options before the command, the command and all behind it."""
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in VALUED else 1
    if at >= len(argv):
        return argv, None, []
    return argv[:at], argv[at], argv[at + 1 :]


def command_parser(name: str) -> tuple[Command, CommandParser]:
    """Return a command with its parser.

    Raises:
        WrongUsage: there is none of that name.
    """
    if name in COMMANDS:
        local = import_module(f"glassmind.serve.cli.{COMMANDS[name].module}")
        module, help_line = local.COMMANDS[name], COMMANDS[name].summary
    else:
        made = operation_command(name)
        if made is None:
            from glassmind.serve.cli.help import (  # noqa: PLC0415 - only now
                similar_command,
            )

            near = similar_command(name)
            hint = f"; did you mean {near}?" if near else ""
            raise WrongUsage(f"there is no command {shortened(name)!r}{hint}")
        module = made
        help_line = made.help_line
    parser = CommandParser(name, help_line)
    module.add_arguments(parser)
    return module, parser


def _show_help(words: list[str], output: Output) -> int:
    """Print the help of the program, or with a command its own.

    Raises:
        WrongUsage: there is no such command.
    """
    from glassmind.serve.cli import help as overview  # noqa: PLC0415 - only now

    names = [word for word in words if not word.startswith("-")]
    unknown = set(words) - {*names, "--all", "--json", "--help", "-h"}
    if unknown:
        raise WrongUsage(f"there is no option {min(unknown)}", "help")
    if names and names[0] not in {"help", "version"}:
        _, parser = command_parser(names[0])
        parser.read([*names[1:], "--help"])
    if output.as_json:
        listed = [
            {"name": one.name, "group": one.group, "help": one.summary}
            for one in overview.listed_commands()
        ]
        output.json({"commands": listed})
    else:
        output.text(overview.overview(everything="--all" in words))
    return exits.OK
