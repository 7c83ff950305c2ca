"""Asking every query of a gold set in several ways, and what each way scores."""

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from glassmind.evaluation.bench import Bench
from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.metrics import (
    DEEPEST,
    Difference,
    Interval,
    confidence,
    difference,
    mean,
    percentile,
    scores,
)
from glassmind.evaluation.report import METRICS

if TYPE_CHECKING:
    from glassmind.engine import Engine


class QueryMeans(NamedTuple):
    queries: int
    means: Mapping[str, float]


class Measurement(NamedTuple):
    """What one configuration scored."""

    name: str
    queries: int
    means: Mapping[str, float]
    intervals: Mapping[str, Interval]
    kinds: Mapping[str, QueryMeans] = MappingProxyType({})
    intents: Mapping[str, QueryMeans] = MappingProxyType({})
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
    default: Measurement
    ablations: Sequence[Measurement] = ()
    notices: Sequence[str] = ()
    seconds: float = 0.0


FUSIONS = ("minmax", "rrf", "weighted_rrf", "weighted_sum")

USUAL = 10  # hits that a person asks for, and what most metrics look at
SEED = 0
"""What chance begins with, so that the same figures come with the same intervals."""


class Configuration(NamedTuple):
    name: str
    options: Mapping[str, object] = MappingProxyType({})


class QueryAnswer(NamedTuple):
    paths: Sequence[str]
    degraded: Sequence[str] = ()


Asker = Callable[[GoldQuery, Configuration, int], QueryAnswer]
"""Puts a query to something that searches; returns at most so many notes, each once."""

ShowCount = Callable[[int, int], None]
"""Is told how many queries are done, and of how many."""

DEFAULT = Configuration("default")  # the settings in force


class ConfigurationRun(NamedTuple):
    configuration: Configuration
    rankings: Sequence[Sequence[str]]
    values: Sequence[Mapping[str, float]]
    seconds: Sequence[float]
    degraded: Sequence[str]

    def column(self, metric: str) -> list[float]:
        return [row[metric] for row in self.values]


def ablations(queries: Sequence[GoldQuery]) -> list[Configuration]:
    alone = ["lexical", "semantic"]
    if any(query.root_note for query in queries):
        alone.append("graph")
    configurations = [
        Configuration(f"{name} alone", {"channels": (name,)}) for name in alone
    ]
    configurations.append(
        Configuration("without graph", {"channels": ("lexical", "semantic")})
    )
    configurations += [
        Configuration(f"fusion {name}", {"fusion": name}) for name in FUSIONS
    ]
    configurations += [
        Configuration(f"rerank {how}", {"rerank": how}) for how in ("on", "off")
    ]
    configurations += [
        Configuration(f"mode {mode}", {"mode": mode})
        for mode in ("semantic", "fulltext")
    ]
    configurations.append(Configuration("intent none", {"intent": None}))
    if any(query.intent for query in queries):
        configurations.append(Configuration("intent auto", {"intent": "auto"}))
    return configurations


def ask_all(
    asker: Asker,
    queries: Sequence[GoldQuery],
    configuration: Configuration,
    show: ShowCount = lambda _done, _all: None,
    *,
    deep: bool = True,
) -> ConfigurationRun:
    """Ask every query in one way.

    Notes that a query is not judged by are taken out, and so many more are fetched. The
    first ten are those of a search for ten, which is what is timed: how many are asked
    for may change how scores are stretched. If `deep`, a second search tells what
    follows them.
    """
    rankings, values, seconds = [], [], []
    degraded: dict[str, None] = {}
    for number, query in enumerate(queries, 1):
        began = time.perf_counter()
        answer = asker(query, configuration, USUAL + len(query.left_out))
        seconds.append(time.perf_counter() - began)
        ranked = _judged(answer, query)[:USUAL]
        if deep and len(ranked) == USUAL:
            more = asker(query, configuration, DEEPEST + len(query.left_out))
            ranked = list(dict.fromkeys([*ranked, *_judged(more, query)]))
        rankings.append(ranked[:DEEPEST])
        values.append(scores(ranked, query.grades))
        degraded.update(dict.fromkeys(answer.degraded))
        show(number, len(queries))
    return ConfigurationRun(configuration, rankings, values, seconds, tuple(degraded))


