"""`glassmind help`: commands by group, the everyday ones first."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple, get_args

from glassmind.operations.arguments import fields_of
from glassmind.operations.registry import Group, all_operations
from glassmind.serve.cli.table import COMMANDS


class Listed(NamedTuple):
    """One command in help: everyday ones come first, expert ones only on request."""

    name: str
    group: Group
    summary: str
    everyday: bool
    expert: bool


def listed_commands() -> list[Listed]:
    """Return every command, group by group; a group of commands counts as one."""
    found: dict[str, Listed] = {}
    aliases: dict[str, Listed] = {}
    for operation in all_operations():
        if operation.command:
            word, _, action = operation.command_path.partition(" ")
            if action.startswith("--"):
                continue  # a variant of the command before it
            summary = GROUP_SUMMARIES.get(word) if action else operation.summary
            command, group = operation.command, operation.group
            levels = command.everyday, command.expert
            line = Listed(word, group, summary or operation.summary, *levels)
            found.setdefault(word, line)
            for path, _preset in command.aliases:
                same, alias = f"Same as '{operation.command_path}'.", path.split()[0]
                aliases.setdefault(alias, Listed(alias, group, same, False, True))
    for name, local in COMMANDS.items():
        levels = local.everyday, local.expert
        found[name] = Listed(name, local.group, f"{local.summary}.", *levels)
    order = get_args(Group)
    return sorted((aliases | found).values(), key=lambda one: order.index(one.group))


GROUP_SUMMARIES = {
    "edit": "Change, create or delete a note.",
    "changeset": "Show what was changed, and undo it.",
    "proposals": "Review proposed changes.",
    "inbox": "Review what agents saved.",
}
"""What a group of commands does as a whole, by its first word."""


def overview(*, everything: bool = False) -> str:
    """Return the help of the program; with `everything`, also expert commands."""
    commands = listed_commands()
    lines = ["Usage: glassmind [--vault PATH] COMMAND ...", ""]
    if not everything:
        lines += ["Everyday", *_rows([c for c in commands if c.everyday]), ""]
        commands = [c for c in commands if not c.everyday and not c.expert]
    for group in get_args(Group):
        members = [command for command in commands if command.group == group]
        if members:
            lines += [group, *_rows(members), ""]
    more = "" if everything else ", 'glassmind help --all' for every command"
    lines.append(f"Run 'glassmind help COMMAND' for details{more}.")
    return "".join(f"{line}\n" for line in lines)


def _rows(commands: list[Listed]) -> Iterator[str]:
    for command in commands:
        yield f"  {command.name:<17} {command.summary.rstrip('.')}"


def similar_command(name: str) -> str:
    """Return the command that was probably meant; empty if none is close.

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
    names = [command.name for command in listed_commands()]
    return next(iter(get_close_matches(name, names, n=1)), "")
