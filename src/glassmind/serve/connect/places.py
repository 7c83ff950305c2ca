"""Where other programs keep the list of servers that they start."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

STORE_CLAUDE = "Packages/Claude_pzs8sxrjxfjjc"
"""Claude Desktop from Microsoft's store: Windows gives it an AppData of its own."""

DESKTOP_FILE = "Claude/claude_desktop_config.json"
JAN_FILE = "mcp_config.json"


class Machine(NamedTuple):
    """What decides where files stand; `platform` is as `sys.platform` has it."""

    platform: str
    home: Path
    env: Mapping[str, str]


def this_machine() -> Machine:
    """Return the machine we run on, as its user has it."""
    return Machine(sys.platform, Path(os.path.expanduser("~")), os.environ)  # noqa: PTH111


def claude_code(machine: Machine) -> Path:
    """Return the file of Claude Code's user; an older one counts where it is alone."""
    own = _named(machine, "CLAUDE_CONFIG_DIR")
    file = (own or machine.home) / ".claude.json"
    older = (own or machine.home / ".claude") / ".config.json"
    return older if older.is_file() and not file.exists() else file


def claude_desktop(machine: Machine) -> Path:
    """Return the file of Claude Desktop."""
    local = _named(machine, "LOCALAPPDATA")
    if machine.platform == "win32" and local and (local / STORE_CLAUDE).is_dir():
        return local / STORE_CLAUDE / "LocalCache/Roaming" / DESKTOP_FILE
    return _settings_folder(machine) / DESKTOP_FILE


def codex(machine: Machine) -> Path:
    """Return the file of Codex, of its command line and its windows alike."""
    own = _named(machine, "CODEX_HOME")
    return (own or machine.home / ".codex") / "config.toml"


def cursor(machine: Machine) -> Path:
    """Return the file of Cursor for all projects."""
    return machine.home / ".cursor/mcp.json"


def vscode(machine: Machine) -> Path:
    """Return the file of VS Code's default profile; of Insiders where it is alone."""
    folder = _settings_folder(machine)
    usual, insiders = folder / "Code/User", folder / "Code - Insiders/User"
    alone = insiders.is_dir() and not usual.is_dir()
    return (insiders if alone else usual) / "mcp.json"


def jan(machine: Machine) -> Path:
    """Return the file of Jan, in the folder that its user chose for it."""
    told = _named(machine, "JAN_DATA_FOLDER")
    if told:
        return told / JAN_FILE
    usual = _own_folder(machine) / "Jan"
    for folder in (usual, _settings_folder(machine) / "Jan"):
        chosen = _chosen_by_jan(folder / "settings.json")
        if chosen:
            return chosen / JAN_FILE
    return usual / "data" / JAN_FILE


FILES: Mapping[str, Callable[[Machine], Path]] = {
    "claude-code": claude_code,
    "claude-desktop": claude_desktop,
    "codex": codex,
    "cursor": cursor,
    "vscode": vscode,
    "jan": jan,
}
"""The file of each program, by the name that the command line has for it."""


def _named(machine: Machine, variable: str) -> Path | None:
    """Return the folder that a variable names; a relative one means nothing to us."""
    value = machine.env.get(variable, "").strip()
    return Path(value) if value and Path(value).is_absolute() else None


def _settings_folder(machine: Machine) -> Path:
    if machine.platform == "win32":
        return _named(machine, "APPDATA") or machine.home / "AppData/Roaming"
    if machine.platform == "darwin":
        return machine.home / "Library/Application Support"
    return _named(machine, "XDG_CONFIG_HOME") or machine.home / ".config"


def _own_folder(machine: Machine) -> Path:
    if machine.platform in {"win32", "darwin"}:
        return _settings_folder(machine)
    return _named(machine, "XDG_DATA_HOME") or machine.home / ".local/share"


def _chosen_by_jan(file: Path) -> Path | None:
    try:
        said = json.loads(file.read_bytes())["data_folder"]
        return Path(said) if Path(said).is_absolute() else None
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
