"""Find and check the vault that a person chooses, and write the choice to the settings.

Only `init` checks: a folder named in the settings is used as it is.
"""

import json
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from glassmind.config.load import USER_FILE, VAULT_MARKS, settings_in
from glassmind.config.places import FILE_NAME
from glassmind.config.sources import closest, read_text, refuse_link
from glassmind.config.trust import read_vault_settings, record_trust
from glassmind.config.values import AGENT_DIR
from glassmind.config.write import set_keys, write_config
from glassmind.errors import (
    ConfigError,
    InsideVault,
    PathOutsideVault,
    UnlikelyVault,
    VaultAbsent,
    VaultError,
    way_in,
)

MARK = ".obsidian"  # the folder that Obsidian creates in every vault

NOTE_SUFFIXES = (".md", ".canvas", ".base")

LEVELS_BELOW = 2
"""How deep to look for vaults in a folder; people keep them side by side."""

MOST_NAMES = 50_000
"""Names to look at before assuming that there is a note: a second on a slow disk."""


class KnownVault(NamedTuple):
    """A vault in Obsidian's list; `open` if it was open when the list was written."""

    path: Path
    id: str
    name: str
    open: bool


def known_vaults(env: Mapping[str, str]) -> list[KnownVault]:
    """Return Obsidian's vaults, open ones first, then the last opened."""
    found: dict[str, tuple[bool, float, str, KnownVault]] = {}
    for folder in registry_folders(env):
        own = Path(os.path.realpath(folder))
        for identity, facts in _listed(folder / "obsidian.json").items():
            place = facts.get("path") if isinstance(facts, dict) else None
            if not isinstance(place, str) or not _is_folder(place):
                continue
            real = os.path.realpath(place)
            if own in Path(real).parents:  # Obsidian's own help vault
                continue
            is_open, opened_at = facts.get("open") is True, facts.get("ts")
            since = float(opened_at) if isinstance(opened_at, int | float) else 0.0
            vault = KnownVault(Path(place), identity, Path(place).name, is_open)
            found.setdefault(real, (not is_open, -since, place, vault))
    return [entry[-1] for entry in sorted(found.values(), key=lambda entry: entry[:3])]


def _is_folder(place: str) -> bool:
    # False where access is denied; `Path.is_dir` would raise.
    return os.path.isabs(place) and os.path.isdir(place)  # noqa: PTH112, PTH117


