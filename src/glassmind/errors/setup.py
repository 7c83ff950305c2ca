"""What can go wrong in setting up: a vault is to be chosen, a file written."""

from collections.abc import Sequence

from glassmind.errors.base import NOT_WRITABLE
from glassmind.errors.config import ELSEWHERE, ConfigError

NAMED = 5
"""Vaults that a sentence names; more would bury what to do."""


class SeveralVaults(ConfigError):
    """Obsidian knows several vaults, and nobody says which one is meant."""

    def __init__(self, known: Sequence[str]) -> None:
        super().__init__(
            f"Obsidian knows {len(known)} vaults; choose one: {_commands(known)}"
        )
        self.known = tuple(known)


class UnlikelyVault(ConfigError):
    """A folder was named that nobody takes for a vault on purpose."""

    def __init__(self, folder: str, finding: str, instead: str) -> None:
        super().__init__(
            f"{folder} {finding}; {instead} (to take it all the same: glassmind config "
            f"set vault.path {_typed(folder)})"
        )
        self.folder = folder


class TooWide(UnlikelyVault):
    """A folder was named that holds far more than notes, such as one's home."""

    def __init__(self, folder: str, finding: str, known: Sequence[str] = ()) -> None:
        instead = _commands(known) if known else "glassmind init FOLDER"
        super().__init__(
            folder, f"is {finding}", f"name the folder of your notes: {instead}"
        )
        self.known = tuple(known)


class NoNotesThere(UnlikelyVault):
    """A folder was named in which there is no note."""

    def __init__(self, folder: str, *, empty: bool, known: Sequence[str] = ()) -> None:
        finding = "is empty" if empty else "holds no notes (.md, .canvas, .base)"
        disk = "check that its disk is there, or name" if empty else "name"
        instead = _commands(known) if known else "glassmind init FOLDER"
        super().__init__(folder, finding, f"{disk} the folder of your notes: {instead}")
        self.empty, self.known = empty, tuple(known)


class InsideVault(UnlikelyVault):
    """A folder was named that is a part of a vault."""

    def __init__(self, folder: str, vault: str) -> None:
        super().__init__(
            folder,
            f"is a folder of the vault {vault}, and links to the rest of it would lead "
            "nowhere",
            f"take the whole: {_commands([vault])}",
        )
        self.vault = vault


class AboveVaults(UnlikelyVault):
    """A folder was named that is not a vault but contains some."""

    def __init__(self, folder: str, vaults: Sequence[str]) -> None:
        many = "a vault" if len(vaults) == 1 else f"{len(vaults)} vaults"
        which = "take that" if len(vaults) == 1 else "choose one"
        super().__init__(
            folder,
            f"is not a vault but contains {many}",
            f"{which}: {_commands(vaults)}",
        )
        self.vaults = tuple(vaults)


class VaultChosen(ConfigError):
    """A configuration file names another vault than the one that is to be chosen."""

    def __init__(self, file: str, chosen: str, wanted: str) -> None:
        there = _typed(wanted)
        super().__init__(
            f"{file} names the vault {chosen} already; to change that: glassmind "
            f"config set vault.path {there}, to write the file anew: glassmind init "
            f"{there} --force, for one call: --vault {there}",
        )
        self.file, self.chosen, self.wanted = file, chosen, wanted


class ConfigUnwritable(ConfigError):
    """A configuration file could not be written; the old one, if any, is untouched."""

    def __init__(self, file: str, reason: str) -> None:
        then = ELSEWHERE if reason in NOT_WRITABLE else ""
        super().__init__(f"{file} was not written: {reason}{then}")
        self.file, self.reason = file, reason


def _commands(vaults: Sequence[str]) -> str:
    """Return what chooses one of some vaults, as it is typed."""
    listed = [f"glassmind init {_typed(vault)}" for vault in vaults[:NAMED]]
    more = len(vaults) - len(listed)
    return ", or ".join(listed) + (f" (and {more} more)" if more else "")


def _typed(path: str) -> str:
    """Return a path as it is typed in a shell."""
    from shlex import quote  # noqa: PLC0415 - a start without an error need not load it

    return quote(path)
