"""What should be linked: suggestions, why, and the edits that would do it."""

from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from glassmind.model import Digest, NotePath

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
    """Return the key of a suggestion, by its notes and its property."""
    ends = f"{source}{LEADS}{target}"
    return f"{ends} ({name})" if name else ends


class Suggestions(Struct, frozen=True):
    """Suggested links, best first; `note` is None for the whole vault."""

    note: NotePath | None
    suggestions: tuple[Suggestion, ...]
    notices: tuple[str, ...] = ()
