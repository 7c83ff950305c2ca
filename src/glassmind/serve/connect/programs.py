"""The programs that can be connected: where each keeps its list of servers, and how."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from glassmind.serve.connect.launching import NAME
from glassmind.serve.connect.texts import Entry, Form, JsonForm, TomlForm

NAMES = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names that every program accepts; Claude Code and Codex refuse all others."""

STORE_CLAUDE = "Packages/Claude_pzs8sxrjxfjjc"
"""Claude Desktop from Microsoft's store: Windows gives it an AppData of its own."""

DESKTOP_FILE = "Claude/claude_desktop_config.json"
JAN_FILE = "mcp_config.json"

CODEX_WAITS_S = 30
"""Seconds for Codex to wait for a server; its default, 10, may be too short for the
first start with uv or from a cold disk."""


def entry_of(words: Sequence[str], more: Entry) -> dict[str, object]:
    """Return the entry that starts a server by some words."""
    return {"command": words[0], "args": list(words[1:]), **more}


def is_ours(entry: object) -> bool:
    """Return whether an entry starts `glassmind mcp`, in whatever way."""
    if not isinstance(entry, Mapping):
        return False
    command, args = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not isinstance(args, list):
        return False
    words = [command, *map(str, args)]
    before = words[: words.index("mcp")] if "mcp" in words else []
    return NAME in map(_stem, before)


def _stem(word: str) -> str:
    """Return the name of a program or package, without folders, extras and release."""
    last = re.split(r"[/\\]", word)[-1].lower().removesuffix(".exe")
    return re.split(r"\[|==|@", last)[0]


class Machine(NamedTuple):
    """What decides where files are; `platform` is as in `sys.platform`."""

    platform: str
    home: Path
    env: Mapping[str, str]

    def folder_in(self, variable: str) -> Path | None:
        """Return the folder that a variable names; a relative one is ignored."""
        value = self.env.get(variable, "").strip()
        return Path(value) if value and Path(value).is_absolute() else None

    @property
    def settings(self) -> Path:
        """The folder where programs keep settings."""
        if self.platform == "win32":
            return self.folder_in("APPDATA") or self.home / "AppData/Roaming"
        if self.platform == "darwin":
            return self.home / "Library/Application Support"
        return self.folder_in("XDG_CONFIG_HOME") or self.home / ".config"


def this_machine() -> Machine:
    return Machine(sys.platform, Path(os.path.expanduser("~")), os.environ)  # noqa: PTH111


def claude_code(machine: Machine) -> Path:
    return (machine.folder_in("CLAUDE_CONFIG_DIR") or machine.home) / ".claude.json"


def claude_desktop(machine: Machine) -> Path:
    local = machine.folder_in("LOCALAPPDATA")
    if machine.platform == "win32" and local and (local / STORE_CLAUDE).is_dir():
        return local / STORE_CLAUDE / "LocalCache/Roaming" / DESKTOP_FILE
    return machine.settings / DESKTOP_FILE


def codex(machine: Machine) -> Path:
    own = machine.folder_in("CODEX_HOME")
    return (own or machine.home / ".codex") / "config.toml"


def jan(machine: Machine) -> Path:
    own = machine.settings
    if machine.platform not in {"win32", "darwin"}:
        own = machine.folder_in("XDG_DATA_HOME") or machine.home / ".local/share"
    return (machine.folder_in("JAN_DATA_FOLDER") or own / "Jan/data") / JAN_FILE


class Program(NamedTuple):
    """A program that starts servers.

    `more` is what its entries have besides a command; `follows` is what a person does
    next, with `{name}` for the name of the entry.
    """

    title: str
    file: Callable[[Machine], Path]
    form: Form
    follows: str
    more: Entry = MappingProxyType({})


STDIO: Entry = {"type": "stdio"}

PROGRAMS = {
    "claude-code": Program(
        "Claude Code",
        claude_code,
        JsonForm("mcpServers"),
        "restart Claude Code; `claude mcp list` shows whether it is connected",
        STDIO,
    ),
    "claude-desktop": Program(
        "Claude Desktop",
        claude_desktop,
        JsonForm("mcpServers"),
        "quit Claude Desktop (closing its window is not enough) and start it again",
    ),
    "codex": Program(
        "Codex",
        codex,
        TomlForm("mcp_servers"),
        "restart Codex; /mcp lists the tools",
        {"startup_timeout_sec": CODEX_WAITS_S},
    ),
    "cursor": Program(
        "Cursor",
        lambda machine: machine.home / ".cursor/mcp.json",
        JsonForm("mcpServers"),
        "enable {name} in Cursor's settings, under MCP, if it is off",
    ),
    "vscode": Program(
        "VS Code",
        lambda machine: machine.settings / "Code/User/mcp.json",
        JsonForm("servers"),
        "in VS Code, run `MCP: List Servers` and start {name}; it asks for your trust",
        STDIO,
    ),
    "jan": Program(
        "Jan",
        jan,
        JsonForm("mcpServers"),
        "quit Jan and start it again; Settings, MCP Servers shows {name}",
        {"env": {}, "active": True},
    ),
}
"""The programs by their name on the command line."""
