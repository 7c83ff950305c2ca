"""The adapters that bring an index up to date: sidecars, and the embedding pass.

A part of `wiring` that a search does not need.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.index.checkup import Bench, VectorBench
from glassmind.index.embed import Meaning, Wishes
from glassmind.index.run import Followed, Workshop
from glassmind.model.index import Check, Document
from glassmind.model.suggestions import PairStatus
from glassmind.model.vectors import NoteVectors
from glassmind.models.embedders import has_other_settings
from glassmind.obsidian.split import SplitRules
from glassmind.store.disk import filesystem_kind, on_network
from glassmind.store.lexical import files as word_files
from glassmind.store.lexical import write as word_write
from glassmind.store.lock import WriterLock
from glassmind.store.place import DAEMON_LOCK, LOCK
from glassmind.store.sqlite.connection import wrong_with
from glassmind.store.sqlite.vectors import VectorRows
from glassmind.store.vectors import files as vector_files
from glassmind.store.watch_state import read_state
from glassmind.vault import Vault
from glassmind.wiring.access_log import access_log_check
from glassmind.wiring.pairs import dismissals_for
from glassmind.wiring.use import fold_use

if TYPE_CHECKING:
    from glassmind.files.smart_connections import SmartConnections
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


def words_marker(vault: Vault) -> "WordsMarker":
    """Return what reads how far the keyword index has come."""
    return WordsMarker(lambda: vault.place.folder)


class WordsMarker:
    """How far the word index has come, read only if it was written since."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._kept: tuple[tuple[object, ...], str | None] | None = None

    def __call__(self) -> str | None:
        """Return the marker of its last commit; None when it cannot be told."""
        words = self._folder() / word_files.FOLDER
        try:
            found = (words / word_files.META).stat()
        except OSError:
            return None
        state = (words, found.st_mtime_ns, found.st_size, found.st_ino)
        if self._kept is None or self._kept[0] != state:
            self._kept = (state, word_files.marker_in(words))
        return self._kept[1]


def workshop_for(vault: Vault) -> Workshop:
    """Return what an index run works with."""
    index, config = vault.config.index, vault.config
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
        writing=vault.writing,
        words=followed_words(vault),
        vectors=followed_vectors(vault),
        fold_use=lambda: fold_use(vault.use_log, vault.writer),
    )


def followed_words(vault: Vault) -> Followed[Document]:
    """Return how the word index is followed."""

    def words() -> Path:
        return vault.place.folder / word_files.FOLDER

    return Followed(
        stage="words",
        marker=vault.part(words_marker),
        open=lambda large: word_write.WordWriter(vault.place.folder, large=large),
        discard=lambda: word_write.discard(vault.place.folder),
        deleted=lambda: word_files.deleted_share(words()),
        wrong=lambda: word_files.damage_in(words()) if words().exists() else None,
        fence=lambda: vault.writer.fence(),  # noqa: PLW0108 - that of the lock then
    )


def followed_vectors(vault: Vault) -> Followed[NoteVectors]:
    """Return how the vectors of the space that answers are followed."""

    def answering() -> tuple[Path, int]:
        space = vault.writer.vectors().answering()
        name, width = (space.name, space.width) if space else ("", 1)
        return vector_files.place_of(vault.place.folder, name), width

    def opened(_large: bool) -> "Sidecar[NoteVectors]":  # noqa: FBT001 - as its port
        from glassmind.store.vectors.write import VectorWriter  # noqa: PLC0415 - numpy

        matrix, width = answering()
        for other in vector_files.places_in(vault.place.folder):
            if other != matrix:  # of a space that does not answer any more
                vector_files.discard(other)
        return VectorWriter(matrix, width=width)

    def discard() -> None:
        for matrix in vector_files.places_in(vault.place.folder):
            vector_files.discard(matrix)

    def wrong() -> str | None:
        matrix, _ = answering()
        return vector_files.damage_in(matrix) if matrix.exists() else None

    return Followed(
        stage="vectors",
        marker=lambda: vector_files.marker_in(answering()[0]),
        open=opened,
        discard=discard,
        deleted=lambda: vector_files.deleted_share(answering()[0]),
        wrong=wrong,
        fence=lambda: vault.writer.fence(),  # noqa: PLW0108 - as above
    )


