"""Commands that are not operations, with the module that holds each and its help."""

from typing import NamedTuple

from glassmind.operations.registry import Group

COMMANDS = {
    "context": ("context", "pack what matters for a question, for an agent"),
    "ask": ("ask", "answer a question from the notes, with what bears it out"),
    "brief": ("brief", "tell where work stands, for who begins"),
    "summarize": ("summarize", "put a project into sentences of its own notes"),
    "hot": ("hot", "tell what is alive now"),
    "pin": ("pin", "keep a note warm"),
    "unpin": ("unpin", "let a note cool again"),
    "recall": ("recall", "tell what was captured"),
    "forget": ("forget", "move what was captured to the trash"),
    "supersede": ("supersede", "let what was captured take the place of another"),
    "inbox": ("inbox", "see what agents captured, and accept or reject it"),
    "log": ("log", "tell what was written to the vault, and by whom"),
    "edit": ("edit", "change the text of a note, make one or delete one"),
    "rename-heading": ("rename_heading", "give a heading other words, and its links"),
    "rename-tag": ("rename_tag", "give a tag another name, wherever it stands"),
    "merge": ("merge", "add a note to another, and lead its links there"),
    "split": ("split", "make notes of sections of a note"),
    "changeset": ("changeset", "see what was changed, and take it back"),
    "proposals": ("proposals", "see what waits for you, and approve or reject it"),
    "resolve": ("resolve", "tell whether the vault has what a text names"),
}


class Local(NamedTuple):
    """A command that is not an operation: its module, group and line of help."""

    module: str
    group: Group
    summary: str
    everyday: bool = False
    expert: bool = False


LOCAL = {
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

PACKAGE = "glassmind.serve.cli.commands"

GROUPS: dict[str, Group] = {
    "ask": "Find",
    "resolve": "Find",
    "context": "Context",
    "brief": "Context",
    "summarize": "Context",
    "hot": "Memory",
    "pin": "Memory",
    "unpin": "Memory",
    "recall": "Memory",
    "forget": "Memory",
    "supersede": "Memory",
    "inbox": "Memory",
    "log": "Memory",
    "edit": "Edit",
    "rename-heading": "Edit",
    "rename-tag": "Edit",
    "merge": "Edit",
    "split": "Edit",
    "changeset": "Edit",
    "proposals": "Edit",
    "graph": "Graph",
    "suggest": "Graph",
    "ontology": "Graph",
    "ingest": "Graph",
    "health": "Graph",
}
"""The group of each command in help; all others are maintenance."""


def all_commands() -> dict[str, str]:
    """Return every command with its line of help."""
    from glassmind.serve.cli.help import listed_commands  # noqa: PLC0415 - a cycle

    return {command.name: command.summary for command in listed_commands()}
