"""Whether other settings are better beyond noise, on questions they were not chosen by.

The questions are parted into folds so that all about one note are in one fold. For each
fold the settings that score best on the other folds are compared, on that fold alone,
with those in force: what is found so is what choosing gives on questions nobody has
seen. It counts if the gain is worth a change, and the 95 % interval of the paired
difference, drawn by note, lies above 0.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.config.settings import Config
from glassmind.config.sources import as_toml
from glassmind.config.write import set_keys
from glassmind.errors import QueryError
from glassmind.evaluation.bench import Bench
from glassmind.evaluation.measure import (
    DEFAULT,
    SEED,
    ConfigurationRun,
    ShowCount,
    ask_all,
    engine_asker,
)
from glassmind.evaluation.metrics import Difference, difference, mean


class TunedSettings(NamedTuple):
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
    chosen: TunedSettings
    current: TunedSettings
    tried: Sequence[TunedSettings]
    file: str = ""
    notices: Sequence[str] = ()
    seconds: float = 0.0


FOLDS = 5  # parts of the questions; each choice sees four fifths of them
LEAST_GAIN = 0.005  # nDCG@10 that is worth another line in a configuration file
Values: TypeAlias = NDArray[np.float64]
"""nDCG@10 by settings (the first are those in force) and query."""


class TuneChoice(NamedTuple):
    """What was chosen, and how it does on questions that had no say.

    `best` is the place of what scores best on all questions; `agreeing` counts the
    folds that chose the same. `reason` says why it is taken, or why not.
    """

    best: int
    accepted: bool
    reason: str
    folds: int
    agreeing: int
    before: float
    after: float
    held_out: Difference


def folds_of(groups: Sequence[str], count: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each query: whole groups, as evenly as these allow."""
    names, places, sizes = np.unique(
        np.asarray(groups), return_inverse=True, return_counts=True
    )
    order = np.random.default_rng(seed).permutation(len(names))
    fold, load = np.zeros(len(names), np.int64), np.zeros(count)
    # The large ones first; of equals, as chance has it.
    for group in sorted(order, key=lambda one: -sizes[one]):
        fold[group] = int(load.argmin())
        load[fold[group]] += sizes[group]
    return fold[places]


def choose(values: Values, groups: Sequence[str], *, seed: int = 0) -> TuneChoice:
    folds = folds_of(groups, FOLDS, seed)
    picks, ours = _held_out(values, folds)
    theirs = values[0]
    found = difference(list(ours), list(theirs), seed=seed, groups=groups)
    best = _best(values)
    reason = ""
    if best == 0:
        reason = "the settings in force are the best of those tried"
    elif found.mean < LEAST_GAIN:
        reason = f"the gain is below {LEAST_GAIN} on questions it was not chosen by"
    elif found.interval.low <= 0:
        reason = "the gain may be noise: its 95 % interval does not lie above 0"
    return TuneChoice(
        best=best,
        accepted=not reason,
        reason=reason or "better on questions it was not chosen by, beyond noise",
        folds=FOLDS,
        agreeing=sum(pick == best for pick in picks),
        before=float(theirs.mean()),
        after=float(ours.mean()),
        held_out=found,
    )


def _best(values: Values) -> int:
    means = values.mean(axis=1)
    best = int(means.argmax())
    return best if means[best] > means[0] + 1e-12 else 0


def _held_out(values: Values, folds: NDArray[np.int64]) -> tuple[list[int], Values]:
    picks, ours = [], values[0].copy()
    for fold in range(FOLDS):
        apart = folds == fold
        if apart.all() or not apart.any():
            continue
        pick = _best(values[:, ~apart])
        picks.append(pick)
        ours[apart] = values[pick, apart]
    return picks, ours


def write_choice(
    config: Config, report: TuneReport, file: Path, *, in_vault: bool, today: date
) -> None:
    chosen = report.chosen.settings
    before = {path: _value(config, path) for path in chosen}
    low, high = report.held_out.interval
    day, asked, gain = today.isoformat(), report.queries, report.held_out.mean
    evidence = [
        f"Chosen by `glassmind tune` on {day} from {asked} questions of this vault.",
        f"nDCG@10 on held-out questions: {report.before:.4f}, now {report.after:.4f}.",
        f"A gain of {gain:+.4f}, 95 % interval {low:+.4f} to {high:+.4f}.",
        *(f"Before: {path} = {as_toml(value)}" for path, value in before.items()),
    ]
    set_keys(file, chosen, above=evidence, in_vault=in_vault)


