"""What is to be mended in a vault, as people read it: on a terminal, or as Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from glassmind.render.style import Style, counted
from glassmind.types.health import (
    CheckReport,
    Finding,
    FindingNow,
    HealthReport,
    Helping,
    SecretPlace,
)

REPORT_CHARS = 2_000
"""What a report takes at most unless it is asked for whole: compat KL-12."""

SECRETS_FIX = (
    "No agent is shown them. Keep them in a safe for passwords, and change what others "
    "may have read."
)
"""What to do about credentials in notes."""

WHAT_CHARS = 120
"""How much of one finding a short report shows."""


Ways: TypeAlias = Mapping[Helping, str]
"""How somebody who reads a report calls the verbs that help."""


NO_WAYS: Ways = MappingProxyType({})
"""For who has no calls to make."""


def fix_in_words(fix: str, verb: Helping | None, ways: Ways) -> str:
    """Return what to do, and which call helps with it."""
    way = ways.get(verb) if verb is not None else None
    return f"{fix} See {way}." if way else fix


def by_what(report: HealthReport) -> str:
    """Return in words what a score goes by, where that is not every check."""
    if not report.partial:
        return ""
    return f" by {'this check' if len(report.checks) == 1 else 'these checks'} alone"


def health_as_text(report: HealthReport, style: Style, ways: Ways = NO_WAYS) -> str:
    """Return a line for each check that found something, its examples and its fix."""
    return "".join(f"{line}\n" for line in _text_lines(report, style, ways))


def _text_lines(report: HealthReport, style: Style, ways: Ways) -> Iterator[str]:
    yield f"Health: {style.strong(f'{report.score} of 100')}{by_what(report)}"
    yield f"  {_totals(report)}"
    for notice in report.notices:
        yield f"  {style.clean(notice)}"
    for check in report.checks:
        if check.count:
            yield ""
            lost = _lost(report, check.name)
            yield from _check_lines(check, style, lost)
            fix = fix_in_words(check.fix, check.verb, ways)
            yield f"  {style.faint(fix)}"
    yield ""
    yield from _rest(report)


def secrets_as_text(
    found: Sequence[SecretPlace], style: Style, limit: int | None
) -> str:
    """Return where credentials stand, the first so many; nothing where none do."""
    if not found:
        return ""
    notes = counted(len({place.path for place in found}), "note")
    lines = ["", f"{style.strong(f'credentials: {len(found):,}')} in {notes}"]
    lines += [
        f"  {style.clean(one.path)}:{one.line}: {one.kind}" for one in found[:limit]
    ]
    if limit is not None and len(found) > limit:
        lines.append(f"  and {len(found) - limit:,} more")
    lines.append(f"  {style.faint(SECRETS_FIX)}")
    return "".join(f"{line}\n" for line in lines)


def _check_lines(check: CheckReport, style: Style, lost: float) -> Iterator[str]:
    gone = f", {check.dismissed:,} dismissed" if check.dismissed else ""
    head = style.strong(f"{check.title}: {check.count:,}")
    yield f"{check.severity}  {head} ({check.name}, -{lost:.1f}{gone})"
    for finding in check.examples:
        yield f"  {style.clean(_place(finding))}{style.clean(finding.what)}"
        yield f"    {style.faint(finding.key)}"
    if len(check.examples) < check.count:
        yield f"  and {check.count - len(check.examples):,} more"


def _place(finding: Finding) -> str:
    line = f":{finding.line}" if finding.line else ""
    return f"{finding.path}{line}: " if finding.path else ""


def _lost(report: HealthReport, name: str) -> float:
    return next((part.lost for part in report.parts if part.check == name), 0.0)


def _totals(report: HealthReport) -> str:
    found = counted(report.findings, "finding")
    gone = f", {report.dismissed:,} dismissed" if report.dismissed else ""
    return f"{found}{gone}; {report.sound:,} of {counted(report.notes, 'note')} sound"


def _rest(report: HealthReport) -> Iterator[str]:
    """Yield what is well, and what nobody could look at."""
    well = [one.name for one in report.checks if not one.count and not one.unchecked]
    if well:
        yield f"nothing found by: {', '.join(well)}"
    for check in report.checks:
        if check.unchecked:
            yield f"not checked: {check.name} ({check.unchecked})"


def health_as_markdown(
    report: HealthReport, ways: Ways = NO_WAYS, *, whole: bool = False
) -> str:
    """Return the report as Markdown, within 2,000 characters unless wanted whole.

    What does not fit is left out from the least on: examples, then fixes, then the
    rest of the gentlest checks.
    """
    if whole:
        return _markdown(report, None, fixes=ways, chars=None)
    for examples, fixes, chars in (
        (3, ways, WHAT_CHARS),
        (2, ways, WHAT_CHARS),
        (1, ways, WHAT_CHARS),
        (1, None, WHAT_CHARS // 2),
        (0, None, 0),
    ):
        text = _markdown(report, examples, fixes=fixes, chars=chars)
        if len(text) < REPORT_CHARS:
            return text
    return text[: REPORT_CHARS - 1]


def _markdown(
    report: HealthReport, examples: int | None, *, fixes: Ways | None, chars: int | None
) -> str:
    score = f"**{report.score} of 100**{by_what(report)}."
    lines = ["# Vault health", "", f"{score} {_totals(report)}.", ""]
    lines += [f"> {_plain(notice, chars)}" for notice in report.notices]
    for check in report.checks:
        if not check.count:
            continue
        gone = f", {check.dismissed:,} dismissed" if check.dismissed else ""
        lines.append(f"- **{check.severity}** {check.title}: {check.count:,}{gone}")
        for finding in check.examples[:examples]:
            lines.append(f"  - {_plain(_place(finding) + finding.what, chars)}")
        if fixes is not None:
            fix = fix_in_words(check.fix, check.verb, fixes)
            lines.append(f"  - Fix: {fix}")
    lines += ["", *(line[:1].upper() + line[1:] for line in _rest(report))]
    return "\n".join(lines).rstrip() + "\n"


def _plain(text: str, chars: int | None) -> str:
    """Return text that Markdown shows as it is, cut where it is too long."""
    shown = Style.clean(text)
    if chars is not None and len(shown) > chars:
        shown = f"{shown[: chars - 1]}…"
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in shown)


def finding_now_as_text(now: FindingNow, style: Style) -> str:
    """Return in a sentence whether a finding still is one."""
    key = style.clean(now.key)
    gone = " (dismissed)" if now.dismissed else ""
    match now.state:
        case "there" if now.finding is not None:
            what = style.clean(_place(now.finding) + now.finding.what)
            return f"{style.strong('still there')}{gone}: {what}\n"
        case "unchecked":
            return f"not checked{gone}: {key}: {style.clean(now.reason)}\n"
        case "gone":
            said = "the vault has nothing of that name, or has it no more"
            return f"{style.strong('gone')}{gone}: {key}: {said}\n"
        case _:
            return f"{style.strong('mended')}{gone}: {key}\n"
