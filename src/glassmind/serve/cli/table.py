"""Every command, and `glassmind help`: commands by group, the everyday ones first."""

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple, cast, get_args

from glassmind.operations.arguments import fields_of
from glassmind.operations.registry import Group, all_operations
from glassmind.serve.cli.parser import LocalCommand, nearest


class Listed(NamedTuple):
    """One command in help; expert ones are listed only on request."""

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
"""What a group of commands does, by its first word."""


def local_command(name: str) -> LocalCommand:
    module = import_module(f"{__package__}.{LOCAL[name]}")
    return cast("LocalCommand", module.COMMANDS[name])


def all_commands() -> dict[str, Listed]:
    """Return every command, group by group; a group of commands counts as one."""
    found: dict[str, Listed] = {}
    aliases: dict[str, Listed] = {}
    for operation in all_operations():
        if (command := operation.command) is None:
            continue
        word, _, action = operation.command_path.partition(" ")
        if action.startswith("--"):
            continue  # a variant of the command before it
        summary = GROUP_SUMMARIES.get(word) if action else None
        summary = summary or operation.summary
        row = Listed(operation.group, summary, command.everyday, command.expert)
        found.setdefault(word, row)
        for path, _preset in command.aliases:
            same = f"Same as '{operation.command_path}'."
            aliases.setdefault(
                path.split()[0], Listed(operation.group, same, expert=True)
            )
    local = {
        name: Listed(command.group, command.summary, expert=command.expert)
        for name, command in zip(LOCAL, map(local_command, LOCAL), strict=True)
    }
    order = get_args(Group)
    return dict(
        sorted(
            (aliases | found | local).items(),
            key=lambda item: order.index(item[1].group),
        )
    )


def overview(*, everything: bool = False) -> str:
    """Return the help of the program; with `everything`, also expert commands."""
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


def _rows(commands: dict[str, Listed]) -> Iterator[str]:
    for name, row in commands.items():
        yield f"  {name:<17} {row.summary.rstrip('.')}"


def similar_command(name: str) -> str:
    """Return the command that was probably meant; empty if none is similar.

    An action of a group counts too: `accept` is probably `inbox accept`.
    """
    for operation in all_operations():
        word, _, action = operation.command_path.partition(" ")
        if operation.command and action == name:
            return f"{word} {action}"
        fields = fields_of(operation.arguments, "cli")
        first = [field for field in fields if field.extra["positional"]][:1]
        if operation.command and first and name in first[0].choices:
            return f"{operation.command_path} {name}"
    return nearest(name, all_commands())
