"""What a search works with: its question, its channels, their votes and weights."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

from glassmind.errors import GlassmindError
from glassmind.model import NotePath
from glassmind.model.graph import Edge
from glassmind.model.search import (
    Candidate,
    ChannelName,
    FusionName,
    HitChunk,
    Intent,
    Snippet,
)
from glassmind.search.dates import Days, days_in, names_only_days, without_counted
from glassmind.search.intent import INTENTS, Guess, guess_intent
from glassmind.search.notes import notes_for
from glassmind.search.query import Question
from glassmind.search.ranking import Weights
from glassmind.search.semantic import semantic_for
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model.vectors import Vector
    from glassmind.search.semantic import SemanticIndex
    from glassmind.store.protocol import Keywords


BY_INTENT: Mapping[Intent, Weights] = MappingProxyType(
    {
        "factual_lookup": {
            "lexical": 1.0,
            "semantic": 0.5,
            "graph": 0.2,
            "memory": 0.8,
            "hindsight": 0.8,
        },
        "context_load": {
            "lexical": 0.4,
            "semantic": 0.4,
            "graph": 1.0,
            "memory": 0.4,
            "hindsight": 0.4,
        },
        "conceptual": {
            "lexical": 0.4,
            "semantic": 1.0,
            "graph": 0.3,
            "memory": 0.3,
            "hindsight": 0.3,
        },
        "backlink": {"lexical": 0.2, "semantic": 0.1, "graph": 1.0},
        "serendipity": {
            "lexical": 0.2,
            "semantic": 1.0,
            "graph": 1.0,
            "memory": 0.3,
            "hindsight": 0.3,
        },
    }
)
"""Where vault-graphrag's intents begin; it does not publish its own."""

RANKS_ALONE: frozenset[FusionName] = frozenset(("rrf", "weighted_rrf"))
"""Fusions that see ranks and no strength. Most of what links lead to is weak, and there
it would count as much as a good match of words (.53 instead of .58 on tasks-docs)."""

DATED = 0.6  # weight of standing in the days that a question names
NAMED_WEIGHT = 0.05
"""Weight of a channel that a caller names and that otherwise has none. What it finds is
listed, and adds too little to lift a look-alike above a direct hit."""

CHUNKS = 300
"""Chunks that keywords and meaning vote for, each. They belong to 100 to 200 notes."""

POOL = 200
"""Notes that scores are stretched over, unless more are wanted (docs/ranking.md)."""


ROOTED: frozenset[Intent] = frozenset(("backlink", "context_load"))
"""Intents that begin at a note."""


class GraphRoute(NamedTuple):
    depth: int = 0
    via: tuple[int, ...] = ()
    steps: tuple[Edge, ...] = ()


class HitPlace(NamedTuple):
    """What a channel may look at to give its reason for a hit."""

    note_id: int
    path: NotePath
    snippet: Snippet
    similarity: float | None
    names: Mapping[int, tuple[NotePath, str]]


class Reason(NamedTuple):
    text: str
    quoted: str = ""


class Channel:
    """One way of finding notes; an instance serves one search.

    `weight` is what it counts where neither the intent nor a setting says. One that
    `is_faint` has no say by that in fusions that do not tell weak votes from strong.
    """

    name: ChannelName
    weight: float = 0.0
    is_faint: bool = False

    def __init__(self, run: "Run") -> None:
        self.run = run

    def begin(self) -> None:
        """Start what takes long, before any channel is asked."""

    def candidates(self) -> Iterable[Candidate]:
        """Return what the channel votes for, best first; chunk 0 is a whole note."""
        raise NotImplementedError

    def reason(self, place: HitPlace, /) -> Reason:
        raise NotImplementedError

    def route(self, _note_id: int, /) -> GraphRoute:
        """Return the links that led to a note that the channel voted for."""
        return GraphRoute()


