"""The ledger of what clients read: made from the settings, once for each vault."""

from glassmind.config import Config
from glassmind.config.places import index_locations
from glassmind.store.ledger import Ledger
from glassmind.store.place import outside
from glassmind.types.catalogue import Check

ELSEWHERE = "set index.location to a folder outside of the vault that you can write"

_MADE: dict[tuple[object, ...], Ledger] = {}
"""Ledgers of this process, by the settings that say where they stand: to find that out
takes longer than to write a line."""


def ledger_for(config: Config) -> Ledger | None:
    """Return the ledger of a vault; None where the user wants none."""
    access, writes = config.access, config.writes
    if not access.ledger:
        return None
    place = (config.vault.path, config.index_home, config.index.location)
    key = (*place, writes.agent_dir, writes.mode, access.ledger_days)
    found = _MADE.get(key)
    if found is None:
        folders = outside(index_locations(config), config.vault.path)
        made = Ledger(tuple(folders), keep_days=access.ledger_days)
        found = _MADE.setdefault(key, made)
    return found


def ledger_check(config: Config) -> Check:
    """Return whether what clients read goes on record."""
    ledger = ledger_for(config)
    if ledger is None:
        return Check("ledger", "ok", "what clients read is not recorded, as you set it")
    trouble = ledger.trouble()
    if trouble:
        return Check("ledger", "warn", trouble, ELSEWHERE)
    return Check(
        "ledger", "ok", "what clients read goes on record; see glassmind ledger"
    )
