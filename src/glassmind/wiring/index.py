"""The adapters that bring an index up to date: sidecars, and the embedding pass.

A part of `wiring` that a search does not need.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from glassmind.config import Config
from glassmind.index.checkup import Bench, VectorBench
from glassmind.index.embed import Meaning, Wishes
from glassmind.index.run import Followed, Workshop
from glassmind.model.catalogue import Check
from glassmind.model.pairs import PairStatus
from glassmind.model.sidecar import Document
from glassmind.model.vectors import NoteVectors
from glassmind.obsidian.split import SplitRules
from glassmind.store.disk import filesystem_kind, on_network
from glassmind.store.lexical import files as word_integrity
from glassmind.store.lexical import files as word_place
from glassmind.store.lexical import write as word_write
from glassmind.store.lock import WriterLock
from glassmind.store.place import DAEMON_LOCK, LOCK
from glassmind.store.sqlite.connection import wrong_with
from glassmind.store.sqlite.vectors import VectorRows
from glassmind.store.sqlite.writer import SqliteWriter
from glassmind.store.vectors import files
from glassmind.store.watch_state import read_state
from glassmind.wiring.access_log import access_log_check
from glassmind.wiring.grounds import (
    EmbeddingGrounds,
    foreign_space,
    was_asked_otherwise,
)
from glassmind.wiring.use import UseGrounds, fold_use

if TYPE_CHECKING:
    from glassmind.files.smart_connections import SmartConnections
    from glassmind.graph.dismissals import DismissalBook
    from glassmind.ports.hindsight import OtherMemory
    from glassmind.ports.indexing import Sidecar

ASKED = ("backend", "preset", "model", "dimensions", "context_tokens", "prefix")
"""Settings that choose a model; what is secret, and where it may go, stays outside."""

EMBEDDING_LOCK = "embedding.lock"

WITHOUT_LLM = (
    "look at llm.backend, llm.url and llm.model; until then answers are sentences of "
    "your notes"
)

USUAL_SERVED = {"ollama": "nomic-embed-text", "openai": "a model of the server"}
"""What a server is asked for where the settings name no model."""


class Adapters(EmbeddingGrounds, UseGrounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    @property
    def writing(self) -> Callable[..., AbstractContextManager[SqliteWriter]]:
        """Hold the writer lock and the rows open for writing."""

    @property
    def writer(self) -> SqliteWriter:
        """The rows, for the holder of the writer lock."""

    @property
    def words_marker(self) -> "WordsMarker":
        """How far the word index has come."""

    @property
    def dismissals(self) -> "DismissalBook":
        """What a person wants to hear no more of."""

    @property
    def hindsight(self) -> "OtherMemory | None":
        """The memory beside the vault, where there is one."""


class WordsMarker:
    """How far the word index has come, read only if it was written since."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._kept: tuple[tuple[object, ...], str | None] | None = None

    def __call__(self) -> str | None:
        """Return the marker of its last commit; None when it cannot be told."""
        words = self._folder() / word_place.FOLDER
        try:
            found = (words / word_place.META).stat()
        except OSError:
            return None
        state = (words, found.st_mtime_ns, found.st_size, found.st_ino)
        if self._kept is None or self._kept[0] != state:
            self._kept = (state, word_place.marker_in(words))
        return self._kept[1]


def workshop_for(adapters: Adapters) -> Workshop:
    """Return what an index run works with."""
    index, config = adapters.config.index, adapters.config
    rules = SplitRules(
        target_tokens=index.chunk_target_tokens,
        overlap_tokens=index.chunk_overlap_tokens,
        min_chars=index.chunk_min_chars,
        max_chunks=index.max_chunks_per_note,
    )
    return Workshop(
        root=config.vault.path,
        ignore_dirs=tuple(index.ignore_dirs),
        include_agent_dir=index.include_agent_dir,
        agent_dir=config.writes.agent_dir,
        max_note_bytes=index.max_note_bytes,
        rules=rules,
        writing=adapters.writing,
        words=followed_words(adapters),
        vectors=followed_vectors(adapters),
        fold_use=lambda: fold_use(adapters.use_log, adapters.writer),
    )


def followed_words(adapters: Adapters) -> Followed[Document]:
    """Return how the word index is followed."""

    def words() -> Path:
        return adapters.place.folder / word_place.FOLDER

    return Followed(
        stage="words",
        marker=adapters.words_marker,
        open=lambda large: word_write.WordWriter(adapters.place.folder, large=large),
        discard=lambda: word_write.discard(adapters.place.folder),
        deleted=lambda: word_place.deleted_share(words()),
        wrong=lambda: word_integrity.damage_in(words()) if words().exists() else None,
        fence=lambda: adapters.writer.fence(),  # noqa: PLW0108 - that of the lock then
    )


def followed_vectors(adapters: Adapters) -> Followed[NoteVectors]:
    """Return how the vectors of the space that answers are followed."""

    def answering() -> tuple[Path, int]:
        space = adapters.writer.vectors().answering()
        name, width = (space.name, space.width) if space else ("", 1)
        return files.place_of(adapters.place.folder, name), width

    def opened(_large: bool) -> "Sidecar[NoteVectors]":  # noqa: FBT001 - as its port
        from glassmind.store.vectors.write import VectorWriter  # noqa: PLC0415 - numpy

        matrix, width = answering()
        for other in files.places_in(adapters.place.folder):
            if other != matrix:  # of a space that does not answer any more
                files.discard(other)
        return VectorWriter(matrix, width=width)

    def discard() -> None:
        for matrix in files.places_in(adapters.place.folder):
            files.discard(matrix)

    def wrong() -> str | None:
        matrix, _ = answering()
        return files.damage_in(matrix) if matrix.exists() else None

    return Followed(
        stage="vectors",
        marker=lambda: files.marker_in(answering()[0]),
        open=opened,
        discard=discard,
        deleted=lambda: files.deleted_share(answering()[0]),
        wrong=wrong,
        fence=lambda: adapters.writer.fence(),  # noqa: PLW0108 - as above
    )


