"""What a run did, what the index holds, what a doctor found: as programs read it."""

from collections.abc import Sequence
from typing import Any

from glassmind.render.pairs import pair_status_as_json
from glassmind.render.watch import watch_as_json
from glassmind.types.catalogue import Check, Stats, Status
from glassmind.types.files import IndexReport, Skipped


def report_as_json(report: IndexReport) -> dict[str, Any]:
    """Return what one run of indexing did."""
    return {
        "added": report.added,
        "changed": report.changed,
        "moved": report.moved,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "notes": report.notes,
        "seconds": round(report.seconds, 3),
        "skipped": [_skipped(skipped) for skipped in report.skipped],
        "warnings": list(report.warnings),
        "rebuilt": report.rebuilt,
        "compacted": report.compacted,
        "embedded": report.embedded,
        "reused": report.reused,
        "left": report.left,
    }


def _skipped(skipped: Skipped) -> dict[str, Any]:
    return {
        "path": skipped.path,
        "reason": skipped.reason,
        "unknown": skipped.unknown,
    }


def stats_as_json(stats: Stats, *, root: str) -> dict[str, Any]:
    """Return how much the index of the vault in `root` holds."""
    return {
        "vault": root,
        "notes": stats.notes,
        "chunks": stats.chunks,
        "tags": stats.tags,
        "links": stats.links,
        "ghosts": stats.ghosts,
        "attachments": stats.attachments,
        "tasks": stats.tasks,
        "headings": stats.headings,
        "skipped": stats.skipped,
        "skipped_by_reason": dict(stats.skipped_by_reason),
        "index_bytes": stats.index_bytes,
        "folder": stats.folder,
        "last_run": stats.last_run,
        "troubled": stats.troubled,
        "embedded": stats.embedded,
        "embeddable": stats.embeddable,
        "space": stats.space,
        "width": stats.width,
        "embedded_notes": stats.embedded_notes,
        "empty_notes": stats.empty_notes,
        "secrets": stats.secrets,
    }


def status_as_json(status: Status, *, root: str) -> dict[str, Any]:
    """Return what is current of the index of the vault in `root`.

    `behind` counts changes yet to be taken in; null means all of them.
    """
    coverage = status.coverage
    return {
        "vault": root,
        "notes": status.notes,
        "chunks": status.chunks,
        "words": {"behind": status.words_behind},
        "vectors": {
            "model": status.model,
            "space": status.space,
            "covered": coverage.covered,
            "total": coverage.total,
            "plain": coverage.plain,
            "enriched": coverage.enriched,
            "behind": status.vectors_behind,
            "former": status.former,
        },
        "writing": status.writing,
        "embedding": status.embedding,
        "bytes": dict(status.sizes),
        "folder": status.folder,
        "notices": list(status.notices),
        "watch": watch_as_json(status.watch),
        "resident": status.resident,
        "pairs": pair_status_as_json(status.pairs),
        "llm": status.llm,
        "hindsight": status.hindsight,
        "secrets": status.secrets,
    }


def checks_as_json(checks: Sequence[Check]) -> dict[str, Any]:
    """Return what was looked at; `ok` means that nothing failed."""
    return {
        "ok": all(check.state != "fail" for check in checks),
        "checks": [
            {
                "name": check.name,
                "state": check.state,
                "finding": check.finding,
                "fix": check.fix,
            }
            for check in checks
        ],
    }
