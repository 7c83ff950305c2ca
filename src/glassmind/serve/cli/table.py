"""Commands that are not operations, with the module that holds each and its help."""

from glassmind.operations.registry import Group

COMMANDS = {
    "init": ("init", "choose a vault, configure it and index it"),
    "index": ("index", "bring the index up to the vault"),
    "context": ("context", "pack what matters for a question, for an agent"),
    "ask": ("ask", "answer a question from the notes, with what bears it out"),
    "brief": ("brief", "tell where work stands, for who begins"),
    "summarize": ("summarize", "put a project into sentences of its own notes"),
    "ledger": ("ledger", "tell which client was given which passages, when"),
    "edit": ("edit", "change the text of a note, make one or delete one"),
    "rename-heading": ("rename_heading", "give a heading other words, and its links"),
    "rename-tag": ("rename_tag", "give a tag another name, wherever it stands"),
    "merge": ("merge", "add a note to another, and lead its links there"),
    "split": ("split", "make notes of sections of a note"),
    "changeset": ("changeset", "see what was changed, and take it back"),
    "proposals": ("proposals", "see what waits for you, and approve or reject it"),
    "resolve": ("resolve", "tell whether the vault has what a text names"),
    "stats": ("stats", "tell how much the index holds"),
    "status": ("status", "tell what is current, and who is at work"),
    "watch": ("watch", "follow the vault and index what changes, until stopped"),
    "mcp": ("mcp", "serve the vault to an agent over stdin and stdout"),
    "connect": ("connect", "let another program start the server for its agent"),
    "disconnect": ("disconnect", "take that back"),
    "serve": ("serve", "serve the vault over HTTP, on this machine"),
    "clients": ("clients", "give programs tokens of their own, and say what they read"),
    "service": ("units", "print what lets the system index by the clock"),
    "doctor": ("doctor", "examine the vault and the index, and say what to mend"),
    "config": ("config", "show and change settings"),
    "trust": ("trust", "trust the settings file inside a vault"),
    "models": ("models", "list, fetch and check what turns text into vectors"),
    "eval": ("eval", "measure how good search is"),
    "tune": ("tune", "find better settings for this vault, if there are any"),
    "backup": ("backup", "write a copy of the index to a file"),
    "restore": ("restore", "take the index back from a copy"),
    "completion": ("completion", "print a completion script for a shell"),
}

PACKAGE = "glassmind.serve.cli.commands"

GROUPS: dict[str, Group] = {
    "ask": "Find",
    "resolve": "Find",
    "context": "Context",
    "brief": "Context",
    "summarize": "Context",
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
    "ledger": "Agents",
    "mcp": "Agents",
    "connect": "Agents",
    "disconnect": "Agents",
    "serve": "Agents",
    "clients": "Agents",
    "trust": "Agents",
}
"""The group of each command in help; all others are maintenance."""


def all_commands() -> dict[str, str]:
    """Return every command with its line of help."""
    from glassmind.serve.cli.help import listed_commands  # noqa: PLC0415 - a cycle

    return {command.name: command.summary for command in listed_commands()}
