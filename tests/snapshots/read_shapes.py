"""Adapter from the snapshots to Glassmind.

Only this module of the snapshots imports internals of `glassmind`. When the code moves,
change this module, not the snapshot files.
"""

import argparse
import inspect
import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from mcp.server.lowlevel import Server
from starlette.applications import Starlette

import glassmind
from glassmind import Engine, open_vault
from glassmind.access.scopes import SETS
from glassmind.config import values
from glassmind.config.settings import SETTINGS
from glassmind.memory.capture import GIVEN
from glassmind.model.access import EVERY_AGENT
from glassmind.operations.arguments import ArgumentField, fields_of
from glassmind.operations.registry import find_commands
from glassmind.serve.cli.program import all_commands, parsers_of, run_program
from glassmind.serve.http.app import make_app
from glassmind.serve.http.guard import AccessRules
from glassmind.serve.mcp.server import make_server
from glassmind.serve.mcp.toolsets import tools_of

TOKEN = "token-of-the-snapshots"  # noqa: S105 - not a secret
HOST = "127.0.0.1:7331"
VERSION = glassmind.__version__

GLOBAL_OPTIONS = ("vault", "config", "json", "quiet", "verbose", "no_color", "help")
"""Options of every command; they are listed once, under `glassmind`."""


class CliResult(NamedTuple):
    """What a run of the program returned and printed."""

    code: int
    stdout: str
    stderr: str


def forget_clients() -> None:
    """Forget what clients read earlier in this process, as a new process would."""
    GIVEN._notes.clear()


# CLI


def run_cli(
    argv: list[str], *, env: Mapping[str, str], folder: Path, stdin: str = ""
) -> CliResult:
    """Run the program in this process, in `folder`, with exactly these variables."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    piped = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
    no_terminal = mock.patch.object(os, "get_terminal_size", side_effect=OSError)
    with (
        chdir(folder),
        mock.patch.dict(os.environ, env, clear=True),
        mock.patch("sys.stdin", piped),
        no_terminal,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run_program(argv)
    return CliResult(code, _text_in(out), _text_in(err))


def _text_in(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


def cli_commands() -> dict[str, dict[str, Any]]:
    """Return the arguments of every command and subcommand, by its full name."""
    shapes: dict[str, dict[str, Any]] = {}
    for name in all_commands():
        parsers = parsers_of(name)
        if not shapes:
            (parser,) = parsers.values()
            own = [a for a in parser._actions if a.dest in GLOBAL_OPTIONS]
            shapes["glassmind"] = _arguments(own)
        if name not in parsers:
            actions = [path.partition(" ")[2] for path in parsers]
            shapes[name] = {**_arguments([]), "subcommands": sorted(actions)}
        for path, parser in parsers.items():
            own = [a for a in parser._actions if a.dest not in GLOBAL_OPTIONS]
            checks = {field.flag: field for field in parser.checks}
            shapes[path] = _arguments(own, _declared(path) | checks)
    return shapes


def _declared(name: str) -> dict[str, ArgumentField]:
    """Return the arguments of an operation's command, by flag."""
    commands = find_commands(name.partition(" ")[0])
    return {
        field.flag: field
        for path, (operation, _) in reversed(commands.items())
        if path.partition(" --")[0] == name
        for field in fields_of(operation.arguments, "cli")
    }


def _arguments(
    actions: list[argparse.Action], declared: Mapping[str, ArgumentField] | None = None
) -> dict[str, Any]:
    known = declared or {}
    return {
        "options": {
            ", ".join(action.option_strings): _option(action, known)
            for action in actions
            if action.option_strings
        },
        "positionals": [
            {"name": action.metavar or action.dest, **_option(action, known)}
            for action in actions
            if not action.option_strings
        ],
    }