def vector_bench(adapters: Adapters) -> VectorBench:
    """Return what an examination of vectors looks through."""
    chosen = adapters.config.embeddings

    def matrix() -> Path:
        space = adapters.reader.vectors().answering()
        return files.place_of(adapters.place.folder, space.name if space else "")

    def behind() -> int | None:
        log = adapters.reader.vector_log()
        marker = files.marker_in(matrix())
        return 0 if log is None else adapters.reader.pending(log, marker)

    def known() -> VectorRows:
        return adapters.reader.vectors()

    def pairs() -> PairStatus:
        space = known().answering()
        rows = adapters.reader.pairs()
        apart = adapters.dismissals.now().pairs
        return rows.status(space.name if space else "", apart)

    names = {"none": "", "smart-connections": "Smart Connections"}
    for served in ("ollama", "openai"):
        names[served] = f"{chosen.model or USUAL_SERVED[served]} ({served})"
    lock = WriterLock(adapters.place.folder / EMBEDDING_LOCK)
    return VectorBench(
        chosen=names.get(chosen.backend, chosen.model or chosen.preset),
        model=adapters.embedder,
        foreign=partial(foreign_space, adapters),
        former=partial(was_asked_otherwise, adapters),
        known=known,
        least_chars=adapters.config.index.embed_min_chars,
        damage=lambda: files.damage_in(matrix()),
        behind=behind,
        holder=lock.busy_holder,
        pairs=pairs,
        dismissals=adapters.dismissals.now,
    )


def bench_for(adapters: Adapters) -> Bench:
    """Return what an examination of the index looks at."""
    import apsw  # noqa: PLC0415

    here = adapters.place
    folder, words = here.folder, here.folder / word_place.FOLDER
    return Bench(
        folders=here.folders,
        writable=here.writable,
        sqlite_version=apsw.sqlite_lib_version(),
        network=filesystem_kind(here.database_folder)
        if on_network(here.database_folder)
        else "",
        rows=lambda: wrong_with(adapters.reader.connection()),
        words=lambda: word_integrity.damage_in(words),
        behind=lambda: adapters.reader.pending(
            adapters.reader.log(), word_place.marker_in(words)
        ),
        stamps=lambda: adapters.reader.rows().stamps(),
        troubled=lambda limit: adapters.reader.rows().troubled(limit),
        holder=lambda: WriterLock(folder / LOCK).busy_holder(),
        counts=lambda: adapters.reader.rows().counts(),
        secrets=lambda: len(adapters.reader.rows().secret_notes()),
        faults=adapters.reader.faults,
        vectors=vector_bench(adapters),
        watch=lambda: read_state(folder),
        daemon=lambda: WriterLock(folder / DAEMON_LOCK).busy_holder(),
        warnings=tuple(adapters.config.warnings),
        notices=here.notices,
        use=lambda: (adapters.config.memory.record_use, adapters.use_log.folder),
        llm=lambda: _llm_check(adapters.config),
        hindsight=lambda: adapters.hindsight.check() if adapters.hindsight else None,
        access_log=lambda: access_log_check(adapters.config),
        writes=_writes(adapters.config),
        recalls=adapters.config.hindsight.bank if adapters.config.hindsight.url else "",
    )


def _writes(config: Config) -> str:
    """Return the name of the model that writes answers; empty for none."""
    chosen = config.llm
    return "" if chosen.backend == "none" else f"{chosen.model} ({chosen.backend})"


def _llm_check(config: Config) -> Check | None:
    """Return whether the model that writes can be asked; None where there is none."""
    name = _writes(config)
    if not name:
        return None
    from glassmind.models.chat import chat_lacks  # noqa: PLC0415 - only who has one

    lacks = chat_lacks(config)
    if not lacks:
        return Check("llm", "ok", f"{name} is at hand")
    return Check("llm", "warn", lacks, WITHOUT_LLM)


def _given(config: Config) -> "Callable[[], SmartConnections | None]":
    """Return what gives the vectors that another program made, read once at most."""
    if config.embeddings.backend != "smart-connections":
        return lambda: None
    from glassmind.files.smart_connections import SmartConnections  # noqa: PLC0415

    kept = SmartConnections(config.vault.path)
    return lambda: kept


def meaning_for(adapters: Adapters, shop: Workshop) -> Meaning | None:
    """Return what the embedding pass works with; None where nothing embeds."""
    index, chosen = adapters.config.index, adapters.config.embeddings
    if chosen.backend == "none":
        return None
    settings = json.dumps({name: getattr(chosen, name) for name in ASKED})

    def known() -> VectorRows:
        return adapters.reader.vectors()

    return Meaning(
        shop=shop,
        wishes=Wishes(index.embed_min_chars, chosen.enrich, settings),
        embedder=adapters.embedder,
        known=known,
        head=lambda: adapters.reader.log().head(),
        faults=adapters.reader.faults,
        lock=lambda: WriterLock(
            adapters.place.folder / EMBEDDING_LOCK, takes_over=True
        ),
        usable=lambda space: adapters.embedder_of(space) is not None,
        given=_given(adapters.config),
        recipe=lambda: _recipe(adapters.config),
    )


def _recipe(config: Config) -> str:
    from glassmind.models.choose import recipe_for  # noqa: PLC0415 - models are costly

    return recipe_for(config)
