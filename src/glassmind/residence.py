"""A vault's place in a process that stays: its engine, and the role of the resident.

Of all processes that stay with a vault one is its resident: it holds the models,
follows the vault and writes. The others are guests, whose questions it answers.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Literal, Self

from glassmind.config import Config
from glassmind.wiring import engine_for


class Residence:
    """The engine of a vault for as long as this process stays.

    `engine` can be asked at once, before `start` and from any thread. With `watch` the
    resident follows the vault, if the settings let it. `log` is told in one sentence
    what a person who looks after the process should know.
    """

    def __init__(
        self, config: Config, *, watch: bool = True, log: Callable[[str], None]
    ) -> None:
        self.config, self._watch, self._log = config, watch, log
        self.engine = engine_for(config)

    @property
    def role(self) -> Literal["resident", "guest"]:
        """Whether this process answers for the others, or is answered for."""
        return "guest"

    def start(self) -> None:
        """Begin to try for the role; returns at once."""

    def close(self) -> None:
        """Give up the role and let go of everything, within two seconds."""
        self.engine.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
