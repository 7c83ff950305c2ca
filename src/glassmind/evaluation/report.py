"""What was measured, as programs read it."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.config.sources import as_toml
from glassmind.model.evaluation import (
    METRICS,
    Difference,
    EvalReport,
    Figures,
    Interval,
    Measured,
    Tried,
    TuneReport,
)
from glassmind.obsidian.text import Style, counted

PLACES = 4  # digits of a figure; the doubt about any of them lies in the second


def evaluation_as_json(report: EvalReport) -> dict[str, Any]:
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


NAMES = {
    "ndcg@10": "nDCG@10",
    "mrr": "MRR",
    "hit@1": "Hit@1",
    "hit@5": "Hit@5",
    "hit@10": "Hit@10",
    "recall@10": "R@10",
    "recall@100": "R@100",
}
"""The heads of the columns, by metric."""

SOURCES = {
    "queries": "notes of",
    "self": "notes of a copy of",
}

TRIED_SHOWN = 5  # settings shown of those that were tried; `--json` has them all


def evaluation_as_text(report: EvalReport, style: Style) -> str:
    return "".join(f"{line}\n" for line in _lines(report, style))


def _lines(report: EvalReport, style: Style) -> Iterator[str]:
    queries = style.strong(counted(report.default.queries, "question"))
    where = f"{report.notes:,} {SOURCES[report.gold]} {style.clean(report.source)}"
    yield f"{queries} over {where}, model {style.clean(report.model)}"
    yield ""
    rows = [report.default, *report.ablations]
    labels = [one.name for one in rows]
    labels += [f"  {name}" for part in _parts(report.default) for name in part]
    wide = max(map(len, labels)) + 2
    heads = "".join(f"{NAMES[name]:>9}" for name in METRICS)
    yield f"{'':<{wide}}{heads}{'95 % of nDCG':>15}{'p50 ms':>8}{'p95':>7}  vs default"
    for one in rows:
        yield _row(one, wide, style)
        if one is report.default:
            for part in _parts(one):
                for name, figures in part.items():
                    yield _part_row(name, figures, wide, style)


def _parts(one: Measured) -> tuple[Mapping[str, Figures], ...]:
    return one.kinds, one.intents


def _row(one: Measured, wide: int, style: Style) -> str:
    name = style.clean(one.name) + " " * (wide - len(one.name))
    low, high = one.intervals["ndcg@10"]
    doubt = f"{low:.3f} to {high:.3f}"
    times = f"{doubt:>15}{one.p50_ms:>8.1f}{one.p95_ms:>7.1f}"
    compared = "" if one.versus is None else f"  {difference_as_text(one.versus)}"
    return f"{style.strong(name)}{_cells(one.means)}{times}{compared}"


def _part_row(name: str, part: Figures, wide: int, style: Style) -> str:
    label = style.clean(f"  {name}")
    blanks = " " * (wide - len(name) - 2)
    return f"{style.faint(label)}{blanks}{_cells(part.means)}  ({part.queries:,})"


def _cells(means: Mapping[str, float]) -> str:
    return "".join(f"{means[name]:>9.3f}" for name in METRICS)


def difference_as_text(found: Difference) -> str:
    low, high = found.interval
    return f"{found.mean:+.3f} ({low:+.3f} to {high:+.3f})"


def tuning_as_text(report: TuneReport, style: Style) -> str:
    return "".join(f"{line}\n" for line in _tuning_lines(report, style))


def _tuning_lines(report: TuneReport, style: Style) -> Iterator[str]:
    said = "Better settings found" if report.accepted else "Nothing changed"
    yield f"{style.strong(said)}: {style.clean(report.reason)}"
    asked = counted(report.queries, "question")
    yield f"  asked {asked} of the vault's own in {report.folds} folds"
    yield f"  in force: {report.before:.3f} nDCG@10 on held-out questions"
    gain = difference_as_text(report.held_out)
    yield f"  chosen:   {report.after:.3f}, a difference of {gain}"
    for path, value in report.chosen.settings.items() if report.accepted else ():
        yield f"    {path} = {style.clean(as_toml(value))}"
    yield f"  the same choice in {report.agreeing} of {report.folds} folds"
    yield "Tried, best first:"
    for one in sorted(report.tried, key=lambda one: -one.ndcg)[:TRIED_SHOWN]:
        mark = "*" if one.name == report.current.name else " "
        yield f" {mark} {one.ndcg:.3f}  {style.clean(one.name)}"
    yield style.faint(" * in force now")
