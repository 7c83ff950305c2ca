"""The adapters of a guest: what it asks the resident of its vault.

A part of `wiring` that nobody needs where there is no resident.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Protocol, cast

from glassmind.config import Config
from glassmind.ports.elsewhere import IndexWishes
from glassmind.ports.indexing import ShowProgress
from glassmind.resident.ask import NoAnswer, ask
from glassmind.resident.card import Card, fingerprint, read_card
from glassmind.resident.door import is_door
from glassmind.store.hung import is_stopped
from glassmind.store.place import Place
from glassmind.types.access import Scope
from glassmind.types.files import IndexReport
from glassmind.types.search import SearchReply, Wish
from glassmind.version import __version__

SEARCH_S, INDEX_S = 120.0, 24 * 3600.0
"""Seconds that an answer may take while there are signs of life: a model is loaded in
seconds, but a large vault is embedded in hours."""


class Adapters(Protocol):
    """What `wiring` has for us."""

    config: Config

    @property
    def place(self) -> Place:
        """The folder of the index."""


class Guest:
    """Asks the resident of a vault, or whoever follows it.

    `another` is told of a card whose owner does not answer and returns that of the next
    resident, if it knows of one.
    """

    def __init__(
        self,
        adapters: Adapters,
        another: Callable[[Card], Card | None] | None = None,
    ) -> None:
        self._config, self._folder = adapters.config, adapters.place.folder
        self._another = another or self._replaced

    def _replaced(self, failed: Card) -> Card | None:
        found = read_card(self._folder)
        return found if found is not None and found.token != failed.token else None

    def search(
        self, text: str, wish: Wish, day: date, scope: Scope | None = None
    ) -> SearchReply | None:
        """Return what the resident finds; None where nobody answers."""
        asked = {"text": text, **wish._asdict(), "today": day, "scope": scope}
        found = self._asked("search", asked, longest_s=SEARCH_S)
        return cast("SearchReply | None", found)

    def index(
        self, wishes: IndexWishes, progress: ShowProgress | None
    ) -> IndexReport | None:
        """Return what the resident did; None where nobody answers.

        Whatever `progress` raises ends the resident's work too.
        """
        told = progress or (lambda _: None)
        found = self._asked("index", wishes, longest_s=INDEX_S, told=told)
        return cast("IndexReport | None", found)

    def _asked(
        self,
        verb: str,
        asked: Mapping[str, Any],
        *,
        longest_s: float,
        told: Callable[[Any], None] = lambda _: None,
    ) -> Any:
        card = read_card(self._folder)
        while card is not None and self._agrees(card):
            try:
                return self._ask(card, verb, asked, longest_s=longest_s, told=told)
            except NoAnswer:
                card = self._another(card)
        return None

    def _ask(self, card: Card, verb: str, asked: Mapping[str, Any], **ways: Any) -> Any:
        """Return what the owner of a card answers.

        Raises:
            NoAnswer: nobody does, or the card leads elsewhere than to a door: one that
                is gone is taken away by the next resident before it leaves its card.
        """
        if not is_door(card.address, self._folder):
            raise NoAnswer("no door")
        return ask(card, verb, asked, is_stopped=is_stopped, **ways)

    def _agrees(self, card: Card) -> bool:
        """Whether the resident would answer as we do."""
        if card.version != __version__:
            return False
        return card.settings == fingerprint(self._config, card.token)
