"""What answering works with; adapters come through it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

from glassmind.config import Config
from glassmind.model.context import Gathered
from glassmind.model.search import Intent, Mode
from glassmind.ports.chat import Chat


class Gather(Protocol):
    """What finds the passages for a question; see `Bundles.gather`."""

    def __call__(  # noqa: PLR0913 - each wish by its name
        self,
        question: str,
        *,
        limit: int,
        budget_tokens: int,
        project: str | None = None,
        mode: Mode | None = None,
        intent: Intent | Literal["auto"] | None = "auto",
        private: bool = False,
        today: date | None = None,
    ) -> Gathered:
        """Return what was found, numbered, within so many tokens."""


@dataclass(frozen=True, slots=True)
class Desk:
    """One vault, as far as answers look at it.

    `gather` finds passages and takes on record that they were used. `chat` returns the
    model that the settings name, and None where they name none.
    """

    config: Config
    gather: Gather
    chat: Callable[[], Chat | None]
