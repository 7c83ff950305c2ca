"""Measuring a bench: the default configuration, and what changes it for the worse."""

import time

from glassmind.evaluation.answerable import confidence_quality
from glassmind.evaluation.bench import Bench
from glassmind.evaluation.bundles import bundle_figures
from glassmind.evaluation.heat import heat_signals
from glassmind.evaluation.measure import (
    SEED,
    ShowCount,
    ablations,
    measure,
)
from glassmind.evaluation.signals import asker_of, signals
from glassmind.model.evaluation import EvalReport


def evaluate(  # noqa: PLR0913 - each wish by its name
    bench: Bench,
    *,
    compare: bool = True,
    calibration: bool = False,
    bundles: bool = False,
    seed: int = SEED,
    show: ShowCount = lambda _done, _all: None,
) -> EvalReport:
    """Return what search scores on a bench.

    With `compare`, what each part gives as well; with `calibration`, how good the
    confidence of replies is; with `bundles`, what bundles hold for their tokens.
    """
    began = time.perf_counter()
    with bench.open({}) as engine, asker_of(engine) as asker:
        heated = heat_signals(bench.queries)
        others = [*ablations(bench.queries), *signals(), *heated] if compare else []
        default, compared = measure(asker, bench.queries, others, seed=seed, show=show)
        sure = confidence_quality(engine, bench.queries, show) if calibration else {}
        held = bundle_figures(engine, bench.queries, show) if bundles else []
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
        bundles=held,
    )
