"""Measuring a bench: the default configuration, and what changes it for the worse."""

import inspect
import time
from collections.abc import Sequence

from glassmind.engine import Engine
from glassmind.evaluation.bench import Bench
from glassmind.evaluation.measure import (
    SEED,
    Configuration,
    ShowCount,
    ablations,
    engine_asker,
    measure,
)
from glassmind.types.evaluation import EvalReport


def evaluate(
    bench: Bench,
    *,
    compare: bool = True,
    seed: int = SEED,
    show: ShowCount = lambda _done, _all: None,
) -> EvalReport:
    """Return what search scores on a bench; with `compare`, what each part gives."""
    began = time.perf_counter()
    with bench.open({}) as engine:
        others = _known(ablations(bench.queries), engine) if compare else []
        asker = engine_asker(engine)
        default, compared = measure(asker, bench.queries, others, seed=seed, show=show)
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


def _known(others: Sequence[Configuration], engine: Engine) -> list[Configuration]:
    """Return the configurations that the engine can be told."""
    taken = inspect.signature(engine.search).parameters
    return [one for one in others if one.options.keys() <= taken.keys()]
