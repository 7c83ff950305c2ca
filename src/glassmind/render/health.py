"""What is to be mended in a vault, as programs read it."""

from collections.abc import Sequence
from typing import Any

from glassmind.types.health import (
    CheckReport,
    Finding,
    FindingNow,
    HealthReport,
    SecretPlace,
)


def health_as_json(report: HealthReport) -> dict[str, Any]:
    """Return the state of a vault; `lost` are the points that a check costs.

    The score is that of the checks alone that were asked for where it is `partial`.
    """
    return {
        "score": report.score,
        "partial": report.partial,
        "parts": [
            {
                "check": part.check,
                "points": round(part.points, 2),
                "lost": round(part.lost, 2),
            }
            for part in report.parts
        ],
        "notes": report.notes,
        "sound": report.sound,
        "findings": report.findings,
        "dismissed": report.dismissed,
        "checks": [_check(check) for check in report.checks],
        "notices": list(report.notices),
    }


def _check(check: CheckReport) -> dict[str, Any]:
    return {
        "name": check.name,
        "title": check.title,
        "severity": check.severity,
        "count": check.count,
        "dismissed": check.dismissed,
        "examples": [finding_as_json(finding) for finding in check.examples],
        "fix": check.fix,
        "verb": check.verb,
        "unchecked": check.unchecked or None,
    }


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """Return one finding; `line` is null where no line is meant."""
    return {
        "key": finding.key,
        "path": finding.path,
        "line": finding.line or None,
        "what": finding.what,
    }


def secrets_as_json(found: Sequence[SecretPlace]) -> list[dict[str, Any]]:
    """Return where credentials stand; never what they are."""
    return [place._asdict() for place in found]


def finding_now_as_json(now: FindingNow) -> dict[str, Any]:
    """Return whether a finding still is one."""
    return {
        "key": now.key,
        "state": now.state,
        "dismissed": now.dismissed,
        "finding": None if now.finding is None else finding_as_json(now.finding),
        "reason": now.reason or None,
    }
