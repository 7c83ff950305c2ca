"""Which properties occur together in notes of one sort, and what their values are.

Notes are of one sort when they share a category, a tag, or the folder they stand in. A
schema is what most notes of a sort have; sorts that have the same keys share one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from glassmind.graph.ontology.categories import categories_of
from glassmind.model import PropertyValue
from glassmind.model.ontology import Entry, PropertyUse, Schema, SchemaKey, ValueKind

LEAST_NOTES = 3
"""Notes that make a sort: two that are alike may be so by chance."""

LEAST_COVERAGE = 0.5
"""The share of a sort that has a key for it to belong there: more than half."""

EVERYWHERE = frozenset(["aliases", "alias", "tags", "tag", "cssclasses", "cssclass"])
"""Properties that Obsidian gives a meaning in every note: they tell no sort."""

EXAMPLES = 3

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([+-].*|Z)?")
_LINK = re.compile(r"!?\[\[[^\]]+\]\]")

DECLARED: Mapping[str, ValueKind] = {
    "text": "text", "multitext": "list", "aliases": "list", "tags": "tags",
    "number": "number", "checkbox": "checkbox", "date": "date", "datetime": "datetime",
}  # fmt: skip
"""What Obsidian's names of property types mean here."""

FITS: Mapping[str, frozenset[str]] = {
    "text": frozenset(["text", "link", "date", "datetime", "number"]),
    "list": frozenset(["list", "text", "link"]),
    "tags": frozenset(["tags", "list", "text"]),
    "date": frozenset(["date"]),
}
"""Kinds that Obsidian takes for a type without complaint; all others only their own."""


def kind_of(value: PropertyValue, name: str = "") -> ValueKind:
    """Return what one value is; the property's name tells tags from other lists."""
    match value:
        case None | "" | []:
            return "empty"
        case bool():
            return "checkbox"
        case int() | float():
            return "number"
        case dict():
            return "object"
        case list():
            return "tags" if name.lower() in {"tags", "tag"} else "list"
        case _:
            return _text_kind(value.strip())


def _text_kind(text: str) -> ValueKind:
    if text[:1] in "[!":
        return "link" if _LINK.fullmatch(text) else "text"
    if not text[:1].isdigit():
        return "text"
    if _DATE.fullmatch(text):
        return "date"
    return "datetime" if _DATETIME.fullmatch(text) else "text"


def shared_kind(kinds: Mapping[ValueKind, int]) -> ValueKind:
    """Return the kind that all values share, empty ones aside."""
    told = [kind for kind in kinds if kind != "empty"]
    if not told:
        return "empty"
    return told[0] if len(told) == 1 else "mixed"


def property_uses(
    entries: Sequence[Entry], declared: Mapping[str, str]
) -> list[PropertyUse]:
    """Return how each property is used, the most used first.

    `declared` are the types of Obsidian's settings, by the name of the property.
    """
    kinds = _by_name(Counter(chain.from_iterable(map(kinds_in, entries))))
    items = _by_name(Counter(chain.from_iterable(map(_items_in, entries))))
    uses = [
        _use(name, counts, items.get(name, {}), declared)
        for name, counts in kinds.items()
    ]
    return sorted(uses, key=lambda use: (-use.notes, use.name))


def kinds_in(entry: Entry) -> list[tuple[str, ValueKind]]:
    """Return the properties of a note, each with what its value is."""
    return [(name, kind_of(value, name)) for name, value in entry.properties.items()]


def _items_in(entry: Entry) -> list[tuple[str, ValueKind]]:
    return [
        (name, kind_of(item))
        for name, value in entry.properties.items()
        if isinstance(value, list)
        for item in value
    ]


def _by_name(
    counts: Mapping[tuple[str, ValueKind], int],
) -> dict[str, dict[ValueKind, int]]:
    found: dict[str, dict[ValueKind, int]] = {}
    for (name, kind), count in counts.items():
        found.setdefault(name, {})[kind] = count
    return found


