"""Measuring a bench: the default configuration, and what changes it for the worse."""

import time

from glassmind.evaluation.bench import Bench
from glassmind.evaluation.measure import (
    SEED,
    ShowCount,
    ablations,
    engine_asker,
    measure,
)
from glassmind.model.evaluation import EvalReport


def evaluate(
    bench: Bench,
    *,
    compare: bool = True,
    seed: int = SEED,
    show: ShowCount = lambda _done, _all: None,
) -> EvalReport:
    """Return what search scores on a bench.

    With `compare`, also what each part of search adds.
    """
    began = time.perf_counter()
    with bench.open({}) as engine:
        others = ablations(bench.queries) if compare else []
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
