"""Operations on the vocabulary of a vault: ontology, and what a note names."""

from typing import Annotated

from glassmind.engine import Engine
from glassmind.operations import vocabulary_text as text
from glassmind.operations.graph import Limit, Name
from glassmind.operations.names import note_name, report_guesses, with_uris
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
    parts_of,
    shown,
)
from glassmind.types.ledger import Passage, Shown
from glassmind.types.ontology import Branch, Hub, Ingestion, Listed, Ontology, Spelling

MOST_ENTITIES = 500
"""Names in a note that the engine returns."""


class OntologyArguments(Arguments):
    limit: Annotated[Limit, arg("Maximum number of each kind (20).", short="-n")] = 20


class OntologyResult(Result, Ontology):
    """What a vault calls things, most used first."""

    vault: str

    def sources(self) -> Shown:
        """Return hubs and branches with their members, and examples."""
        parents, named = list[str | None](), list[str | None]()
        for part in parts_of(self):
            named += getattr(part, "examples", ())
            match part:
                case Hub(path=path, members=below) | Branch(path=path, children=below):
                    named += [path, *below.shown]
                    parents += [path] if below.shown else []
        passages = [Passage(path) for path in note_paths(parents)]
        return shown(passages, note_paths(named))


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
    found = vault.knowledge.ontology(limit=arguments.limit)
    words = tuple(copied(Spelling, word) for word in found.spellings.shown)
    spellings = Listed(words, found.spellings.total)
    name = vault.config.vault.name
    return with_uris(
        vault, copied(OntologyResult, found, vault=name, spellings=spellings)
    )


class IngestArguments(Arguments):
    name: Name
    limit: Annotated[
        int, arg("Maximum number of names (50).", short="-n", ge=1, le=MOST_ENTITIES)
    ] = 50


class IngestResult(Result, Ingestion):
    """What a note names; `counts` are by state."""

    vault: str

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
    found = vault.knowledge.ingest(name, limit=arguments.limit)
    report_guesses(vault, caller, name)
    name = vault.config.vault.name
    return with_uris(vault, copied(IngestResult, found, vault=name))
