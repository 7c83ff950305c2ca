"""What a question is answered with: statements, and the passages that bear them out.

What a note says is kept to the letter; what a model says is held against it.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from msgspec import Struct

from glassmind.model import NotePath, Span
from glassmind.model.context import Conflict
from glassmind.model.search import Intent, Mode

Support: TypeAlias = Literal["verbatim", "quoted", "unsupported"]
"""How a statement is borne out: it is a note's own sentence, a quote in it stands in
the source it names, or neither."""


@dataclass(frozen=True, slots=True)
class Source:
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


@dataclass(frozen=True, slots=True)
class Citation:
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
        """Whether the notes bear it out."""
        return self.support != "unsupported"


@dataclass(frozen=True, slots=True)
class Gathered:
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


@dataclass(frozen=True, slots=True)
class Answer:
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
        said = [one.text for one in self.statements if one.is_supported]
        # Items and rows end in no full stop, and would run into one another.
        return "\n".join(said) or NOT_IN_NOTES


NOT_IN_NOTES = "Not in your notes."
"""What is answered where the vault holds no answer."""


@dataclass(frozen=True, slots=True)
class Found:
    """News: what an answer will rest on."""

    sources: tuple[Source, ...]
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Spoken:
    """News: letters of the statement that is being written, borne out or not.

    `support` is what is known by then, since a model names its quote first; that a
    figure comes from nowhere is known at the end, and told by `Stated`.
    """

    text: str
    support: Support


class Stated(Statement, frozen=True, kw_only=True):
    """News: a whole statement; `number` counts from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """News: what was spoken and stated so far does not count; what does comes next."""

    reason: str


News: TypeAlias = Found | Spoken | Stated | Withdrawn
"""What is told of an answer while it is made: every statement that counts is spoken,
in one piece or many, and then stated."""
