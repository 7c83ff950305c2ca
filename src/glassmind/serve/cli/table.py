"""Commands that are not operations, with the module that holds each and its help."""

from typing import NamedTuple

from glassmind.operations.registry import Group


class Local(NamedTuple):
    """A command that is not an operation: its module, group and line of help."""

    module: str
    group: Group
    summary: str
    everyday: bool = False
    expert: bool = False


COMMANDS = {
    "init": Local("setup", "Maintain", "Choose a vault, configure it and index it"),
    "watch": Local("start", "Maintain", "Index changes of the vault until stopped"),
    "mcp": Local(
        "start", "Agents", "Serve the vault to an agent over stdin and stdout"
    ),
    "serve": Local("start", "Agents", "Serve the vault over HTTP on this machine"),
    "connect": Local("setup", "Agents", "Let another program start the MCP server"),
    "disconnect": Local("setup", "Agents", "Remove the entry that connect wrote"),
    "service": Local(
        "start", "Maintain", "Print files that index on a schedule", expert=True
    ),
    "config": Local("settings", "Maintain", "Show and change settings"),
    "trust": Local("settings", "Agents", "Trust the settings file inside a vault"),
    "eval": Local("measure", "Maintain", "Measure search quality", expert=True),
    "tune": Local(
        "measure", "Maintain", "Find better settings for this vault", expert=True
    ),
    "completion": Local(
        "completion", "Maintain", "Print a completion script for a shell", expert=True
    ),
}
"""Commands that are not operations, and set up or start something."""


def all_commands() -> dict[str, str]:
    """Return every command with its line of help."""
    from glassmind.serve.cli.help import listed_commands  # noqa: PLC0415 - a cycle

    return {command.name: command.summary for command in listed_commands()}
