"""What a note says: the values that reading Markdown, canvases and drawings yields.

Every piece knows where it stands. `start` and `end` are byte offsets, half open, into
the UTF-8 encoding of the note's text (a byte order mark is not part of the text);
`line` counts from 1.

All are named tuples: a note has dozens of pieces, and a frozen dataclass takes four
times as long to make.
"""

from collections.abc import Iterable, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from glassmind.model import Digest, NotePath, PropertyValue, Span

FootnoteForm: TypeAlias = Literal["reference", "definition", "inline"]
FieldForm: TypeAlias = Literal["line", "bracket", "paren", "emoji"]
ChunkKind: TypeAlias = Literal[
    "heading_section", "paragraph", "task_block", "code_block", "frontmatter"
]


T = TypeVar("T", bound=tuple[Any, ...])


def all_of(kind: type[T], rows: Iterable[tuple[Any, ...]]) -> list[T]:
    """Return named tuples made of plain ones, all their values given.

    A third of the time that calling the class takes, which counts where there are many.
    """
    return list(map(tuple.__new__, repeat(kind), rows))


class Frontmatter(NamedTuple):
    """The properties at the head of a note, or why they could not be read.

    `end` is where the body begins; 0 when the note has no frontmatter. `error` is a
    sentence when the YAML is invalid (the properties are then empty) and `warnings`
    tell what was salvaged.
    """

    properties: Mapping[str, PropertyValue] = MappingProxyType({})
    end: int = 0
    lines: int = 0
    error: str | None = None
    warnings: tuple[str, ...] = ()


class Heading(NamedTuple):
    level: int
    text: str
    line: int
    start: int
    end: int


class Link(NamedTuple):
    """A link as written; where it leads is an edge, and found elsewhere.

    `target` is the path part (empty for a link into the same note), `subpath` begins
    with `#`, `display` is what stands behind `|` or in square brackets. `property`
    names the property that holds the link when `kind` is "property".
    """

    kind: Literal["wikilink", "markdown", "property", "canvas"]
    target: str
    subpath: str | None
    display: str | None
    embed: bool
    line: int
    start: int
    end: int
    property: str | None = None


class Tag(NamedTuple):
    """A tag without its `#`, in the case it was written in."""

    name: str
    line: int
    start: int
    end: int
    in_properties: bool = False


class Task(NamedTuple):
    """A list item with a status box; `status` is the character in it."""

    status: str
    text: str
    line: int
    start: int
    end: int
    depth: int = 0
    parent_line: int | None = None

    @property
    def done(self) -> bool:
        return self.status != " "


class BlockId(NamedTuple):
    name: str
    line: int
    start: int
    end: int


class Callout(NamedTuple):
    kind: str
    title: str
    fold: str
    span: Span
    start: int
    end: int


class InlineFieldValue(NamedTuple):
    """An inline Dataview field: `key:: value`, `[key:: value]` or `(key:: value)`."""

    key: str
    value: str
    form: FieldForm
    line: int
    start: int
    end: int


class Footnote(NamedTuple):
    name: str
    form: FootnoteForm
    line: int
    start: int
    end: int


RegionKind: TypeAlias = Literal[
    "code", "fence", "math", "math_block", "comment", "html", "table", "quote",
    "list", "paragraph", "heading", "rule", "frontmatter", "footnote",
]  # fmt: skip


class Region(NamedTuple):
    """A stretch of the note read in one way: code, math, a comment, a table.

    `language` is the first word of a fence's info string, or a callout's kind.
    """

    kind: RegionKind
    start: int
    end: int
    language: str = ""


class Note(NamedTuple):
    """A file of the vault, read: what stands in it and where.

    `blocks` are the root blocks in order, which is what splitting works on; `regions`
    the inline and nested stretches (code, math, comments) inside which other rules
    hold.
    """

    path: NotePath
    kind: Literal["markdown", "excalidraw", "canvas", "base"]
    title: str
    text: str
    frontmatter: Frontmatter = Frontmatter()
    aliases: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    tasks: tuple[Task, ...] = ()
    block_ids: tuple[BlockId, ...] = ()
    callouts: tuple[Callout, ...] = ()
    fields: tuple[InlineFieldValue, ...] = ()
    footnotes: tuple[Footnote, ...] = ()
    blocks: tuple[Region, ...] = ()
    regions: tuple[Region, ...] = ()
    warnings: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """What is retrieved: a passage of a note.

    `text` stands, to the letter, in the lines of `span`. Its first `overlap` characters
    are the end of the chunk before; the chunks of a note, overlaps removed, are the
    note. `heading_path` holds the headings the passage stands under, outermost first.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which none asks for
    kind: ChunkKind
    heading_path: tuple[str, ...]
    span: Span
    text: str
    overlap: int
    tokens: int
    digest: Digest
