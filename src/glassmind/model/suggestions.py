"""Notes that are alike and have no link between them, and what was dismissed of them.

Named tuples, for the reason that `types` gives.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from glassmind.model import Digest, NotePath

Mark: TypeAlias = tuple[int, str]
"""A change in a log: its number, and a random token that tells it from another of that
number, in a database that was restored."""

Dismissible: TypeAlias = frozenset[NotePath]  # two notes, in no order


MOST_PARTNERS = 20
"""Notes without a link that one is paired with. A person looks at a handful; the rest
is room for those that are linked or dismissed before notes are paired again."""

PAIRS_VERSION = 2
"""Raised when the same vectors would make other pairs, so that all are made anew."""


class Partner(NamedTuple):
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
    """How the pairs in the rows were made."""

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
        return self.seq, self.token


class PairNews(NamedTuple):
    """How far the rows have come, and what happened since notes were paired."""

    mark: Mark
    link_mark: Mark
    changed: Sequence[int]
    linked: Sequence[int] | None


class PairBasis(NamedTuple):
    epoch: str
    before: PairState | None


class PairChange(NamedTuple):
    """New lists in the place of those of the notes `anew`; None for all."""

    rows: Sequence[Partner]
    anew: Collection[int] | None
    gone: Collection[int]


TO_PAIR = "glassmind index compares them"


class PairLag(NamedTuple):
    waiting: int | None
    state: PairState | None

    @property
    def notice(self) -> str:
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


UNPAIRED = PairStatus(0, 0)  # if notes were never compared


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


class Dismissals(NamedTuple):
    """What a person wants to hear no more of, and the lines that could not be read."""

    pairs: frozenset[Dismissible] = frozenset()
    findings: frozenset[tuple[str, str]] = frozenset()
    problems: tuple[str, ...] = ()

    def has_pair(self, one: NotePath, other: NotePath) -> bool:
        return frozenset((one, other)) in self.pairs


class Dismissed(Struct, frozen=True):
    """What a dismissal, or taking one back, came to; `changed` is False for nothing."""

    file: NotePath
    line: str
    changed: bool


SuggestionKind: TypeAlias = Literal[
    "mention", "reciprocal", "similar", "words", "neighbours"
]
"""What speaks most for a link: a name in the text, a property that is not answered,
meaning, words of a name, or the links around both."""

SignName: TypeAlias = Literal[
    "mentions", "mentioned", "votes", "worded", "wording", "similarity", "reciprocal",
]  # fmt: skip


LEADS = " -> "  # between the two notes in the key of a suggestion


class NoteNames(NamedTuple):
    note_id: int
    names: tuple[str, ...]


class Sign(Struct, frozen=True):
    """One reason for a link; the shares of all add up to the score.

    `strength` is from 0 to 1.
    """

    name: SignName
    strength: float
    share: float
    reason: str


class Mention(Struct, frozen=True):
    """The name of a note in the text of another, without a link.

    `bytes` is its half-open range in the text as UTF-8, without a byte order mark.
    `namesakes` are other notes of that name.
    """

    text: str
    line: int
    bytes: tuple[int, int]
    sentence: str
    namesakes: tuple[NotePath, ...] = ()


class ProposedEdit(Struct, frozen=True):
    """The edit that would add the link; `bytes` is its half-open range in the file.

    It is only valid for a file with this `digest`.
    """

    path: NotePath
    digest: Digest
    line: int
    bytes: tuple[int, int]
    before: str
    after: str


class Suggestion(Struct, frozen=True, kw_only=True):
    """Two notes that should be linked; `source` is the one to edit.

    `similarity` is None if a note has no vector. `edit` is None if no link to the
    target can be written there: a name with `#`, a file that is not UTF-8 Markdown.
    """

    key: str
    kind: SuggestionKind
    source: NotePath
    source_title: str
    source_uri: str | None = None
    target: NotePath
    target_title: str
    target_uri: str | None = None
    score: float
    reason: str
    signs: tuple[Sign, ...]
    mention: Mention | None = None
    property: str | None = None
    similarity: float | None = None
    shared_notes: tuple[NotePath, ...] = ()
    shared_tags: tuple[str, ...] = ()
    edit: ProposedEdit | None = None


def suggestion_key(source: str, target: str, name: str = "") -> str:
    ends = f"{source}{LEADS}{target}"
    return f"{ends} ({name})" if name else ends


class Suggestions(Struct, frozen=True):
    """Suggested links, best first; `note` is None for the whole vault."""

    note: NotePath | None
    suggestions: tuple[Suggestion, ...]
    notices: tuple[str, ...] = ()


class ScopePairs:
    """Similar notes among those of a scope, as of the change of a link `link_seq`.

    `entries` have no pair that was linked then, and none below `threshold`.
    """

    def __init__(
        self, entries: Iterable[Partner], threshold: float, link_seq: int
    ) -> None:
        self.threshold, self.link_seq = threshold, link_seq
        self._of: dict[int, dict[int, float]] = {}
        for note, other, similarity in entries:
            self._of.setdefault(note, {})[other] = similarity
            self._of.setdefault(other, {})[note] = similarity

    def of_note(self, note_id: int) -> Iterator[Partner]:
        """Yield what a note is similar to, in no order."""
        for other, similarity in self._of.get(note_id, {}).items():
            yield Partner(note_id, other, similarity)

    def once(self) -> Iterator[Partner]:
        """Yield every pair once, in no order."""
        return (
            Partner(note, other, similarity)
            for note, others in self._of.items()
            for other, similarity in others.items()
            if note < other
        )
