"""What a vault calls things: labels, types, schemas, hubs, hierarchies, names.

Named tuples, since a vault has thousands of them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

from glassmind.types import NotePath, PropertyValue

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

ValueKind: TypeAlias = Literal[
    "text", "number", "date", "datetime", "checkbox", "list", "link", "tags",
    "object", "empty", "mixed",
]  # fmt: skip
"""What a property holds; "mixed" says it of many values alone."""

LabelSource: TypeAlias = Literal["property", "tag", "folder"]
Spelled: TypeAlias = Literal["property", "tag", "category"]
Nesting: TypeAlias = Literal["property", "folder", "tag"]
NameKind: TypeAlias = Literal["note", "ghost", "tag", "heading"]
Verdict: TypeAlias = Literal["exists", "likely", "ambiguous", "new"]


class PropertyLink(NamedTuple):
    """A link that a property of a note holds; `path` is None where no file is."""

    property: str
    target: str
    path: NotePath | None


class Entry(NamedTuple):
    """A note as far as its name, its properties and its tags describe it."""

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
        """The folder it stands in; "" for the root."""
        return self.path.rpartition("/")[0]


class GhostName(NamedTuple):
    """A name that links lead to and no file has."""

    name: str
    links: int
    notes: int


class HeadingName(NamedTuple):
    """A heading of a note."""

    path: NotePath
    level: int
    text: str
    line: int


class Listed(NamedTuple, Generic[T_co]):
    """The first of many, and how many there are."""

    shown: tuple[T_co, ...] = ()
    total: int = 0


class Label(NamedTuple):
    """A word that sorts notes; `key` is the property that says it, if one does."""

    source: LabelSource
    key: str
    name: str
    notes: int
    examples: tuple[NotePath, ...]


class PropertyUse(NamedTuple):
    """How a property is used: by how many notes, and what its values are.

    `kinds` counts values by kind, empty ones too; `kind` is the one all others share,
    "mixed" where there are several, "empty" where there is none. `items` is the same
    of what lists hold. `declared` is what Obsidian's settings say, and `astray` counts
    the values that are something else.
    """

    name: str
    notes: int
    kind: ValueKind
    kinds: Mapping[ValueKind, int]
    items: str = ""
    declared: str = ""
    astray: int = 0


class SchemaKey(NamedTuple):
    """A property that notes of one sort have; `coverage` is the share that do."""

    name: str
    coverage: float
    kind: ValueKind


class Schema(NamedTuple):
    """The properties that occur together in notes of one sort.

    `of` names what these notes share, several names where each has the same keys.
    `whole` counts the notes that have every key.
    """

    of: tuple[str, ...]
    notes: int
    keys: tuple[SchemaKey, ...]
    whole: int
    examples: tuple[NotePath, ...]


class Spelling(NamedTuple):
    """Spellings that seem to mean one thing, and the one most used.

    `variants` are the others with how often each is used; `reason` says by what they
    differ. `form` is what all of them have in common, whichever is used most.
    """

    what: Spelled
    canonical: str
    notes: int
    variants: tuple[tuple[str, int], ...]
    reason: str
    form: str = ""


class Hub(NamedTuple):
    """A thing that many notes belong to through one property, or that lists them.

    `path` is None where no note of the name is there; `property` is empty for a note
    that leads to its members itself, as a map of content does.
    """

    property: str
    name: str
    path: NotePath | None
    members: Listed[NotePath]


class Branch(NamedTuple):
    """A thing with others below it; `path` is its note, where it has one."""

    name: str
    path: NotePath | None
    children: Listed[str]
    below: int


class Hierarchy(NamedTuple):
    """Things that stand below others, in one way of saying so.

    `cycles` are things that stand below themselves; each is led from one to the next,
    and the last to the first.
    """

    nesting: Nesting
    name: str
    size: int
    depth: int
    roots: Listed[Branch]
    cycles: Listed[tuple[str, ...]] = Listed()


class Ontology(NamedTuple):
    """The vocabulary of a vault, as its notes use it."""

    notes: int
    labels: Listed[Label]
    types: Listed[PropertyUse]
    properties: Listed[PropertyUse]
    schemas: Listed[Schema]
    spellings: Listed[Spelling]
    hubs: Listed[Hub]
    hierarchies: tuple[Hierarchy, ...]
    notices: tuple[str, ...] = ()


class NameMatch(NamedTuple):
    """Something in the vault that a text may mean.

    `matched` is the name it goes by there, `link` what a note would write to lead to
    it. `score` is from 0 to 1; `links` counts the links that lead to a ghost, or the
    notes of a tag.
    """

    kind: NameKind
    path: NotePath | None
    title: str
    link: str
    score: float
    reason: str
    matched: str
    links: int = 0


class Resolution(NamedTuple):
    """Whether a text names something the vault has, and what to do about it.

    `link` is what a note should write, empty where a person has to choose.
    """

    text: str
    verdict: Verdict
    advice: str
    link: str
    candidates: tuple[NameMatch, ...]
    notices: tuple[str, ...] = ()


class Mention(NamedTuple):
    """A line of a note that names an entity; 0 for one in its properties."""

    line: int
    text: str


class Stub(NamedTuple):
    """A note that could be made: nothing is written."""

    path: NotePath
    text: str
    reason: str


EntityState: TypeAlias = Literal["linked", "match", "unsure", "stub"]


class Entity(NamedTuple):
    """Something a note names, and what the vault has of it.

    "linked" is linked already, "match" has a note to link to, "unsure" has several or
    a likely one, or none that could be made for the link; "stub" has none. A file that
    is left out of the index has a link and no path.
    """

    name: str
    state: EntityState
    sources: tuple[str, ...]
    mentions: Listed[Mention]
    link: str
    path: NotePath | None = None
    candidates: tuple[NameMatch, ...] = ()
    stub: Stub | None = None


class Ingestion(NamedTuple):
    """Everything a note names; a proposal, of which nothing is written."""

    path: NotePath
    title: str
    entities: Listed[Entity]
    counts: Mapping[str, int]
    notices: tuple[str, ...] = ()
