"""What a search works with: the question, its sources, its channels and their votes."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from glassmind.errors import GlassmindError
from glassmind.model import NotePath
from glassmind.model.graph import Edge
from glassmind.model.search import (
    AdjustmentName,
    Candidate,
    ChannelName,
    FusionName,
    Intent,
    Snippet,
    Successor,
    Warm,
    Wish,
    WordQuery,
)

if TYPE_CHECKING:
    from glassmind.model.suggestions import Partner
    from glassmind.model.vectors import Vector
    from glassmind.models.hindsight import Hear
    from glassmind.models.protocols import Embedder, Reranker
    from glassmind.search.confidence import Curve
    from glassmind.search.hits import Shown
    from glassmind.store.lexical.search import KeywordIndex
    from glassmind.store.sqlite.links import Edges
    from glassmind.store.sqlite.notes import Rows
    from glassmind.store.vectors.search import ScopedVectors, VectorIndex

Weights = Mapping[ChannelName, float]

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

DAY_WORDS = frozenset(
    word
    for line in (
        "a about after afternoon ago all and any apr april are at aug august",
        "before between by couple created day days dec december did do during",
        "edited eight eleven evening everything feb february few five for",
        "fortnight four friday from happened have i in is jan january jul july",
        "jun june last learn learned mar march may me monday month months morning",
        "my new night nine note noted notes nov november now oct october of on",
        "one or our over past previous q1 q2 q3 q4 quarter quarters recent",
        "recently s saturday sep sept september seven show since six sunday ten",
        "the things think this thought three through thursday till to today",
        "tonight tuesday twelve two until up was we wednesday week weekend weeks",
        "were what when which within worked write written wrote year years",
        "yesterday",
    )
    for word in line.split()
)
"""Words that say nothing beside a day: "what did I write last week"."""

DATED = 0.6
"""Weight of standing in the days that a question names."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")

NAMED_WEIGHT = 0.05
"""Weight of a channel that a caller names and that otherwise has none. What it finds is
listed, and adds too little to lift a look-alike above a direct hit."""

CHUNKS = 300
"""Chunks that keywords and meaning vote for, each. They belong to 100 to 200 notes."""

POOL = 200
"""Notes that scores are stretched over, unless more are wanted (docs/ranking.md)."""


class Settled(NamedTuple):
    """How much channels count by the settings, where a question has no intent.

    `summed` and `lifts` are what `weighted_sum` adds up: votes, and adjustments.
    """

    balanced: Weights
    summed: Weights
    lifts: Mapping[AdjustmentName, float]


class Days(NamedTuple):
    """A stretch of days: the first, and the one after the last; None is open."""

    first: date | None
    after: date | None


class Question(NamedTuple):
    """What a person or an agent wants to know.

    `meaning` is what is embedded: the words without operators. `roots` are the notes
    that links are followed from, `days` those that the question names.
    """

    text: str
    words: WordQuery
    meaning: str
    wish: Wish
    today: date
    intent: Intent | None = None
    roots: tuple[int, ...] = ()
    days: Days | None = None

    @property
    def is_about_days(self) -> bool:
        """Whether the question names days, and asks for nothing but what is of them."""
        return self.days is not None and all(
            word in DAY_WORDS or _NUMBER.fullmatch(word)
            for word in _WORD.findall(self.meaning.lower())
        )


class Meaning(NamedTuple):
    """A model, and the vectors that it made, each of `width` numbers."""

    embedder: "Embedder"
    vectors: "VectorIndex | ScopedVectors"
    width: int


class SearchSources(NamedTuple):
    """What a search asks.

    `meaning` raises why there is none, `covered` is the share of the vault that has
    vectors, and `lag` says what of it lacks them. `folder` is the agent's. `lifts` are
    the most that each adjustment adds. `partners` are similar notes without a link, and
    `unpaired` says what is not known of them. `successors` has what took the place of
    other notes, `heat` how active notes are. `recall` begins to ask Hindsight, where
    there is one, and `is_ours` tells a document that came from this vault. `note_id`
    finds a note by name, `intent_votes` says which intents a vector is near to, and
    `named_intent` asks a language model. `curve` turns signals into a confidence.
    """

    words: "KeywordIndex"
    rows: "Rows"
    notes: "Edges"
    meaning: Callable[[], Meaning]
    covered: Callable[[], float]
    lag: Callable[[], str | None]
    folder: str
    lifts: Mapping[AdjustmentName, float]
    settled: Settled
    reranker: "Callable[[], Reranker]"
    rerank_budget_s: float
    partners: "Callable[[Collection[int]], Sequence[Partner]]"
    unpaired: Callable[[], Sequence[str]]
    note_id: Callable[[str], int]
    intent_votes: "Callable[[Vector], Mapping[Intent, float] | None]"
    named_intent: Callable[[str], str] | None = None
    successors: Callable[[], Mapping[int, Successor]] = dict
    heat: "Callable[[], Mapping[int, Warm]]" = dict
    recall: "Callable[[str], Hear] | None" = None
    is_ours: Callable[[str], bool] = lambda _: False
    curve: "Callable[[], Curve | None]" = lambda: None


class Route(NamedTuple):
    """How links lead to a hit: how many, through which notes, and the links."""

    depth: int = 0
    via: tuple[int, ...] = ()
    steps: tuple[Edge, ...] = ()


