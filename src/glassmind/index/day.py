"""Which day a note is about, where it says so itself."""

from collections.abc import Mapping

from glassmind.model import PropertyValue
from glassmind.obsidian.days import first_day

DATED_BY = ("date", "day", "created")
"""Properties that date a note, the first that holds a day wins."""


def day_of(properties: Mapping[str, PropertyValue], name: str) -> str | None:
    """Return the day as `YYYY-MM-DD`: from the properties, else from the name."""
    folded = {key.lower(): value for key, value in properties.items()}
    for key in DATED_BY:
        source = folded.get(key)
        if isinstance(source, str) and (found := first_day(source)):
            return found
    return first_day(name)
