"""What a vault calls things: labels, types, schemas, hubs, hierarchies, names.

Operations send structs as JSON, and fill in `uri`, the Obsidian address. Named tuples
are for what a vault has thousands of.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from glassmind.model import NotePath, PropertyValue

T_co = TypeVar("T_co", covariant=True)

ValueKind: TypeAlias = Literal[
    "text", "number", "date", "datetime", "checkbox", "list", "link", "tags",
    "object", "empty", "mixed",
]  # fmt: skip
"""What a property holds; "mixed" says it of many values alone."""

LabelSource: TypeAlias = Literal["property", "tag", "folder"]
Spelled: TypeAlias = Literal["property", "tag", "category"]
Nesting: TypeAlias = Literal["property", "folder", "tag"]
NameKind: TypeAlias = Literal["note", "ghost"]
Verdict: TypeAlias = Literal["exists", "likely", "ambiguous", "new"]


class PropertyLink(NamedTuple):
    property: str
    target: str
    path: NotePath | None


class Entry(NamedTuple):
    id: int
    path: NotePath
    title: str
    kind: str
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, PropertyValue] = MappingProxyType({})
    tags: tuple[str, ...] = ()
    links: tuple[PropertyLink, ...] = ()

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


class UnresolvedNameUse(NamedTuple):
    name: str
    links: int
    notes: int


class ListedItems(Struct, Generic[T_co], frozen=True):
    """The first of many, and how many there are."""

    shown: tuple[T_co, ...] = ()
    total: int = 0


class Label(Struct, frozen=True):
    """A category, tag or folder; `property` is the property that names the category."""

    source: LabelSource
    property: str | None
    name: str
    notes: int
    examples: tuple[str, ...]


class PropertyUse(Struct, frozen=True):
    """A property: how many notes have it, and the kinds of its values.

    `kind` is the kind of all values that are not empty, "mixed" if they differ.
    `items` is the kind of what lists hold.
    """

    name: str
    notes: int
    kind: ValueKind
    kinds: Mapping[ValueKind, int]
    items: str | None = None


class SchemaKey(Struct, frozen=True):
    """A property that notes of one kind have; `coverage` is the share that do."""

    name: str
    coverage: float
    kind: ValueKind


class Schema(Struct, frozen=True):
    """Properties that occur together in notes of one kind; `whole` have them all.

    `of` names the kind, or several kinds with the same properties.
    """

    of: tuple[str, ...]
    notes: int
    keys: tuple[SchemaKey, ...]
    whole: int
    examples: tuple[str, ...]


class SpellingCount(Struct, frozen=True):
    """A spelling, and how many notes use it."""

    name: str
    notes: int


class Spelling(Struct, frozen=True):
    """Spellings that seem to mean the same; `canonical` is the most used."""

    what: Spelled
    canonical: str
    notes: int
    variants: tuple[SpellingCount, ...]
    reason: str


class SpelledWord(Spelling, frozen=True):
    """Spellings with the `form` that they have in common, whichever is used most."""

    form: str


class Hub(Struct, frozen=True):
    """A note that many name in a property.

    `path` is None if no note has the name.
    """

    property: str | None
    name: str
    path: str | None
    members: ListedItems[str]
    uri: str | None = None


class Branch(Struct, frozen=True):
    """An item with others below it; `path` is its note, if it has one."""

    name: str
    path: str | None
    children: ListedItems[str]
    below: int


class Hierarchy(Struct, frozen=True):
    """Items below others, by folder, tag or property."""

    nesting: Nesting
    name: str
    size: int
    depth: int
    roots: ListedItems[Branch]


class Ontology(Struct, frozen=True, kw_only=True):
    """What a vault calls things, most used first."""

    notes: int
    labels: ListedItems[Label]
    types: ListedItems[PropertyUse]
    properties: ListedItems[PropertyUse]
    schemas: ListedItems[Schema]
    spellings: ListedItems[Spelling]
    hubs: ListedItems[Hub]
    hierarchies: tuple[Hierarchy, ...]
    notices: tuple[str, ...] = ()


class NameMatch(Struct, frozen=True):
    """A note, tag, heading or unresolved link that a name may mean.

    `matched` is its name there, `link` what a note would write to link to it. `links`
    counts the links to an unresolved name, or the notes of a tag.
    """

    kind: NameKind
    path: NotePath | None
    title: str
    link: str
    score: float
    reason: str
    matched: str
    links: int = 0
    uri: str | None = None


class Resolution(Struct, frozen=True):
    """Whether a text names something the vault has, and what to do about it.

    `link` is what a note should write, None where a person has to choose.
    """

    text: str
    verdict: Verdict
    advice: str
    link: str | None
    candidates: tuple[NameMatch, ...]
    notices: tuple[str, ...] = ()


class NamedLine(Struct, frozen=True):
    """A line that names something; `line` is None for a property."""

    line: int | None
    text: str


class ProposedNote(Struct, frozen=True):
    """A note that could be created; nothing is written."""

    path: str
    text: str
    reason: str


EntityState: TypeAlias = Literal["linked", "match", "unsure", "stub"]


class Entity(Struct, frozen=True, kw_only=True):
    """Something that a note names, and the note or the candidates for it.

    "linked" is linked already, "match" has a note to link to, "unsure" has several, a
    likely one, or none that could be created for the link; "stub" has none. A file
    outside the index has a link and no path.
    """

    name: str
    state: EntityState
    sources: tuple[str, ...]
    mentions: tuple[NamedLine, ...]
    mentions_total: int
    link: str | None = None
    path: NotePath | None = None
    uri: str | None = None
    candidates: tuple[NameMatch, ...] = ()
    stub: ProposedNote | None = None


class Ingestion(Struct, frozen=True, kw_only=True):
    """What a note names; `counts` are by state. Nothing is written."""

    path: NotePath
    title: str
    uri: str | None = None
    entities: tuple[Entity, ...]
    total: int
    counts: Mapping[str, int]
    notices: tuple[str, ...] = ()
