"""Every command, and `glassmind help`: commands by group, the everyday ones first."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple, get_args

from glassmind.operations.arguments import fields_of
from glassmind.operations.registry import Group, all_operations


class Listed(NamedTuple):
    """One command in help; expert ones are listed only on request.

    `module` holds a command that is not an operation.
    """

    group: Group
    summary: str
    everyday: bool = False
    expert: bool = False
    module: str = ""


def _local(module: str, group: Group, summary: str, *, expert: bool = False) -> Listed:
    return Listed(group, summary, expert=expert, module=module)


LOCAL = {
    "init": _local("setup", "Maintain", "Choose a vault, configure and index it."),
    "watch": _local("start", "Maintain", "Index changes until stopped."),
    "mcp": _local("start", "Agents", "Serve an agent over stdin and stdout."),
    "serve": _local("start", "Agents", "Serve the vault over HTTP."),
    "connect": _local("setup", "Agents", "Add Glassmind to another program."),
    "disconnect": _local("setup", "Agents", "Remove the entry that connect wrote."),
    "service": _local(
        "start", "Maintain", "Print timer files for indexing.", expert=True
    ),
    "config": _local("settings", "Maintain", "Show and change settings."),
    "trust": _local("settings", "Agents", "Trust the settings file inside a vault."),
    "eval": _local("measure", "Maintain", "Measure search quality.", expert=True),
    "tune": _local("measure", "Maintain", "Find better settings.", expert=True),
    "completion": _local(
        "completion", "Maintain", "Print shell completions.", expert=True
    ),
}
"""Commands that are not operations, and set up or start something."""

GROUP_SUMMARIES = {
    "edit": "Change, create or delete a note.",
    "changeset": "Show what was changed, and undo it.",
    "proposals": "Review proposed changes.",
    "inbox": "Review what agents saved.",
}
"""What a group of commands does, by its first word."""


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
    order = get_args(Group)
    return dict(
        sorted(
            (aliases | found | LOCAL).items(),
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
    return next(iter(get_close_matches(name, all_commands(), n=1)), "")
