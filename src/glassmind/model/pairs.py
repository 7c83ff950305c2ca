"""Notes that are alike and have no link between them, and what was dismissed of them.

Named tuples, for the reason that `types` gives.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from glassmind.model import NotePath

Mark: TypeAlias = tuple[int, str]
"""A change in a log: its number, and a random token that tells it from another of that
number, in a database that was restored."""

Dismissible: TypeAlias = frozenset[NotePath]
"""Two notes, in no order."""


MOST_PARTNERS = 20
"""Notes without a link that one is paired with. A person looks at a handful; the rest
is room for those that are linked or dismissed before notes are paired again."""

PAIRS_VERSION = 2
"""Raised when the same vectors would make other pairs, so that all are made anew."""


class Partner(NamedTuple):
    """A note that is much like another, by their ids; `similarity` is the cosine."""

    note_id: int
    other_id: int
    similarity: float


class Pair(Struct, frozen=True):
    """Two similar notes without a link; the first is the one asked about, if any.

    Else it is the one whose path comes first.
    """

    path: NotePath
    title: str
    other_path: NotePath
    other_title: str
    similarity: float
    uri: str | None = None
    other_uri: str | None = None


class PairState(NamedTuple):
    """How the pairs in the rows were made.

    `space` names the vectors, `level` is the least similarity that was asked for on the
    scale of the default model, and `threshold` what that came to among these vectors.
    A note has the `most` that are like it at most. `seq` and `token` tell the last
    change of a vector that was taken in, the next two the last change of a link.
    """

    space: str
    level: float
    threshold: float
    most: int
    version: int
    seq: int
    token: str
    link_seq: int
    link_token: str

    @property
    def mark(self) -> Mark:
        """The last change of a vector."""
        return self.seq, self.token


class PairNews(NamedTuple):
    """How far the rows have come, and what happened since notes were paired.

    `changed` are notes whose vector or path is another, `linked` those whose links may
    be; None where too many are to be told.
    """

    mark: Mark
    link_mark: Mark
    changed: Sequence[int]
    linked: Sequence[int] | None


class PairBasis(NamedTuple):
    """What new pairs were made on: the database, and how those before were made."""

    epoch: str
    before: PairState | None


class PairChange(NamedTuple):
    """New lists in the place of those of the notes `anew`.

    The notes `gone` are on nobody's list any more, unless the new ones say so.
    """

    rows: Sequence[Partner]
    anew: Collection[int]
    gone: Collection[int]


TO_PAIR = "glassmind index compares them"


class PairLag(NamedTuple):
    """How pairs were made, and how many notes wait; None if all do."""

    waiting: int | None
    state: PairState | None

    @property
    def notice(self) -> str:
        """What is not known yet of similar notes; empty where all is."""
        if self.waiting is None and self.state is None:
            return (
                f"no notes were compared yet, so none are known to be alike; {TO_PAIR}"
            )
        if self.waiting is None:
            return f"notes were compared by a former model; {TO_PAIR} by the new one"
        if not self.waiting or self.state is None:
            return ""
        much = "1 note is" if self.waiting == 1 else f"{self.waiting:,} notes are"
        return f"{much} not compared yet, and left out of what is alike; {TO_PAIR}"


class PairStatus(Struct, frozen=True):
    """How many unlinked pairs there are, and how many notes wait to be compared.

    `waiting` is null if all do; `threshold` and `most` are null if none was compared.
    """

    count: int
    waiting: int | None
    threshold: float | None = None
    most: int | None = None


UNPAIRED = PairStatus(0, 0)
"""If notes were never compared."""


class Similar(Struct, frozen=True, kw_only=True):
    """Pairs, most similar first; `note` is null for the whole vault.

    `total` counts all, and `dismissed` those left out because a person dismissed them.
    """

    note: NotePath | None
    pairs: tuple[Pair, ...]
    total: int
    dismissed: int
    status: PairStatus
    notices: tuple[str, ...]


class DismissedPair(NamedTuple):
    """A line of the dismissals: two notes, as they were called then.

    `digests` are the first letters of the digests they had.
    """

    paths: tuple[NotePath, NotePath]
    titles: tuple[str, str]
    digests: tuple[str, str] = ("", "")


class DismissedFinding(NamedTuple):
    """A line of the dismissals: a check of vault health, and what it was about.

    `titles` are those of the notes that the subject names, as they were called then,
    `digests` the first letters of the digests they had.
    """

    check: str
    subject: str
    titles: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()


class Dismissals(NamedTuple):
    """What a person wants to hear no more of, and the lines that could not be read.

    `pairs` are the notes as they are called now, in no order; so are the notes that the
    `findings` name. `problems` say which lines are not followed, and `lost` which name
    notes that are not known again, or may be others by now.
    """

    pairs: frozenset[Dismissible] = frozenset()
    findings: frozenset[tuple[str, str]] = frozenset()
    problems: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    def has_pair(self, one: NotePath, other: NotePath) -> bool:
        """Whether these two were dismissed, in whichever order."""
        return frozenset((one, other)) in self.pairs

    def has_finding(self, check: str, subject: str) -> bool:
        """Whether a finding was dismissed."""
        return (check, subject) in self.findings


class Dismissed(Struct, frozen=True):
    """What a dismissal, or taking one back, came to; `changed` is False for nothing."""

    file: NotePath
    line: str
    changed: bool
