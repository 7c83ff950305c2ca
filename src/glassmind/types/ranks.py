"""Which notes matter, by one measure, and why."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from glassmind.types.connections import ThemeName

Metric: TypeAlias = Literal["influence", "bridging", "hubs", "authorities"]

METRICS: tuple[Metric, ...] = ("influence", "bridging", "hubs", "authorities")
"""What notes can be ranked by.

Influence is PageRank: a note matters that notes which matter lead to. Bridging is
betweenness: how many shortest ways lead through it. A hub leads to good authorities,
and good hubs lead to an authority.
"""


@dataclass(frozen=True, slots=True)
class RankedNote:
    """A note and its place; `rank` counts from 1, and no two notes share one.

    `inbound` and `outbound` count other notes of the whole vault. `hit` says that a
    search for what the ranking is about found it.
    """

    rank: int
    path: str
    title: str
    score: float
    inbound: int
    outbound: int
    reason: str
    ghost: bool = False
    hit: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first notes by one measure, of `total` that came into question.

    `error` bounds how far a score may be off with 95 % confidence, and is 0 where it
    is exact; `samples` is how many notes it was then measured from. Within a theme, or
    about a query, only the links between the notes in question count.
    """

    metric: Metric
    notes: tuple[RankedNote, ...]
    total: int
    error: float = 0.0
    samples: int = 0
    theme: ThemeName | None = None
    about: str = ""
    notices: tuple[str, ...] = ()
