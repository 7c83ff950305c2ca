"""What is packed for an agent: passages, what follows from them, and where all stands.

Every text of a bundle is a note's own, to the letter; `receipt` says where it stood.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from glassmind.model import NotePath, Span
from glassmind.model.search import ChannelName, Intent, Mode


class Receipt(NamedTuple):
    """A citation that can be verified: lines of a note, by the digest of their text.

    Written `path#heading:12-18@digest`; see `markdown.receipts`.
    """

    path: NotePath
    heading: str
    span: Span
    digest: str


ReceiptState: TypeAlias = Literal[
    "unchanged", "moved", "changed", "gone", "unread", "bad"
]
"""What became of lines; "unread" where their note is there and cannot be looked at, and
"bad" where the text is no receipt, or leads out of the vault."""


class Verified(Struct, frozen=True):
    """What became of the lines that a receipt is for.

    `now` is the receipt of where they stand now: the same where nothing changed, that
    of the new place for "moved", and None where the text is nowhere. `note` says it in
    a sentence.
    """

    receipt: str
    state: ReceiptState
    now: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a note; `trimmed` where the passage goes on.

    A line that is too long for its room is cut at the end of a sentence: `lines` and
    `receipt` are of the whole lines all the same. `hidden` marks text that a reader in
    Obsidian does not see: comments, and letters without width. `heading` is the address
    of its heading, such as `Note.md#Heading`.
    """

    heading_path: tuple[str, ...]
    lines: Span
    text: str
    receipt: str
    trimmed: bool = False
    hidden: bool = False
    heading: str = ""


class BundleNote(Struct, frozen=True):
    """A note that matters, with what of it does.

    `date` is its own day or that of its last change, as `2026-03-01`; empty where that
    is not known, since its file was written with many others. `generated` marks what an
    agent wrote and no person has approved; `superseded_by` is the title of the note in
    its place, if one is. `quoted` are other notes that `why` quotes.
    """

    path: NotePath
    title: str
    date: str
    relevance: float
    why: str
    channels: tuple[ChannelName, ...]
    excerpts: tuple[Excerpt, ...]
    generated: bool = False
    superseded_by: str = ""
    quoted: tuple[NotePath, ...] | UnsetType = UNSET
    uri: str = ""


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of the notes that says something to the question, or several.

    `trimmed` where it is an item of a summary that goes on.
    """

    text: str
    path: NotePath
    receipt: str
    trimmed: bool = False


ItemKind: TypeAlias = Literal["decision", "question", "task"]

UNAPPROVED = "unapproved capture"
"""The rule of an item that an agent captured and no person has approved."""


class Item(Struct, frozen=True):
    """A decision, an open question or an unfinished task, as a note has it.

    `rule` names what made it count as one, such as `#decision` or `callout`; `trimmed`
    where the text goes on behind the end of a sentence, as far as there was room. The
    `date` of a task is the day it is due, of others when they were written; or empty.
    `approved` if a person wrote it, or approved what an agent captured. `heading` and
    `hidden` are as for an excerpt.
    """

    kind: ItemKind
    text: str
    path: NotePath
    title: str
    heading_path: tuple[str, ...]
    lines: Span
    receipt: str
    date: str
    rule: str
    trimmed: bool = False
    approved: bool = True
    heading: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class NextRead:
    """A note that is worth reading next, and why."""

    path: NotePath
    title: str
    why: str


ConflictKind: TypeAlias = Literal["property", "statement", "superseded", "newer"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sources that do not agree, with what it says.

    `date` is empty where nobody knows of when it is. What an agent captured and nobody
    approved is not `approved`, and the second side.
    """

    path: NotePath
    title: str
    value: str
    date: str
    receipt: str
    approved: bool = True


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that do not agree, the newer first; `about` says on what."""

    kind: ConflictKind
    about: str
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the budget left no room for, by section.

    `at_least` where there is more than was looked at, so that nobody has counted it.
    """

    section: str
    count: int
    tokens: int
    at_least: bool = False


class Bundle(Struct, frozen=True):
    """What of a vault matters for a question, within so many tokens.

    `tokens` counts the Markdown of it with what `tokenizer` names, and is never above
    `budget_tokens`. `follow_ups` are reads that go deeper. `query` is empty for what is
    alive now. `saved` is where it was kept, if it was.
    """

    query: str
    budget_tokens: int
    tokens: int
    tokenizer: str
    notes: tuple[BundleNote, ...] = ()
    answer: tuple[AnswerSentence, ...] = ()
    decisions: tuple[Item, ...] = ()
    questions: tuple[Item, ...] = ()
    tasks: tuple[Item, ...] = ()
    suggested: tuple[NextRead, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    follow_ups: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    project: str = ""
    confidence: float | None = None
    doubtful: bool = False
    channels: tuple[ChannelName, ...] = ()
    mode: Mode = "hybrid"
    intent: Intent | None = None
    degraded: tuple[str, ...] = ()
    saved: NotePath | None = None


class ChangedNote(Struct, frozen=True):
    """A note that changed since a day."""

    path: NotePath
    title: str
    date: str
    uri: str = ""


class Briefing(Struct, frozen=True):
    """Where work stands: what is warm, decided, open, and what changed since a day.

    `notices` say what is told of it in no section.
    """

    project: str
    since: str
    budget_tokens: int
    tokens: int
    tokenizer: str
    hot: tuple[NextRead, ...] = ()
    decisions: tuple[Item, ...] = ()
    questions: tuple[Item, ...] = ()
    tasks: tuple[Item, ...] = ()
    changed: tuple[ChangedNote, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    degraded: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class Summary(Struct, frozen=True):
    """A project in sentences of its own notes, each cited; `saved` is where it is."""

    project: str
    text: str
    sentences: tuple[AnswerSentence, ...]
    tokens: int
    tokenizer: str
    saved: NotePath | None = None
    notices: tuple[str, ...] = ()
