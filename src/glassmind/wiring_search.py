"""The adapters of a search that goes beyond words: model, vectors, reranker.

A part of `wiring` that a search by words does not need.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from glassmind.config import Config
from glassmind.errors import ModelAbsent, NotEmbedded
from glassmind.retrieval.adjust import LIFTS
from glassmind.retrieval.channels import Meaning
from glassmind.retrieval.hybrid import Hybrid
from glassmind.retrieval.plan import Sum
from glassmind.store.place import Place
from glassmind.store.sqlite.edges import Edges
from glassmind.store.sqlite.reader import SqliteReader
from glassmind.store.vectors.following import FollowingVectors
from glassmind.store.vectors.place import place_of
from glassmind.types.vectors import Space

if TYPE_CHECKING:
    from glassmind.ports.models import Embedder, Reranker
    from glassmind.retrieval.notes import NoteReader

EMBEDDED = "embedded"
"""The setting that says up to which change everything was embedded."""


class Adapters(Protocol):
    """What `wiring` has for us."""

    config: Config

    @property
    def place(self) -> Place:
        """The folder of the index."""

    @property
    def reader(self) -> SqliteReader:
        """The rows, open for reading."""

    @property
    def meaning(self) -> "OpenMeaning":
        """The model and the vectors that answer."""

    def notes(self) -> "NoteReader":
        """Return what finds notes by name."""

    def embedder(self) -> "Embedder":
        """Return the model that the settings mean."""

    def embedder_of(self, space: Space, /) -> "Embedder | None":
        """Return the model of a space, if it is here."""


def hybrid_for(adapters: Adapters) -> Hybrid:
    """Return what answers by more than words."""
    meaning, connection = adapters.meaning, adapters.reader.connection()

    def note_id(name: str) -> int:
        path = adapters.notes().find(name)
        return adapters.reader.rows().id_of(path)

    return Hybrid(
        rows=adapters.reader.rows(),
        notes=Edges(connection),
        meaning=meaning.meaning,
        lag=meaning.lag,
        reranker=meaning.reranker,
        note_id=note_id,
        folder=adapters.config.writes.agent_dir,
        lifts=LIFTS,
        sum_of=_sum_of(adapters.config),
        rerank_budget_s=adapters.config.search.rerank_budget_ms / 1000,
    )


def _sum_of(config: Config) -> Sum:
    """Return what the settings say of `weighted_sum`."""
    search = config.search
    return Sum(
        {
            "semantic": search.semantic_weight,
            "lexical": search.keyword_weight,
            "graph": search.link_weight,
        },
        {"recency": search.recency_weight, "tag": search.tag_weight},
    )


class OpenMeaning:
    """The model and the vectors of the space that answers, opened once for many."""

    def __init__(self, adapters: Adapters) -> None:
        self._adapters = adapters
        self._opened: tuple[Path, Space, Meaning, FollowingVectors] | None = None
        self._reranker: Reranker | None = None

    def meaning(self) -> Meaning:
        """Return what a search by meaning asks.

        Raises:
            ModelFault: there is no model for the vectors.
            NotEmbedded: there are no vectors.
        """
        folder = self._adapters.place.folder
        space = self._adapters.reader.vectors().answering()
        if space is None:
            self._adapters.embedder()  # says why, where it is the model that is missing
            raise NotEmbedded
        if self._opened is None or self._opened[:2] != (folder, space):
            self._opened = (folder, space, *self._open(folder, space))
        return self._opened[2]

    def _open(self, folder: Path, space: Space) -> tuple[Meaning, FollowingVectors]:
        embedder = self._adapters.embedder_of(space)
        if embedder is None:
            self._adapters.embedder()
            raise ModelAbsent(space.name)
        vectors = FollowingVectors.open(place_of(folder, space.name), space.width)
        if vectors is None:
            raise NotEmbedded
        return Meaning(embedder, vectors), vectors

    def lag(self) -> str | None:
        """Say what of the vault is not searched by meaning yet, after `meaning`."""
        reader = self._adapters.reader
        log = reader.vector_log()
        if self._opened is not None and log is not None:
            vectors = self._opened[3]
            if not vectors.reaches(log.head()) and not vectors.count:
                return "the vectors are not in place yet; run: glassmind index"
        level = reader.vectors().setting(EMBEDDED)
        if level is None or json.loads(level)[0] != reader.log().head():
            return "not every note is searched by meaning yet; run: glassmind index"
        return None

    def reranker(self) -> "Reranker":
        """Return what reads a question and a passage together.

        Raises:
            ModelFault: it is not on this machine.
        """
        if self._reranker is None:
            from glassmind.models.choose import reranker_for  # noqa: PLC0415

            self._reranker = reranker_for(self._adapters.config)
        return self._reranker

    def close(self) -> None:
        """Let go of the files."""
        if self._opened is not None:
            self._opened[3].close()
            self._opened = None
