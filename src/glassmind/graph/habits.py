"""What the settings of Obsidian say about a vault: where templates and days stand.

A template is not a note: its links and properties wait to be filled in. A note of a day
needs no link to be found again: its date is one.
"""

import re
from pathlib import Path
from typing import NamedTuple

from glassmind.files.obsidian import ObsidianSettings, obsidian_settings
from glassmind.files.resolve import fold

TEMPLATE_FOLDERS = frozenset(["templates", "template", "_templates"])
"""Names that people give to such a folder where no setting names it."""

_DAY = re.compile(
    r"\d{4}(?:[-_. ]?(?:\d{2}|[wW]\d{1,2}|[qQ][1-4])(?:[-_. ]?\d{2})?)?"
    r"(?:[-_. ,]+[^\W\d]{2,9})?"
)
"""A year, month, week, quarter or day, maybe with a weekday behind it."""

_PLACEHOLDER = re.compile(r"\{\{|\}\}|<%|%>")


class Habits(NamedTuple):
    """The folders of templates and of days, folded, each with a `/` at its end."""

    templates: tuple[str, ...] = ()
    days: tuple[str, ...] = ()

    def is_template(self, path: str) -> bool:
        """Whether a note is one to copy others from."""
        folded = fold(path)
        folders = folded.split("/")[:-1]
        return folded.startswith(self.templates) or not TEMPLATE_FOLDERS.isdisjoint(
            folders
        )

    def is_day(self, path: str) -> bool:
        """Whether a note stands for a day, a week, a month or a year."""
        name = path.rpartition("/")[2].removesuffix(".md")
        return is_date(name) or (bool(self.days) and fold(path).startswith(self.days))


def is_date(name: str) -> bool:
    """Whether a name is that of a day, a week, a month or a year."""
    return _DAY.fullmatch(name.strip()) is not None


def is_placeholder(name: str) -> bool:
    """Whether a name waits to be filled in by a template's engine."""
    return _PLACEHOLDER.search(name) is not None


def habits_of(root: Path) -> Habits:
    """Return the habits of a vault; what cannot be read is taken as not said."""
    return habits_in(obsidian_settings(root))


def habits_in(settings: ObsidianSettings) -> Habits:
    """Return the habits that some settings tell."""
    return Habits(
        tuple(f"{fold(folder)}/" for folder in settings.template_folders),
        tuple(f"{fold(folder)}/" for folder in settings.day_folders),
    )
