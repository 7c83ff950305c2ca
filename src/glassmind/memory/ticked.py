"""Accept what a person ticked in Obsidian, after each index run.

Most vaults have nothing that waits, and then nothing else of memory is imported.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError
from glassmind.model.memory import KEEP

if TYPE_CHECKING:
    from glassmind.model import NotePath
    from glassmind.vault import Vault

INBOX = "inbox"


def accept_ticked(vault: "Vault") -> "tuple[Sequence[NotePath], Sequence[str]]":
    """Accept ticked memories; return which files moved, and what went wrong."""
    try:
        with vault.store.faults():  # the rows may be damaged where nobody looked yet
            if not _may_wait(vault):
                return (), ()
            from glassmind.memory.memory import Memory  # noqa: PLC0415

            done = Memory(vault).accept_ticked()
    except GlassmindError as error:
        return (), (f"the inbox could not be looked at: {error}",)
    paths = [path for one in done.moved for path in (one.before, one.memory.path)]
    return paths, done.problems


def _may_wait(vault: "Vault") -> bool:
    folder = vault.agent_folder
    if not vault.config.writes.agent_dir_writable:
        return False
    place = f"{vault.config.vault.path}{os.sep}{folder}"
    if not os.path.isdir(place):  # noqa: PTH112 - in every run, most often for nothing
        return False
    try:
        with os.scandir(f"{place}{os.sep}{INBOX}") as found:
            if any(e.name.endswith(".md") or e.is_dir() for e in found):
                return True
    except OSError:
        pass  # there is none; a memo may have been dragged elsewhere all the same
    try:
        return bool(vault.rows().ticked(folder, KEEP, ""))
    except GlassmindError:  # nothing is indexed
        return False
