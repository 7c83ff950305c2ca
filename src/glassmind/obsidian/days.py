"""Days as people write them into notes and their names."""

import re
from datetime import date
from functools import lru_cache

FAR = 200
"""Characters looked through for a day."""

_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


def first_day(text: str) -> str | None:
    """Return the first `YYYY-MM-DD` near the beginning of a text that is a day."""
    return _first_day(text[:FAR])


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
