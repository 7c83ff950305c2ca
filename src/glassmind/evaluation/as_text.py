"""What was measured, as people read it."""

from collections.abc import Iterator, Mapping

from glassmind.config.sources import as_toml
from glassmind.model.evaluation import (
    METRICS,
    Difference,
    EvalReport,
    Figures,
    Measured,
    TuneReport,
)
from glassmind.obsidian.text import Style, counted

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
    "dataset": "documents of",
    "queries": "notes of",
    "self": "notes of a copy of",
}

TRIED_SHOWN = 5
"""Settings shown of those that were tried; `--json` has them all."""


def evaluation_as_text(report: EvalReport, style: Style) -> str:
    """Return a table of the figures, a row for each configuration."""
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
    """Return `+0.012 (-0.003 to +0.027)`."""
    low, high = found.interval
    return f"{found.mean:+.3f} ({low:+.3f} to {high:+.3f})"


def tuning_as_text(report: TuneReport, style: Style) -> str:
    """Return what tuning found, whether it was taken, and by which figures."""
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
    if report.luck is not None:
        yield f"  as large by luck, among equals: {100 * report.luck:.1f} %"
    if report.chance is not None:
        yield f"  as large with shuffled answers: {100 * report.chance:.1f} %"
    yield f"  the same choice in {report.agreeing} of {report.folds} folds"
    yield "Tried, best first:"
    for one in sorted(report.tried, key=lambda one: -one.ndcg)[:TRIED_SHOWN]:
        mark = "*" if one.name == report.current.name else " "
        yield f" {mark} {one.ndcg:.3f}  {style.clean(one.name)}"
    yield style.faint(" * in force now")