def _option(
    action: argparse.Action, declared: Mapping[str, ArgumentField]
) -> dict[str, Any]:
    """Describe an option; the type of an operation's argument is checked later."""
    value = _value(action)
    is_word = not action.option_strings
    flags = [f"--{action.dest}"] if is_word else action.option_strings
    field = next((declared[f] for f in flags if f in declared), None)
    if field is None or value["type"] == "flag":
        return value
    kinds = {int: "integer", float: "number"}
    made = {
        **value,
        "type": kinds.get(field.kind, value["type"]),
        "default": value.get("default", _default(field.default)),
        "required": value.get("required") or (is_word and field.required) or None,
        "minimum": field.bounds.ge,
        "maximum": field.bounds.le,
    }
    return {name: fact for name, fact in made.items() if fact is not None}


def _value(action: argparse.Action) -> dict[str, Any]:
    if action.nargs == 0:
        return {"type": "flag"}
    repeatable = action.nargs in ("*", "+") or isinstance(
        action, argparse._AppendAction
    )
    value = {
        "type": "text",
        "default": _default(action.default),
        "choices": list(action.choices) if action.choices else None,
        "repeatable": repeatable or None,
        "required": action.required or None,
    }
    return {name: fact for name, fact in value.items() if fact is not None}


def _default(value: object) -> object:
    """Return a default, where every way to say "none given" is None."""
    if value == argparse.SUPPRESS or value in ("", (), [], ("", None), Path()):
        return None
    return value


# MCP and HTTP


def toolset_of() -> dict[str, str]:
    """Return the name of the toolset of every tool."""
    return {tool.name: name for name in toolsets() for tool in tools_of([name])}


def toolsets() -> tuple[str, ...]:
    """Return the name of every toolset."""
    return tuple(SETS)


@contextmanager
def engine_of(vault: Path, env: Mapping[str, str], client: str) -> Iterator[Engine]:
    """Open a vault as the servers do, for as long as this is open."""
    engine = open_vault(vault, env=env)
    engine.client = client
    try:
        yield engine
    finally:
        engine.close()


def mcp_server(engine: Engine, toolset: str) -> Server[Any]:
    """Return the server that `glassmind mcp --tools TOOLSET --structured` runs."""
    scope = engine.seen_by(EVERY_AGENT)
    return make_server(scope, toolsets=(toolset,), structured=True)


def http_app(engine: Engine) -> Starlette:
    """Return the application that `glassmind serve` runs."""
    return make_app(engine, AccessRules(frozenset([HOST]), TOKEN))


# Settings and Python

KINDS = {
    values.BOOLEAN: "flag",
    values.INTEGER: "count",
    values.NUMBER: "number",
    values.TEXT: "text",
    values.CHOICE: "text",
    values.SECRET: "text",
    values.NAMES: "names",
    values.RULES: "rules",
    values.FOLDER: "folder",
    values.PLACE: "place",
    values.URL: "url",
    values.HOST: "host",
    values.AGENT_FOLDER: "agent_dir",
}


def settings() -> dict[str, dict[str, Any]]:
    """Return every setting by its full name."""
    return {
        path: {
            name: value
            for name, value in {
                "type": KINDS[key.kind],
                "default": _default(key.default),
                "choices": list(key.choices) or None,
                "minimum": key.bounds and key.bounds[0],
                "maximum": key.bounds and key.bounds[1],
                "variable": key.variable,
                "aliases": list(key.aliases) or None,
                "secret": key.secret or None,
            }.items()
            if value is not None
        }
        for path, key in SETTINGS.items()
    }


def python_names(engine: Engine) -> dict[str, Any]:
    """Return the public names of the package, with signatures without types."""
    names: dict[str, Any] = {}
    for name in glassmind.__all__:
        value = getattr(glassmind, name)
        if inspect.isclass(value):
            assert isinstance(engine, value)
            names[name] = _members(engine, depth=2)
        else:
            names[name] = _signature(value) if callable(value) else type(value).__name__
    return names


def _members(owner: object, depth: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name in dir(owner):
        if name.startswith("_"):
            continue
        value = getattr(owner, name)
        if inspect.isroutine(value):
            members[name] = _signature(value)
        elif type(value).__module__.partition(".")[0] != "glassmind":
            members[name] = type(value).__name__
        else:
            members[name] = _members(value, depth - 1) if depth > 1 else "object"
    return members


def _signature(function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    return str(inspect.Signature(plain))
