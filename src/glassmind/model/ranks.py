"""Which notes matter, by one measure, and why."""

from typing import Literal, TypeAlias

from msgspec import Struct

from glassmind.model.connections import ThemeLabel

Metric: TypeAlias = Literal["influence", "bridging", "hubs", "authorities"]

METRICS: tuple[Metric, ...] = ("influence", "bridging", "hubs", "authorities")
"""What notes can be ranked by.

Influence is PageRank: a note matters that notes which matter lead to. Bridging is
betweenness: how many shortest ways lead through it. A hub leads to good authorities,
and good hubs lead to an authority.
"""


class RankedNote(Struct, frozen=True, kw_only=True):
    """A note and its place; ranks count from 1, and are unique.

    `inbound` and `outbound` count other notes of the whole vault. `hit` says that the
    search `about` found it.
    """

    rank: int
    path: str
    title: str
    ghost: bool = False
    score: float
    inbound: int
    outbound: int
    hit: bool = False
    reason: str
    uri: str | None = None


class Ranking(Struct, frozen=True, kw_only=True):
    """Notes by rank, of `total` that were considered.

    `margin` bounds the error of a score (95 % confidence) estimated from `samples`
    notes; it is 0 if scores are exact. Within a theme, or about a query, only links
    between the notes considered count.
    """

    metric: Metric
    theme: ThemeLabel | None = None
    about: str = ""
    notes: tuple[RankedNote, ...]
    total: int
    margin: float = 0.0
    samples: int = 0
    notices: tuple[str, ...] = ()
