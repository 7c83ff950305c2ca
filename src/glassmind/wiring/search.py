"""The adapters of a search that goes beyond words: model, vectors, reranker.

A part of `wiring` that a search by words does not need.
"""

import json
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, get_args

from glassmind.config import Config
from glassmind.errors import IndexDamaged, ModelFault, NotEmbedded
from glassmind.model.search import Intent
from glassmind.model.suggestions import Partner
from glassmind.model.vectors import Space
from glassmind.models.breaker import CircuitBreaker, PatientEmbedder, PatientReranker
from glassmind.search.notes import notes_for
from glassmind.search.plan import Meaning, SearchSources, Settled
from glassmind.search.ranking import LIFTS
from glassmind.store.sqlite.links import Edges
from glassmind.store.vectors.files import place_of
from glassmind.store.vectors.search import VectorIndex
from glassmind.vault import Vault
from glassmind.wiring.confidence import OpenCurve, usual_curve

if TYPE_CHECKING:
    from glassmind.model.graph import ThemeLabel
    from glassmind.model.index import ShowProgress
    from glassmind.model.vectors import Vector
    from glassmind.models.intents import Prototypes
    from glassmind.models.protocols import Reranker
    from glassmind.search.confidence import Curve
    from glassmind.store.lexical.search import KeywordIndex

RECOUNT_S = 2.0
"""Seconds for which a count of vectors holds while more are being made."""

OUT_OF_PLACE = "the vectors are not in place yet"
"""They are in the rows, and not in the matrix that is searched."""

FORMER = "the vectors are of a model or release that cannot be asked any more"
"""No settings lead to the space that they lie in."""

NAMELESS = "that embeds"
"""What a model is called that does not say its name."""

EMBEDDED = "embedded"
"""The setting that says up to which change everything was embedded."""


def edges_for(vault: Vault) -> Edges:
    """Return the links and themes that a search follows."""
    db = vault.reader.connection()
    if vault.scope is None or not vault.visible_rows.hidden_notes():
        return Edges(db)
    return Edges(db, partial(_visible_homes, vault))


def _visible_homes(vault: Vault) -> "Mapping[str, ThemeLabel]":
    """Return the theme of each visible note, if the vault has stored themes."""
    if vault.reader.themes().state() is None:
        return {}
    return vault.hooks.themes(vault)


def semantic_for(vault: Vault) -> "OpenMeaning":
    """Return the model and the vectors of a vault."""
    return vault.part(OpenMeaning if vault.scope is None else _ScopedMeaning)


def sources_for(vault: Vault, words: "KeywordIndex") -> SearchSources:
    """Return what a search by more than words asks."""
    meaning = semantic_for(vault)

    def note_id(name: str) -> int:
        path = notes_for(vault).find(name)
        return vault.reader.rows().id_of(path)

    def intent_named(text: str) -> str:
        from glassmind.models.intents import intents_for  # noqa: PLC0415

        return intents_for(vault.config, get_args(Intent)).name(text)

    def partners(note_ids: Collection[int]) -> list[Partner]:
        """Return what notes are like, without what a person dismissed."""
        found = vault.reader.pairs().partners(note_ids)
        dismissals = vault.hooks.dismissals(vault) if found else None
        if dismissals is None or not dismissals.pairs:
            return found
        named = notes.names({note for one in found for note in one[:2]})
        paths = {note: path for note, (path, _) in named.items()}
        return [
            one
            for one in found
            if not dismissals.has_pair(paths[one.note_id], paths[one.other_id])
        ]

    def unpaired() -> list[str]:
        space = vault.reader.vectors().answering()
        notice = vault.reader.pairs().lag(space.name if space else "").notice
        return [*([notice] if notice else []), *vault.hooks.dismissals(vault).problems]

    other = vault.hindsight
    notes, memory = edges_for(vault), vault.config.memory
    named = intent_named if vault.config.search.intent_model else None
    return SearchSources(
        words=words,
        rows=vault.reader.rows(),
        notes=notes,
        meaning=meaning.meaning,
        covered=meaning.covered,
        folder=vault.config.writes.agent_dir,
        lifts={**LIFTS, "hot": memory.hot_weight, "pinned": memory.pinned_weight},
        settled=_settled(vault.config),
        reranker=meaning.reranker,
        rerank_budget_s=vault.config.search.rerank_budget_ms / 1000,
        partners=partners,
        unpaired=unpaired,
        successors=lambda: vault.reader.successors(vault.reader.log().head()),
        heat=partial(vault.hooks.activity, vault),
        recall=None if other is None else other.ask,
        is_ours=partial(_is_ours, vault),
        lag=meaning.lag,
        note_id=note_id,
        intent_votes=meaning.intent_votes,
        named_intent=named,
        curve=meaning.curve,
    )