def _judged(answer: QueryAnswer, query: GoldQuery) -> list[str]:
    return [path for path in answer.paths if path not in query.left_out]


def measured(
    asked: ConfigurationRun,
    queries: Sequence[GoldQuery],
    *,
    seed: int = SEED,
    default: ConfigurationRun | None = None,
) -> Measurement:
    columns = {metric: asked.column(metric) for metric in METRICS}
    versus = None
    if default is not None:
        ndcg = default.column("ndcg@10")
        versus = difference(columns["ndcg@10"], ndcg, seed=seed)
    milliseconds = [1000 * second for second in asked.seconds]
    return Measurement(
        name=asked.configuration.name,
        queries=len(queries),
        means={metric: mean(values) for metric, values in columns.items()},
        intervals={
            metric: confidence(values, seed=seed) for metric, values in columns.items()
        },
        kinds=_parts(columns, [query.kind for query in queries]),
        intents=_parts(columns, [query.intent or "" for query in queries]),
        p50_ms=percentile(milliseconds, 0.5),
        p95_ms=percentile(milliseconds, 0.95),
        degraded=asked.degraded,
        versus=versus,
    )


def _parts(
    columns: Mapping[str, Sequence[float]], labels: Sequence[str]
) -> dict[str, QueryMeans]:
    found: dict[str, QueryMeans] = {}
    for label in sorted(set(labels) - {""}):
        at = [n for n, one in enumerate(labels) if one == label]
        means = {
            metric: mean([values[n] for n in at]) for metric, values in columns.items()
        }
        found[label] = QueryMeans(len(at), means)
    return found


def measure(
    asker: Asker,
    queries: Sequence[GoldQuery],
    others: Sequence[Configuration] = (),
    *,
    seed: int = SEED,
    show: ShowCount = lambda _done, _all: None,
) -> tuple[Measurement, list[Measurement]]:
    asker(queries[0], DEFAULT, 1)  # loads what is then not part of any time
    total = len(queries) * (1 + len(others))
    answers: list[ConfigurationRun] = []
    for number, way in enumerate((DEFAULT, *others)):
        before = number * len(queries)

        def shown(done: int, _all: int, before: int = before) -> None:
            show(before + done, total)

        answers.append(ask_all(asker, queries, way, shown))
    default, *rest = answers
    compared = [measured(run, queries, seed=seed, default=default) for run in rest]
    return measured(default, queries, seed=seed), compared


def engine_asker(engine: "Engine") -> Asker:
    def ask(
        query: GoldQuery, configuration: Configuration, limit: int, /
    ) -> QueryAnswer:
        options = {
            **({"intent": query.intent} if query.intent else {}),
            **({"root_note": query.root_note} if query.root_note else {}),
            **configuration.options,
        }
        reply = engine.search(query.text, limit=limit, facts=False, **options)  # type: ignore[arg-type]
        return QueryAnswer([hit.path for hit in reply.hits], reply.degraded)

    return ask


def evaluate(
    bench: Bench,
    *,
    compare: bool = True,
    seed: int = SEED,
    show: ShowCount = lambda _done, _all: None,
) -> EvalReport:
    began = time.perf_counter()
    with bench.open({}) as engine:
        configurations = ablations(bench.queries) if compare else []
        asker = engine_asker(engine)
        default, compared = measure(
            asker, bench.queries, configurations, seed=seed, show=show
        )
    return EvalReport(
        gold=bench.gold,
        source=str(bench.source),
        notes=bench.notes,
        model=bench.model,
        default=default,
        ablations=compared,
        notices=bench.notices,
        seconds=time.perf_counter() - began,
    )
