"""What is packed for an agent: passages, what follows from them, and where all stands.

Every text of a bundle is a note's own, to the letter; `receipt` says where it stood.
"""

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

from msgspec import UNSET, Struct, UnsetType

from glassmind.model import NotePath, Span
from glassmind.model.search import ChannelName, Intent, Mode


class Receipt(NamedTuple):
    """A citation that can be verified: lines of a note, by the digest of their text."""

    path: NotePath
    heading: str
    span: Span
    digest: str


ReceiptState: TypeAlias = Literal[
    "unchanged", "moved", "changed", "gone", "unread", "bad"
]
"""What became of lines; "unread" where their note is there and cannot be looked at, and
"bad" where the text is no receipt, or leads out of the vault."""


class ReceiptCheck(Struct, frozen=True):
    """What became of the lines that a receipt is for.

    `now` is the receipt of where they stand now: the same where nothing changed, that
    of the new place for "moved", and None where the text is nowhere. `note` says it in
    a sentence.
    """

    receipt: str
    state: ReceiptState
    now: str | None
    note: str


class Excerpt(Struct, frozen=True):
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


class AnswerSentence(Struct, frozen=True):
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


class NextRead(Struct, frozen=True):
    """A note that is worth reading next, and why."""

    path: NotePath
    title: str
    why: str


ConflictKind: TypeAlias = Literal["property", "statement", "superseded", "newer"]


class ConflictSide(Struct, frozen=True):
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


class Conflict(Struct, frozen=True):
    """Two sources that do not agree, the newer first; `about` says on what."""

    kind: ConflictKind
    about: str
    sides: tuple[ConflictSide, ConflictSide]


class OmittedSection(Struct, frozen=True):
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
    dropped: tuple[OmittedSection, ...] = ()
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
    dropped: tuple[OmittedSection, ...] = ()
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


Support: TypeAlias = Literal["verbatim", "quoted", "unsupported"]
"""How a statement is borne out: it is a note's own sentence, a quote in it stands in
the source it names, or neither."""


class Source(Struct, frozen=True):
    """A passage that an answer may rest on, by the number it is cited with.

    `text` are whole lines of the note, `excerpt` the beginning of what was found of
    them. A fact that is in no note has no `receipt`, and a path that is none.
    `generated` marks what an agent wrote and no person has approved; `superseded_by` is
    the title of the note in its place, if one is. `shown` is the text, line for line,
    without the credentials and comments of its note, where that is known.
    """

    number: int
    path: NotePath
    title: str
    heading_path: tuple[str, ...]
    lines: Span
    chunk_index: int
    relevance: float
    text: str
    excerpt: str
    receipt: str
    generated: bool = False
    superseded_by: str = ""
    shown: str = ""


class Citation(Struct, frozen=True):
    """Words of a source, to the letter, under the receipt of their lines."""

    source: int
    quote: str
    receipt: str


class Statement(Struct, frozen=True):
    """A part of an answer; `problem` says why one is not borne out."""

    text: str
    support: Support
    citations: tuple[Citation, ...] = ()
    problem: str = ""

    @property
    def is_supported(self) -> bool:
        return self.support != "unsupported"


class AnswerSources(Struct, frozen=True):
    """What was found for a question, before anybody answers it.

    `told` is the answer in sentences of the notes, empty where they hold none.
    `withheld` counts private notes that were left out; `conflicts` are what sources
    do not agree on.
    """

    question: str
    sources: tuple[Source, ...]
    told: tuple[Statement, ...]
    confidence: float | None = None
    mode: Mode = "hybrid"
    intent: Intent | None = None
    degraded: tuple[str, ...] = ()
    withheld: int = 0
    conflicts: tuple[Conflict, ...] = ()


