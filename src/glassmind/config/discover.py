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
    What stands beside a list is Obsidian's own, such as its sandbox: no vault of ours.
    """
    found: dict[str, tuple[bool, float, KnownVault]] = {}
    for folder in registry_folders(env):
        for stamp, vault in _listed(folder / REGISTRY):
            real = os.path.realpath(vault.path)
            if Path(os.path.realpath(folder)) in Path(real).parents:
                continue
            found.setdefault(real, (vault.open, stamp, vault))
    ordered = sorted(
        found.values(), key=lambda item: (not item[0], -item[1], str(item[2].path))
    )
    return [vault for _, _, vault in ordered]


def registry_folders(env: Mapping[str, str]) -> list[Path]:
    """Return the folders in which Obsidian may keep its list, on this system."""
    home = home_of(env)
    if sys.platform == "win32":
        return [Path(env.get("APPDATA") or home / "AppData/Roaming", "obsidian")]
    if sys.platform == "darwin":
        return [home / "Library/Application Support/obsidian"]
    config = env.get("XDG_CONFIG_HOME", "")
    usual = Path(config) if config.startswith("/") else home / ".config"
    return [
        usual / "obsidian",
        home / ".var/app/md.obsidian.Obsidian/config/obsidian",
        home / "snap/obsidian/current/.config/obsidian",
    ]


def home_of(env: Mapping[str, str]) -> Path:
    """Return the home folder of who runs this."""
    return Path(env.get("HOME") or os.path.expanduser("~")).absolute()  # noqa: PTH111


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
    # One that we may not see is not there: `Path.is_dir` would raise.
    return isinstance(path, str) and os.path.isabs(path) and os.path.isdir(path)  # noqa: PTH112, PTH117
