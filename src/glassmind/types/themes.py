"""Themes: notes that are linked with each other more than with the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Standing: TypeAlias = Literal["confirmed", "emergent"]
"""Whether the owner named what holds a theme together, or links alone show it."""

WEAK = 0.3
"""Modularity below which groups are hardly more than chance: Newman and Girvan (2004)
find 0.3 to 0.7 in networks that have communities."""


class Member(NamedTuple):
    """One note of a theme; `influence` is its share of the theme, all make 1.

    A ghost, where they are asked for, has its name for a path.
    """

    path: str
    title: str
    influence: float
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Theme:
    """One theme, its members from the most central on.

    An `id` below 0 is of a theme that is not kept, and for the answer alone.
    `tags` are the commonest with how many members have each. `hub` is the note that
    more than half of the members name in a property, if there is one: then the theme
    is `confirmed`.
    """

    id: int
    label: str
    summary: str
    members: tuple[Member, ...]
    tags: tuple[tuple[str, int], ...] = ()
    standing: Standing = "emergent"
    hub: str = ""

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.members)


@dataclass(frozen=True, slots=True)
class Themes:
    """The themes of a vault, the largest first.

    `modularity` says how much more links stay inside of themes than chance would have
    it, from -0.5 to 1. `total` counts all themes, also where one alone is shown, and
    `notes` all notes, of which `apart` belong to no theme. `ghosts` says whether names
    without a note were counted in.
    """

    themes: tuple[Theme, ...]
    modularity: float
    resolution: float
    total: int
    notes: int
    apart: int
    ghosts: bool = False

    @property
    def warning(self) -> str:
        """What to keep in mind when reading them; mostly nothing."""
        if not self.total or self.modularity >= WEAK:
            return ""
        return (
            f"modularity {self.modularity:.2f} is low: the links of this vault hardly "
            "fall into groups, so take the themes as a rough map"
        )


class ThemeState(NamedTuple):
    """What the themes in the rows were made from.

    `graph` is a fingerprint of the links, empty where notes have gone since then.
    `usual` is the resolution that the settings had: `resolution` is another one where a
    caller wanted that kept. `members` counts the notes that have a theme.
    """

    graph: str
    resolution: float
    modularity: float
    usual: float
    members: int


class KeptTheme(NamedTuple):
    """One theme to be kept: the file ids of its notes and their influence."""

    id: int
    label: str
    summary: str
    members: Sequence[tuple[int, float]]


class KeptThemes(NamedTuple):
    """The themes as they are kept; `state` is None where none were made.

    `members` has file id, theme and influence of each note that has one, by file id.
    `last_id` is the highest that a theme ever had.
    """

    state: ThemeState | None
    members: Sequence[tuple[int, int, float]]
    last_id: int
