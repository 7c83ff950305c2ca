"""Ways from one note to another along links, or why there is none."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from glassmind.types.connections import Direction, Tie


class Stop(NamedTuple):
    """A note on the way; a ghost has its name for a path."""

    path: str
    title: str
    ghost: bool


@dataclass(frozen=True, slots=True)
class Step:
    """From one stop to the next: who leads to whom, and the links that say so.

    `outbound` is the way that the chain goes. Of many links the first are here.
    """

    directions: tuple[Direction, ...]
    edges: tuple[Tie, ...]
    edges_total: int


@dataclass(frozen=True, slots=True)
class Chain:
    """One way: its stops from first to last, and the steps between them."""

    stops: tuple[Stop, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CommonNeighbour:
    """A note that is linked with both ends; seen from each of them."""

    stop: Stop
    from_source: tuple[Direction, ...]
    from_target: tuple[Direction, ...]


@dataclass(frozen=True, slots=True)
class SameNote:
    """Both ends are one note."""


@dataclass(frozen=True, slots=True)
class NotConnected:
    """No link leads out of what is linked with the one into what is with the other.

    The sizes count the notes linked with each end in whatever many hops, itself too.
    """

    source_size: int
    target_size: int


@dataclass(frozen=True, slots=True)
class TooFar:
    """The shortest chain has more links than were allowed."""

    most_hops: int
    shortest: int


@dataclass(frozen=True, slots=True)
class OnlyThroughGhosts:
    """A chain there is, but over names that no note has."""

    ghosts: tuple[str, ...]
    hops: int


NoChain: TypeAlias = SameNote | NotConnected | TooFar | OnlyThroughGhosts


@dataclass(frozen=True, slots=True)
class Chains:
    """The shortest ways between two notes, and what is linked with both.

    `reason` says why there is no way, and is None where there is one. `cut` says that
    there may be more ways than these. Of common neighbours the best linked are here.
    `notices` say what could not be looked at.
    """

    source: Stop
    target: Stop
    chains: tuple[Chain, ...]
    reason: NoChain | None
    cut: bool
    common: tuple[CommonNeighbour, ...]
    common_total: int
    notices: tuple[str, ...] = ()