LEAST_QUERIES = 50  # below this no gain that a vault may hope for is told from noise
NEEDED = f"{LEAST_QUERIES} are needed to tell a gain from noise; nothing was changed"

SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Shares of meaning against words: nearer ones rank alike."""

LINKS = (0.0, 0.4, 0.8, 1.2)
"""Weights of the graph where votes are stretched; beyond these, hubs come first."""

IN_FORCE = "in force"


class Alternative(NamedTuple):
    name: str
    settings: Mapping[str, object]


def candidates(config: Config) -> list[Alternative]:
    alternatives: dict[tuple[object, ...], Alternative] = {
        (): Alternative(IN_FORCE, {})
    }
    for settings in _settings():
        changed = {
            path: value
            for path, value in settings.items()
            if _value(config, path) != value
        }
        if changed:
            key = tuple(sorted((path, str(value)) for path, value in changed.items()))
            alternatives.setdefault(key, Alternative(_named(changed), changed))
    return list(alternatives.values())


def _settings() -> Iterator[dict[str, object]]:
    for share, links in product(SHARES, LINKS):
        yield {
            "search.fusion": "minmax",
            "search.balance": share,
            "search.graph_weight": links,
        }
    yield {"search.fusion": "rrf"}
    for share in SHARES:
        yield {"search.fusion": "weighted_rrf", "search.balance": share}
        yield {
            "search.fusion": "weighted_sum",
            "search.semantic_weight": share,
            "search.keyword_weight": round(1 - share, 2),
        }
    for rerank in ("on", "off"):
        yield {"search.rerank": rerank}


def _value(config: Config, path: str) -> object:
    section, _, name = path.partition(".")
    return getattr(getattr(config, section), name)


def _named(settings: Mapping[str, object]) -> str:
    return ", ".join(
        f"{path.partition('.')[2]} {value}" for path, value in settings.items()
    )


def enough(limit: int | None) -> int | None:
    if limit is not None and limit < LEAST_QUERIES:
        raise QueryError(f"--limit-queries {limit} is too low; {NEEDED}")
    return limit


def tune(
    bench: Bench,
    *,
    seed: int = SEED,
    show: ShowCount = lambda _done, _all: None,
) -> TuneReport:
    began = time.perf_counter()
    if len(bench.queries) < LEAST_QUERIES:
        found = len(bench.queries)
        raise QueryError(
            f"the vault's own links, aliases and headings give {found} queries; "
            f"{NEEDED}"
        )
    with bench.open({}) as engine:
        tried = candidates(engine.config)
    runs = _asked(bench, tried, show)
    values = np.array([run.column("ndcg@10") for run in runs])
    choice = choose(values, [query.group for query in bench.queries], seed=seed)
    report = _report(bench, tried, runs, choice)
    return report._replace(seconds=time.perf_counter() - began)


def _asked(
    bench: Bench, tried: Sequence[Alternative], show: ShowCount
) -> list[ConfigurationRun]:
    """Return what every candidate answers; engines share an index where they can."""
    runs = []
    total = len(tried) * len(bench.queries)
    for number, candidate in enumerate(tried):
        before = number * len(bench.queries)

        def shown(done: int, _all: int, before: int = before) -> None:
            show(before + done, total)

        with bench.open(candidate.settings) as engine:
            asker = engine_asker(engine)
            runs.append(ask_all(asker, bench.queries, DEFAULT, shown, deep=False))
    return runs


def _report(
    bench: Bench,
    tried: Sequence[Alternative],
    asked: Sequence[ConfigurationRun],
    choice: TuneChoice,
) -> TuneReport:
    scored = [
        TunedSettings(candidate.name, candidate.settings, mean(run.column("ndcg@10")))
        for candidate, run in zip(tried, asked, strict=True)
    ]
    missing = dict.fromkeys(reason for run in asked for reason in run.degraded)
    facts = choice._asdict()
    return TuneReport(
        chosen=scored[facts.pop("best")],
        current=scored[0],
        tried=scored,
        queries=len(bench.queries),
        notes=bench.notes,
        notices=(*bench.notices, *missing),
        **facts,
    )
