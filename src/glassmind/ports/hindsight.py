"""A memory beside the vault that is asked and told things."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from glassmind.model.index import Check
from glassmind.model.search import RecalledFact, Told

Hear: TypeAlias = Callable[[], Sequence[RecalledFact]]
"""Waits for the facts that were asked for, best first.

Raises:
    HindsightFailed, RemoteRefused: there are none to be had.
"""


class OtherMemory(Protocol):
    """A Hindsight server; no call waits longer than the settings say."""

    def ask(self, question: str, /) -> Hear:
        """Begin to ask for facts, and return what waits for them."""

    def tell(self, told: Told, /) -> None:
        """Give it something to remember.

        Raises:
            HindsightFailed, RemoteRefused: it did not take it, or may not be told.
        """

    def is_well(self) -> bool:
        """Whether it answers now, as far as a quick look tells."""

    def check(self) -> Check:
        """Ask it something, and return how that went."""
