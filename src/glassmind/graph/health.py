"""Vault health: every check, the score, and where credentials are."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from glassmind.errors import BadFindingKey, BadLimit, UnknownCheck, VaultError
from glassmind.files.read import Unreadable, decode
from glassmind.graph import health_checks
from glassmind.graph.dismissals import SHAPES, dismissals_for, names_all, paths_in
from glassmind.graph.health_checks import Check, HealthContext
from glassmind.graph.link_graph import answering_space
from glassmind.model.health import (
    SEVERITIES,
    CheckReport,
    Finding,
    FindingNow,
    HealthReport,
    Helping,
    ScorePart,
    SecretPlace,
    Severity,
    Unchecked,
)
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.secrets import secret_locations
from glassmind.vault import Vault

EXAMPLES = 3  # findings that are shown of each check by default
MOST_SHOWN = 10_000  # the largest limit

NO_NOTES = "there are no notes, so the score says nothing"

WEIGHTS: Mapping[Severity, float] = {"high": 4.0, "medium": 2.0, "low": 0.8}
"""What a finding in every note weighs. A judgement: something lost or about to be lost
counts as much as five things that are merely untidy, and a vault of orphans, in which
all else is well, has a third of the points."""


class HealthCheck(NamedTuple):
    """One check; `of_notes` if a finding is about a single note, `verb` helps."""

    name: str
    severity: Severity
    title: str
    find: Check
    fix: str
    of_notes: bool = True
    verb: Helping | None = None


CHECKS: Sequence[HealthCheck] = (
    HealthCheck(
        "invalid_yaml", "high", "properties that cannot be read",
        health_checks.invalid_yaml,
        "Open the note at that line and mend the YAML; quote values with a colon.",
    ),
    HealthCheck(
        "conflict_copies", "high", "conflict copies of a sync tool",
        health_checks.conflict_copies,
        "Compare the copy with its note, take over what is missing, delete the copy.",
    ),
    HealthCheck(
        "missing_reciprocal", "high", "property links that are not answered",
        health_checks.missing_reciprocal,
        "Add the link back to the property.",
        verb="suggest",
    ),
    HealthCheck(
        "broken_links", "medium", "links to a heading or block that is not there",
        health_checks.broken_links,
        "Correct the part behind the #, or link to the note alone.",
    ),
    HealthCheck(
        "ghosts", "medium", "names that links lead to and no file has",
        health_checks.ghosts,
        "Write the note, or bring the file back, or correct the link.",
        of_notes=False,
        verb="resolve",
    ),
    HealthCheck(
        "orphans", "medium", "notes without any link",
        health_checks.orphans,
        "Link it with its like.",
        verb="suggest",
    ),
    HealthCheck(
        "near_duplicates", "medium", "notes that say the same as another",
        health_checks.near_duplicates,
        "Merge the two and let one link to the other.",
    ),
    HealthCheck(
        "weakly_tied", "medium", "similar notes that nothing ties together",
        health_checks.weakly_tied,
        "Link the two, or say that they do not belong together.",
        verb="dismiss",
    ),
    HealthCheck(
        "category_mismatch", "medium", "categories that disagree with the theme",
        health_checks.category_mismatch,
        "Change the category, or link the note with those of its own category.",
    ),
    HealthCheck(
        "inconsistent_tags", "low", "tags in several spellings",
        health_checks.inconsistent_tags,
        "Choose one spelling and rename the others in Obsidian's tag pane.",
        of_notes=False,
    ),
    HealthCheck(
        "inconsistent_properties", "low", "properties in several spellings",
        health_checks.inconsistent_properties,
        "Choose one spelling and rename the others in Obsidian's properties view.",
        of_notes=False,
    ),
    HealthCheck(
        "one_source", "low", "themes that rest on one source",
        health_checks.one_source,
        "Look for a second opinion, and note where it is from.",
        of_notes=False,
    ),
)  # fmt: skip
"""By severity, and there by how much is lost while nothing is done."""

OTHER_NAMES: Mapping[str, str] = {
    "missing_backlinks": "missing_reciprocal",
    "weak_clusters": "weakly_tied",
    "source_concentration": "one_source",
}
"""What a compatible plugin calls some of them: compat KL-12."""


def chosen(names: Sequence[str] | None) -> list[HealthCheck]:
    """Return the checks of these names in the order of the table; None means all."""
    if names is None:
        return list(CHECKS)
    wanted = {check_named(name).name for name in names}
    return [check for check in CHECKS if check.name in wanted]


def check_named(name: str) -> HealthCheck:
    """Return one check; blanks and hyphens in its name are as good as `_`."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = OTHER_NAMES.get(plain, plain)
    for check in CHECKS:
        if check.name == plain:
            return check
    raise UnknownCheck(name, tuple(check.name for check in CHECKS))


def key_parts(key: str) -> tuple[HealthCheck, str]:
    check, _, subject = (part.strip() for part in key.partition(":"))
    if not check or not subject:
        raise BadFindingKey(key)
    return check_named(check), subject


def key_of(check: str, subject: str) -> str:
    known, plain = key_parts(f"{check}:{subject}" if subject.strip() else check)
    return f"{known.name}:{plain}"


