"""Another process that does our work in our place."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Protocol, TypedDict

from glassmind.model.access import Scope
from glassmind.model.search import SearchReply, Wish

if TYPE_CHECKING:  # not for a search, which would pay a millisecond for each
    from glassmind.model.index import IndexReport, Progress


class IndexWishes(TypedDict):
    """What a run of indexing is asked for, by name."""

    reason: str
    paths: tuple[str, ...]
    embed: bool
    narrow: bool
    verify: bool
    rebuild: bool
    compact: bool
    accept_deletions: bool
    wait_s: float | None


class Elsewhere(Protocol):
    """A process that answers in our place; None means that we must do so ourselves."""

    def search(
        self, text: str, wish: Wish, day: date, scope: Scope | None = None, /
    ) -> SearchReply | None:
        """Return what it finds, for whoever has a scope."""

    def index(
        self, wishes: IndexWishes, progress: "Callable[[Progress], None] | None", /
    ) -> "IndexReport | None":
        """Let it bring the index up to the vault."""
