"""One batch of chunks on its way to vectors: known ones, given ones, computed ones."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from glassmind.errors import ModelFailed, ModelFault
from glassmind.index.embed_text import embeddable, key_of
from glassmind.model.vectors import Embeddable, Embedded, Unembedded
from glassmind.ports.models import Embedder

if TYPE_CHECKING:
    from glassmind.model.vectors import Matrix

HOPELESS = 3
"""Passages that fail one after the other before the model is given up."""


class Given(Protocol):
    """Vectors that another program made of the vault."""

    @property
    def space(self) -> str:
        """The name of the space they lie in."""

    @property
    def width(self) -> int:
        """How many numbers a vector has."""

    @property
    def state(self) -> str:
        """What changes whenever the other program has written."""

    def rows_for(self, chunk: Unembedded, /) -> bytes | None:
        """Return the vectors that cover a chunk; None where they are stale or none."""

    def remarks(self) -> list[str]:
        """Return what a user should know of what was read."""


class Batcher:
    """Turns chunks into vectors and counts how; without a model, the given ones."""

    def __init__(self, embedder: Embedder | None, given: Given | None) -> None:
        self._embedder, self._given = embedder, given
        self.embedded = self.reused = self.failed = 0
        self.warnings: list[str] = []
        self._failure: ModelFault | None = None

    @property
    def can_compute(self) -> bool:
        """Whether there is a model for what is not given."""
        return self._embedder is not None

    @property
    def space(self) -> tuple[str, int]:
        """Name and width of the space that the vectors lie in."""
        source = self._given or self._embedder
        if source is None:
            raise LookupError("neither a model nor given vectors")
        return source.space, source.width

    def remarks(self) -> list[str]:
        """Return what to say of passages that could not be embedded, or were given."""
        said = self._given.remarks() if self._given is not None else []
        if not self.failed:
            return said
        much = "1 passage" if self.failed == 1 else f"{self.failed:,} passages"
        return [*said, f"{much} got no vector: {self._failure}"]

    def made(
        self,
        chunks: Sequence[Unembedded],
        kinds: Sequence[bool],
        known: Callable[[Iterable[bytes]], set[bytes]],
    ) -> list[Embedded]:
        """Return the chunks with their vectors; one that got none is left out.

        `kinds` are the forms whose vectors are taken where they are `known` (enriched
        or not), the best first; the last is the one that is computed.

        Raises:
            ModelFault: the model gives no answer to anything.
        """
        forms = [[_form(chunk, enriched) for enriched in kinds] for chunk in chunks]
        there = known(key for row in forms for key, _, _ in row)
        found: list[Embedded] = []
        wanted: dict[bytes, Embeddable] = {}
        for chunk, row in zip(chunks, forms, strict=True):
            key, enriched, part = next((f for f in row if f[0] in there), row[-1])
            rows = None
            if key not in there and self._given is not None:
                rows = self._given.rows_for(chunk)
            if rows is None and key not in there:
                wanted.setdefault(key, part)
            found.append(Embedded(chunk, key, rows, enriched))
        computed = self._computed(wanted)
        return [full for one in found if (full := self._filled(one, there, computed))]

    def _filled(
        self, one: Embedded, there: set[bytes], computed: dict[bytes, bytes]
    ) -> Embedded | None:
        """Return a chunk with what was computed for it, counted; None without any."""
        if one.rows is None and one.key in computed:
            there.add(one.key)  # the next that says the same need not bring it again
            self.embedded += 1
            return one._replace(rows=computed.pop(one.key))
        if one.rows is None and one.key not in there:
            return None
        self.reused += 1
        return one

    def _computed(self, wanted: dict[bytes, Embeddable]) -> dict[bytes, bytes]:
        """Return the vectors of what is wanted; what fails alone is left out.

        Raises:
            ModelFault: several in a row failed.
        """
        if self._embedder is None or not wanted:
            return {}
        keys, parts = list(wanted), list(wanted.values())
        try:
            return dict(zip(keys, self._rows(self._embedder, parts), strict=True))
        except ModelFault:
            return self._one_by_one(self._embedder, wanted)

    def _one_by_one(
        self, embedder: Embedder, wanted: dict[bytes, Embeddable]
    ) -> dict[bytes, bytes]:
        made: dict[bytes, bytes] = {}
        in_a_row = 0
        for key, part in wanted.items():
            try:
                made[key] = self._rows(embedder, [part])[0]
                in_a_row = 0
            except ModelFault as error:
                in_a_row += 1
                self._failure = error
                self.failed += 1
                if in_a_row == min(HOPELESS, len(wanted)):
                    self.failed -= in_a_row
                    raise
        return made

    def _rows(self, embedder: Embedder, parts: Sequence[Embeddable]) -> list[bytes]:
        width = embedder.width
        return [_checked(matrix, width) for matrix in embedder.passages(parts)]


def _form(chunk: Unembedded, enriched: bool) -> tuple[bytes, bool, Embeddable]:  # noqa: FBT001 - one of three facts
    part = embeddable(chunk, enriched=enriched)
    return key_of(part), enriched, part


def _checked(matrix: "Matrix", width: int) -> bytes:
    """Return the bytes of a matrix.

    Raises:
        ModelFailed: it is not as wide as the model said.
    """
    rows: bytes = matrix.astype("<f4").tobytes()
    if not rows or matrix.shape[-1] != width:
        raise ModelFailed("in use", f"{matrix.shape[-1]} numbers in place of {width}")
    return rows
