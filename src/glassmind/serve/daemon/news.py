"""News of watching a vault, as one line for a person and as JSON."""

from dataclasses import asdict
from typing import Any

from glassmind.model.index import Brought, Hindered, IndexReport, News, Settled, Turned
from glassmind.obsidian.text import counted

PATHS_SHOWN = 3
"""Paths shown on one line."""

MODES = {
    "watching": "watching, the system reports changes",
    "polling": "polling, looking for changes every few seconds",
    "off": "not watching",
}
COUNTS = ("added", "changed", "moved", "removed", "notes", "embedded", "left")
CAUSES = {
    "start": "compared the whole vault",
    "events": "indexed changes",
    "rescan": "found changes that were not reported",
    "poll": "found changes",
    "vectors": "embedded",
}
EVENTS = {Turned: "mode", Hindered: "error", Settled: "settled"}


def news_as_json(news: News) -> dict[str, Any]:
    """Return one event, named by its kind."""
    if not isinstance(news, Brought):
        return {"event": EVENTS[type(news)], **asdict(news)}
    report = news.report
    return {
        "event": "indexed",
        "cause": news.cause,
        "paths": list(news.paths),
        **{name: getattr(report, name) for name in COUNTS},
        "seconds": round(report.seconds, 3),
        "warnings": list(report.warnings),
    }


def news_as_text(news: News) -> str:
    """Return one event as one line."""
    match news:
        case Brought("vectors", report):
            left = f", {report.left:,} left" if report.left else ""
            return f"{counted(report.embedded, 'passage')} embedded{left}"
        case Brought(cause, report, paths):
            more = ", ..." if len(paths) > PATHS_SHOWN else ""
            named = f" ({', '.join(paths[:PATHS_SHOWN])}{more})" if paths else ""
            return f"{CAUSES[cause]}: {_counts(report)}{named}"
        case Turned(mode, reason):
            return f"{MODES[mode]}{f' ({reason})' if reason else ''}"
        case Hindered(message, again_s):
            return f"{message}; trying again in {again_s:.0f} s"
        case Settled(message):
            return message


def _counts(report: IndexReport) -> str:
    names = ("added", "changed", "moved", "removed")
    found = [f"{n:,} {name}" for name in names if (n := getattr(report, name))]
    notes = counted(report.notes, "note")
    return f"{', '.join(found) or 'nothing new'}, {notes} in {report.seconds:.2f} s"
