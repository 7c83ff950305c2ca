"""Vault health as text: for people, as Markdown, and for models."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from glassmind.markdown.style import Style, counted
from glassmind.operations.model_text import fenced, listed, named, one_line, quoted
from glassmind.operations.registry import View
from glassmind.types.health import CheckReport, Finding, Helping

if TYPE_CHECKING:
    from glassmind.operations.health import FindingResult, HealthArguments, HealthResult

EXAMPLES = 3
"""Problems shown of each check unless a limit is given."""

SECRETS_SHOWN = 10
"""Credentials shown unless a limit is given."""

REPORT_CHARS = 2_000
"""Length of the Markdown report, which other systems put into prompts."""

PROBLEM_CHARS = 120
"""Characters of one problem in that report."""

SECRETS_FIX = (
    "Agents never see them. Keep them in a password manager, and change those that "
    "others may have read."
)
COMMANDS: Mapping[Helping, str] = {
    "suggest": "glassmind graph suggest NOTE",
    "resolve": "glassmind resolve NAME",
    "dismiss": "glassmind graph dismiss A B",
    "themes": "glassmind graph themes",
}
TOOLS: Mapping[Helping, str] = {
    "suggest": "glassmind_suggest",
    "resolve": "glassmind_resolve",
    "dismiss": "glassmind_dismiss",
    "themes": "glassmind_themes",
}


def health_for_people(
    result: "HealthResult", arguments: "HealthArguments", style: Style
) -> Iterator[str]:
    """Yield the score, and for each check its problems and how to fix them."""
    yield f"Health: {style.strong(f'{result.score} of 100')}{_scope(result)}"
    yield f"  {_totals(result)}"
    lost = {part.check: part.lost for part in result.parts}
    for check in result.checks:
        if check.count:
            yield ""
            yield from _check(check, style, lost.get(check.name, 0.0))
            yield f"  {style.faint(_fix(check, COMMANDS))}"
    yield ""
    yield from _rest(result)
    most = SECRETS_SHOWN if arguments.limit == EXAMPLES else arguments.limit
    most = len(result.secrets or ()) if arguments.all else most
    yield from _secrets(result, style, most)


def _scope(result: "HealthResult") -> str:
    """Return which checks the score covers, if not all."""
    if not result.partial:
        return ""
    return f" by {'this check' if len(result.checks) == 1 else 'these checks'} alone"


def _totals(result: "HealthResult") -> str:
    gone = f", {result.dismissed:,} dismissed" if result.dismissed else ""
    notes = f"{result.sound:,} of {counted(result.notes, 'note')} without problems"
    return f"{counted(result.findings, 'problem')}{gone}; {notes}"


def _check(check: CheckReport, style: Style, lost: float) -> Iterator[str]:
    gone = f", {check.dismissed:,} dismissed" if check.dismissed else ""
    head = style.strong(f"{check.title}: {check.count:,}")
    yield f"{check.severity}  {head} ({check.name}, -{lost:.1f}{gone})"
    for problem in check.examples:
        yield f"  {style.clean(_place(problem))}{style.clean(problem.what)}"
        yield f"    {style.faint(problem.key)}"
    if len(check.examples) < check.count:
        yield f"  and {check.count - len(check.examples):,} more"


def _place(problem: Finding) -> str:
    line = f":{problem.line}" if problem.line else ""
    return f"{problem.path}{line}: " if problem.path else ""


def _fix(check: CheckReport, calls: Mapping[Helping, str]) -> str:
    """Return what to do, and which command or tool helps."""
    call = calls.get(check.verb) if check.verb else None
    return f"{check.fix} See {call}." if call else check.fix


def _rest(result: "HealthResult") -> Iterator[str]:
    """Yield the checks that found nothing, and those that could not run."""
    well = [one.name for one in result.checks if not one.count and not one.unchecked]
    if well:
        yield f"No problems: {', '.join(well)}"
    yield from _unchecked(result)


def _unchecked(result: "HealthResult") -> Iterator[str]:
    for check in result.checks:
        if check.unchecked:
            yield f"Not checked: {check.name} ({check.unchecked})"


def _secrets(result: "HealthResult", style: Style, most: int) -> Iterator[str]:
    places = result.secrets or []
    if not places:
        return
    notes = counted(len({place.path for place in places}), "note")
    yield ""
    yield f"{style.strong(f'credentials: {len(places):,}')} in {notes}"
    for place in places[:most]:
        yield f"  {style.clean(place.path)}:{place.line}: {place.kind}"
    if len(places) > most:
        yield f"  and {len(places) - most:,} more"
    yield f"  {style.faint(SECRETS_FIX)}"


def health_markdown(
    result: "HealthResult", arguments: "HealthArguments", _style: Style
) -> str:
    """Return the report as Markdown, within 2,000 characters unless `--all` is given.

    To fit, it leaves out examples first, then fixes, then the least severe checks.
    """
    if arguments.all:
        return _markdown(result, None, fixes=True, chars=None)
    for examples, fixes, chars in (
        (3, True, PROBLEM_CHARS),
        (2, True, PROBLEM_CHARS),
        (1, True, PROBLEM_CHARS),
        (1, False, PROBLEM_CHARS // 2),
        (0, False, 0),
    ):
        report = _markdown(result, examples, fixes=fixes, chars=chars)
        if len(report) < REPORT_CHARS:
            return report
    return report[: REPORT_CHARS - 1]


def _markdown(
    result: "HealthResult", examples: int | None, *, fixes: bool, chars: int | None
) -> str:
    score = f"**{result.score} of 100**{_scope(result)}."
    lines = ["# Vault health", "", f"{score} {_totals(result)}.", ""]
    for check in result.checks:
        if not check.count:
            continue
        gone = f", {check.dismissed:,} dismissed" if check.dismissed else ""
        lines.append(f"- **{check.severity}** {check.title}: {check.count:,}{gone}")
        lines += [
            f"  - {_escaped(_place(one) + one.what, chars)}"
            for one in check.examples[:examples]
        ]
        if fixes:
            lines.append(f"  - Fix: {_fix(check, COMMANDS)}")
    lines += ["", *_rest(result)]
    return "\n".join(lines).rstrip() + "\n"


def _escaped(text: str, chars: int | None) -> str:
    """Return text that Markdown shows as it is, cut if it is too long."""
    shown = Style.clean(text)
    if chars is not None and len(shown) > chars:
        shown = f"{shown[: chars - 1]}…"
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in shown)


def health_for_models(result: "HealthResult", view: View) -> str:
    """Return the problems of a page, then how to fix them."""
    totals = (
        f"Score {result.score} of 100{_scope(result)}; {result.findings:,} problems, "
        f"{result.dismissed:,} dismissed; {result.sound:,} of {result.notes:,} notes "
        "without problems."
    )
    rows, fixes = [], []
    for check in result.checks:
        if not check.count:
            continue
        rows.append(f"{check.severity}: {check.count:,} {check.title} ({check.name})")
        for one in check.examples:
            line = f":{one.line}" if one.line else ""
            place = f"{named(one.path)}{line} " if one.path else ""
            rows.append(f"   {place}{quoted(one.what)} [{one_line(one.key)}]")
        fixes.append(f"{check.name}: {_fix(check, TOOLS)}")
    if view.first == 1 and any(one.count > len(one.examples) for one in result.checks):
        fixes.append("To see all problems of a check, give its name and a limit.")
    head = [totals, *_unchecked(result)]
    nothing = "" if rows else "No problems."
    page = listed(head, rows, view, result.notices, nothing=nothing)
    return "\n".join([page, *fixes])


def finding_for_people(result: "FindingResult", _: Any, style: Style) -> str:
    """Return whether a problem still exists."""
    key, gone = style.clean(result.key), " (dismissed)" if result.dismissed else ""
    if result.finding:
        what = style.clean(_place(result.finding) + result.finding.what)
        return f"{style.strong('still there')}{gone}: {what}\n"
    if result.state == "unchecked":
        return f"not checked{gone}: {key}: {style.clean(result.reason or '')}\n"
    if result.state == "gone":
        return f"{style.strong('gone')}{gone}: {key}: nothing of that name exists\n"
    return f"{style.strong('fixed')}{gone}: {key}\n"


def finding_for_models(result: "FindingResult", _view: View) -> str:
    """Return whether a problem still exists."""
    return fenced(finding_for_people(result, None, Style()))
