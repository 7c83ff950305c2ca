"""What is to be mended in a vault: findings, checks, and the score they add up to.

What there are thousands of are named tuples, for the reason that `types.notes` gives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from glassmind.model import NotePath, PropertyValue
from glassmind.model.suggestions import ProposedEdit

Severity: TypeAlias = Literal["high", "medium", "low"]

Helping: TypeAlias = Literal["suggest", "resolve", "dismiss", "themes"]
"""Verbs that help to mend a finding; each way to ask calls them in its own words."""

SEVERITIES: Sequence[Severity] = ("high", "medium", "low")
"""The gravest first."""


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
        """The name of the check."""
        return self.key.partition(":")[0]

    @property
    def subject(self) -> str:
        """What the problem is about: unique within its check."""
        return self.key.partition(":")[2]


def finding(check: str, subject: str, path: NotePath, line: int, what: str) -> Finding:
    """Return a problem; line 0 means that it is not about a line."""
    return Finding(f"{check}:{subject}", path, line or None, what)


class Unchecked(NamedTuple):
    """Why a check could not be made; that is not to say that all is well."""

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


FindingState: TypeAlias = Literal["there", "mended", "gone", "unchecked"]
"""Gone: the vault has nothing of that name now; it may never have existed."""


class FindingNow(Struct, frozen=True):
    """Whether a problem still exists; `reason` says why it could not be checked."""

    key: str
    state: FindingState
    dismissed: bool = False
    finding: Finding | None = None
    reason: str | None = None


class HealthNote(NamedTuple):
    """A note as checks look at it."""

    id: int
    path: NotePath
    title: str
    kind: str
    digest: str
    aliases: tuple[str, ...]
    error: str | None


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


class LinkEdit(NamedTuple):
    """An edit of one note, and the keys of the findings or suggestions it is for."""

    keys: tuple[str, ...]
    edit: ProposedEdit


class TagSpelling(NamedTuple):
    """A tag that is to be spelled as most notes spell it."""

    key: str
    old: str
    new: str


class FormerName(NamedTuple):
    """A path that links lead to in vain, and the one file that they mean.

    `sources` are the notes with such links. With `shown`, a link goes on to show the
    words that it is written with: the file is not called so, only known by them.
    """

    key: str
    was: NotePath
    now: NotePath
    sources: tuple[NotePath, ...]
    why: str
    shown: bool = False


class Unmended(NamedTuple):
    """What is left as it is, and why; `key` is that of a finding, or of a check."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Repairs:
    """What would mend findings, or make the links that are suggested; a proposal."""

    edits: tuple[LinkEdit, ...] = ()
    tags: tuple[TagSpelling, ...] = ()
    names: tuple[FormerName, ...] = ()
    unmended: tuple[Unmended, ...] = ()
    notices: tuple[str, ...] = ()
