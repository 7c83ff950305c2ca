"""Results of measuring and tuning, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from glassmind.config.sources import as_toml
from glassmind.obsidian.text import Style, counted

if TYPE_CHECKING:  # they import numpy
    from glassmind.evaluation.measure import EvalReport, Measurement
    from glassmind.evaluation.metrics import Difference, Interval
    from glassmind.evaluation.tune import TunedSettings, TuneReport

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

PLACES = 4  # digits of a figure; the doubt about any of them lies in the second


def evaluation_as_json(report: EvalReport) -> dict[str, Any]:
    return {
        "gold": report.gold,
        "source": report.source,
        "notes": report.notes,
        "model": report.model,
        **_measured_as_json(report.default),
        "ablations": {row.name: _measured_as_json(row) for row in report.ablations},
        "notices": list(report.notices),
        "seconds": round(report.seconds, 3),
    }


def _measured_as_json(row: Measurement) -> dict[str, Any]:
    found: dict[str, Any] = {
        "queries": row.queries,
        **_rounded(row.means),
        "ci": {name: _interval(interval) for name, interval in row.intervals.items()},
        "milliseconds": {"p50": round(row.p50_ms, 2), "p95": round(row.p95_ms, 2)},
        "degraded": list(row.degraded),
    }
    for group, parts in (("kinds", row.kinds), ("intents", row.intents)):
        found[group] = {
            name: {"queries": part.queries, **_rounded(part.means)}
            for name, part in parts.items()
        }
    if row.versus is not None:
        found["difference"] = _difference(row.versus)
    return found


def _rounded(means: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, PLACES) for name, value in means.items()}


def _interval(interval: Interval) -> list[float]:
    return [round(interval.low, PLACES), round(interval.high, PLACES)]


def _difference(found: Difference) -> dict[str, Any]:
    return {"ndcg@10": round(found.mean, PLACES), "ci": _interval(found.interval)}


def tuning_as_json(report: TuneReport) -> dict[str, Any]:
    def tried(row: TunedSettings) -> dict[str, Any]:
        ndcg = round(row.ndcg, PLACES)
        return {"name": row.name, "settings": dict(row.settings), "ndcg@10": ndcg}

    facts = report._asdict()
    facts["difference"] = _difference(facts.pop("held_out"))
    return facts | {
        "before": round(report.before, PLACES),
        "after": round(report.after, PLACES),
        "current": tried(report.current),
        "chosen": tried(report.chosen),
        "tried": [tried(row) for row in report.tried],
        "notices": list(report.notices),
        "seconds": round(report.seconds, 3),
    }


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

TRIED_SHOWN = 5  # settings shown of those that were tried; `--json` has them all


def evaluation_as_text(report: EvalReport, style: Style) -> str:
    return "".join(f"{line}\n" for line in _lines(report, style))


def _lines(report: EvalReport, style: Style) -> Iterator[str]:
    queries = style.strong(counted(report.default.queries, "question"))
    notes = "notes of a copy of" if report.gold == "self" else "notes of"
    where = f"{report.notes:,} {notes} {style.clean(report.source)}"
    yield f"{queries} over {where}, model {style.clean(report.model)}"
    yield ""
    parts = {**report.default.kinds, **report.default.intents}
    rows = [report.default, *report.ablations]
    wide = max(map(len, [*(row.name for row in rows), *(f"  {n}" for n in parts)])) + 2
    heads = "".join(f"{NAMES[name]:>9}" for name in METRICS)
    yield f"{'':<{wide}}{heads}{'95 % of nDCG':>15}{'p50 ms':>8}{'p95':>7}  vs default"
    for row in rows:
        low, high = row.intervals["ndcg@10"]
        doubt = f"{low:.3f} to {high:.3f}"
        times = f"{doubt:>15}{row.p50_ms:>8.1f}{row.p95_ms:>7.1f}"
        compared = "" if row.versus is None else f"  {_signed(row.versus)}"
        name = style.strong(f"{style.clean(row.name):<{wide}}")
        yield f"{name}{_cells(row.means)}{times}{compared}"
        if row is report.default:
            for label, part in parts.items():
                name = style.faint(f"  {style.clean(label):<{wide - 2}}")
                yield f"{name}{_cells(part.means)}  ({part.queries:,})"


def _cells(means: Mapping[str, float]) -> str:
    return "".join(f"{means[name]:>9.3f}" for name in METRICS)


def _signed(found: Difference) -> str:
    low, high = found.interval
    return f"{found.mean:+.3f} ({low:+.3f} to {high:+.3f})"


def tuning_as_text(report: TuneReport, style: Style) -> str:
    return "".join(f"{line}\n" for line in _tuning_lines(report, style))


def _tuning_lines(report: TuneReport, style: Style) -> Iterator[str]:
    verdict = "Better settings found" if report.accepted else "Nothing changed"
    yield f"{style.strong(verdict)}: {style.clean(report.reason)}"
    asked = counted(report.queries, "question")
    yield f"  asked {asked} of the vault's own in {report.folds} folds"
    yield f"  in force: {report.before:.3f} nDCG@10 on held-out questions"
    gain = _signed(report.held_out)
    yield f"  chosen:   {report.after:.3f}, a difference of {gain}"
    for path, value in report.chosen.settings.items() if report.accepted else ():
        yield f"    {path} = {style.clean(as_toml(value))}"
    yield f"  the same choice in {report.agreeing} of {report.folds} folds"
    yield "Tried, best first:"
    for row in sorted(report.tried, key=lambda row: -row.ndcg)[:TRIED_SHOWN]:
        mark = "*" if row.name == report.current.name else " "
        yield f" {mark} {row.ndcg:.3f}  {style.clean(row.name)}"
    yield style.faint(" * in force now")