class Answer(Struct, frozen=True):
    """An answer, and where it comes from.

    `model_used` is empty where the sentences are the notes' own. Not `in_notes`, it
    says that the vault holds no answer, and `sources` are what came nearest; what a
    model said all the same is there, marked as borne out by nothing. `dropped`
    counts statements of a model that were left out, since nothing bore them out.
    `conflicts` are what the sources do not agree on.
    """

    question: str
    in_notes: bool
    statements: tuple[Statement, ...]
    sources: tuple[Source, ...]
    model_used: str = ""
    dropped: int = 0
    confidence: float | None = None
    mode: Mode = "hybrid"
    intent: Intent | None = None
    degraded: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def text(self) -> str:
        """What is borne out of it, a statement on each line, or that there is none."""
        said = [
            statement.text for statement in self.statements if statement.is_supported
        ]
        # Items and rows end in no full stop, and would run into one another.
        return "\n".join(said) or NOT_IN_NOTES


NOT_IN_NOTES = "Not in your notes."  # what is answered where the vault holds no answer


class SourcesFound(Struct, frozen=True):
    """News: what an answer will rest on."""

    sources: tuple[Source, ...]
    confidence: float | None


class TextPiece(Struct, frozen=True):
    """News: letters of the statement that is being written, borne out or not.

    `support` is what is known by then, since a model names its quote first; that a
    figure comes from nowhere is known at the end, and told by `StatementDone`.
    """

    text: str
    support: Support


class StatementDone(Statement, frozen=True, kw_only=True):
    """News: a whole statement; `number` counts from 1."""

    number: int


class TextWithdrawn(Struct, frozen=True):
    """News: what was spoken and stated so far does not count; what does comes next."""

    reason: str


News: TypeAlias = SourcesFound | TextPiece | StatementDone | TextWithdrawn
"""What is told of an answer while it is made: every statement that counts is spoken,
in one piece or many, and then stated."""


APART = "\x1e"  # stands between texts that are read as one: no heading holds it


OPEN_BOXES = (" ", "/", "!", "*", "?")
"""The statuses of a task that is not done, where nothing else is set: to do, begun,
important, starred, in doubt. Other signs are done or given up (`x`, `-`, `✓`, `~`), put
off to another place (`>`, `<`), or no tasks at all: themes draw quotes, ideas and
places by them (`"`, `i`, `l`)."""


class SectionNote(NamedTuple):
    """A note as sections see it."""

    note_id: int
    path: str
    title: str
    day: str | None
    mtime_ns: int
    aliases: tuple[str, ...]
    properties: Mapping[str, object]
    digest: str
    at_once: bool = False


class SectionTask(NamedTuple):
    note_id: int
    path: str
    line: int
    dates: Mapping[str, str]
    text: str


class SectionSign(NamedTuple):
    """What speaks for lines of a note, or for all of it: a type, a tag or a callout."""

    note_id: int
    form: Literal["type", "tag", "callout"]
    name: str
    start_line: int
    end_line: int


class SectionHeading(NamedTuple):
    note_id: int
    level: int
    text: str
    line: int


class SectionLink(NamedTuple):
    """A link between two notes, by its source; `property` where one holds it."""

    source_id: int
    line: int
    target_id: int
    property: str


class MemoryFilter(NamedTuple):
    """Captures that are looked for below the agent folder: of a kind, and open."""

    agent: str
    kind: str
    closed: frozenset[str]
    note_ids: Collection[int]
    projects: Collection[str]
    paths: Collection[str]


class ChangedRow(NamedTuple):
    """A note with the day of its last change, as `2026-03-01`."""

    note_id: int
    path: str
    title: str
    day: str
    company: int = 1


May: TypeAlias = Literal["off", "propose", "allow"]

STRICTNESS: tuple[May, ...] = get_args(May)
"""What may happen to a file, the strictest first."""


class ProjectName(NamedTuple):
    """A project as it was asked for.

    `form` is "any" for a bare name, which may be all three: a folder called so, a tag
    called so, or the value of the property `project`. For "property", `key` is the
    property and `name` its value.
    """

    form: Literal["any", "folder", "tag", "property"]
    name: str
    key: str = "project"


class ProjectNote(NamedTuple):
    note_id: int
    path: str
    why: str
