"""Themes: notes that are linked with each other more than with the rest."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

Standing: TypeAlias = Literal["confirmed", "emergent"]
"""Whether the owner named what holds a theme together, or links alone show it."""

WEAK = 0.3
"""Modularity below which groups are hardly more than chance: Newman and Girvan (2004)
find 0.3 to 0.7 in networks that have communities."""


class TagCount(Struct, frozen=True):
    """A tag, and how many members of a theme have it."""

    name: str
    notes: int


class ThemeMember(Struct, frozen=True):
    """A note of a theme; `influence` is its share of the theme, all make 1."""

    path: str
    title: str
    influence: float
    ghost: bool = False
    uri: str | None = None


class Theme(Struct, frozen=True):
    """A group of notes that are linked with each other more than with others.

    It is `confirmed` if most members name one note, its `hub`, in a property. An id
    below 0 is only valid for this answer. Members are sorted by influence.
    """

    id: int
    label: str
    summary: str
    size: int
    members: tuple[ThemeMember, ...]
    tags: tuple[TagCount, ...] = ()
    standing: Standing = "emergent"
    hub: str | None = None


class Themes(Struct, frozen=True, kw_only=True):
    """Themes, largest first; `total` counts all, and `apart` notes in no theme.

    `modularity`, from -0.5 to 1, says how much more links stay inside themes than by
    chance. `ghosts` says whether unresolved links were included.
    """

    themes: tuple[Theme, ...]
    total: int
    modularity: float
    resolution: float
    notes: int
    apart: int
    ghosts: bool = False
    warning: str = ""


def low_modularity(modularity: float) -> str:
    """Return a warning about themes that links hardly support, or an empty text."""
    if modularity >= WEAK:
        return ""
    return (
        f"modularity {modularity:.2f} is low: the links of this vault hardly "
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
