"""Operations on vault health: report problems, check one again, dismiss it, fix."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

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
    ON_REQUEST,
    DismissResult,
    Restore,
    check_untainted,
)
from glassmind.operations.suggestions_text import (
    dismissed_for_models,
    dismissed_for_people,
)
from glassmind.types.health import (
    Finding,
    FindingNow,
    HealthReport,
    ScorePart,
    SecretPlace,
)
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
    arg("Only these checks, by name; may be repeated.", metavar="NAME"),
]


class HealthArguments(Arguments):
    check: Checks = None
    limit: Annotated[
        int, arg("Problems to show of each check.", short="-n", ge=0, le=MOST_FINDINGS)
    ] = text.EXAMPLES
    all: Annotated[bool, arg("Show every problem.", only=("cli",))] = False
    fail_below: Annotated[
        int | None,
        arg("Exit with code 2 if the score is lower.", only=("cli",), ge=0, le=100),
    ] = None


class HealthResult(Result, HealthReport):
    """The score of a vault and what each check found, worst first.

    Only the owner at the CLI sees `secrets`.
    """

    secrets: list[SecretPlace] | UnsetType = UNSET

    def sources(self) -> Shown:
        """Return the lines that problems quote, and the places of credentials."""
        passages = [_passage(one) for check in self.checks for one in check.examples]
        secrets = [one.path for one in self.secrets or ()]
        return shown(filter(None, passages), note_paths(secrets))


def _passage(problem: Finding) -> Passage | None:
    """Return the line that a problem quotes."""
    line = problem.line or 0
    return Passage(problem.path, line, line) if problem.path else None


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
    report: HealthReport, secrets: Sequence[SecretPlace] = ()
) -> HealthResult:
    """Return the result for a report: points have two digits."""
    parts = [
        ScorePart(part.check, round(part.points, 2), round(part.lost, 2))
        for part in report.parts
    ]
    return copied(HealthResult, report, parts=parts, secrets=list(secrets) or UNSET)


def _check_names(given: list[str] | None) -> list[str] | None:
    """Return names of checks; one value may hold several, separated by commas."""
    if given is None:
        return None
    return [name for value in given for name in value.split(",")]


class CheckFindingArguments(Arguments):
    key: Annotated[
        Key,
        arg(
            "Check whether a problem still exists.",
            flag="--again",
            metavar="KEY",
            for_models="as glassmind_health shows it",
        ),
    ]


class FindingResult(Result, FindingNow):
    """Whether a problem still exists; `reason` says why it could not be checked."""

    def sources(self) -> Shown:
        """Return the line that the problem quotes, or the note that its key names.

        The key of a problem that is gone names only what the caller asked for.
        """
        found = [_passage(self.finding)] if self.finding else []
        named = [] if self.state == "gone" else [self.key.partition(":")[2]]
        return shown(filter(None, found), note_paths(named))

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
    return copied(FindingResult, vault.knowledge.check_finding(arguments.key))


class DismissFindingArguments(Arguments):
    key: Annotated[
        Key,
        arg(
            "Stop reporting a problem (--dismiss), or report it again (--restore).",
            flag="--dismiss",
            metavar="KEY",
            for_models="as glassmind_health shows it",
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
    tool=Tool(
        title="Dismiss a problem",
        sets=("graph",),
        description=(
            "Stop reporting a problem of glassmind_health; with restore, report it "
            f"again. {ON_REQUEST}"
        ),
    ),
    route=Route("POST", "/graph/finding/dismiss", sets=("graph",), fails=(404, 409)),
)
def dismiss_finding(
    vault: Engine, arguments: DismissFindingArguments, caller: Caller
) -> DismissResult:
    """Stop reporting a problem, or report it again."""
    check_untainted(vault, caller)
    check, _, subject = arguments.key.partition(":")
    knowledge = vault.knowledge
    restore = arguments.restore
    change = knowledge.restore_finding if restore else knowledge.dismiss_finding
    return copied(DismissResult, change(check, subject))


class FixArguments(Arguments):
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