def _use(
    name: str,
    kinds: Mapping[ValueKind, int],
    items: Mapping[ValueKind, int],
    declared: Mapping[str, str],
) -> PropertyUse:
    meant = DECLARED.get(declared.get(name, ""), "")
    taken = FITS.get(meant, frozenset([meant])) | {"empty"}
    astray = sum(n for kind, n in kinds.items() if kind not in taken) if meant else 0
    held = shared_kind(items) if items else ""
    ordered = dict(sorted(kinds.items(), key=lambda one: (-one[1], one[0])))
    count = sum(kinds.values())
    kind = shared_kind(kinds)
    return PropertyUse(name, count, kind, ordered, held or None, meant or None, astray)


def sorts_of(entry: Entry) -> list[str]:
    """Return the sorts a note is of, as a schema names them."""
    sorts = [f"{key}: {label}" for key, label in categories_of(entry)]
    sorts += [f"#{tag.lower()}" for tag in entry.tags]
    return [*dict.fromkeys(sorts), f"{entry.folder}/"]


def schemas(entries: Sequence[Entry]) -> list[Schema]:
    """Return the schema of each sort that has one, that of most notes first."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.kind == "markdown":
            for sort in sorts_of(entry):
                groups.setdefault(sort, []).append(entry)
    alike: dict[tuple[int, ...], list[str]] = {}
    for sort, notes in groups.items():
        if len(notes) >= LEAST_NOTES:
            alike.setdefault(tuple(note.id for note in notes), []).append(sort)
    kinds = {entry.id: kinds_in(entry) for entry in entries}
    by_keys: dict[frozenset[str], list[list[str]]] = {}
    for names in alike.values():
        if made := _schema(sorted(names), groups[names[0]], kinds):
            by_keys.setdefault(_own_keys(made), []).append(names)
    found = [
        schema for sorts in by_keys.values() for schema in _joined(sorts, groups, kinds)
    ]
    return sorted(found, key=lambda schema: (-schema.notes, schema.of))


def _own_keys(schema: Schema) -> frozenset[str]:
    return frozenset(key.name for key in schema.keys) - EVERYWHERE


def _joined(
    sorts: Sequence[Sequence[str]],
    groups: Mapping[str, Sequence[Entry]],
    kinds: Mapping[int, Sequence[tuple[str, ValueKind]]],
) -> Iterator[Schema]:
    """Yield the one schema of sorts with the same keys, that of most notes named first.

    Sorts that share just the notes with these keys keep a schema each.
    """
    names = [name for same in sorts for name in same]
    names.sort(key=lambda name: (-len(groups[name]), name))
    notes = {note.path: note for name in names for note in groups[name]}
    every = [note for _, note in sorted(notes.items())]
    apart = [(sorted(same), groups[same[0]]) for same in sorts]
    alone = [made for one in apart if (made := _schema(*one, kinds))]
    joined = _schema(names, every, kinds)
    if joined is not None and _own_keys(joined) == _own_keys(alone[0]):
        yield joined
    else:
        yield from alone


def schema_of(notes: Sequence[Entry]) -> Schema | None:
    """Return what most of these notes have; None when that is nothing of their own."""
    return _schema((), notes, {note.id: kinds_in(note) for note in notes})


def _schema(
    names: Sequence[str],
    notes: Sequence[Entry],
    kinds: Mapping[int, Sequence[tuple[str, ValueKind]]],
) -> Schema | None:
    used = _by_name(Counter(chain.from_iterable(kinds[note.id] for note in notes)))
    counts = {name: sum(told.values()) for name, told in used.items()}
    keys = [
        SchemaKey(name, round(count / len(notes), 4), shared_kind(used[name]))
        for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        if count / len(notes) >= LEAST_COVERAGE
    ]
    if all(key.name.lower() in EVERYWHERE for key in keys):
        return None
    needed = {key.name for key in keys}
    whole = [note for note in notes if needed <= note.properties.keys()]
    shown = tuple(note.path for note in (whole or notes)[:EXAMPLES])
    return Schema(tuple(names), len(notes), tuple(keys), len(whole), shown)