def _is_ours(vault: Vault, document: str) -> bool:
    """Whether a fact was made of a memo of this vault, be it there or forgotten."""
    from glassmind.model.search import memo_of  # noqa: PLC0415

    return bool(memo_of(document, vault.config.vault.name))


def _settled(config: Config) -> Settled:
    """Return how much channels count by the settings."""
    search = config.search
    return Settled(
        {
            "lexical": 1 - search.balance,
            "semantic": search.balance,
            "graph": search.graph_weight,
            **({"implicit": search.implicit_weight} if search.implicit_weight else {}),
        },
        {
            "semantic": search.semantic_weight,
            "lexical": search.keyword_weight,
            "graph": search.link_weight,
        },
        {"recency": search.recency_weight, "tag": search.tag_weight},
    )


class OpenMeaning:
    """The model and the vectors of the space that answers, opened once for many."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._lock = Lock()
        self._opened: tuple[Path, Space, Meaning, VectorIndex] | None = None
        self._reranker: Reranker | None = None
        self._patience = CircuitBreaker("the reranker")
        self._patiences: dict[str, CircuitBreaker] = {}
        self._known: tuple[Space, Prototypes] | None = None
        self._share: tuple[float, float] | None = None
        self._foreign: tuple[Space, str | None] | None = None
        self._curve = OpenCurve(vault)

    def meaning(self) -> Meaning:
        """Return what a search by meaning asks.

        Raises:
            ModelFault: there is no model for the vectors.
            NotEmbedded: there are no vectors.
        """
        folder = self._vault.place.folder
        space = self._vault.reader.vectors().answering()
        if space is None:
            self._vault.embedder()  # says why, where it is the model that is missing
            raise self._lacking(None)
        with self._lock:  # one model for all who ask first at once
            if self._opened is None or self._opened[:2] != (folder, space):
                self._opened = (folder, space, *self._open(folder, space))
            *_, meaning, vectors = self._opened
        log = self._vault.reader.vector_log()
        if log is not None:
            head = log.head()
            # this takes up what was written since
            if not vectors.reaches(head) and not vectors.follows(head):
                raise self._lacking(space)
        model = getattr(meaning.embedder, "model", "") or NAMELESS
        patient = PatientEmbedder(meaning.embedder, self.patience_with(model))
        return meaning._replace(embedder=patient)

    def patience_with(self, model: str) -> CircuitBreaker:
        """Return what remembers how a model fared that somebody waited for."""
        return self._patiences.setdefault(model, CircuitBreaker(model))

    def _lacking(self, space: Space | None) -> NotEmbedded:
        """Return what to raise where the vectors of a space cannot be searched."""
        known = self._vault.reader.vectors()
        made = space is not None and known.has_vectors(space)
        lacking = OUT_OF_PLACE if made else "nothing is embedded yet"
        return NotEmbedded(lacking, self._remedy("that is being done now"))

    def _remedy(self, being_done: str) -> str:
        """Return what to do about vectors that are missing, if anything."""
        return being_done if self._vault.is_embedding() else "run: glassmind index"

    def _open(self, folder: Path, space: Space) -> tuple[Meaning, VectorIndex]:
        embedder = self._vault.embedder_of(space)
        if embedder is None:
            self._vault.embedder()  # says why, where it is the model that is missing
            raise NotEmbedded(FORMER, self._remedy("all is being embedded anew"))
        vectors = VectorIndex.open(place_of(folder, space.name), space.width)
        if vectors is None:
            raise self._lacking(space)
        return Meaning(embedder, vectors, space.width), vectors

    def intent_votes(self, vector: "Vector") -> Mapping[Intent, float] | None:
        """Return which intents a question is near to; None where nothing was learnt."""
        prototypes = self._prototypes()
        return None if prototypes is None else prototypes.votes(vector)

    def learn_intents(self) -> None:
        """Learn from the prototypes what was not learnt in this space yet.

        Without a model, or where it fails, rules alone tell intents.
        """
        with suppress(ModelFault, NotEmbedded):
            self.meaning()
            prototypes = self._prototypes()
            if prototypes is not None and not prototypes.is_learnt():
                prototypes.learn()

    def _prototypes(self) -> "Prototypes | None":
        if self._opened is None:
            return None
        from glassmind.models.intents import (  # noqa: PLC0415
            Prototypes,
            questions_embedded,
        )
        from glassmind.search.intent import prototypes  # noqa: PLC0415

        folder, space, meaning, _ = self._opened
        if self._known is None or self._known[0] != space:
            vectors_of = partial(questions_embedded, meaning.embedder)
            made = Prototypes(prototypes(), vectors_of, space=space.name, folder=folder)
            self._known = (space, made)
        return self._known[1]

    def curve(self) -> "Curve | None":
        """Return what tells how likely an answer is one, after `meaning`."""
        if self._opened is None:
            return None
        folder, space, *_ = self._opened
        return self._curve.now(folder, space)

    def learn_curve(
        self,
        words: "KeywordIndex | None",
        progress: "ShowProgress",
        pause: Callable[[], bool],
    ) -> None:
        """Learn from the vault what its answers look like, where that is due.

        Without a model or words, or where one of them fails, the former curve stands.
        """
        with suppress(ModelFault, NotEmbedded, IndexDamaged):
            self.meaning()
            if self._opened is None or words is None or self.covered() < 1:
                return
            folder, space, *_ = self._opened
            self._curve.learn(folder, space, words, progress, pause)

    def lag(self) -> str | None:
        """Say what of the vault is not searched by meaning yet, after `meaning`."""
        opened, known = self._opened, self._vault.reader.vectors()
        if opened is not None and not opened[3].count and known.has_vectors(opened[1]):
            return f"{OUT_OF_PLACE}; {self._remedy('that is being done now')}"
        share = self.covered()
        if share < 1:
            said = f"{int(share * 100)} % of the vault is searched by meaning so far"
            return f"{said}; {self._remedy('the rest is being embedded')}"
        return self._unwanted()

    def _unwanted(self) -> str | None:
        """Say so where vectors answer that the settings do not ask for any more.

        Found out once for each space: it may mean reading a model's files.
        """
        if self._opened is None:
            return None
        space = self._opened[1]
        if self._foreign is None or self._foreign[0] != space:
            self._foreign = (space, self._compared(space))
        return self._foreign[1]

    def _compared(self, space: Space) -> str | None:
        """Return what to say where a space is not that of the settings."""
        try:
            return self._vault.foreign_space(space)
        except ModelFault as error:
            return f"the vectors of another model answer: {error}"

    def covered(self) -> float:
        """Return which share of the chunks has a vector; looked up now and then."""
        reader = self._vault.reader
        level = reader.vectors().setting(EMBEDDED)
        if level is not None and json.loads(level)[0] == reader.log().head():
            return 1.0
        now = time.monotonic()
        if self._share is None or now - self._share[0] > RECOUNT_S:
            vectors, least = reader.vectors(), self._vault.config.index
            found = vectors.coverage(vectors.answering(), least.embed_min_chars)
            share = found.covered / found.total if found.total else 1.0
            self._share = (now, share)
        return self._share[1]

    def reranker(self) -> "Reranker":
        """Return what reads a question and a passage together.

        Raises:
            ModelFault: it is not on this machine, or failed a short while ago.
        """
        self._patience.check()
        with self._lock:
            if self._reranker is None:
                from glassmind.models.embedders import reranker_for  # noqa: PLC0415

                made = reranker_for(self._vault.config)
                self._reranker = PatientReranker(made, self._patience)
            return self._reranker

    def close(self) -> None:
        """Let go of the files."""
        if self._opened is not None:
            self._opened[3].close()
            self._opened = None


class _ScopedMeaning(OpenMeaning):
    """The vectors of visible notes, and the models of the whole vault."""

    def _open(self, folder: Path, space: Space) -> tuple[Meaning, VectorIndex]:
        from glassmind.store.vectors.search import ScopedVectors  # noqa: PLC0415

        meaning, vectors = super()._open(folder, space)
        seen = ScopedVectors(vectors, self._vault.visible_rows.seen_chunks)
        return meaning._replace(vectors=seen), vectors

    def curve(self) -> "Curve | None":
        """Return what rates answers: the usual curve where notes are hidden.

        The curve of the vault was learnt from links of all notes.
        """
        if self._opened is None or not self._vault.visible_rows.hidden_notes():
            return super().curve()
        return usual_curve(self._opened[1])

    def patience_with(self, model: str) -> CircuitBreaker:
        """Return the circuit breaker of a model."""
        return semantic_for(self._vault.whole).patience_with(model)

    def reranker(self) -> "Reranker":
        """Return what reads a question and a passage together."""
        return semantic_for(self._vault.whole).reranker()
