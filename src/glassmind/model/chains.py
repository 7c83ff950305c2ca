"""Chains of links from one note to another, or why there are none."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from glassmind.model.connections import Direction, GraphLink


class PathNote(Struct, frozen=True):
    """A note on the way; an unresolved link has its name as path."""

    path: str
    title: str
    ghost: bool
    uri: str | None = None


class CommonNote(PathNote, frozen=True, kw_only=True):
    """A note that is linked with both ends, seen from each of them."""

    from_source: tuple[Direction, ...]
    from_target: tuple[Direction, ...]


class PathStep(Struct, frozen=True):
    """From one note to the next; `outbound` is the direction of the chain.

    Of many links only the first are listed.
    """

    directions: tuple[Direction, ...]
    edges: tuple[GraphLink, ...]
    edges_total: int


class Chain(Struct, frozen=True):
    """One chain of links; `length` counts them."""

    length: int
    notes: tuple[PathNote, ...]
    steps: tuple[PathStep, ...]


class NoPath(Struct, frozen=True):
    """Why there is no chain: its kind, a sentence, and the figures of that kind.

    The sizes count the notes connected with each end, including itself.
    """

    kind: Literal["same_note", "not_connected", "too_far", "only_through_ghosts"]
    text: str
    source_size: int | UnsetType = UNSET
    target_size: int | UnsetType = UNSET
    most_hops: int | UnsetType = UNSET
    shortest: int | UnsetType = UNSET
    ghosts: tuple[str, ...] | UnsetType = UNSET
    hops: int | UnsetType = UNSET


class Chains(Struct, frozen=True, kw_only=True):
    """Chains of links, shortest first; `reason` says why there are none.

    `cut` says that there may be more. Of the notes linked with both ends, those with
    the fewest links are listed.
    """

    source: PathNote
    target: PathNote
    chains: tuple[Chain, ...]
    cut: bool
    reason: NoPath | None
    common: tuple[CommonNote, ...]
    common_total: int
    notices: tuple[str, ...] = ()
