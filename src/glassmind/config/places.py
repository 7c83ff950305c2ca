"""Where files are: the user's folders, the configuration files, each vault's index."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

from glassmind.config.settings import Config
from glassmind.config.values import AGENT_DIR
from glassmind.errors import BadConfigFile, BadSetting

APP = "glassmind"
FILE_NAME = "glassmind.toml"
USER_NAMES = (FILE_NAME, "config.toml")
VAULT_NAMES = (FILE_NAME, f"{AGENT_DIR}/{FILE_NAME}")
"""Names of configuration files in the user's folder and in a vault, the first wins."""

CONFIG_VARIABLE = "GLASSMIND_CONFIG"
"""Variable that names a file to use in place of the user's own."""

NAME_LENGTH = 40
"""Characters of a vault's name in its index folder; at 4 bytes each below 255."""


def config_home(env: Mapping[str, str]) -> Path:
    """Return the folder of the user's configuration."""
    return _user_folder(env, "XDG_CONFIG_HOME", ".config", "user_config_dir")


def index_home(env: Mapping[str, str]) -> Path:
    """Return the folder that contains the index of every vault."""
    return _user_folder(env, "XDG_DATA_HOME", ".local/share", "user_data_dir")


def _user_folder(env: Mapping[str, str], xdg: str, usual: str, function: str) -> Path:
    if sys.platform in {"win32", "darwin"}:
        import platformdirs  # noqa: PLC0415 - only on these systems

        return Path(getattr(platformdirs, function)(APP, appauthor=False))
    chosen = env.get(xdg, "").strip()
    if chosen.startswith("/"):
        return Path(chosen, APP)
    return Path(env.get("HOME") or os.path.expanduser("~"), usual, APP)  # noqa: PTH111


def current_folder() -> Path:
    """Return the current folder, or its former path if it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return Path(os.environ.get("PWD") or os.sep)


def short(file: Path) -> str:
    """Return a path with the home folder written as `~`."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() may raise
    text = str(file)
    return f"~{text[len(home) :]}" if text.startswith(home + os.sep) else text


def unread(file: Path, reason: str | None) -> str:
    """Return a warning that a file is not read."""
    return f"{short(file)} is not read: {reason}"


def present(folder: Path, names: tuple[str, ...]) -> list[Path]:
    """Return those of the named files that exist; raises `BadConfigFile`."""
    try:
        return [folder / name for name in names if (folder / name).is_file()]
    except OSError as error:
        raise BadConfigFile(short(folder), 0, error.strerror or str(error)) from error


def named_file(
    env: Mapping[str, str], cwd: Path, file: Path | None = None
) -> Path | None:
    """Return the file to use in place of the user's own, if one is named."""
    named = file or env.get(CONFIG_VARIABLE)
    return Path(cwd, os.path.expanduser(named)) if named else None  # noqa: PTH111


def own_file(env: Mapping[str, str], cwd: Path, file: Path | None = None) -> Path:
    """Return the user's file, whether or not it exists: the named or the usual one."""
    home = config_home(env)
    named = named_file(env, cwd, file)
    return named or next(iter(present(home, USER_NAMES)), home / FILE_NAME)


def index_name(vault: Path) -> str:
    """Return the name of a vault's index folder: its name and a CRC of its path.

    The CRC only keeps vaults of the same name apart.
    """
    real = os.path.normcase(os.path.realpath(vault))
    digest = crc32(real.encode("utf-8", "surrogatepass"))
    letters = "".join(c if c.isalnum() or c in "-_" else "-" for c in vault.name)
    name = letters.strip("-")[:NAME_LENGTH].rstrip("-") or "vault"
    return f"{name}-{digest:08x}"


def data_folder(config: Config) -> Path:
    """Return the folder of a vault in the user's data folder."""
    return config.index_home / index_name(config.vault.path)


def index_locations(config: Config) -> list[Path]:
    """Return the folders to try for the index, in order.

    The configured one comes first, then the data folder. A folder inside the vault is
    never a fallback: its content may have come with the vault. Raises `BadSetting` if a
    symbolic link leads the configured folder out of the vault.
    """
    vault, place = config.vault.path, config.index.location
    fallback = data_folder(config)
    if place == "data":
        return [fallback]
    if place not in ("vault", "plugin"):
        return list(dict.fromkeys([Path(place) / index_name(vault), fallback]))
    cache, plugin = f"{config.writes.agent_dir}/cache", f".obsidian/plugins/{APP}"
    first = vault / (cache if place == "vault" else plugin)
    # A vault may come from somebody else: it must not choose where we write.
    if not Path(os.path.realpath(first)).is_relative_to(os.path.realpath(vault)):
        problem = f"is {place!r}, but a symbolic link leads {first} out of the vault"
        raise BadSetting("index.location", config.origins["index.location"], problem)
    return [first, fallback]
