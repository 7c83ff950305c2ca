"""Which day a note is about, where it says so itself."""

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from glassmind.types import PropertyValue

DATED_BY = ("date", "day", "created")
"""Properties that date a note, the first that holds a day wins."""

FAR = 200
"""Characters looked through for a day."""

_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


def day_of(properties: Mapping[str, PropertyValue], name: str) -> str | None:
    """Return the day as `YYYY-MM-DD`: from the properties, else from the name."""
    folded = {key.lower(): value for key, value in properties.items()}
    for key in DATED_BY:
        source = folded.get(key)
        if isinstance(source, str) and (found := _first_day(source[:FAR])):
            return found
    return _first_day(name[:FAR])


@lru_cache(maxsize=4096)
def _first_day(text: str) -> str | None:
    if "-" not in text:
        return None
    for found in _DAY.finditer(text):
        year, month, day = (int(part) for part in found.groups())
        try:
            return date(year, month, day).isoformat()
        except ValueError:
            continue
    return None
