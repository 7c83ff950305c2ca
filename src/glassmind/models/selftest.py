"""A model is trusted with a vault once it tells a pair from two strangers."""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING

from glassmind.errors import ModelFailed
from glassmind.model.vectors import Embeddable

if TYPE_CHECKING:
    from glassmind.model.vectors import Matrix, Vector
    from glassmind.models.counting import TokenCounter
    from glassmind.ports.models import Embedder

QUESTION = "How often should tomato plants be watered?"
ANSWER = Embeddable("Garden", "Give your tomatoes water every morning in summer.")
STRANGER = Embeddable("Office", "The invoice for the new chairs was paid in March.")
"""A pair that belongs together, and a text that belongs to neither."""

NEARER = 0.05
"""How much nearer the pair must be; broken weights give about 0, models we know 0.2 up.
"""

CLOSE_TO_ONE = 1e-3


def self_test(embedder: "Embedder", model: str) -> None:
    """See that a model's vectors are sound and say something about meaning.

    Raises:
        ModelFailed: they are not, or do not.
        ModelFault: the model cannot be run at all.
    """
    asked = embedder.query(QUESTION)
    answer, stranger = (rows[0] for rows in embedder.passages([ANSWER, STRANGER]))
    for vector in (asked, answer, stranger):
        if vector.shape != (embedder.width,):
            reason = f"{vector.size} numbers in place of {embedder.width}"
            raise ModelFailed(model, reason)
        length = sqrt(float(vector @ vector))
        if not abs(length - 1) < CLOSE_TO_ONE:
            raise ModelFailed(model, "its vectors are not of unit length")
    gain = float(asked @ answer) - float(asked @ stranger)
    if not gain > NEARER:
        reason = f"a question is no nearer to its answer than to others: {gain:.3f}"
        raise ModelFailed(model, reason)


class TestedEmbedder:
    """An embedder that is put to the test before it embeds its first passage."""

    __test__ = False  # its name is no invitation to a test runner

    def __init__(self, inner: "Embedder", model: str) -> None:
        self.inner, self.model = inner, model
        self._passed = False

    @property
    def space(self) -> str:
        """What the vectors depend on."""
        return self.inner.space

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self.inner.width

    def passages(self, parts: Sequence[Embeddable], /) -> "Iterator[Matrix]":
        """Yield a matrix for each part, once the model has passed its test.

        Raises:
            ModelFault: it does not pass, or fails later.
        """
        if not self._passed:
            self_test(self.inner, self.model)
            self._passed = True
        yield from self.inner.passages(parts)

    def query(self, text: str, /) -> "Vector":
        """Return the vector of a question."""
        return self.inner.query(text)

    def warm(self) -> None:
        """Begin to load the model, where that can be done before it is needed."""
        begin = getattr(self.inner, "warm", None)
        if begin is not None:
            begin()

    def counter(self) -> "TokenCounter | None":
        """Return what counts tokens as the model does; None where only a server can.

        Raises:
            ModelFault: its tokenizer cannot be read.
        """
        counter = getattr(self.inner, "counter", None)
        return None if counter is None else counter()