def _listed(file: Path) -> dict[str, Any]:
    try:
        vaults = json.loads(file.read_bytes())["vaults"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return {}
    return vaults if isinstance(vaults, dict) else {}


def registry_folders(env: Mapping[str, str]) -> list[Path]:
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
    return Path(env.get("HOME") or os.path.expanduser("~")).absolute()  # noqa: PTH111


def checked_vault(folder: Path, env: Mapping[str, str], origin: str) -> Path:
    names = _names_in(folder, origin)
    if not names.isdisjoint(VAULT_MARKS):
        return folder
    known = [str(vault.path) for vault in known_vaults(env)]
    real, home = (Path(os.path.realpath(place)) for place in (folder, home_of(env)))
    if str(real) in map(os.path.realpath, known):
        return folder
    if real in (home, *home.parents):
        finding = "is the folder that holds your home folder"
        if real == home:
            finding = "is your home folder"
        elif real.parent == real:
            finding = "is the root of the disk"
        instead = f"name the folder of your notes: {init_commands(known)}"
        raise UnlikelyVault(str(folder), finding, instead)
    for above in real.parents:
        if _is_marked(above) and above not in (home, *home.parents):
            finding = (
                f"is a folder of the vault {above}, and links to the rest of it would "
                "lead nowhere"
            )
            instead = f"take the whole: {init_commands([str(above)])}"
            raise InsideVault(str(folder), finding, instead)
    if below := [str(vault) for vault in _vaults_below(folder, LEVELS_BELOW)]:
        several = len(below) > 1
        many = f"{len(below)} vaults" if several else "a vault"
        which = "choose one" if several else "take that"
        finding = f"is not a vault but contains {many}"
        raise UnlikelyVault(str(folder), finding, f"{which}: {init_commands(below)}")
    if not has_notes(folder):
        finding = "holds no notes (.md, .canvas, .base)" if names else "is empty"
        disk = "" if names else "check that its disk is there, or "
        instead = f"{disk}name the folder of your notes: {init_commands(known)}"
        raise UnlikelyVault(str(folder), finding, instead)
    return folder


NAMED = 5  # vaults that a sentence names; more would bury what to do


def init_commands(vaults: Sequence[str]) -> str:
    listed = [f"glassmind init {quote(vault)}" for vault in vaults[:NAMED]]
    more = len(vaults) - len(listed)
    text = ", or ".join(listed) + (f" (and {more} more)" if more else "")
    return text or "glassmind init FOLDER"


def has_notes(folder: Path) -> bool:
    count = 0
    for _, folders, files in os.walk(folder):
        if any(name.lower().endswith(NOTE_SUFFIXES) for name in files):
            return True
        folders[:] = [name for name in folders if not name.startswith(".")]
        count += len(folders) + len(files)
        if count > MOST_NAMES:
            return True
    return False


def _names_in(folder: Path, origin: str) -> set[str]:
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            where = f"name the folder it is in, {folder.parent}"
            problem = f"is not a folder; it is a file: {where}"
            raise VaultAbsent(str(folder), origin, problem)
        return set(os.listdir(folder))  # noqa: PTH208 - only names are needed
    except (FileNotFoundError, NotADirectoryError):
        siblings = [path.name for path in _folders_in(folder.parent, hidden=True)]
        hint = closest(folder.name, siblings)
        problem = hint and f"is not a folder{hint}"
        raise VaultAbsent(str(folder), origin, problem) from None
    except OSError as error:
        reason = error.strerror or str(error)
        remedy = way_in(reason, "check that its disk is there")
        problem = f"cannot be read ({reason}); {remedy}"
        raise VaultAbsent(str(folder), origin, problem) from error


def _is_marked(folder: Path) -> bool:
    return os.path.isdir(folder / MARK)  # noqa: PTH112 - False where access is denied


def _vaults_below(folder: Path, levels: int) -> Iterator[Path]:
    for below in _folders_in(folder):
        if _is_marked(below):
            yield below
        elif levels > 1:
            yield from _vaults_below(below, levels - 1)


def _folders_in(folder: Path, *, hidden: bool = False) -> list[Path]:
    try:
        return sorted(
            Path(entry.path)
            for entry in os.scandir(folder)
            if (hidden or not entry.name.startswith("."))
            and entry.is_dir(follow_symlinks=hidden)
        )
    except OSError:
        return []


class ConfiguredVault(NamedTuple):
    """A vault and its configuration file; `kept` if the file was there before.

    `made` are folders that were made.
    """

    vault: Path
    file: Path
    kept: bool
    made: list[Path]


def configure_vault(
    vault: Path,
    env: Mapping[str, str],
    *,
    file: Path | None,
    force: bool,
    agent_dir: bool,
) -> ConfiguredVault:
    """Write which vault was chosen; an existing file keeps everything else."""
    in_vault = file is None
    file = file or vault / FILE_NAME
    is_kept = os.path.exists(file) and not force  # noqa: PTH110 - False if denied
    before = None
    if is_kept and not in_vault:
        before = settings_in(file, read_text(file), USER_FILE)[0].get("vault.path")
    same = before is not None and os.path.realpath(before) == os.path.realpath(vault)
    # a vault that we may not see counts as gone
    if before is not None and not same and os.path.isdir(before):  # noqa: PTH112
        there = quote(str(vault))
        raise ConfigError(
            f"{file} names the vault {before} already; to change that: glassmind "
            f"config set vault.path {there}, to write the file again: glassmind init "
            f"{there} --force, for one call: --vault {there}"
        )
    if in_vault:
        refuse_link(file)  # before anything is written
    paths = make_agent_folder(vault, AGENT_DIR) if agent_dir else []
    if not is_kept:
        write_config(file, vault, in_vault=in_vault)
        if in_vault and (settings := read_vault_settings(vault)):
            record_trust(settings, env)
    elif not same and not in_vault:
        set_keys(file, {"vault.path": str(vault.resolve())})
    return ConfiguredVault(vault, file, is_kept and (same or in_vault), paths)


PARTS = ("memories", "decisions", "tasks", "summaries", "inbox", "logs", "cache")
"""What has its own place in it."""


def make_agent_folder(root: Path, name: str) -> list[Path]:
    """Make the folder and its parts where they are missing; return those made."""
    paths = []
    base = Path(os.path.realpath(root))
    for part in PARTS:
        folder = Path(os.path.realpath(base / name / part))
        if base not in folder.parents:
            raise PathOutsideVault(f"{name}/{part}", "it leads out of the vault")
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True)
                paths.append(folder)
        except OSError as error:
            reason = error.strerror or str(error)
            raise VaultError(f"{folder} could not be made: {reason}") from error
    return paths
