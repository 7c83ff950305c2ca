"""Every command by name, with the module that holds it and one line of help."""

COMMANDS = {
    "init": ("init", "choose a vault and write a configuration for it"),
    "index": ("index", "bring the index up to the vault"),
    "search": ("search", "find the passages that matter for a question"),
    "read": ("read", "print a note, a section or some lines of it"),
    "read-chunks": ("read_chunks", "print a note as it was split for the index"),
    "list": ("list", "list notes by folder, tag, property or date"),
    "graph": ("graph", "tell what follows from the links"),
    "ontology": ("ontology", "tell what the vault calls things"),
    "resolve": ("resolve", "tell whether the vault has what a text names"),
    "ingest": ("ingest", "match what a note names with what the vault has"),
    "stats": ("stats", "tell how much the index holds"),
    "status": ("status", "tell what is current, and who is at work"),
    "watch": ("watch", "follow the vault and index what changes, until stopped"),
    "mcp": ("mcp", "serve the vault to an agent over stdin and stdout"),
    "serve": ("serve", "serve the vault over HTTP, on this machine"),
    "service": ("units", "print what lets the system index by the clock"),
    "health": ("health", "tell what is to be mended in the notes"),
    "doctor": ("doctor", "examine the vault and the index, and say what to mend"),
    "config": ("config", "show and change settings"),
    "models": ("models", "list, fetch and check what turns text into vectors"),
    "eval": ("eval", "measure how good search is"),
    "tune": ("tune", "find better settings for this vault, if there are any"),
    "backup": ("backup", "write a copy of the index to a file"),
    "restore": ("restore", "take the index back from a copy"),
    "completion": ("completion", "print a completion script for a shell"),
}

PACKAGE = "glassmind.surfaces.cli.commands"
