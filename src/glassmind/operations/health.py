"""Operations on vault health: report problems, check one again, dismiss it, fix."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from glassmind.engine import Engine
from glassmind.operations import health_text as text
from glassmind.operations.edit import (
    ChangeResult,
    DryRun,
    asking,
    change_operation,
    change_result,
)
from glassmind.operations.graph import MOST_SHOWN
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Page,
    Result,
    Route,
    TextForm,
    Tool,
    arg,
    copied,
    note_paths,
    operation,
    shown,
)
from glassmind.operations.suggestions import (
    DismissResult,
    Restore,
    check_untainted,
    dismiss_by_key,
)
from glassmind.operations.suggestions_text import (
    dismissed_for_models,
    dismissed_for_people,
)
from glassmind.types import health as found
from glassmind.types.health import FindingState, Helping, Severity
from glassmind.types.ledger import Passage, Shown

MOST_FINDINGS = 10 * MOST_SHOWN
"""Problems of one check that the engine returns."""

TOO_LOW = 2
"""Exit code for a score below --fail-below."""

SLOW_S = 120.0
"""Seconds for all checks on a large vault."""

Key = Annotated[str, Meta(max_length=8_192)]
Checks = Annotated[
    list[str] | None,
    arg(
        "Only this check; may be repeated.",
        metavar="NAME",
        for_models="names of checks; else all",
    ),
]


class HealthArguments(Arguments, frozen=True, kw_only=True):
    check: Checks = None
    limit: Annotated[
        Annotated[int, Meta(ge=0, le=MOST_FINDINGS)],
        arg("Problems to show of each check.", short="-n", for_models="of each check"),
    ] = text.EXAMPLES
    all: Annotated[bool, arg("Show every problem.", only=("cli",))] = False
    fail_below: Annotated[
        Annotated[int, Meta(ge=0, le=100)] | None,
        arg("Exit with code 2 if the score is lower.", only=("cli",)),
    ] = None


class ScorePart(Struct, frozen=True):
    """How many points a check can cost, and how many it costs now."""

    check: str
    points: float
    lost: float


class Problem(Struct, frozen=True):
    """One problem; `line` is null if it is not about a line."""

    key: str
    path: str
    line: int | None
    what: str

    @property
    def passage(self) -> Passage:
        """The line that it quotes."""
        return Passage(self.path, self.line or 0, self.line or 0)


class CheckResult(Struct, frozen=True, kw_only=True):
    """What one check found; `count` does not include dismissed problems.

    `verb` is the operation that helps, `unchecked` why the check could not run.
    """

    name: str
    title: str
    severity: Severity
    count: int
    dismissed: int
    examples: list[Problem]
    fix: str
    verb: Helping | None
    unchecked: str | None


class SecretPlace(Struct, frozen=True):
    """Where a credential is in a note; never the credential itself."""

    path: str
    line: int
    kind: str


class HealthResult(Result, frozen=True, kw_only=True):
    """The score of a vault and what each check found, worst first.

    If `partial`, the score covers only the chosen checks. Only the owner at the CLI
    sees `secrets`.
    """

    score: int
    partial: bool
    parts: list[ScorePart]
    notes: int
    sound: int
    findings: int
    dismissed: int
    checks: list[CheckResult]
    notices: list[str]
    secrets: list[SecretPlace] | UnsetType = UNSET

    def sources(self) -> Shown:
        """Return the lines that problems quote, and the places of credentials."""
        problems = [one for check in self.checks for one in check.examples if one.path]
        secrets = [one.path for one in self.secrets or ()]
        return shown([one.passage for one in problems], note_paths(secrets))


@operation(
    group="Maintain",
    for_people=text.health_for_people,
    for_models=text.health_for_models,
    command=Command(
        forms=(
            TextForm(
                "--markdown", "Print the report as Markdown.", text.health_markdown
            ),
        ),
        exit_code=lambda result, arguments: (
            TOO_LOW if result.score < (arguments.fail_below or 0) else 0
        ),
    ),
    tool=Tool(
        title="Vault health",
        sets=("graph",),
        description=(
            "List problems of the vault, worst first: orphans, broken links, "
            "duplicates, conflict copies, spellings and more, with fixes and a score."
        ),
        timeout_s=SLOW_S,
        page=Page("checks", most=MOST_FINDINGS, inner="examples", grows=False),
    ),
    route=Route("GET", "/graph/health", sets=("graph",), fails=(404,)),
)
def health(vault: Engine, arguments: HealthArguments, caller: Caller) -> HealthResult:
    """List vault problems, worst first, with a score."""
    checks = _check_names(arguments.check)
    limit = None if arguments.all else arguments.limit
    report = vault.knowledge.health(checks=checks, limit=limit)
    is_owner = caller.surface == "cli" and checks is None
    return health_result(report, vault.knowledge.secrets() if is_owner else ())


def health_result(
    report: found.HealthReport, secrets: Sequence[found.SecretPlace] = ()
) -> HealthResult:
    """Return the typed result of a health report."""
    return copied(
        HealthResult,
        report,
        parts=[
            ScorePart(part.check, round(part.points, 2), round(part.lost, 2))
            for part in report.parts
        ],
        checks=[
            copied(
                CheckResult,
                check,
                examples=[_problem(one) for one in check.examples],
                unchecked=check.unchecked or None,
            )
            for check in report.checks
        ],
        secrets=[copied(SecretPlace, place) for place in secrets] or UNSET,
    )


def _check_names(given: list[str] | None) -> list[str] | None:
    """Return names of checks; one value may hold several, separated by commas."""
    if given is None:
        return None
    return [name for value in given for name in value.split(",")]


def _problem(one: found.Finding) -> Problem:
    return copied(Problem, one, line=one.line or None)


class CheckFindingArguments(Arguments, frozen=True, kw_only=True):
    key: Annotated[
        Key,
        arg(
            "Check whether a problem still exists.",
            flag="--again",
            metavar="KEY",
            for_models="as glassmind_health shows it",
        ),
    ]


class FindingResult(Result, frozen=True, kw_only=True):
    """Whether a problem still exists; `reason` says why it could not be checked."""

    key: str
    state: FindingState
    dismissed: bool
    finding: Problem | None
    reason: str | None

    def sources(self) -> Shown:
        """Return the line that the problem quotes, or the note that its key names.

        The key of a problem that is gone names only what the caller asked for.
        """
        found = [self.finding.passage] if self.finding and self.finding.path else []
        named = [] if self.state == "gone" else [self.key.partition(":")[2]]
        return shown(found, note_paths(named))

    def is_empty(self) -> bool:
        return self.state in {"mended", "gone"}


@operation(
    group="Maintain",
    for_people=text.finding_for_people,
    for_models=text.finding_for_models,
    command=Command("health --again"),
    tool=Tool(title="Check a problem again", sets=("graph",)),
    route=Route("GET", "/graph/finding", sets=("graph",), fails=(404,)),
)
def check_finding(vault: Engine, arguments: CheckFindingArguments) -> FindingResult:
    """Check whether a problem of glassmind_health still exists."""
    now = vault.knowledge.check_finding(arguments.key)
    problem = _problem(now.finding) if now.finding else None
    return copied(FindingResult, now, finding=problem, reason=now.reason or None)


class DismissFindingArguments(Arguments, frozen=True, kw_only=True):
    key: Annotated[
        Key,
        arg(
            "Stop reporting a problem (--dismiss), or report it again (--restore).",
            flag="--dismiss",
            metavar="KEY",
        ),
    ]
    restore: Restore = False


@operation(
    group="Maintain",
    for_people=dismissed_for_people,
    for_models=dismissed_for_models,
    writes=True,
    command=Command(
        "health --dismiss", aliases=(("health --restore", {"restore": True}),)
    ),
    route=Route("POST", "/graph/finding/dismiss", sets=("graph",), fails=(404, 409)),
)
def dismiss_finding(
    vault: Engine, arguments: DismissFindingArguments, caller: Caller
) -> DismissResult:
    """Stop reporting a problem, or report it again."""
    check_untainted(vault, caller)
    return dismiss_by_key(vault, arguments.key, restore=arguments.restore)


class FixArguments(Arguments, frozen=True, kw_only=True):
    check: Checks = None
    dry_run: DryRun = False


@change_operation(
    title="Fix problems of the vault",
    about="Fix what glassmind_health lists and needs no decision, in one change.",
    path="/graph/health/fix",
    route_id="fix_vault_health",
    group="Maintain",
    command=Command("health --fix"),
)
def fix_findings(
    vault: Engine, arguments: FixArguments, caller: Caller
) -> ChangeResult:
    """Fix what needs no decision, all in one change or proposal."""
    repairs = vault.knowledge.repairs(checks=_check_names(arguments.check))
    request = asking(vault, caller, dry_run=arguments.dry_run)
    return change_result(vault.editing.repair(repairs, request))
