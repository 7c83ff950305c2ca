"""The access log: what clients read: made from the settings, once for each vault."""

from glassmind.config import Config
from glassmind.model.index import Check
from glassmind.store.logs import AccessLog
from glassmind.store.place import index_locations, outside

ELSEWHERE = "set index.location to a folder outside of the vault that you can write"

_MADE: dict[tuple[object, ...], AccessLog] = {}
"""Access logs of this process, by the settings that say where they are: to find that
out takes longer than to write a line."""


def access_log_for(config: Config) -> AccessLog | None:
    """Return the access log of a vault; None where the user wants none."""
    access, writes = config.access, config.writes
    if not access.log:
        return None
    place = (config.vault.path, config.index_home, config.index.location)
    key = (*place, writes.agent_dir, writes.mode, access.log_days)
    found = _MADE.get(key)
    if found is None:
        folders = outside(index_locations(config), config.vault.path)
        made = AccessLog(tuple(folders), keep_days=access.log_days)
        found = _MADE.setdefault(key, made)
    return found


def access_log_check(config: Config) -> Check:
    """Return whether what clients read goes on record."""
    access_log = access_log_for(config)
    if access_log is None:
        return Check(
            "access log", "ok", "what clients read is not recorded, as you set it"
        )
    trouble = access_log.trouble()
    if trouble:
        return Check("access log", "warn", trouble, ELSEWHERE)
    return Check(
        "access log", "ok", "what clients read goes on record; see glassmind access-log"
    )
