"""The vocabulary of a vault in one overview, told from how its notes use it.

Nothing is curated: the rows are read, counted and put in order. Notes of the agents'
folder and templates do not count, since they are not what the vault is about.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import structs

from glassmind.errors import BadLimit
from glassmind.graph.ontology.categories import categories_of, is_category_key
from glassmind.graph.ontology.hierarchy import hierarchies
from glassmind.graph.ontology.hubs import hubs
from glassmind.graph.ontology.schemas import property_uses, schemas
from glassmind.graph.ontology.spellings import near_spellings, uses_of
from glassmind.model import NotePath
from glassmind.model.ontology import (
    Entry,
    Label,
    LabelSource,
    Listed,
    Ontology,
    PropertyUse,
    Spelling,
)

T = TypeVar("T")

SHOWN = 20
"""How many of a kind are listed unless more are asked for: a screen of them."""

MOST = 1_000
"""More of a kind than anybody reads."""

EXAMPLES = 3


def overview(
    entries: Sequence[Entry],
    led_to: Callable[[Collection[int]], Mapping[int, Sequence[NotePath]]],
    declared: Mapping[str, str],
) -> Ontology:
    """Return everything there is to say of the vocabulary of these notes.

    `led_to` is as `hubs` takes it, `declared` as `property_uses` does.
    """
    uses = property_uses(entries, declared)
    return Ontology(
        notes=len(entries),
        labels=_all(labels(entries)),
        types=_all([use for use in uses if is_category_key(use.name)]),
        properties=_all(uses),
        schemas=_all(schemas(entries)),
        spellings=_all(spellings(entries, uses)),
        hubs=_all(hubs(entries, led_to)),
        hierarchies=hierarchies(entries),
    )


def shortened(whole: Ontology, limit: int) -> Ontology:
    """Return an overview with the first of each kind alone; totals count all.

    Raises:
        BadLimit: so many cannot be given.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    return structs.replace(
        whole,
        labels=_of_each_source(whole.labels, limit),
        types=_first(whole.types, limit),
        properties=_first(whole.properties, limit),
        schemas=_first(whole.schemas, limit),
        spellings=_first(whole.spellings, limit),
        hubs=_first(whole.hubs, limit),
    )


def _all(found: Sequence[T]) -> Listed[T]:
    return Listed(tuple(found), len(found))


def _first(listed: Listed[T], limit: int) -> Listed[T]:
    return Listed(listed.shown[:limit], listed.total)


def _of_each_source(found: Listed[Label], limit: int) -> Listed[Label]:
    shown = [
        label
        for source in ("property", "tag", "folder")
        for label in [one for one in found.shown if one.source == source][:limit]
    ]
    return Listed(tuple(shown), found.total)


def labels(entries: Sequence[Entry]) -> list[Label]:
    """Return the words that sort notes, each source's most used first.

    Categories in properties come before tags, which count at their top level, and
    these before folders, which count at theirs.
    """
    notes: dict[tuple[LabelSource, str, str], list[NotePath]] = {}
    for entry in entries:
        for label in dict.fromkeys(_labels_of(entry)):
            notes.setdefault(label, []).append(entry.path)
    found = [
        Label(source, key or None, name, len(paths), tuple(paths[:EXAMPLES]))
        for (source, key, name), paths in notes.items()
    ]
    order = {"property": 0, "tag": 1, "folder": 2}
    return sorted(
        found,
        key=lambda one: (order[one.source], -one.notes, one.property or "", one.name),
    )


def _labels_of(entry: Entry) -> Iterable[tuple[LabelSource, str, str]]:
    for key, name in categories_of(entry):
        yield "property", key, name
    for tag in entry.tags:
        yield "tag", "", tag.partition("/")[0].lower()
    if entry.folder:
        yield "folder", "", entry.folder.partition("/")[0]


def spellings(entries: Sequence[Entry], uses: Sequence[PropertyUse]) -> list[Spelling]:
    """Return what is spelled in several ways: properties, tags, then categories."""
    kinds = {use.name: use.kind for use in uses}
    keys = {entry.id: tuple(entry.properties) for entry in entries}
    tags = {entry.id: entry.tags for entry in entries}
    said = {entry.id: [name for _, name in categories_of(entry)] for entry in entries}
    return [
        *near_spellings("property", uses_of(keys, kinds)),
        *near_spellings("tag", uses_of(tags, {})),
        *near_spellings("category", uses_of(said, {})),
    ]
