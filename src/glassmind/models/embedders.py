"""The models that turn text into vectors, each made once for a process."""

import json
from threading import RLock
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.config.settings import Embeddings
from glassmind.errors import ModelAbsent, ModelFault, NoModelChosen
from glassmind.models.choose import embedder_for

if TYPE_CHECKING:
    from glassmind.model.vectors import Space
    from glassmind.ports.models import Embedder

BEFORE = {"prefix": "headings"}
"""Settings of a space that was written before these settings existed."""

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
        return self._prefixed(found, self._config.embeddings)

    def of(self, space: "Space") -> "Embedder | None":
        """Return the model of a space, be it chosen or not; None when it is not here.

        While a new model is still at work, the old one answers.
        """
        config = self._config
        try:
            then = vars(config.embeddings) | BEFORE | json.loads(space.settings)
            chosen = Config(**vars(config) | {"embeddings": Embeddings(**then)})
            model = embedder_for(chosen)
        except ModelFault:
            return None
        if model is None:
            return None
        found = self._prefixed(model, chosen.embeddings)
        same = found.space == space.name or space.name.startswith(GIVEN)
        return found if same else None

    def _prefixed(self, model: "Embedder", chosen: Embeddings) -> "Embedder":
        """Return a model as its passages are prefixed, unless another program did."""
        shared = self._shared(model)
        if chosen.prefix == "headings" or chosen.backend == "smart-connections":
            return shared
        from glassmind.models.prefixed import PrefixedEmbedder  # noqa: PLC0415

        return PrefixedEmbedder(shared, chosen.prefix)

    def _shared(self, made: "Embedder") -> "Embedder":
        """Return the model that was made for the same vectors before, if there is one.

        It may be loaded already, and one copy is enough for a process.
        """
        with self._making:
            return self._made.setdefault(made.space, made)


def has_other_settings(config: Config, space: "Space") -> bool:
    """True if a space was made with other settings than those of now."""
    now, then = config.embeddings, BEFORE | json.loads(space.settings)
    return any(getattr(now, name, None) != then[name] for name in then)
