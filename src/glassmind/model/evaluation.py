"""What measuring search yields: figures with their doubt, side by side."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

METRICS = (
    "ndcg@10",
    "mrr",
    "hit@1",
    "hit@5",
    "hit@10",
    "recall@10",
    "recall@100",
)
"""What is computed of every ranking, by the names that `--json` has."""


class Interval(NamedTuple):
    """Where the true value lies, 95 times of 100."""

    low: float
    high: float


class Difference(NamedTuple):
    """How much better one configuration is than another, query by query."""

    mean: float
    interval: Interval


class Figures(NamedTuple):
    """The means of some queries."""

    queries: int
    means: Mapping[str, float]


class Measured(NamedTuple):
    """What one configuration scored.

    `kinds` and `intents` hold the same figures for the queries of each; `versus` is the
    difference in nDCG@10 to the default configuration, None for that one itself.
    """

    name: str
    queries: int
    means: Mapping[str, float]
    intervals: Mapping[str, Interval]
    kinds: Mapping[str, Figures] = MappingProxyType({})
    intents: Mapping[str, Figures] = MappingProxyType({})
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    degraded: Sequence[str] = ()
    versus: Difference | None = None


class Bin(NamedTuple):
    """Some replies of like confidence: how sure, how often rightly so, how many.

    `share` is how much of all it counts.
    """

    predicted: float
    actual: float
    examples: int
    share: float


class Quality(NamedTuple):
    """How good probabilities are.

    `ece` is how far they are off on average, `auroc` how well they part what can be
    answered from what cannot; `bins` are the reliability table.
    """

    ece: float
    auroc: float
    bins: Sequence[Bin]
    examples: int


class BundleFigures(NamedTuple):
    """What bundles of so many tokens hold, against the best chunks cut at as many.

    `recall` and `plain_recall` are the share of the relevant notes, `distinct` and
    `plain_distinct` how many of them 1,000 tokens hold. `answered` is the share of the
    questions that got a short answer, and `rightly` the share of these whose answer
    cites a relevant note; None where nothing was answered.
    """

    budget_tokens: int
    queries: int
    recall: float
    plain_recall: float
    distinct: float
    plain_distinct: float
    answered: float
    rightly: float | None


class EvalReport(NamedTuple):
    """What was measured: on what, with which model, the default first.

    `gold` says where the queries came from: "dataset", "queries" or "self".
    `confidence` is how good the confidence of replies is against questions that lack an
    answer, by why they do; empty where that was not asked for, as are `bundles`.
    """

    gold: str
    source: str
    notes: int
    model: str
    default: Measured
    ablations: Sequence[Measured] = ()
    confidence: Mapping[str, Quality] = MappingProxyType({})
    notices: Sequence[str] = ()
    seconds: float = 0.0
    bundles: Sequence[BundleFigures] = ()


class Tried(NamedTuple):
    """One set of settings that was tried, and what it scored on all queries."""

    name: str
    settings: Mapping[str, object]
    ndcg: float


class TuneReport(NamedTuple):
    """What tuning found, and whether it is to be believed.

    `held_out` compares, on queries that had no say in the choice, what was chosen with
    the settings in force: `before` and `after` are the means there. `luck` is how often
    equals would gain as much, `chance` how often shuffled answers do; None where the
    figures before spoke against a change already.
    """

    accepted: bool
    reason: str
    queries: int
    notes: int
    folds: int
    agreeing: int
    before: float
    after: float
    held_out: Difference
    luck: float | None
    chance: float | None
    chosen: Tried
    current: Tried
    tried: Sequence[Tried]
    file: str = ""
    notices: Sequence[str] = ()
    seconds: float = 0.0
