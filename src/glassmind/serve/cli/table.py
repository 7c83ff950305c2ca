"""Commands that are not operations, with the module that holds each and its help."""

from glassmind.operations.registry import Group

COMMANDS = {
    "init": ("init", "choose a vault, configure it and index it"),
    "index": ("index", "bring the index up to the vault"),
    "ledger": ("ledger", "tell which client was given which passages, when"),
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
