"""What was measured, as programs read it."""

from collections.abc import Mapping
from typing import Any

from glassmind.model.evaluation import (
    Difference,
    EvalReport,
    Figures,
    Interval,
    Measured,
    Tried,
    TuneReport,
)

PLACES = 4
"""Digits of a figure; the doubt about any of them lies in the second."""


def evaluation_as_json(report: EvalReport) -> dict[str, Any]:
    """Return the figures of the default configuration, the others below `ablations`."""
    return {
        "gold": report.gold,
        "source": report.source,
        "notes": report.notes,
        "model": report.model,
        **measured_as_json(report.default),
        "ablations": {one.name: measured_as_json(one) for one in report.ablations},
        "notices": list(report.notices),
        "seconds": round(report.seconds, 3),
    }


def measured_as_json(one: Measured) -> dict[str, Any]:
    """Return the figures of one configuration."""
    found: dict[str, Any] = {
        "queries": one.queries,
        **_rounded(one.means),
        "ci": {name: _interval(interval) for name, interval in one.intervals.items()},
        "milliseconds": {"p50": round(one.p50_ms, 2), "p95": round(one.p95_ms, 2)},
        "degraded": list(one.degraded),
        "kinds": {name: _figures(part) for name, part in one.kinds.items()},
        "intents": {name: _figures(part) for name, part in one.intents.items()},
    }
    if one.versus is not None:
        found["difference"] = _difference(one.versus)
    return found


def _figures(part: Figures) -> dict[str, Any]:
    return {"queries": part.queries, **_rounded(part.means)}


def _rounded(means: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, PLACES) for name, value in means.items()}


def _interval(interval: Interval) -> list[float]:
    return [round(interval.low, PLACES), round(interval.high, PLACES)]


def _difference(found: Difference) -> dict[str, Any]:
    return {"ndcg@10": round(found.mean, PLACES), "ci": _interval(found.interval)}


def tuning_as_json(report: TuneReport) -> dict[str, Any]:
    """Return what tuning found and whether it was taken."""
    return {
        "accepted": report.accepted,
        "reason": report.reason,
        "queries": report.queries,
        "notes": report.notes,
        "folds": report.folds,
        "agreeing": report.agreeing,
        "before": round(report.before, PLACES),
        "after": round(report.after, PLACES),
        "difference": _difference(report.held_out),
        "luck": report.luck,
        "chance": report.chance,
        "current": _tried(report.current),
        "chosen": _tried(report.chosen),
        "tried": [_tried(one) for one in report.tried],
        "file": report.file,
        "notices": list(report.notices),
        "seconds": round(report.seconds, 3),
    }


def _tried(one: Tried) -> dict[str, Any]:
    settings = dict(one.settings)
    return {"name": one.name, "settings": settings, "ndcg@10": round(one.ndcg, PLACES)}
