"""JSON of the settings in force."""

from typing import Any

from glassmind.config import Config
from glassmind.config.reference import settings_in_force


def settings_as_json(config: Config) -> dict[str, Any]:
    """Return every setting with value and origin, secrets hidden."""
    return {
        "settings": {
            path: {"value": value, "origin": origin}
            for path, value, origin in settings_in_force(config)
        },
        "files": [str(file) for file in config.files],
        "warnings": list(config.warnings),
    }
