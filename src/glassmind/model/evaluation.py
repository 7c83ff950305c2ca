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
    mean: float
    interval: Interval


class Figures(NamedTuple):
    queries: int
    means: Mapping[str, float]


class Measured(NamedTuple):
    """What one configuration scored."""

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


class EvalReport(NamedTuple):
    """What was measured: on what, with which model, the default first.

    `gold` says where the queries came from, such as "queries" or "self".
    """

    gold: str
    source: str
    notes: int
    model: str
    default: Measured
    ablations: Sequence[Measured] = ()
    notices: Sequence[str] = ()
    seconds: float = 0.0


class Tried(NamedTuple):
    name: str
    settings: Mapping[str, object]
    ndcg: float


class TuneReport(NamedTuple):
    """What tuning found, and whether it is to be believed.

    `held_out` compares, on queries that had no say in the choice, what was chosen with
    the settings in force: `before` and `after` are the means there.
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
    chosen: Tried
    current: Tried
    tried: Sequence[Tried]
    file: str = ""
    notices: Sequence[str] = ()
    seconds: float = 0.0
