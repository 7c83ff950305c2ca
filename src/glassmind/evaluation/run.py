"""Measuring a bench: the default configuration, and what changes it for the worse."""

import time

from glassmind.evaluation.answerable import confidence_quality
from glassmind.evaluation.bench import Bench
from glassmind.evaluation.measure import (
    SEED,
    ShowCount,
    ablations,
    measure,
)
from glassmind.evaluation.signals import asker_of, signals
from glassmind.types.evaluation import EvalReport


def evaluate(
    bench: Bench,
    *,
    compare: bool = True,
    calibration: bool = False,
    seed: int = SEED,
    show: ShowCount = lambda _done, _all: None,
) -> EvalReport:
    """Return what search scores on a bench.

    With `compare`, what each part gives as well; with `calibration`, how good the
    confidence of replies is.
    """
    began = time.perf_counter()
    with bench.open({}) as engine, asker_of(engine) as asker:
        others = [*ablations(bench.queries), *signals()] if compare else []
        default, compared = measure(asker, bench.queries, others, seed=seed, show=show)
        sure = confidence_quality(engine, bench.queries, show) if calibration else {}
    return EvalReport(
        gold=bench.gold,
        source=str(bench.source),
        notes=bench.notes,
        model=bench.model,
        default=default,
        ablations=compared,
        confidence=sure,
        notices=bench.notices,
        seconds=time.perf_counter() - began,
    )
