"""Where things stand on this machine: the user's folders, the index of each vault."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

from glassmind.config.sections import Config
from glassmind.errors import BadSetting

APP = "glassmind"
IN_VAULT = ("vault", "plugin")
"""Named places that lie inside the vault."""

NAME_LENGTH = 40
"""Letters of a vault's name kept in its index folder; at four bytes each below 255."""


def config_home(env: Mapping[str, str]) -> Path:
    """Return the folder of the user's configuration."""
    return _user_folder(env, "XDG_CONFIG_HOME", ".config", "user_config_dir")


def index_home(env: Mapping[str, str]) -> Path:
    """Return the folder below which every vault has its index."""
    return _user_folder(env, "XDG_DATA_HOME", ".local/share", "user_data_dir")


def _user_folder(
    env: Mapping[str, str], variable: str, usual: str, function: str
) -> Path:
    if sys.platform in {"win32", "darwin"}:
        # 8 ms, and on other systems the two lines below give the same answer.
        import platformdirs  # noqa: PLC0415

        return Path(getattr(platformdirs, function)(APP, appauthor=False))
    chosen = env.get(variable, "").strip()
    if chosen.startswith("/"):
        return Path(chosen, APP)
    return Path(env.get("HOME") or os.path.expanduser("~"), usual, APP)  # noqa: PTH111


def index_name(vault: Path) -> str:
    """Return the name of a vault's index folder: its name and a digest of its path.

    The digest is a CRC: it keeps vaults of one name apart and takes no start-up time,
    which hashlib would; it is no secret.
    """
    real = os.path.normcase(os.path.realpath(vault))
    digest = crc32(real.encode("utf-8", "surrogatepass"))
    letters = "".join(c if c.isalnum() or c in "-_" else "-" for c in vault.name)
    name = letters.strip("-")[:NAME_LENGTH].rstrip("-") or "vault"
    return f"{name}-{digest:08x}"


def data_folder(config: Config) -> Path:
    """Return the folder of a vault below the user's data folder."""
    return config.index_home / index_name(config.vault.path)


def index_locations(config: Config) -> list[Path]:
    """Return the folders for the index, in the order they are to be tried.

    The configured one comes first, then the data folder. A folder inside the vault is
    never a substitute: what lies there may have come with the vault.

    Raises:
        BadSetting: the configured folder of the vault is a way out of it.
    """
    vault, place = config.vault.path, config.index.location
    named = {
        "data": data_folder(config),
        "vault": vault / config.writes.agent_dir / "cache",
        "plugin": vault / ".obsidian" / "plugins" / APP,
    }
    first = named.get(place) or Path(place) / index_name(vault)
    if place in IN_VAULT and leads_out(vault, first):
        problem = f"is {place!r}, but a symbolic link leads {first} out of the vault"
        raise BadSetting("index.location", config.origins["index.location"], problem)
    return list(dict.fromkeys([first, named["data"]]))


def leads_out(vault: Path, folder: Path) -> bool:
    """Whether links lead a folder of the vault to a place outside of it.

    A vault may come from somebody else: it must not choose where we write and delete.
    """
    root, real = os.path.realpath(vault), os.path.realpath(folder)
    return os.path.commonpath([root, real]) != root
