"""Following a vault while it changes: how that stands, and what is told of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from glassmind.model.files import IndexReport

WatchMode: TypeAlias = Literal["watching", "polling", "off"]
"""Told of changes by the system, looking for them every few seconds, or neither."""

Cause: TypeAlias = Literal["start", "events", "rescan", "poll", "vectors"]
"""Why the index was brought up to the vault; `vectors` followed the text."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """How the watching of a vault stands.

    `reason` says why it is not `watching`. `since` is when this mode began and
    `reconciled` when the whole vault was last compared with the index, both in ISO
    8601, empty for never. `pending` counts changes not taken in yet, `error` is what
    went wrong last and was not made good, `pid` is who watches.
    """

    mode: WatchMode = "off"
    reason: str = ""
    since: str = ""
    reconciled: str = ""
    pending: int = 0
    error: str = ""
    pid: int = 0


UNWATCHED = WatchState()
"""Nobody follows the vault."""


@dataclass(frozen=True, slots=True)
class Brought:
    """The index was brought up to the vault; no `paths` means a look at all of it."""

    cause: Cause
    report: IndexReport
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turned:
    """Changes are noticed in another way from now on."""

    mode: WatchMode
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Hindered:
    """Changes could not be taken in; it is tried again after `again_s`."""

    message: str
    again_s: float


@dataclass(frozen=True, slots=True)
class Settled:
    """A change of notes that was cut short was brought to its end, or waits still."""

    message: str


News: TypeAlias = Brought | Turned | Hindered | Settled
"""What whoever follows a vault is told."""

TellNews: TypeAlias = Callable[[News], None]
