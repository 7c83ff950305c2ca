"""A model that is told less of where a passage stands: its title alone, or nothing."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from glassmind.model.vectors import Embeddable

if TYPE_CHECKING:
    from glassmind.config.settings import Prefix
    from glassmind.model.vectors import Matrix, Vector
    from glassmind.ports.models import Embedder


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
