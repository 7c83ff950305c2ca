"""The model and the vectors that a vault is searched with by meaning."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from glassmind.errors import IndexFault, ModelFailed, ModelFault, NotEmbedded
from glassmind.model.vectors import Space
from glassmind.models.breaker import BreakerReranker, CircuitBreaker
from glassmind.search.confidence import Curve, curve_of, learn_curve
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model.index import ShowProgress
    from glassmind.model.vectors import Vector
    from glassmind.models.protocols import Embedder, Reranker
    from glassmind.store.protocol import Vectors

RECOUNT_S = 2.0  # seconds for which a count of vectors holds while more are being made
OUT_OF_PLACE = "the vectors are not in place yet"
"""They are in the rows, and not in the matrix that is searched."""

FORMER = "the vectors are of a model or release that cannot be asked any more"
"""No settings lead to the space that they lie in."""

EMBEDDED = "embedded"
"""The setting that says up to which change everything was embedded."""


class SemanticIndex(NamedTuple):
    embedder: "Embedder"
    vectors: "Vectors"
    space: Space
    breaker: CircuitBreaker

    def vector_of(self, question: str) -> "Vector":
        self.breaker.check()
        with self.breaker.watched(ModelFailed):
            return self.embedder.query(question)


def semantic_for(vault: Vault) -> "SemanticSearch":
    return vault.part(SemanticSearch)


class SemanticSearch:
    """The model and the vectors of the space that answers, opened once for many.

    A scope has vectors of visible notes, and the models of the whole vault.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault, self._lock = vault, Lock()
        self._whole = self if vault.scope is None else semantic_for(vault.whole)
        self._opened: tuple[Path, SemanticIndex] | None = None
        self._reranker: Reranker | None = None
        self._breakers: dict[str, CircuitBreaker] = {}
        self._share: tuple[float, float] | None = None
        self._foreign: tuple[Space, str | None] | None = None

    def index(self) -> SemanticIndex:
        folder = self._vault.place.folder
        space = self._vault.store.rows().answering_space()
        if space is None:
            self._vault.embedder()  # says why, where it is the model that is missing
            raise self._lacking(None)
        with self._lock:  # one model for all who ask first at once
            known = self._opened
            if known is None or (known[0], known[1].space) != (folder, space):
                self._opened = known = (folder, self._open(space))
        index = known[1]
        head = self._vault.store.vector_head()
        # asking takes up what was written since
        if head and not (index.vectors.reaches(head) or index.vectors.follows(head)):
            raise self._lacking(space)
        return index

    def breaker(self, model: str) -> CircuitBreaker:
        return self._breakers.setdefault(model, CircuitBreaker(model))

    def _open(self, space: Space) -> SemanticIndex:
        embedder = self._vault.embedder_of(space)
        if embedder is None:
            self._vault.embedder()  # says why, where it is the model that is missing
            raise NotEmbedded(FORMER, self._remedy("all is being embedded anew"))
        vectors = self._vault.store.vectors(space)
        if vectors is None:
            raise self._lacking(space)
        model = getattr(embedder, "model", "") or "that embeds"
        return SemanticIndex(embedder, vectors, space, self._whole.breaker(model))

    def _lacking(self, space: Space | None) -> NotEmbedded:
        made = space and self._vault.store.rows().coverage(space, 1).covered
        lacking = OUT_OF_PLACE if made else "nothing is embedded yet"
        return NotEmbedded(lacking, self._remedy("that is being done now"))

    def _remedy(self, being_done: str) -> str:
        return being_done if self._vault.is_embedding() else "run: glassmind index"

    def learn(self, progress: "ShowProgress", pause: Callable[[], bool]) -> None:
        """Learn, after a run, how near the questions of strangers come.

        Without a model, or where it fails, what was learnt before stays.
        """
        with suppress(ModelFault, NotEmbedded, IndexFault):
            learn_curve(self._vault, self, progress, pause)

    def curve(self) -> Curve | None:
        if self._opened is None:
            return None
        folder, index = self._opened
        hides = self._vault.scope and self._vault.visible_store.hidden_notes()
        return curve_of(None if hides else folder, index.space)

    def lag(self) -> str | None:
        """Say what of the vault is not searched by meaning yet, after `index`."""
        if self._opened is None:
            return None
        index = self._opened[1]
        space = index.space
        if (
            not index.vectors.count
            and self._vault.store.rows().coverage(space, 1).covered
        ):
            return f"{OUT_OF_PLACE}; {self._remedy('that is being done now')}"
        share = self.covered()
        if share < 1:
            said = f"{int(share * 100)} % of the vault is searched by meaning so far"
            return f"{said}; {self._remedy('the rest is being embedded')}"
        # found out once for each space: it may mean reading a model's files
        if self._foreign is None or self._foreign[0] != space:
            self._foreign = (space, self._compared(space))
        return self._foreign[1]

    def _compared(self, space: Space) -> str | None:
        try:
            return self._vault.foreign_space(space)
        except ModelFault as error:
            return f"the vectors of another model answer: {error}"

    def covered(self) -> float:
        """Return which share of the chunks has a vector; looked up now and then."""
        reader = self._vault.store
        level = reader.rows().setting(EMBEDDED)
        if level is not None and json.loads(level)[0] == reader.head():
            return 1.0
        now = time.monotonic()
        if self._share is None or now - self._share[0] > RECOUNT_S:
            vectors, least = reader.rows(), self._vault.config.index
            coverage = vectors.coverage(
                vectors.answering_space(), least.embed_min_chars
            )
            share = coverage.covered / coverage.total if coverage.total else 1.0
            self._share = (now, share)
        return self._share[1]

    def reranker(self) -> "Reranker":
        if self._whole is not self:
            return self._whole.reranker()
        breaker = self.breaker("the reranker")
        breaker.check()
        with self._lock:
            if self._reranker is None:
                from glassmind.models.embedders import reranker_of  # noqa: PLC0415
                from glassmind.models.files import models_folder  # noqa: PLC0415

                encoder = reranker_of(models_folder(self._vault.config))
                self._reranker = BreakerReranker(encoder, breaker)
            return self._reranker

    def close(self) -> None:
        if self._opened is not None:
            self._opened[1].vectors.close()
            self._opened = None
