"""The models that turn text into vectors, each made once for a process.

A part of `wiring`.
"""

import json
from threading import RLock
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.config.sections import Embeddings
from glassmind.errors import ModelAbsent, ModelFault, NoModelChosen
from glassmind.models.choose import embedder_for

if TYPE_CHECKING:
    from glassmind.ports.models import Embedder
    from glassmind.types.vectors import Space

GIVEN = "smart-connections:"
"""How the name of a space begins whose vectors another program made."""


class Embedders:
    """The models of one vault, chosen by its settings; nothing is loaded by that."""

    def __init__(self, config: Config) -> None:
        self._config, self._making = config, RLock()
        self._made: dict[str, Embedder] = {}

    def chosen(self) -> "Embedder":
        """Return the model that the settings mean.

        Raises:
            ModelFault: it cannot be used.
        """
        found = embedder_for(self._config)
        backend = self._config.embeddings.backend
        if found is None:
            raise NoModelChosen if backend == "none" else ModelAbsent(backend)
        return self._shared(found)

    def of(self, space: "Space") -> "Embedder | None":
        """Return the model of a space, be it chosen or not; None when it is not here.

        While a new model is still at work, the old one answers.
        """
        config = self._config
        try:
            then = vars(config.embeddings) | json.loads(space.settings)
            chosen = Config(**vars(config) | {"embeddings": Embeddings(**then)})
            found = embedder_for(chosen)
            same = found is not None and found.space == space.name
        except ModelFault:
            return None
        if found is None or not (same or space.name.startswith(GIVEN)):
            return None
        return self._shared(found)

    def _shared(self, made: "Embedder") -> "Embedder":
        """Return the model that was made for the same vectors before, if there is one.

        It may be loaded already, and one copy is enough for a process.
        """
        with self._making:
            return self._made.setdefault(made.space, made)
