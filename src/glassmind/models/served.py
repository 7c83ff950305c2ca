"""Embedding by a server of models, whatever language it speaks."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from glassmind.config.settings import Embeddings
from glassmind.errors import ModelFailed
from glassmind.models.cards import Family, prefixes_for
from glassmind.models.http import ModelServer, Timeouts
from glassmind.models.tokens import first_tokens, text_windows
from glassmind.models.vectors import VERSION, in_order, unit

if TYPE_CHECKING:
    from glassmind.model.vectors import Embeddable, Matrix, Vector


Ask = Callable[[list[str], Timeouts], Any]
"""Returns what a server says to some texts: a list of vectors, if all is well."""


class EmbeddingBounds(NamedTuple):
    """How long a server may take for a question, and for a passage.

    Somebody waits for a question's vector, though a server that must load its model
    first takes seconds. Nobody waits for a passage's, and a large model on a small
    machine takes long.
    """

    query: Timeouts = Timeouts(2.0, 10.0)
    passage: Timeouts = Timeouts(2.0, 120.0)


USUAL = EmbeddingBounds()

AT_ONCE = 2
"""Questions on their way at a time: the server works while the next one travels."""

SLACK = 2
"""A window is so many times smaller than what is read: we only guess at tokens, and a
server cuts what is too long without a word."""

MOST_WINDOW = 512
"""Tokens of a window at most: a vector of many pages says little of each."""


class ServedEmbedder:
    """A model behind an `ask` function; the texts of one call are of one chunk alone.

    `expected` is the width the user set, or 0 for what the server says first.
    """

    def __init__(
        self,
        chosen: Embeddings,
        model: str,
        family: Family,
        ask: Ask,
        patience: EmbeddingBounds,
    ) -> None:
        expected = chosen.dimensions
        self.model, self._ask, self._width = model, ask, expected
        self._patience, self._family = patience, family
        self._window = min(family.max_tokens // SLACK, MOST_WINDOW)
        cut = f" {expected} wide" if expected else ""
        how = f"{self._window}{cut} {family.query!r} {family.passage!r}"
        self.space = f"{chosen.backend} {model} {how} v{VERSION}"

    @property
    def width(self) -> int:
        if not self._width:
            self.query("width")
        return self._width

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        yield from in_order(self._matrix, parts, threads=AT_ONCE)

    def query(self, text: str, /) -> "Vector":
        text = first_tokens(text, self._family.max_tokens)
        rows = self._embedded([self._family.query + text], self._patience.query)
        vector: Vector = rows[0]
        return vector

    def _matrix(self, part: "Embeddable") -> "Matrix":
        texts = text_windows(part, self._family.passage, self._window)
        return self._embedded(texts, self._patience.passage)

    def _embedded(self, texts: list[str], bounds: Timeouts) -> "Matrix":
        rows = self._ask(texts, bounds)
        try:
            made = np.array(rows, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            made = np.zeros(0, np.float32)
        if made.ndim != 2 or len(made) != len(texts) or not made.shape[1]:  # noqa: PLR2004 - rows and columns
            raise ModelFailed(self.model, "the answer holds no vector for each text")
        if not (np.isfinite(made).all() and made.any(axis=1).all()):
            raise ModelFailed(self.model, "a vector of the answer has no direction")
        self._width = self._width or made.shape[1]
        if made.shape[1] != self._width:
            reason = f"{made.shape[1]} numbers in place of {self._width}"
            raise ModelFailed(self.model, reason)
        return np.stack([unit(row) for row in made])


OLLAMA_MODEL, OPENAI_MODEL = "nomic-embed-text", "text-embedding-3-small"


def served_embedder(
    chosen: Embeddings, *, patience: EmbeddingBounds = USUAL
) -> ServedEmbedder:
    native = chosen.backend == "ollama"
    model = chosen.model or (OLLAMA_MODEL if native else OPENAI_MODEL)
    family = prefixes_for(model)
    if native:
        server = ModelServer(model, chosen.url)
    else:
        server = ModelServer(model, chosen.url.removesuffix("/v1"), chosen.api_key)
    server.refuse_remote(allowed=chosen.allow_remote)
    if native and chosen.context_tokens:
        family = family._replace(max_tokens=chosen.context_tokens)
    extra: dict[str, Any] = {"encoding_format": "float"}
    if native:
        extra = {"options": {"num_ctx": family.max_tokens}}
    if chosen.dimensions:
        extra["dimensions"] = chosen.dimensions
    path = "/api/embed" if native else "/v1/embeddings"

    def ask(texts: list[str], bounds: Timeouts) -> Any:
        answer = server.ask(path, {"model": model, "input": texts, **extra}, bounds)
        try:
            if native:
                return answer["embeddings"]
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            return [row["embedding"] for row in rows]
        except (KeyError, TypeError, ValueError):
            reason = f"{server.host}: no embeddings in the answer"
            raise ModelFailed(model, reason) from None

    return ServedEmbedder(chosen, model, family, ask, patience)