class Run:
    """One search: its question, what the channels said, and what went wrong.

    `text` is what is embedded. `roots` are the notes that links are followed from,
    `days` those that the question names. `leaders` are the notes that keywords and
    meaning found, with their scores. `facts` are passages of Hindsight: they belong to
    no note, and have ids below zero.
    """

    def __init__(
        self,
        vault: Vault,
        index: "Keywords",
        question: Question,
        channels: Sequence[type[Channel]],
        reach: int,
    ) -> None:
        self.vault, self.index, self.wish = vault, index, question.wish
        self.today, self.text = question.today, question.meaning
        words = without_counted(question.words.words)
        self.words = question.words._replace(words=words)
        self.query = index.ask(self.words)
        self.rows = vault.rows()
        self.models = semantic_for(vault)
        self.intent = None if self.wish.intent == "auto" else self.wish.intent
        self.roots: tuple[int, ...] = ()
        self.days: Days | None = None
        self.channels = {made.name: made(self) for made in channels}
        self.depth, self.pool = max(CHUNKS, 4 * reach), max(POOL, 2 * reach)
        self.votes: dict[ChannelName, list[Candidate]] = {}
        self.leaders: list[tuple[int, float]] = []
        self.degraded: list[str] = []
        self.failed: dict[ChannelName, str] = {}
        self.semantic: SemanticIndex | None = None
        self.vector: Vector | None = None
        self.facts: dict[int, HitChunk] = {}
        self.fact_cosines: dict[int, float] = {}
        self.reranked = 0
        self.weights = weights_of(self)

    @property
    def is_about_days(self) -> bool:
        """Whether the question asks for nothing but what is of the days it names."""
        return self.days is not None and names_only_days(self.text)

    def ask(self, name: ChannelName) -> None:
        try:
            candidates = list(self.channels[name].candidates())
        except Exception as error:  # noqa: BLE001 - the other channels still answer
            self.fail(name, error)
        else:
            if candidates:
                self.votes[name] = candidates

    def fail(self, name: ChannelName, error: Exception) -> None:
        known = isinstance(error, GlassmindError)
        self.failed[name] = str(error) if known else f"{type(error).__name__}: {error}"
        self.degraded.append(f"{name}: {self.failed[name]}")

    @cached_property
    def allowed(self) -> Mapping[int, int] | None:
        """The chunks that pass the filters, with their notes; None without filters."""
        candidates = self.query.allowed()
        return (
            None
            if candidates is None
            else {candidate[0]: candidate[1] for candidate in candidates}
        )

    @cached_property
    def allowed_notes(self) -> frozenset[int] | None:
        return None if self.allowed is None else frozenset(self.allowed.values())

    def passing(self, chunk_ids: Iterable[int]) -> list[int]:
        allowed = self.allowed
        return [c for c in chunk_ids if allowed is None or c in allowed]

    def nearest(self, chunk_ids: Iterable[int], limit: int) -> list[Candidate]:
        if self.semantic is None or self.vector is None:
            return []
        among = set(self.passing(chunk_ids))
        if not among:
            return []
        return self.semantic.vectors.best(self.vector, limit, among=among)

    def cosines(self, chunk_ids: Sequence[int]) -> Mapping[int, float]:
        """Return how near chunks are; none without a vector of the question."""
        if self.semantic is None or self.vector is None or not chunk_ids:
            return {}
        return self.semantic.vectors.near(self.vector, chunk_ids)


def guess_for(run: Run) -> Guess | None:
    """Return the intent that rules see in the form of a question, if they may.

    This takes some milliseconds in a process that has just begun, and no model.
    """
    is_open = run.wish.intent == "auto" and run.wish.mode == "hybrid"
    return guess_intent(run.text) if is_open else None


def understand(
    run: Run, guess: Guess | None, leaders: Callable[[], Sequence[int]]
) -> None:
    """Find the days, the intent, the roots and the weights of a search.

    `leaders` returns the notes that keywords and meaning found, best first. A question
    about what links to a note it does not call by name is about the first of them.
    Raises NoteNotFound or AmbiguousName.
    """
    run.days = days_in(run.text, run.today)
    run.intent = _intent(run, guess)
    if run.wish.root_note is not None:
        path = notes_for(run.vault).find(run.wish.root_note)
        run.roots = tuple(run.rows.note_ids(paths=[path]))
    elif run.intent in ROOTED:
        named = run.index.named(run.text)
        linked = run.rows.inbound(named)
        run.roots = tuple([note for note in named if note in linked][:1] or named[:1])
        if not run.roots and run.wish.intent == "auto":
            # no note is named: keywords and meaning know better
            run.intent = run.wish.fallback_intent
        elif not run.roots and run.intent == "backlink":
            run.roots = tuple(leaders()[:1])
    run.weights = weights_of(run)


def _intent(run: Run, guess: Guess | None) -> Intent | None:
    if run.wish.intent != "auto":
        return run.wish.intent
    if guess is None:
        return None
    config = run.vault.config
    if config.search.intent_model:
        from glassmind.models.intents import intent_of, intent_server  # noqa: PLC0415

        try:
            return cast("Intent", intent_of(run.text, INTENTS, intent_server(config)))
        except GlassmindError as error:
            run.degraded.append(f"intent: {error}")
    if guess.is_sure:
        return guess.intent
    return (
        "context_load" if run.wish.root_note is not None else run.wish.fallback_intent
    )


def weights_of(run: Run) -> dict[ChannelName, float]:
    """Return the channels that take part with their weights.

    While a vault is being embedded, the nearest of what has a vector need not be near:
    squared, half of a vault counts a quarter.
    """
    wish, weights = run.wish, _usual_weights(run)
    if wish.channels is not None:
        weights = {name: weights.get(name) or NAMED_WEIGHT for name in wish.channels}
    elif wish.mode == "semantic":
        weights = {"semantic": 1.0}
    elif wish.mode == "fulltext":
        weights = {"lexical": 1.0}
    elif run.is_about_days:
        weights = {"recent": 1.0}
    elif run.intent is None and wish.fusion in RANKS_ALONE:
        del weights["graph"]
    if not run.text.strip():
        weights.pop("semantic", None)
    if run.semantic is not None and len(weights) > 1 and "semantic" in weights:
        weights["semantic"] *= run.models.covered() ** 2
    return weights


def _usual_weights(run: Run) -> dict[ChannelName, float]:
    fusion, settings = run.wish.fusion, run.vault.config.search
    if run.intent is not None:
        weights = dict(BY_INTENT[run.intent])
    else:
        weights = {
            "lexical": 1 - settings.balance,
            "semantic": settings.balance,
            "graph": settings.graph_weight,
        }
        if settings.implicit_weight:
            weights["implicit"] = settings.implicit_weight
        if fusion == "weighted_sum":
            weights = {
                "semantic": settings.semantic_weight,
                "lexical": settings.keyword_weight,
                "graph": settings.link_weight,
            }
        for name, channel in run.channels.items():
            if channel.weight and (fusion == "minmax" or not channel.is_faint):
                weights.setdefault(name, channel.weight)
    if run.days is not None:
        weights["recent"] = DATED
    return weights
