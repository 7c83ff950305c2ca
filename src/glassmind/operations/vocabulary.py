"""Operations on the vocabulary of a vault: ontology, and what a note names."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from glassmind.engine import Engine
from glassmind.operations import vocabulary_text as text
from glassmind.operations.graph import Limit, Name, note_uri_of
from glassmind.operations.names import note_name, report_guesses
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Page,
    Result,
    Route,
    Tool,
    arg,
    copied,
    note_paths,
    operation,
    shown,
)
from glassmind.types import ontology as found
from glassmind.types.ledger import Passage, Shown
from glassmind.types.ontology import (
    EntityState,
    LabelSource,
    NameKind,
    Nesting,
    Spelled,
    ValueKind,
)

MOST_ENTITIES = 500
"""Names in a note that the engine returns."""

T = TypeVar("T")


class OntologyArguments(Arguments, frozen=True, kw_only=True):
    limit: Annotated[
        Limit,
        arg("Maximum number of each kind (20).", short="-n", for_models="of each kind"),
    ] = 20


class Some(Struct, Generic[T], frozen=True):
    """The first of many, and how many there are."""

    shown: list[T]
    total: int


class Label(Struct, frozen=True, kw_only=True):
    """A category, tag or folder; `property` is the property that names the category."""

    source: LabelSource
    property: str | None
    name: str
    notes: int
    examples: list[str]


class PropertyUse(Struct, frozen=True, kw_only=True):
    """A property: how many notes have it, and the kinds of its values.

    `items` is the kind of what lists hold. `declared` is the type in Obsidian, and
    `astray` counts values of another.
    """

    name: str
    notes: int
    kind: ValueKind
    kinds: dict[str, int]
    items: str | None
    declared: str | None
    astray: int


class SchemaKey(Struct, frozen=True):
    """A property that notes of one kind have; `coverage` is the share that do."""

    name: str
    coverage: float
    kind: ValueKind


class Schema(Struct, frozen=True, kw_only=True):
    """Properties that occur together in notes of one kind; `whole` have them all."""

    of: list[str]
    notes: int
    keys: list[SchemaKey]
    whole: int
    examples: list[str]


class SpellingCount(Struct, frozen=True):
    """A spelling, and how many notes use it."""

    name: str
    notes: int


class Spelling(Struct, frozen=True, kw_only=True):
    """Spellings that seem to mean the same; `canonical` is the most used."""

    what: Spelled
    canonical: str
    notes: int
    variants: list[SpellingCount]
    reason: str


class Hub(Struct, frozen=True, kw_only=True):
    """A note that many belong to by a property, or that lists them."""

    property: str | None
    name: str
    path: str | None
    uri: str | None
    members: Some[str]


class Branch(Struct, frozen=True, kw_only=True):
    """An item with others below it; `path` is its note, if it has one."""

    name: str
    path: str | None
    children: Some[str]
    below: int


class Hierarchy(Struct, frozen=True, kw_only=True):
    """Items below others, by folder, tag or property; `cycles` are below themselves."""

    nesting: Nesting
    name: str
    size: int
    depth: int
    roots: Some[Branch]
    cycles: Some[list[str]]


class OntologyResult(Result, frozen=True, kw_only=True):
    """What a vault calls things, most used first."""

    vault: str
    notes: int
    labels: Some[Label]
    types: Some[PropertyUse]
    properties: Some[PropertyUse]
    schemas: Some[Schema]
    spellings: Some[Spelling]
    hubs: Some[Hub]
    hierarchies: list[Hierarchy]
    notices: list[str]

    def sources(self) -> Shown:
        """Return hubs and branches with their members, and examples."""
        return shown([Passage(path) for path in self._parents()], list(self._named()))

    def _parents(self) -> list[str]:
        branches = [one for tree in self.hierarchies for one in tree.roots.shown]
        listed = [(hub.path, hub.members) for hub in self.hubs.shown]
        listed += [(branch.path, branch.children) for branch in branches]
        return note_paths(path for path, members in listed if members.shown)

    def _named(self) -> Iterator[str]:
        for label in self.labels.shown:
            yield from note_paths(label.examples)
        for schema in self.schemas.shown:
            yield from note_paths(schema.examples)
        for hub in self.hubs.shown:
            yield from note_paths([hub.path, *hub.members.shown])
        for tree in self.hierarchies:
            for branch in tree.roots.shown:
                yield from note_paths([branch.path, *branch.children.shown])


@operation(
    group="Graph",
    for_people=text.ontology_for_people,
    for_models=text.ontology_for_models,
    command=Command(),
    tool=Tool(
        title="Show the vocabulary",
        sets=("graph",),
        description=(
            "Show what the vault calls things: categories, tags, folders, properties "
            "and which of them occur together, spellings that differ, hubs and "
            "hierarchies. Look before choosing properties or tags for a note."
        ),
        fits=True,
    ),
    route=Route("GET", "/graph/ontology", sets=("graph",)),
)
def ontology(vault: Engine, arguments: OntologyArguments) -> OntologyResult:
    """Show the categories, tags, properties and hierarchies of the vault."""
    reply = vault.knowledge.ontology(limit=arguments.limit)
    return copied(
        OntologyResult,
        reply,
        vault=vault.config.vault.name,
        labels=_some(reply.labels, _label),
        types=_some(reply.types, _use),
        properties=_some(reply.properties, _use),
        schemas=_some(reply.schemas, _schema),
        spellings=_some(reply.spellings, _spelling),
        hubs=_some(reply.hubs, lambda hub: _hub(vault, hub)),
        hierarchies=[
            copied(
                Hierarchy,
                tree,
                roots=_some(tree.roots, _branch),
                cycles=_some(tree.cycles, list),
            )
            for tree in reply.hierarchies
        ],
    )


def _some(listed: found.Listed[Any], converted: Callable[[Any], T]) -> Some[T]:
    return Some([converted(one) for one in listed.shown], listed.total)


def _label(label: found.Label) -> Label:
    return copied(Label, label, property=label.key or None)


def _use(use: found.PropertyUse) -> PropertyUse:
    return copied(
        PropertyUse,
        use,
        kinds=dict(use.kinds),
        items=use.items or None,
        declared=use.declared or None,
    )


def _schema(schema: found.Schema) -> Schema:
    return copied(Schema, schema, keys=[SchemaKey(*key) for key in schema.keys])


def _spelling(spelling: found.Spelling) -> Spelling:
    variants = [SpellingCount(*variant) for variant in spelling.variants]
    return copied(Spelling, spelling, variants=variants)


def _hub(vault: Engine, hub: found.Hub) -> Hub:
    return copied(
        Hub,
        hub,
        property=hub.property or None,
        uri=note_uri_of(vault, hub.path) if hub.path else None,
        members=_some(hub.members, str),
    )


def _branch(branch: found.Branch) -> Branch:
    return copied(Branch, branch, children=_some(branch.children, str))


class IngestArguments(Arguments, frozen=True, kw_only=True):
    name: Name
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_ENTITIES)],
        arg("Maximum number of names (50).", short="-n", for_models=""),
    ] = 50


class NamedLine(Struct, frozen=True):
    """A line that names something; `line` is null for a property."""

    line: int | None
    text: str


class NameCandidate(Struct, frozen=True, kw_only=True):
    """A note, tag, heading or unresolved link that a name may mean."""

    kind: NameKind
    path: str | None
    title: str
    link: str
    score: float
    reason: str
    matched: str
    links: int
    uri: str | None


class ProposedNote(Struct, frozen=True):
    """A note that could be created; nothing is written."""

    path: str
    text: str
    reason: str


class Entity(Struct, frozen=True, kw_only=True):
    """Something that a note names, and the note or the candidates for it."""

    name: str
    state: EntityState
    sources: list[str]
    mentions: list[NamedLine]
    mentions_total: int
    link: str | None
    path: str | None
    uri: str | None
    candidates: list[NameCandidate]
    stub: ProposedNote | None


class IngestResult(Result, frozen=True, kw_only=True):
    """What a note names; `counts` are by state."""

    vault: str
    path: str
    title: str
    uri: str
    entities: list[Entity]
    total: int
    counts: dict[str, int]
    notices: list[str]

    def sources(self) -> Shown:
        """Return the lines with names, and the notes that match."""
        lines = [line.line or 0 for one in self.entities for line in one.mentions]
        named = [self.path, *(one.path for one in self.entities)]
        named += [near.path for one in self.entities for near in one.candidates]
        passages = [Passage(self.path, line, line) for line in lines]
        return shown(passages, note_paths(named))

    def is_empty(self) -> bool:
        return not self.total


@operation(
    group="Graph",
    for_people=text.ingest_for_people,
    for_models=text.ingest_for_models,
    command=Command(),
    tool=Tool(
        title="Match what a note names",
        sets=("graph",),
        description=(
            "Match each name in a note (people, projects, terms) with a note of the "
            "vault, or propose a new note with path and text. Writes nothing."
        ),
        page=Page("entities", most=MOST_ENTITIES, furthest=MOST_ENTITIES),
    ),
    route=Route("GET", "/graph/ingest", sets=("graph",), fails=(404, 409)),
)
def ingest(vault: Engine, arguments: IngestArguments, caller: Caller) -> IngestResult:
    """Match the names in a note with notes of the vault."""
    name = note_name(vault, arguments.name, "name")
    reply = vault.knowledge.ingest(name, limit=arguments.limit)
    report_guesses(vault, caller, name)
    return copied(
        IngestResult,
        reply,
        vault=vault.config.vault.name,
        uri=note_uri_of(vault, reply.path),
        entities=[_entity(vault, one) for one in reply.entities.shown],
        total=reply.entities.total,
        counts=dict(reply.counts),
    )


def _entity(vault: Engine, entity: found.Entity) -> Entity:
    return copied(
        Entity,
        entity,
        mentions=[
            NamedLine(one.line or None, one.text) for one in entity.mentions.shown
        ],
        mentions_total=entity.mentions.total,
        link=entity.link or None,
        uri=note_uri_of(vault, entity.path) if entity.path else None,
        candidates=[
            copied(
                NameCandidate,
                one,
                uri=note_uri_of(vault, one.path) if one.path else None,
            )
            for one in entity.candidates
        ],
        stub=copied(ProposedNote, entity.stub) if entity.stub else None,
    )
