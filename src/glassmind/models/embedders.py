"""The models that turn text into vectors, each made once for a process."""

import json
from collections.abc import Iterator, Sequence
from threading import RLock
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.config.settings import Embeddings
from glassmind.errors import ModelAbsent, ModelFault, NoModelChosen
from glassmind.model.vectors import Embeddable
from glassmind.models.choose import embedder_for

if TYPE_CHECKING:
    from glassmind.config.settings import Prefix
    from glassmind.model.vectors import Matrix, Space, Vector
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


class PrefixedEmbedder:
    """A model whose passages are shortened in front; its vectors are a space apart."""

    def __init__(self, model: "Embedder", prefix: "Prefix") -> None:
        self._model, self._prefix = model, prefix

    @property
    def model(self) -> str:
        """What the model is called, where it says so."""
        return str(getattr(self._model, "model", ""))

    @property
    def space(self) -> str:
        """What the vectors depend on."""
        return f"{self._model.space} prefix {self._prefix}"

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self._model.width

    def passages(self, parts: Sequence[Embeddable], /) -> "Iterator[Matrix]":
        """Yield one matrix for each part, in order.

        Raises:
            ModelFault: the model cannot be run, or answers what it should not.
        """
        return self._model.passages([self._shortened(part) for part in parts])

    def query(self, text: str, /) -> "Vector":
        """Return the unit vector of a question.

        Raises:
            ModelFault: as above.
        """
        return self._model.query(text)

    def _shortened(self, part: Embeddable) -> Embeddable:
        # What is around an enriched chunk stands on lines of its own.
        path, line_end, around = part.context.partition("\n")
        kept = path.partition(" / ")[0] if self._prefix == "title" else ""
        return part._replace(context=f"{kept}{line_end}{around}" if kept else around)
