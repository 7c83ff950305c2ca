"""What models do for us, whoever runs them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from glassmind.model.vectors import Embeddable, Matrix, Vector


class Embedder(Protocol):
    """Turns text into vectors of one space."""

    @property
    def space(self) -> str:
        """What the vectors depend on: model, weights, prefixes, window, pooling.

        Vectors of two spaces are never compared.
        """

    @property
    def width(self) -> int:
        """How many numbers a vector has."""

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        """Yield one matrix for each part, in order: a unit row for each window of it.

        A vector depends on its own text alone, never on the others of the call.

        Raises:
            ModelFault: the model cannot be run, or answers what it should not.
        """

    def query(self, text: str, /) -> "Vector":
        """Return the unit vector of a question.

        Raises:
            ModelFault: the model cannot be run, or answers what it should not.
        """


class Reranker(Protocol):
    """Reads a question and a passage together and says how well they fit."""

    def scores(self, query: str, passages: Sequence[str], /) -> Iterator[float]:
        """Yield a probability for each passage, in order, each when it is asked for.

        So a caller whose time is up stops asking.

        Raises:
            ModelFault: the model cannot be run.
        """