def vector_bench(vault: Vault) -> VectorBench:
    """Return what an examination of vectors looks through."""
    chosen = vault.config.embeddings

    def matrix() -> Path:
        space = vault.reader.vectors().answering()
        return vector_files.place_of(vault.place.folder, space.name if space else "")

    def behind() -> int | None:
        log = vault.reader.vector_log()
        marker = vector_files.marker_in(matrix())
        return 0 if log is None else vault.reader.pending(log, marker)

    def known() -> VectorRows:
        return vault.reader.vectors()

    def pairs() -> PairStatus:
        space = known().answering()
        rows = vault.reader.pairs()
        apart = dismissals_for(vault).now().pairs
        return rows.status(space.name if space else "", apart)

    names = {"none": "", "smart-connections": "Smart Connections"}
    for served in ("ollama", "openai"):
        names[served] = f"{chosen.model or USUAL_SERVED[served]} ({served})"
    lock = WriterLock(vault.place.folder / EMBEDDING_LOCK)
    return VectorBench(
        chosen=names.get(chosen.backend, chosen.model or chosen.preset),
        model=vault.embedder,
        foreign=vault.foreign_space,
        former=partial(has_other_settings, vault.config),
        known=known,
        least_chars=vault.config.index.embed_min_chars,
        damage=lambda: vector_files.damage_in(matrix()),
        behind=behind,
        holder=lock.busy_holder,
        pairs=pairs,
        dismissals=dismissals_for(vault).now,
    )


def bench_for(vault: Vault) -> Bench:
    """Return what an examination of the index looks at."""
    import apsw  # noqa: PLC0415

    here = vault.place
    folder, words = here.folder, here.folder / word_files.FOLDER
    return Bench(
        folders=here.folders,
        writable=here.writable,
        sqlite_version=apsw.sqlite_lib_version(),
        network=filesystem_kind(here.database_folder)
        if on_network(here.database_folder)
        else "",
        rows=lambda: wrong_with(vault.reader.connection()),
        words=lambda: word_files.damage_in(words),
        behind=lambda: vault.reader.pending(
            vault.reader.log(), word_files.marker_in(words)
        ),
        stamps=lambda: vault.reader.rows().stamps(),
        troubled=lambda limit: vault.reader.rows().troubled(limit),
        holder=lambda: WriterLock(folder / LOCK).busy_holder(),
        counts=lambda: vault.reader.rows().counts(),
        secrets=lambda: len(vault.reader.rows().secret_notes()),
        faults=vault.reader.faults,
        vectors=vector_bench(vault),
        watch=lambda: read_state(folder),
        daemon=lambda: WriterLock(folder / DAEMON_LOCK).busy_holder(),
        warnings=tuple(vault.config.warnings),
        notices=here.notices,
        use=lambda: (vault.config.memory.record_use, vault.use_log.folder),
        llm=lambda: _llm_check(vault.config),
        hindsight=lambda: vault.hindsight.check() if vault.hindsight else None,
        access_log=lambda: access_log_check(vault.config),
        writes=_writes(vault.config),
        recalls=vault.config.hindsight.bank if vault.config.hindsight.url else "",
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


def meaning_for(vault: Vault, shop: Workshop) -> Meaning | None:
    """Return what the embedding pass works with; None where nothing embeds."""
    index, chosen = vault.config.index, vault.config.embeddings
    if chosen.backend == "none":
        return None
    settings = json.dumps({name: getattr(chosen, name) for name in ASKED})

    def known() -> VectorRows:
        return vault.reader.vectors()

    return Meaning(
        shop=shop,
        wishes=Wishes(index.embed_min_chars, chosen.enrich, settings),
        embedder=vault.embedder,
        known=known,
        head=lambda: vault.reader.log().head(),
        faults=vault.reader.faults,
        lock=lambda: WriterLock(vault.place.folder / EMBEDDING_LOCK, takes_over=True),
        usable=lambda space: vault.embedder_of(space) is not None,
        given=_given(vault.config),
        recipe=lambda: _recipe(vault.config),
    )


def _recipe(config: Config) -> str:
    from glassmind.models.choose import recipe_for  # noqa: PLC0415 - models are costly

    return recipe_for(config)
