"""Vaults that Obsidian itself knows on this machine."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

REGISTRY = "obsidian.json"
"""The file in which Obsidian keeps its list of vaults."""


@dataclass(frozen=True, slots=True)
class KnownVault:
    """A vault in Obsidian's list; `open` says that it was open when last written."""

    path: Path
    id: str
    name: str
    open: bool


def known_vaults(env: Mapping[str, str]) -> list[KnownVault]:
    """Return the vaults in Obsidian's lists that exist, those open and newest first.

    A list that is missing, broken or half written counts as empty; ties go by path.
    """
    found: dict[str, tuple[bool, float, KnownVault]] = {}
    for folder in registry_folders(env):
        for stamp, vault in _listed(folder / REGISTRY):
            real = os.path.realpath(vault.path)
            found.setdefault(real, (vault.open, stamp, vault))
    ordered = sorted(
        found.values(), key=lambda item: (not item[0], -item[1], str(item[2].path))
    )
    return [vault for _, _, vault in ordered]


def registry_folders(env: Mapping[str, str]) -> list[Path]:
    """Return the folders in which Obsidian may keep its list, on this system."""
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "win32":
        roaming = env.get("APPDATA")
        return [Path(roaming, "obsidian")] if roaming else []
    if sys.platform == "darwin":
        return [home / "Library/Application Support/obsidian"]
    config = env.get("XDG_CONFIG_HOME", "")
    usual = Path(config) if config.startswith("/") else home / ".config"
    return [
        usual / "obsidian",
        home / ".var/app/md.obsidian.Obsidian/config/obsidian",
        home / "snap/obsidian/current/.config/obsidian",
    ]


def _listed(file: Path) -> Iterator[tuple[float, KnownVault]]:
    """Yield each vault of one list with the time it was last opened."""
    try:
        vaults = json.loads(file.read_bytes())["vaults"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return
    if not isinstance(vaults, dict):
        return
    for identity, facts in vaults.items():
        if not isinstance(facts, dict) or not _is_folder(facts.get("path")):
            continue
        path = Path(facts["path"])
        stamp = facts.get("ts")
        known = KnownVault(path, identity, path.name, facts.get("open") is True)
        yield float(stamp) if isinstance(stamp, int | float) else 0.0, known


def _is_folder(path: object) -> bool:
    return isinstance(path, str) and Path(path).is_absolute() and Path(path).is_dir()
