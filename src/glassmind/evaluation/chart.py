"""What was measured, as a page with a chart: one file that loads nothing else."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from glassmind.errors import WrongUsage
from glassmind.evaluation.as_text import NAMES, difference_as_text
from glassmind.model.evaluation import METRICS, EvalReport, Measured

PAGES = (".html", ".htm")
"""Suffixes of files that browsers open as a page."""

WIDTH, LEFT, RIGHT, ROW, BAR = 880, 190, 70, 30, 16
"""Pixels: the chart, the room for names and for figures, a row, its bar."""

HEAD = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Search quality: """
"""How every such page begins, by which one is known again."""

STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; color: #1c2733; background: #fff; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #dde3ea; }
th:first-child, td:first-child { text-align: left; }
.bar { fill: #9db8d2; } .default { fill: #1f6feb; } .doubt { stroke: #1c2733; }
.grid { stroke: #dde3ea; } text { fill: currentColor; font-size: 13px; }
@media (prefers-color-scheme: dark) {
  body { color: #dbe4ee; background: #11171e; }
  th, td { border-color: #2b3642; } .grid { stroke: #2b3642; }
  .bar { fill: #47627d; } .doubt { stroke: #dbe4ee; } }
"""


def check_place(file: Path, vault: Path | None) -> None:
    """Check where a chart is to be written, before anything is measured.

    Raises:
        WrongUsage: it is not a page, or its place cannot be used.
    """
    problem = ""
    if file.suffix.lower() not in PAGES:
        problem = f"a chart is a page, and its file must end in {' or '.join(PAGES)}"
    elif not file.parent.is_dir():
        problem = "there is no such folder for a chart"
    elif vault is not None and file.resolve().is_relative_to(vault.resolve()):
        problem = "measuring writes nothing into a vault; name another place"
    elif file.exists() and not _is_chart(file):
        problem = "that is not a chart of ours, and it is left as it is"
    if problem:
        raise WrongUsage(f"{problem}: {file}", "eval")


def _is_chart(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(HEAD.encode())) == HEAD.encode()
    except OSError:
        return False


def write_page(report: EvalReport, file: Path) -> None:
    """Write the page.

    Raises:
        WrongUsage: it cannot be written.
    """
    try:
        file.write_text(evaluation_as_page(report), "utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise WrongUsage(f"{file} was not written: {reason}", "eval") from error


def evaluation_as_page(report: EvalReport) -> str:
    """Return an HTML page with a bar for each configuration and a table of all."""
    said = (
        f"{report.default.queries:,} questions over {report.notes:,} notes, model "
        f"{report.model}. Bars show nDCG@10; the lines across them hold the true mean "
        "95 times of 100."
    )
    rows = [report.default, *report.ablations]
    return "\n".join(
        [
            f"{HEAD}{escape(report.source)}</title>\n<style>\n{STYLE}</style>",
            f"<h1>Search quality: {escape(report.source)}</h1>\n<p>{escape(said)}</p>",
            *_chart(rows),
            *_table(rows),
            "</html>\n",
        ]
    )


def _chart(rows: Sequence[Measured]) -> Iterator[str]:
    height = ROW * len(rows) + 30
    yield (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="100%" role="img" '
        'aria-label="nDCG@10 of each configuration">'
    )
    for tenth in range(0, 11, 2):
        x, y = _across(tenth / 10), height - 25
        yield f'<line class="grid" x1="{x}" y1="0" x2="{x}" y2="{y}"/>'
        yield f'<text x="{x}" y="{height - 8}" text-anchor="middle">{tenth / 10}</text>'
    for number, one in enumerate(rows):
        yield from _bar(one, number * ROW, default=number == 0)
    yield "</svg>"


def _across(value: float) -> float:
    return round(LEFT + value * (WIDTH - LEFT - RIGHT), 1)


def _bar(one: Measured, top: int, *, default: bool) -> Iterator[str]:
    value = one.means["ndcg@10"]
    middle, y = top + ROW // 2, top + (ROW - BAR) // 2
    low, high = (_across(end) for end in one.intervals["ndcg@10"])
    kind = "bar default" if default else "bar"
    wide = round(_across(value) - LEFT, 1)
    name, at = escape(one.name), f'y="{middle + 4}"'
    yield f'<text x="{LEFT - 8}" {at} text-anchor="end">{name}</text>'
    yield f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{wide}" height="{BAR}"/>'
    yield (
        f'<line class="doubt" x1="{low}" y1="{middle}" x2="{high}" y2="{middle}" '
        'stroke-width="2"/>'
    )
    yield f'<text x="{max(high, _across(value)) + 6}" {at}>{value:.3f}</text>'


def _table(rows: Sequence[Measured]) -> Iterator[str]:
    heads = "".join(f"<th>{NAMES[name]}</th>" for name in METRICS)
    yield f"<table>\n<tr><th></th>{heads}<th>p50 ms</th><th>p95 ms</th><th>nDCG@10 "
    yield "against the default (95 %)</th></tr>"
    for one in rows:
        cells = "".join(f"<td>{one.means[name]:.3f}</td>" for name in METRICS)
        times = f"<td>{one.p50_ms:.1f}</td><td>{one.p95_ms:.1f}</td>"
        versus = "" if one.versus is None else difference_as_text(one.versus)
        name = f"<td>{escape(one.name)}</td>"
        yield f"<tr>{name}{cells}{times}<td>{versus}</td></tr>"
    yield "</table>"
