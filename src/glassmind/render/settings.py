"""The settings in force as programs read them."""

import tomllib
from typing import Any

from glassmind.config import Config
from glassmind.config.describe import settings_shown
from glassmind.config.values import HIDDEN


def settings_as_json(config: Config) -> dict[str, Any]:
    """Return every setting with value and origin, secrets hidden."""
    return {
        "settings": {
            key: {"value": _typed(shown), "origin": origin}
            for key, shown, origin in settings_shown(config)
        },
        "files": [str(file) for file in config.files],
        "warnings": list(config.warnings),
    }


def _typed(shown: str) -> object:
    """Return the value that a TOML text stands for."""
    return shown if shown == HIDDEN else tomllib.loads(f"x = {shown}")["x"]