class Place(NamedTuple):
    """What a channel may look at to give its reason for a hit."""

    note_id: int
    path: NotePath
    snippet: Snippet
    similarity: float | None
    names: Mapping[int, tuple[NotePath, str]]


class Reason(NamedTuple):
    """Why a channel voted for a hit; `quoted` is the note that the reason quotes."""

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

    def reason(self, place: Place, /) -> Reason:
        """Return why the channel voted for a hit."""
        raise NotImplementedError

    def route(self, _note_id: int, /) -> Route:
        """Return the links that led to a note that the channel voted for."""
        return Route()


class Run:
    """One search: its question, what the channels said, and what went wrong.

    `leaders` are the notes that keywords and meaning found, with their scores. `facts`
    are passages of Hindsight: they stand in no note, and have ids below zero.
    """

    def __init__(
        self,
        question: Question,
        sources: SearchSources,
        channels: Sequence[type[Channel]],
        reach: int,
    ) -> None:
        self.question, self.sources = question, sources
        self.query = sources.words.ask(question.words)
        self.channels = {made.name: made(self) for made in channels}
        self.depth, self.pool = max(CHUNKS, 4 * reach), max(POOL, 2 * reach)
        self.votes: dict[ChannelName, list[Candidate]] = {}
        self.leaders: list[tuple[int, float]] = []
        self.degraded: list[str] = []
        self.failed: dict[ChannelName, str] = {}
        self.meaning: Meaning | None = None
        self.vector: Vector | None = None
        self.facts: dict[int, Shown] = {}
        self.fact_cosines: dict[int, float] = {}
        self.reranked = 0
        self.weights = weights_of(self)

    def ask(self, name: ChannelName) -> None:
        """Let a channel vote; of one that fails the answer says so."""
        try:
            found = list(self.channels[name].candidates())
        except Exception as error:  # noqa: BLE001 - the other channels still answer
            self.fail(name, error)
        else:
            if found:
                self.votes[name] = found

    def fail(self, name: ChannelName, error: Exception) -> None:
        """Note that a channel failed."""
        known = isinstance(error, GlassmindError)
        self.failed[name] = str(error) if known else f"{type(error).__name__}: {error}"
        self.degraded.append(f"{name}: {self.failed[name]}")

    @cached_property
    def allowed(self) -> Mapping[int, int] | None:
        """The chunks that pass the filters, with their notes; None without filters."""
        found = self.query.allowed()
        return None if found is None else {one[0]: one[1] for one in found}

    @cached_property
    def allowed_notes(self) -> frozenset[int] | None:
        """The notes that pass the filters; None where there are none."""
        return None if self.allowed is None else frozenset(self.allowed.values())

    def passing(self, chunk_ids: Iterable[int]) -> list[int]:
        """Return the chunks that pass the filters, in their order."""
        if self.allowed is None:
            return list(chunk_ids)
        return [chunk for chunk in chunk_ids if chunk in self.allowed]

    def nearest(self, chunk_ids: Iterable[int], limit: int) -> list[Candidate]:
        """Return the nearest of some chunks that pass the filters, by meaning."""
        if self.meaning is None or self.vector is None:
            return []
        among = set(self.passing(chunk_ids))
        if not among:
            return []
        return self.meaning.vectors.best(self.vector, limit, among=among)

    def cosines(self, chunk_ids: Sequence[int]) -> Mapping[int, float]:
        """Return how near chunks are; none without a vector of the question."""
        if self.meaning is None or self.vector is None or not chunk_ids:
            return {}
        return self.meaning.vectors.near(self.vector, chunk_ids)


def meaning_of(words: WordQuery) -> str:
    """Return what a query says apart from its operators."""
    return " ".join((*words.words, *words.phrases, *words.prefixes))


def weights_of(run: Run) -> dict[ChannelName, float]:
    """Return the channels that take part with their weights.

    While a vault is being embedded, the nearest of what has a vector need not be near:
    squared, half of a vault counts a quarter.
    """
    question, wish = run.question, run.question.wish
    weights = _usual_weights(run)
    if wish.channels is not None:
        weights = {name: weights.get(name) or NAMED_WEIGHT for name in wish.channels}
    elif wish.mode == "semantic":
        weights = {"semantic": 1.0}
    elif wish.mode == "fulltext":
        weights = {"lexical": 1.0}
    elif question.is_about_days:
        weights = {"recent": 1.0}
    elif question.intent is None and wish.fusion in RANKS_ALONE:
        del weights["graph"]
    if not question.meaning.strip():
        weights.pop("semantic", None)
    if run.meaning is not None and len(weights) > 1 and "semantic" in weights:
        weights["semantic"] *= run.sources.covered() ** 2
    return weights


def _usual_weights(run: Run) -> dict[ChannelName, float]:
    """Return the weights of the intent, else of the settings, else of the channels."""
    question, fusion = run.question, run.question.wish.fusion
    if question.intent is not None:
        weights = dict(BY_INTENT[question.intent])
    else:
        settled = run.sources.settled
        summed = fusion == "weighted_sum"
        weights = dict(settled.summed if summed else settled.balanced)
        for name, channel in run.channels.items():
            if channel.weight and (fusion == "minmax" or not channel.is_faint):
                weights.setdefault(name, channel.weight)
    if question.days is not None:
        weights["recent"] = DATED
    return weights
