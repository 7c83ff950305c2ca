"""Where files are: the user's folders and the configuration files."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

APP = "glassmind"
FILE_NAME = "glassmind.toml"
CONFIG_VARIABLE = "GLASSMIND_CONFIG"
"""Variable that names a file to use in place of the user's own."""


def config_home(env: Mapping[str, str]) -> Path:
    return _user_folder(env, "XDG_CONFIG_HOME", ".config", "user_config_dir")


def index_home(env: Mapping[str, str]) -> Path:
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
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() may raise
    text = str(file)
    return f"~{text[len(home) :]}" if text.startswith(home + os.sep) else text


def named_file(
    env: Mapping[str, str], cwd: Path, file: Path | None = None
) -> Path | None:
    named = file or env.get(CONFIG_VARIABLE)
    return Path(cwd, os.path.expanduser(named)) if named else None  # noqa: PTH111


def own_file(env: Mapping[str, str], cwd: Path, file: Path | None = None) -> Path:
    return named_file(env, cwd, file) or config_home(env) / FILE_NAME
