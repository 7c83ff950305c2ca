"""What is to be mended in a vault: findings, checks, and the score they add up to.

What there are thousands of are named tuples, for the reason that `types.notes` gives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from glassmind.types import NotePath, PropertyValue

Severity: TypeAlias = Literal["high", "medium", "low"]

Helping: TypeAlias = Literal["suggest", "resolve", "dismiss", "themes"]
"""Verbs that help to mend a finding; each way to ask calls them in its own words."""

SEVERITIES: Sequence[Severity] = ("high", "medium", "low")
"""The gravest first."""


class SecretPlace(NamedTuple):
    """Where a credential stands in a note, and its kind; never what it is."""

    path: NotePath
    line: int
    kind: str


class Finding(NamedTuple):
    """One thing to mend: where it stands, and what is wrong with it.

    `subject` tells it from all others of its check and stays while the thing does,
    wherever it moves inside its note. `line` is 0 where no line is meant.
    """

    check: str
    subject: str
    path: NotePath
    line: int
    what: str

    @property
    def key(self) -> str:
        """The name by which it can be dismissed, and asked about again."""
        return f"{self.check}:{self.subject}"


class Unchecked(NamedTuple):
    """Why a check could not be made; that is not to say that all is well."""

    reason: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What one check found; `count` leaves out what was `dismissed`.

    `examples` are the gravest, `fix` says what to do, and `verb` what helps with it.
    `unchecked` is the reason where it could not be made, empty elsewhere.
    """

    name: str
    title: str
    severity: Severity
    count: int
    dismissed: int
    examples: tuple[Finding, ...]
    fix: str
    unchecked: str = ""
    verb: Helping | None = None


class ScorePart(NamedTuple):
    """What one check has to do with the score.

    `points` are what it costs alone with as many findings as there are notes, `lost`
    what it costs now; those of all checks are what the score lacks of 100.
    """

    check: str
    points: float
    lost: float


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The state of a vault: a score from 0 to 100, its parts, and every check.

    Checks are sorted by severity, then by how much they found. The totals count
    findings; `sound` is how many notes nothing was found in. `partial` says that some
    checks alone were asked for, and the score is theirs.
    """

    score: int
    parts: tuple[ScorePart, ...]
    checks: tuple[CheckReport, ...]
    notes: int
    sound: int
    findings: int
    dismissed: int
    notices: tuple[str, ...] = ()
    partial: bool = False


FindingState: TypeAlias = Literal["there", "mended", "gone", "unchecked"]
"""Gone is what the vault holds nothing of by now, or never did."""


@dataclass(frozen=True, slots=True)
class FindingNow:
    """Whether a finding still is one; `reason` says why that could not be told."""

    key: str
    state: FindingState
    dismissed: bool = False
    finding: Finding | None = None
    reason: str = ""


class HealthNote(NamedTuple):
    """A note as checks look at it; `tokens` are those of its passages."""

    id: int
    path: NotePath
    title: str
    kind: str
    size: int
    mtime_ns: int
    day: str | None
    digest: str
    aliases: tuple[str, ...]
    error: str | None
    tokens: int


class LostLink(NamedTuple):
    """A link to a name that no file has."""

    path: NotePath
    target: str
    line: int


class PartLink(NamedTuple):
    """A link to a part of a note: to a heading or a block of it."""

    path: NotePath
    kind: str
    target_id: int
    target: NotePath
    subpath: str
    line: int


class PartNames(NamedTuple):
    """What links may lead to inside a note: levels and texts of headings, block ids."""

    headings: tuple[tuple[int, str], ...]
    blocks: frozenset[str]


class SaidValue(NamedTuple):
    """A value that a note gives to a property, or to a field in its text."""

    note_id: int
    name: str
    value: PropertyValue
