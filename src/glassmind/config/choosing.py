"""Whether a folder is one that somebody means as a vault, and what was chosen before.

Only `init` asks: settings that name a folder are believed.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from glassmind.config.discover import home_of, known_vaults
from glassmind.config.entries import nearest
from glassmind.config.files import FileEntries, read_text
from glassmind.config.load import VAULT_MARKS
from glassmind.config.sections import KEYS
from glassmind.config.values import value_of
from glassmind.errors import (
    AboveVaults,
    BadSetting,
    InsideVault,
    NoNotesThere,
    TooWide,
    VaultAbsent,
    VaultClosed,
)

MARK = ".obsidian"
"""What Obsidian puts into every vault, and nobody else into any other folder."""

NOTES = (".md", ".canvas", ".base")
"""How the names of notes end."""

LEVELS_BELOW = 2
"""How deep vaults are looked for in a folder; people keep them side by side."""

LOOKED_AT = 50_000
"""Names looked at for one note: a second on a slow disk. Beyond, there may be some."""


def checked_vault(folder: Path, env: Mapping[str, str], origin: str) -> Path:
    """Return the folder, if it can be meant as a vault.

    One that Obsidian lists, or that it or we have marked, is. Another has to hold
    notes, and neither a vault nor the user's home; nor may it lie in a vault.

    Raises:
        VaultAbsent: it is no folder, or does not let us look.
        UnlikelyVault: it holds no notes, or too much, or is a part of a vault.
    """
    names = _names_in(folder, origin)
    if not names.isdisjoint(VAULT_MARKS):
        return folder
    known = [str(vault.path) for vault in known_vaults(env)]
    real, home = (Path(os.path.realpath(place)) for place in (folder, home_of(env)))
    if str(real) in map(os.path.realpath, known):
        return folder
    if real in (home, *home.parents):
        raise TooWide(str(folder), _wide(real, home), known)
    for above in real.parents:
        if _is_marked(above) and above not in (home, *home.parents):
            raise InsideVault(str(folder), str(above))
    if below := [str(vault) for vault in _vaults_below(folder, LEVELS_BELOW)]:
        raise AboveVaults(str(folder), below)
    if not holds_notes(folder):
        raise NoNotesThere(str(folder), empty=not names, known=known)
    return folder


def holds_notes(folder: Path) -> bool:
    """Whether a folder, or one below it that is not hidden, holds a note."""
    seen = 0
    for _, folders, files in os.walk(folder):
        if any(name.lower().endswith(NOTES) for name in files):
            return True
        folders[:] = [name for name in folders if not name.startswith(".")]
        seen += len(folders) + len(files)
        if seen > LOOKED_AT:
            return True
    return False


def vault_said(file: Path) -> Path | None:
    """Return the vault that a configuration file names; None where it names none.

    Raises:
        BadConfigFile: it cannot be read.
        BadSetting: what it names cannot be a path.
    """
    entry = FileEntries(file, read_text(file), file.parent).entries.get("vault.path")
    if entry is None:
        return None
    try:
        said = value_of(KEYS["vault.path"], entry)
    except ValueError as error:
        raise BadSetting("vault.path", entry.origin, str(error)) from None
    return Path(str(said))


def _names_in(folder: Path, origin: str) -> set[str]:
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            kept = f"; it is a file: name the folder it stands in, {folder.parent}"
            raise VaultAbsent(str(folder), origin, kept)
        return set(os.listdir(folder))  # noqa: PTH208 - names are all that is asked
    except (FileNotFoundError, NotADirectoryError):
        raise VaultAbsent(str(folder), origin, _meant(folder)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise VaultClosed(str(folder), origin, reason) from error


def _meant(folder: Path) -> str:
    """Return which folder beside one that is not there may be meant."""
    try:
        beside = [one.name for one in os.scandir(folder.parent) if one.is_dir()]
    except OSError:
        return ""
    return nearest(folder.name, beside)


def _wide(folder: Path, home: Path) -> str:
    if folder == home:
        return "your home folder"
    if folder.parent == folder:
        return "the root of the disk"
    return "the folder that holds your home folder"


def _is_marked(folder: Path) -> bool:
    return os.path.isdir(folder / MARK)  # noqa: PTH112 - what we may not see is none


def _vaults_below(folder: Path, levels: int) -> Iterator[Path]:
    """Yield the vaults in a folder by name; what lies in a vault is its own."""
    for below in _folders_in(folder):
        if _is_marked(below):
            yield below
        elif levels > 1:
            yield from _vaults_below(below, levels - 1)


def _folders_in(folder: Path) -> Sequence[Path]:
    try:
        found = [
            Path(one.path)
            for one in os.scandir(folder)
            if not one.name.startswith(".") and one.is_dir(follow_symlinks=False)
        ]
    except OSError:
        return ()
    return sorted(found)
