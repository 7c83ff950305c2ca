"""What is to be mended in a vault: findings, checks, and the score they add up to.

What there are thousands of are named tuples, for the reason that `types.notes` gives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct

from glassmind.model import NotePath, PropertyValue
from glassmind.model.suggestions import ProposedEdit

Severity: TypeAlias = Literal["high", "medium", "low"]

Helping: TypeAlias = Literal["suggest", "resolve", "dismiss", "themes"]
"""Verbs that help to mend a finding; each way to ask calls them in its own words."""

SEVERITIES: Sequence[Severity] = get_args(Severity)  # the gravest first


class SecretPlace(Struct, frozen=True):
    """Where a credential is in a note; never the credential itself."""

    path: NotePath
    line: int
    kind: str


class Finding(Struct, frozen=True):
    """One problem; `line` is None if it is not about a line.

    The key names the check, and what it found: it stays the same while the problem
    does, wherever it moves inside its note.
    """

    key: str
    path: NotePath
    line: int | None
    what: str

    @property
    def check(self) -> str:
        return self.key.partition(":")[0]

    @property
    def subject(self) -> str:
        return self.key.partition(":")[2]


def finding(check: str, subject: str, path: NotePath, line: int, what: str) -> Finding:
    return Finding(f"{check}:{subject}", path, line or None, what)


class UncheckedRepair(NamedTuple):
    reason: str


class CheckReport(Struct, frozen=True, kw_only=True):
    """What one check found; `count` does not include dismissed problems.

    `verb` is the operation that helps, `unchecked` why the check could not run.
    """

    name: str
    title: str
    severity: Severity
    count: int
    dismissed: int
    examples: tuple[Finding, ...]
    fix: str
    verb: Helping | None = None
    unchecked: str | None = None


class ScorePart(Struct, frozen=True):
    """How many points a check can cost, and how many it costs now."""

    check: str
    points: float
    lost: float


class HealthReport(Struct, frozen=True, kw_only=True):
    """The score of a vault and what each check found, worst first.

    `sound` counts notes without problems. If `partial`, the score covers only the
    chosen checks.
    """

    score: int
    partial: bool = False
    parts: tuple[ScorePart, ...]
    notes: int
    sound: int
    findings: int
    dismissed: int
    checks: tuple[CheckReport, ...]
    notices: tuple[str, ...] = ()


class FindingNow(Struct, frozen=True):
    """Whether a problem still exists; `reason` says why it could not be checked."""

    key: str
    state: Literal["there", "gone", "unchecked"]
    dismissed: bool = False
    finding: Finding | None = None
    reason: str | None = None


class PropertyValueRow(NamedTuple):
    note_id: int
    name: str
    value: PropertyValue


class LinkEdit(NamedTuple):
    keys: tuple[str, ...]
    edit: ProposedEdit


class TagSpelling(NamedTuple):
    key: str
    old: str
    new: str


class FormerName(NamedTuple):
    """A path that links lead to in vain, and the one file that they mean."""

    key: str
    was: NotePath
    now: NotePath
    sources: tuple[NotePath, ...]
    why: str
    shown: bool = False


class UnrepairedProblem(NamedTuple):
    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Repairs:
    edits: tuple[LinkEdit, ...] = ()
    tags: tuple[TagSpelling, ...] = ()
    names: tuple[FormerName, ...] = ()
    unmended: tuple[UnrepairedProblem, ...] = ()
    notices: tuple[str, ...] = ()
