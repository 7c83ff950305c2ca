"""A client of the daemon: lets it search and index in our place."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Any, TypeVar

from glassmind.ports.elsewhere import IndexWishes
from glassmind.ports.indexing import ShowProgress
from glassmind.serve.daemon.protocol import (
    Card,
    NoDaemon,
    Search,
    call,
    fingerprint,
    is_daemon_socket,
    read_card,
)
from glassmind.types.access import Scope
from glassmind.types.files import IndexReport
from glassmind.types.search import SearchReply, Wish
from glassmind.version import __version__
from glassmind.wiring import LocalAdapters

T = TypeVar("T")

SEARCH_S, INDEX_S = 120.0, 24 * 3600.0
"""Seconds that an answer may take while there are signs of life: loading a model takes
seconds, but embedding a large vault takes hours."""


class DaemonClient:
    """Calls the daemon of a vault, or the one that replaces it.

    `find_next` gets the card of a daemon that does not answer, and returns that of the
    next one, if any.
    """

    def __init__(
        self,
        adapters: LocalAdapters,
        find_next: Callable[[Card], Card | None] | None = None,
    ) -> None:
        self._config, self._folder = adapters.config, adapters.place.folder
        self._find_next = find_next or self._replacement

    def _replacement(self, failed: Card) -> Card | None:
        card = read_card(self._folder)
        return card if card is not None and card.token != failed.token else None

    def search(
        self, text: str, wish: Wish, day: date, scope: Scope | None = None
    ) -> SearchReply | None:
        """Return what the daemon finds; None if none answers."""
        asked = Search(text, wish, day, scope)
        return self._call("search", asked, SearchReply, timeout_s=SEARCH_S)

    def index(
        self, wishes: IndexWishes, progress: ShowProgress | None
    ) -> IndexReport | None:
        """Let the daemon update the index; None if none answers.

        An exception of `progress` ends the daemon's work too.
        """
        on_progress = progress or (lambda _: None)
        return self._call(
            "index", wishes, IndexReport, timeout_s=INDEX_S, on_progress=on_progress
        )

    def _call(
        self, method: str, arguments: object, result: type[T], **options: Any
    ) -> T | None:
        card = read_card(self._folder)
        while card is not None and self._agrees(card):
            # the next daemon removes an old socket before it writes its card
            if is_daemon_socket(card.address, self._folder):
                with suppress(NoDaemon):
                    return call(card, method, arguments, result, **options)
            card = self._find_next(card)
        return None

    def _agrees(self, card: Card) -> bool:
        """Return whether the daemon would answer as this process does."""
        if card.version != __version__:
            return False
        return card.settings == fingerprint(self._config, card.token)
