"""The state of a vault, told check by check; and one finding, looked at again."""

from collections.abc import Collection, Sequence

from glassmind.errors.knowledge import BadFindingKey
from glassmind.graph.health.known import is_known
from glassmind.graph.health.score import Counted, scored, sound_notes
from glassmind.graph.health.sight import Sight
from glassmind.graph.health.table import CheckEntry, chosen, entry_of
from glassmind.model.health import (
    SEVERITIES,
    CheckReport,
    Finding,
    FindingNow,
    HealthReport,
    Unchecked,
)

NO_NOTES = "there are no notes, so the score says nothing"


def told(
    sight: Sight,
    *,
    checks: Sequence[str] | None,
    limit: int | None,
    dismissed: Collection[tuple[str, str]],
    notices: Sequence[str] = (),
) -> HealthReport:
    """Return what the checks of these names find, all of them where none is named.

    Of each the first `limit` findings are shown. `dismissed` are checks and subjects.

    Raises:
        UnknownCheck: there is no check of a name.
    """
    reports: list[CheckReport] = []
    counted: list[Counted] = []
    for entry in chosen(checks):
        found = sight.made_by(entry.find)
        if isinstance(found, Unchecked):
            reports.append(_report(entry, (), 0, limit, unchecked=found.reason))
            continue
        gone = settled(sight, entry, dismissed)
        open_ones = [one for one in found if one.subject not in gone]
        reports.append(_report(entry, open_ones, len(found) - len(open_ones), limit))
        counted.append(_counted(entry, open_ones, sight))
    score, parts = scored(counted, len(sight.notes))
    reports.sort(key=lambda one: (SEVERITIES.index(one.severity), -one.count))
    return HealthReport(
        score=score,
        parts=parts,
        checks=tuple(reports),
        notes=len(sight.notes),
        sound=sound_notes(len(sight.notes), counted),
        findings=sum(report.count for report in reports),
        dismissed=sum(report.dismissed for report in reports),
        notices=(*(() if sight.notes else (NO_NOTES,)), *notices),
        partial=checks is not None,
    )


def _report(
    entry: CheckEntry,
    found: Sequence[Finding],
    dismissed: int,
    limit: int | None,
    *,
    unchecked: str | None = None,
) -> CheckReport:
    return CheckReport(
        name=entry.name,
        title=entry.title,
        severity=entry.severity,
        count=len(found),
        dismissed=dismissed,
        examples=tuple(found[:limit]),
        fix=entry.fix,
        unchecked=unchecked,
        verb=entry.verb,
    )


def _counted(entry: CheckEntry, found: Sequence[Finding], sight: Sight) -> Counted:
    notes = None
    if entry.of_notes:
        notes = frozenset(one.path for one in found) & sight.by_path.keys()
    return Counted(entry.name, entry.severity, len(found), notes)


def settled(
    sight: Sight, entry: CheckEntry, dismissed: Collection[tuple[str, str]]
) -> set[str]:
    """Return the subjects of a check that were dismissed, as they are called now."""
    return {entry.now(sight, told) for check, told in dismissed if check == entry.name}


def parted_key(key: str) -> tuple[CheckEntry, str]:
    """Return the check and the subject that the name of a finding says.

    Raises:
        BadFindingKey: it is no name of a finding.
        UnknownCheck: there is no such check.
    """
    check, _, subject = (part.strip() for part in key.partition(":"))
    if not check or not subject:
        raise BadFindingKey(key)
    return entry_of(check), subject


def key_of(check: str, subject: str) -> str:
    """Return the name of a finding, its check called as the table does.

    Raises:
        BadFindingKey, UnknownCheck: as `parted_key`.
    """
    entry, plain = parted_key(f"{check}:{subject}" if subject.strip() else check)
    return f"{entry.name}:{plain}"


def looked_at_again(
    sight: Sight, key: str, dismissed: Collection[tuple[str, str]]
) -> FindingNow:
    """Return whether a finding still is one, by the very check that finds it.

    What the vault holds nothing of is `gone` rather than `mended`: it may never have
    been there.

    Raises:
        BadFindingKey, UnknownCheck: as `parted_key`.
    """
    entry, subject = parted_key(key)
    found = sight.made_by(entry.find)
    subject = entry.now(sight, subject)
    told = subject in settled(sight, entry, dismissed)
    name = f"{entry.name}:{subject}"
    if isinstance(found, Unchecked):
        return FindingNow(name, "unchecked", told, reason=found.reason)
    for one in found:
        if one.subject == subject:
            return FindingNow(name, "there", told, one)
    alone = entry.alone(sight, subject)
    if alone is not None:
        return FindingNow(name, "there", told, alone)
    known = is_known(sight, entry.name, subject)
    return FindingNow(name, "mended" if known else "gone", told)
