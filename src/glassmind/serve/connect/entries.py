"""An entry of ours in the list of another program, and how it is told from others."""

import re
from collections.abc import Mapping, Sequence

Entry = Mapping[str, object]

NAME = "glassmind"
"""What an entry is called unless somebody says otherwise."""

NAMES = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names that every program takes; Claude Code and Codex refuse all others."""

RELEASE = re.compile(r"(\[|==|@).*", re.DOTALL)
"""What may follow the name of a package: extras, a release."""


def entry_of(words: Sequence[str], more: Entry) -> dict[str, object]:
    """Return the entry that starts a server by some words.

    `more` is what a program wants besides; its `type` is written first, as the
    programs themselves do.
    """
    kind = {"type": more["type"]} if "type" in more else {}
    start = {"command": words[0], "args": list(words[1:])}
    return {**kind, **start, **more}


def is_ours(entry: object) -> bool:
    """Whether an entry starts `glassmind mcp`, in any of the ways there are."""
    if not isinstance(entry, Mapping):
        return False
    command, args = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not isinstance(args, list):
        return False
    words = [command, *map(str, args)]
    before = words[: words.index("mcp")] if "mcp" in words else []
    return NAME in map(_stem, before)


def is_off(entry: Entry) -> bool:
    """Whether a person has switched an entry off in its program."""
    return entry.get("disabled") is True or entry.get("enabled") is False


def _stem(word: str) -> str:
    """Return the name of a program or package, without folders and release."""
    last = re.split(r"[/\\]", word)[-1].lower().removesuffix(".exe")
    return RELEASE.sub("", last)