def _weight(check: HealthCheck, found: int, notes: int) -> float:
    """Return what so many findings weigh in a vault of so many notes.

    Half a vault of orphans weighs half of a whole one. Of things in no single note
    there may be more than notes, and no number of them is worse than anything else.
    """
    share = found / notes if check.of_notes else found / (found + notes)
    return WEIGHTS[check.severity] * share


def scored(counts: Mapping[str, int], notes: int) -> tuple[int, tuple[ScorePart, ...]]:
    """Return the score from 0 to 100, and the part of each check, by its name.

    With the weight of all checks together the score is `100 / (1 + weight)`, so that
    every finding less is a gain, whatever else is found or could not be checked.
    """
    many = max(1, notes)
    checks = [check for check in CHECKS if check.name in counts]
    weights = [_weight(check, counts[check.name], many) for check in checks]
    whole = 1 + math.fsum(weights)
    parts = []
    for check, weight in zip(checks, weights, strict=True):
        alone = _weight(check, many, many)
        points = round(100 * alone / (1 + alone), 2)
        parts.append(ScorePart(check.name, points, round(100 * weight / whole, 2)))
    return math.floor(100 / whole), tuple(parts)


def report(
    vault: Vault,
    *,
    checks: Sequence[str] | None = None,
    limit: int | None = EXAMPLES,
) -> HealthReport:
    """Return what to fix, with a score; `limit` findings of each check, None all."""
    if limit is not None and not 0 <= limit <= MOST_SHOWN:
        raise BadLimit(limit, MOST_SHOWN)
    context, book = HealthContext(vault), dismissals_for(vault).now()
    reports: list[CheckReport] = []
    counts: dict[str, int] = {}
    marked: set[str] = set()
    for check in chosen(checks):
        found = context.found_by(check.find)
        if isinstance(found, Unchecked):
            reports.append(_check_report(check, unchecked=found.reason))
            continue
        left = undismissed_findings(check, found, book.findings)
        gone = len(found) - len(left)
        reports.append(_check_report(check, left, dismissed=gone, limit=limit))
        counts[check.name] = len(left)
        if check.of_notes:
            marked.update(one.path for one in left if one.path in context.by_path)
    reports.sort(key=lambda one: (SEVERITIES.index(one.severity), -one.count))
    many = len(context.notes)
    score, parts = scored(counts, many)
    lag = vault.reader.rows().pair_lag(answering_space(vault))
    behind = [lag.notice] if lag.state is not None and lag.notice else []
    notices = *book.problems, *behind
    return HealthReport(
        score=score,
        parts=parts,
        checks=tuple(reports),
        notes=many,
        sound=many - len(marked),
        findings=sum(one.count for one in reports),
        dismissed=sum(one.dismissed for one in reports),
        notices=(*(() if many else (NO_NOTES,)), *notices),
        partial=checks is not None,
    )


def undismissed_findings(
    check: HealthCheck,
    found: Sequence[Finding],
    dismissed: Collection[tuple[str, str]],
) -> list[Finding]:
    return [one for one in found if (check.name, one.subject) not in dismissed]


def _check_report(
    check: HealthCheck,
    found: Sequence[Finding] = (),
    *,
    dismissed: int = 0,
    limit: int | None = None,
    unchecked: str | None = None,
) -> CheckReport:
    return CheckReport(
        name=check.name,
        title=check.title,
        severity=check.severity,
        count=len(found),
        dismissed=dismissed,
        examples=tuple(found[:limit]),
        fix=check.fix,
        unchecked=unchecked,
        verb=check.verb,
    )


def finding_now(vault: Vault, key: str) -> FindingNow:
    """Return whether a finding still is one, by the very check that finds it.

    One about files that the vault does not have is `gone` rather than `mended`. In a
    scope, dismissals about words are not reported: hidden notes may have these words.

    Raises:
        BadFindingKey, UnknownCheck: the key is not of a finding.
    """
    context, (check, subject) = HealthContext(vault), key_parts(key)
    found = context.found_by(check.find)
    name = f"{check.name}:{subject}"
    dismissed = (check.name, subject) in dismissals_for(vault).now().findings
    for one in () if isinstance(found, Unchecked) else found:
        if one.subject == subject:
            return FindingNow(name, "there", dismissed, one)
    dismissed &= dismissals_for(vault).sees_all or names_all(check.name)
    if isinstance(found, Unchecked):
        return FindingNow(name, "unchecked", dismissed, reason=found.reason)
    skipped = {path for path, *_ in context.rows.skipped()}
    paths = paths_in(check.name, subject)
    known = all(path in context.by_path or path in skipped for path in paths)
    known &= bool(paths) or check.name not in SHAPES
    return FindingNow(name, "mended" if known else "gone", dismissed)


def secret_places(vault: Vault) -> list[SecretPlace]:
    """Return every credential in the notes; none where they are hidden."""
    found: list[SecretPlace] = []
    with vault.files() as files:
        if files.hides_secrets:
            return found
        for path in vault.rows().secret_notes():
            try:
                decoded = decode(files.read(path))
            except VaultError:
                continue  # gone, or not to be read: there is no line to name
            if not isinstance(decoded, Unreadable):
                text = read_note(path, decoded.text).text
                found += [SecretPlace(path, *one) for one in secret_locations(text)]
    return found
