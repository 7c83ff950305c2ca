"""What should be linked: suggestions, why, and the edits that would do it."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from glassmind.types import Digest, NotePath

SuggestionKind: TypeAlias = Literal[
    "mention", "reciprocal", "similar", "words", "neighbours"
]
"""What speaks most for a link: a name in the text, a property that is not answered,
meaning, words of a name, or the links around both."""

SignName: TypeAlias = Literal[
    "mentions", "mentioned", "votes", "worded", "wording", "vocabulary", "passages",
    "similarity", "reciprocal",
]  # fmt: skip


LEADS = " -> "
"""Between the two notes in the key of a suggestion."""


class NoteNames(NamedTuple):
    """A note and what it calls itself."""

    note_id: int
    names: tuple[str, ...]


class Sign(NamedTuple):
    """One thing that speaks for a link: how much of the score it gave, and why.

    `strength` is from 0 to 1; `share` is what it adds to the score.
    """

    name: SignName
    strength: float
    share: float
    reason: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of a note in the text of another, where no link stands.

    `start` and `end` are bytes of the note's text in UTF-8, half open, without a byte
    order mark. `namesakes` are the first of the other notes of that name.
    """

    text: str
    line: int
    start: int
    end: int
    sentence: str
    namesakes: tuple[NotePath, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposedEdit:
    """A change of one note that nobody has made yet.

    `digest` is that of the file it was made for: of another content it means nothing.
    `start` and `end` are bytes of the file, half open; `before` stands there and
    `after` is to stand there in its place. `line` counts from 1.
    """

    path: NotePath
    digest: Digest
    line: int
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Two notes that should be linked: `source` is the one to be edited.

    The shares of `signs` add up to `score`, from 0 to 1. `similarity` is the cosine of
    the notes' vectors, None where one has none. `edit` is None where no link to the
    target can be written there: a name with `#`, a file that is no UTF-8 Markdown.
    """

    kind: SuggestionKind
    source: NotePath
    source_title: str
    target: NotePath
    target_title: str
    score: float
    reason: str
    signs: tuple[Sign, ...]
    mention: Mention | None = None
    property: str = ""
    similarity: float | None = None
    shared_notes: tuple[NotePath, ...] = ()
    shared_tags: tuple[str, ...] = ()
    edit: ProposedEdit | None = None


def key_of(one: Suggestion) -> str:
    """Return the name by which one can be chosen; it stays while the two notes do."""
    ends = f"{one.source}{LEADS}{one.target}"
    return f"{ends} ({one.property})" if one.property else ends


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Suggestions, best first, for one note or, without it, for the whole vault.

    `notices` say what could not be looked at.
    """

    note: NotePath | None
    suggestions: tuple[Suggestion, ...]
    notices: tuple[str, ...] = ()
