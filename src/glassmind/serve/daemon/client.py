"""A client of the daemon: lets it search and index in our place."""

import time
from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

from glassmind.ports.elsewhere import IndexWishes
from glassmind.ports.indexing import ShowProgress
from glassmind.serve.daemon.protocol import (
    Card,
    NoDaemon,
    Refused,
    Search,
    call,
    fingerprint,
    read_card,
)
from glassmind.types.access import Scope
from glassmind.types.files import IndexReport
from glassmind.types.search import SearchReply, Wish
from glassmind.version import __version__
from glassmind.wiring import LocalAdapters

T = TypeVar("T")

REPLACED_S = 4.0
"""How long a call waits for another daemon: in this time one that hangs is replaced."""

POLL_S = 0.02
"""How often a waiting call looks for a daemon."""

SEARCH_S, INDEX_S = 120.0, 24 * 3600.0
"""Seconds that an answer may take while there are signs of life: loading a model takes
seconds, but embedding a large vault takes hours."""


class DaemonClient:
    """Calls the daemon of a vault, or the one that replaces it.

    Where there is none, a call waits for one as long as `may_wait` returns true.
    """

    def __init__(
        self, adapters: LocalAdapters, may_wait: Callable[[], bool] = lambda: False
    ) -> None:
        self._config, self._folder = adapters.config, adapters.place.folder
        self._may_wait = may_wait

    def search(
        self, text: str, wish: Wish, day: date, scope: Scope | None = None
    ) -> SearchReply | None:
        """Return what the daemon finds; None if it does not answer."""
        asked = Search(text, wish, day, scope)
        return self._call("search", asked, SearchReply, timeout_s=SEARCH_S)

    def index(
        self, wishes: IndexWishes, progress: ShowProgress | None
    ) -> IndexReport | None:
        """Let the daemon update the index; None if it does not answer.

        An exception of `progress` ends the daemon's work too.
        """
        on_progress = progress or (lambda _: None)
        return self._call(
            "index", wishes, IndexReport, timeout_s=INDEX_S, on_progress=on_progress
        )

    def _call(
        self, method: str, arguments: object, result: type[T], **options: Any
    ) -> T | None:
        failed, deadline = "", time.monotonic() + REPLACED_S
        while True:
            card = read_card(self._folder)
            if card is not None and card.token != failed:
                if not self._agrees(card):
                    return None
                failed, deadline = card.token, time.monotonic() + REPLACED_S
                try:
                    return call(card, method, arguments, result, **options)
                except Refused:
                    return None
                except NoDaemon:
                    continue
            if time.monotonic() > deadline or not self._may_wait():
                return None
            time.sleep(POLL_S)

    def _agrees(self, card: Card) -> bool:
        """Return whether the daemon would answer as this process does."""
        if card.version != __version__:
            return False
        return card.settings == fingerprint(self._config, card.token)
