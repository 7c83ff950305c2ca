"""How the watching of a vault stands and what it did, for programs and for people."""

from dataclasses import asdict
from typing import Any, assert_never

from glassmind.render.style import counted
from glassmind.types.files import IndexReport
from glassmind.types.watch import (
    Brought,
    Hindered,
    News,
    Settled,
    StoodBy,
    TookOver,
    Turned,
    WatchState,
)

PATHS_SHOWN = 3
"""Paths named on one line."""

MODES = {
    "watching": "watching, as the system tells of changes",
    "polling": "polling, looking for changes every few seconds",
    "off": "not watching",
}
COUNTS = ("added", "changed", "moved", "removed", "notes", "embedded", "left")
CAUSES = {
    "start": "compared the whole vault",
    "events": "took in changes",
    "rescan": "found changes nobody told of",
    "poll": "found changes",
    "vectors": "embedded",
}


def watch_as_json(state: WatchState) -> dict[str, Any]:
    """Return how watching stands."""
    return asdict(state)


def watch_as_text(state: WatchState) -> str:
    """Return how watching stands, on one line."""
    if state.mode == "off":
        return "off"
    reason = f" ({state.reason})" if state.reason else ""
    said = [f"{state.mode}{reason} by process {state.pid}"]
    if state.reconciled:
        said.append(f"all compared at {_clock(state.reconciled)}")
    if state.pending:
        much = "1 change" if state.pending == 1 else f"{state.pending:,} changes"
        said.append(f"{much} waiting")
    if state.error:
        said.append(f"last error: {state.error}")
    return ", ".join(said)


def _clock(moment: str) -> str:
    """Return the time of day of a moment in ISO 8601."""
    return moment[11:19]


def news_as_json(news: News) -> dict[str, Any]:
    """Return one event of a watch, named by its kind."""
    match news:
        case Brought(cause, report, paths):
            return {
                "event": "indexed",
                "cause": cause,
                "paths": list(paths),
                **{name: getattr(report, name) for name in COUNTS},
                "seconds": round(report.seconds, 3),
                "warnings": list(report.warnings),
            }
        case Turned(mode, reason):
            return {"event": "mode", "mode": mode, "reason": reason}
        case Hindered(sentence, again_s):
            return {"event": "error", "message": sentence, "again_s": again_s}
        case StoodBy(holder):
            return {"event": "standby", "holder": holder}
        case TookOver():
            return {"event": "takeover"}
        case Settled(sentence):
            return {"event": "settled", "message": sentence}
        case _:
            assert_never(news)


def news_as_text(news: News) -> str:  # noqa: PLR0911
    """Return one event of a watch as one line for a person."""
    match news:
        case Brought("vectors", report):
            left = f", {report.left:,} left" if report.left else ""
            much = (
                "1 passage" if report.embedded == 1 else f"{report.embedded:,} passages"
            )
            return f"{much} embedded{left}"
        case Brought(cause, report, paths):
            return f"{CAUSES[cause]}: {_counts(report)}{_named(paths)}"
        case Turned(mode, reason):
            return f"{MODES[mode]}{f' ({reason})' if reason else ''}"
        case Hindered(sentence, again_s):
            return f"{sentence}; trying again in {again_s:.0f} s"
        case StoodBy(holder):
            return f"{holder} looks after this vault already; standing by"
        case TookOver():
            return "taking over: the one that looked after this vault is gone"
        case Settled(sentence):
            return sentence
        case _:
            assert_never(news)


def _counts(report: IndexReport) -> str:
    names = ("added", "changed", "moved", "removed")
    found = [f"{n:,} {name}" for name in names if (n := getattr(report, name))]
    notes = counted(report.notes, "note")
    return f"{', '.join(found) or 'nothing new'}, {notes} in {report.seconds:.2f} s"


def _named(paths: tuple[str, ...]) -> str:
    if not paths:
        return ""
    more = ", ..." if len(paths) > PATHS_SHOWN else ""
    return f" ({', '.join(paths[:PATHS_SHOWN])}{more})"
