"""The vocabulary of a vault: labels, properties, schemas, spellings, hubs, hierarchies.

Nothing is curated: the rows are read, counted and sorted.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from glassmind.errors import BadLimit
from glassmind.files.ignore import is_attachment
from glassmind.graph.names import folded, in_singular, key_form, vocabulary_for
from glassmind.model import NotePath, PropertyValue
from glassmind.model.ontology import (
    Branch,
    Entry,
    Hierarchy,
    Hub,
    Label,
    LabelSource,
    ListedItems,
    Nesting,
    Ontology,
    PropertyUse,
    Schema,
    SchemaKey,
    Spelled,
    SpelledWord,
    SpellingCount,
    ValueKind,
)
from glassmind.vault import Vault

CATEGORY_KEYS = (
    "category", "type", "kind", "class", "note type", "kategorie", "typ", "categoria",
    "tipo", "categorie",
)  # fmt: skip
"""Properties that say what a note is, in the singular, the surest first.

The first four are what plugins and public templates use; the rest say the same in the
languages next to English there.
"""

_LINK = re.compile(r"!?\[\[([^\]|#]*)[^\]|]*(?:\|[^\]]*)?\]\]")


@lru_cache(maxsize=8_192)  # the same few names stand in every note
def _rank(name: str) -> int | None:
    """Return how surely a property says what a note is, 0 most; None if it does not."""
    form = in_singular(key_form(name))
    return CATEGORY_KEYS.index(form) if form in CATEGORY_KEYS else None


def is_category_key(name: str) -> bool:
    return _rank(name) is not None


def named_in(value: PropertyValue) -> Iterator[str]:
    """Yield the names in a value; a link without quotes is a list in a list."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, list):
            left.extend(reversed(item))
        elif isinstance(item, str):
            linked = _LINK.fullmatch(item.strip())
            name = linked[1].rpartition("/")[2] if linked else item
            if plain := name.strip():
                yield plain
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield str(item)


def categories_of(entry: Entry) -> list[tuple[str, str]]:
    said = [
        (rank, name, value)
        for name, value in entry.properties.items()
        if (rank := _rank(name)) is not None
    ]
    said.sort(key=lambda one: one[:2])
    return [(name, label) for _, name, value in said for label in named_in(value)]


class SpellingUse(NamedTuple):
    """A spelling, and the notes that use it."""

    spelling: str
    notes: frozenset[int]


def near_spellings(
    what: Spelled, used: Mapping[int, Sequence[str]]
) -> list[SpelledWord]:
    """Return the words that are spelled in several ways, the most used first.

    `used` are the spellings in each note. Case, accents and marks between words are
    ways of writing one word. So is the plural, unless a note has both: `page` is where
    one reads and `pages` how many there are.
    """
    notes: dict[str, set[int]] = {}
    for note, spellings in used.items():
        for spelling in spellings:
            notes.setdefault(spelling, set()).add(note)
    forms: dict[str, list[SpellingUse]] = {}
    for spelling, found in sorted(notes.items()):
        if form := _form(what, spelling):
            forms.setdefault(form, []).append(SpellingUse(spelling, frozenset(found)))
    by_singular: dict[str, list[str]] = {}
    for form in forms:
        by_singular.setdefault(word_form(what, form), []).append(form)
    words: list[tuple[str, list[SpellingUse]]] = []
    for singular, numbers in by_singular.items():
        if _are_apart([forms[form] for form in numbers]):
            words.append((singular, [use for form in numbers for use in forms[form]]))
        else:
            words += [(form, forms[form]) for form in numbers]
    spelled_words = [
        _spelling(what, form, uses) for form, uses in words if len(uses) > 1
    ]
    return sorted(spelled_words, key=lambda word: (-word.notes, word.canonical))


def _are_apart(words: Iterable[Iterable[SpellingUse]]) -> bool:
    seen: set[int] = set()
    for uses in words:
        notes = frozenset[int]().union(*(use.notes for use in uses))
        if not seen.isdisjoint(notes):
            return False
        seen |= notes
    return True


def word_form(what: str, text: str) -> str:
    """Return what the spellings of one word share; levels of a tag are words."""
    return "/".join(in_singular(level) for level in _form(what, text).split("/"))


def _form(what: str, text: str) -> str:
    levels = text.split("/") if what == "tag" else [text]
    return "/".join(key_form(level) for level in levels)


def _spelling(what: Spelled, form: str, uses: Iterable[SpellingUse]) -> SpelledWord:
    first, *spelling_uses = sorted(
        uses,
        key=lambda u: (-len(u.notes), u.spelling != u.spelling.lower(), u.spelling),
    )
    reasons = dict.fromkeys(
        _difference(first.spelling, u.spelling) for u in spelling_uses
    )
    variants = tuple(
        SpellingCount(use.spelling, len(use.notes)) for use in spelling_uses
    )
    count, reason = len(first.notes), ", ".join(reasons)
    return SpelledWord(what, first.spelling, count, variants, reason, form)


def _difference(a: str, b: str) -> str:
    if a.lower() == b.lower():
        return "case"
    if key_form(a) != key_form(b):
        return "plural"
    marks = ["".join(c for c in text if not c.isalnum()) for text in (a, b)]
    return "marks between words" if marks[0] != marks[1] else "accents"


LEAST_NOTES = 3  # notes that make a sort: two that are alike may be so by chance
LEAST_COVERAGE = 0.5  # of a sort that has a key for it to belong there

EVERYWHERE = frozenset(["aliases", "alias", "tags", "tag", "cssclasses", "cssclass"])
"""Properties that Obsidian gives a meaning in every note: they tell no sort."""

EXAMPLES = 3

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([+-].*|Z)?")
_WIKILINK = re.compile(r"!?\[\[[^\]]+\]\]")


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
        return "link" if _WIKILINK.fullmatch(text) else "text"
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


def property_uses(entries: Sequence[Entry]) -> list[PropertyUse]:
    kinds: dict[str, Counter[ValueKind]] = {}
    items: dict[str, Counter[ValueKind]] = {}
    for entry in entries:
        for name, value in entry.properties.items():
            kinds.setdefault(name, Counter())[kind_of(value, name)] += 1
            if isinstance(value, list):
                items.setdefault(name, Counter()).update(map(kind_of, value))
    uses = []
    for name, counts in kinds.items():
        of_items = shared_kind(items[name]) if items.get(name) else None
        ordered = dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
        kind, total = shared_kind(counts), counts.total()
        uses.append(PropertyUse(name, total, kind, ordered, of_items))
    return sorted(uses, key=lambda use: (-use.notes, use.name))


def sorts_of(entry: Entry) -> list[str]:
    sorts = [f"{key}: {label}" for key, label in categories_of(entry)]
    sorts += [f"#{tag.lower()}" for tag in entry.tags]
    return [*dict.fromkeys(sorts), f"{entry.folder}/"]


def schemas(entries: Sequence[Entry]) -> list[Schema]:
    """Return schemas, that of most notes first; sorts of the same notes share one."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.kind == "markdown":
            for sort in sorts_of(entry):
                groups.setdefault(sort, []).append(entry)
    same: dict[tuple[int, ...], list[str]] = {}
    for sort, notes in groups.items():
        if len(notes) >= LEAST_NOTES:
            same.setdefault(tuple(note.id for note in notes), []).append(sort)
    found = [
        schema
        for sorts in same.values()
        if (schema := schema_of(groups[sorts[0]], sorted(sorts)))
    ]
    return sorted(found, key=lambda schema: (-schema.notes, schema.of))


def schema_of(notes: Sequence[Entry], names: Sequence[str] = ()) -> Schema | None:
    """Return what most of these notes have; None when that is nothing of their own."""
    used: dict[str, Counter[ValueKind]] = {}
    for note in notes:
        for name, value in note.properties.items():
            used.setdefault(name, Counter())[kind_of(value, name)] += 1
    by_use = sorted(used.items(), key=lambda each: (-each[1].total(), each[0]))
    keys = [
        SchemaKey(name, round(kinds.total() / len(notes), 4), shared_kind(kinds))
        for name, kinds in by_use
        if kinds.total() / len(notes) >= LEAST_COVERAGE
    ]
    if all(key.name.lower() in EVERYWHERE for key in keys):
        return None
    needed = {key.name for key in keys}
    whole = [note for note in notes if needed <= note.properties.keys()]
    paths = tuple(note.path for note in (whole or notes)[:EXAMPLES])
    return Schema(tuple(names), len(notes), tuple(keys), len(whole), paths)


LEAST_MEMBERS = 3  # notes that make a hub; two that name one thing may do so by chance

MEMBERS_SHOWN = 5


def hubs(entries: Sequence[Entry]) -> list[Hub]:
    """Return what at least so many notes name in one property, with these notes."""
    titles = {entry.path: entry.title for entry in entries}
    members: dict[tuple[str, str], dict[NotePath, None]] = {}
    named: dict[tuple[str, str], tuple[str, NotePath | None]] = {}
    for entry in entries:
        for name, target, path in entry.links:
            if path == entry.path or (path is not None and path not in titles):
                continue  # itself, or an attachment
            if path is None and is_attachment(target):
                continue
            key = (name, path or f"\0{folded(target)}")
            named.setdefault(key, (titles[path] if path else target, path))
            members.setdefault(key, {})[entry.path] = None
    found = [
        Hub(key[0], *named[key], _listed(paths))
        for key, paths in members.items()
        if len(paths) >= LEAST_MEMBERS
    ]
    return sorted(found, key=lambda hub: (-hub.members.total, hub.name, hub.property))


def _listed(paths: Collection[NotePath]) -> ListedItems[str]:
    ordered = sorted(paths)
    return ListedItems(tuple(ordered[:MEMBERS_SHOWN]), len(ordered))


UP = frozenset(
    [
        "up", "parent", "parents", "part of", "partof", "belongs to", "broader",
        "above", "is a", "subclass of", "subtype of", "child of", "kind of", "superior",
    ]
)  # fmt: skip
DOWN = frozenset(
    [
        "down", "child", "children", "contains", "has part", "has parts", "narrower",
        "below", "parts", "parent of", "subtopics",
    ]
)  # fmt: skip
"""Names of properties that lead to what is above or below, as plugins and templates for
notes in hierarchies have them."""

BRANCHES_SHOWN, CHILDREN_SHOWN = 10, 10


def hierarchies(entries: Sequence[Entry]) -> tuple[Hierarchy, ...]:
    """Return hierarchies by property, folders and tags, without empty ones."""
    folders = {entry.folder for entry in entries if entry.folder}
    below = _nested(folders)
    for folder in folders:
        below.setdefault(folder.partition("/")[0], set())
    shown = {folder: folder.rpartition("/")[2] for folder in _things(below)}
    by_folder = hierarchy_of("folder", "folders", below, shown, {})
    below = _nested({tag.lower() for entry in entries for tag in entry.tags})
    shown = {tag: f"#{tag}" for tag in _things(below)}
    by_tag = hierarchy_of("tag", "nested tags", below, shown, {})
    made = (_by_properties(entries), by_folder, by_tag)
    return tuple(hierarchy for hierarchy in made if hierarchy.size)


def _by_properties(entries: Sequence[Entry]) -> Hierarchy:
    below: dict[str, set[str]] = {}
    used: set[str] = set()
    for entry in entries:
        for name, target, path in entry.links:
            form = key_form(name)
            if form in UP or form in DOWN:
                other = path or target
                upper, under = (
                    (other, entry.path) if form in UP else (entry.path, other)
                )
                below.setdefault(upper, set()).add(under)
                used.add(name)
    shown = {str(entry.path): entry.title for entry in entries}
    paths = {str(entry.path): entry.path for entry in entries}
    return hierarchy_of("property", ", ".join(sorted(used)), below, shown, paths)


def _nested(names: Iterable[str]) -> dict[str, set[str]]:
    below: dict[str, set[str]] = {}
    for name in names:
        parts = name.split("/")
        for depth in range(1, len(parts)):
            upper = "/".join(parts[:depth])
            below.setdefault(upper, set()).add("/".join(parts[: depth + 1]))
    return below


def hierarchy_of(
    nesting: Nesting,
    name: str,
    below: Mapping[str, Collection[str]],
    shown: Mapping[str, str],
    paths: Mapping[str, NotePath],
) -> Hierarchy:
    things = _things(below)
    under = {child for children in below.values() for child in children}
    branches, depth = [], 0
    for root in sorted(things - under):
        count, levels = _walked(root, below)
        depth = max(depth, levels)
        children = sorted(shown.get(child, child) for child in below.get(root, ()))
        listed = ListedItems(tuple(children[:CHILDREN_SHOWN]), len(children))
        branches.append(Branch(shown.get(root, root), paths.get(root), listed, count))
    branches.sort(key=lambda branch: (-branch.below, branch.name))
    return Hierarchy(
        nesting,
        name,
        len(things),
        depth,
        ListedItems(tuple(branches[:BRANCHES_SHOWN]), len(branches)),
    )


def _things(below: Mapping[str, Iterable[str]]) -> set[str]:
    return {*below, *(child for children in below.values() for child in children)}


def _walked(root: str, below: Mapping[str, Collection[str]]) -> tuple[int, int]:
    seen, ring, levels = {root}, {root}, 0
    while ring:
        levels += 1
        ring = {child for thing in ring for child in below.get(thing, ())} - seen
        seen |= ring
    return len(seen) - 1, levels


T = TypeVar("T")

SHOWN = 20  # how many of a kind are listed unless more are asked for: a screen of them
MOST = 1_000  # more of a kind than anybody reads

LABEL_EXAMPLES = 3


def ontology(vault: Vault, *, limit: int = SHOWN) -> Ontology:
    """Return the vocabulary of a vault: up to `limit` of each kind, and how many."""
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    vocabulary = vocabulary_for(vault)
    entries, settings = vocabulary.counted, vocabulary.settings
    uses = property_uses(entries)
    named = labels(entries)
    shown = [
        label
        for source in ("property", "tag", "folder")
        for label in [one for one in named if one.source == source][:limit]
    ]
    return Ontology(
        notes=len(entries),
        labels=ListedItems(tuple(shown), len(named)),
        types=_first([use for use in uses if is_category_key(use.name)], limit),
        properties=_first(uses, limit),
        schemas=_first(schemas(entries), limit),
        spellings=_first(spellings(entries), limit),
        hubs=_first(hubs(entries), limit),
        hierarchies=hierarchies(entries),
        notices=settings.notices,
    )


def _first(found: Sequence[T], limit: int) -> ListedItems[T]:
    return ListedItems(tuple(found[:limit]), len(found))


def labels(entries: Sequence[Entry]) -> list[Label]:
    """Return what sorts notes: categories, then tags and folders at their top level."""
    notes: dict[tuple[LabelSource, str, str], list[NotePath]] = {}
    for entry in entries:
        for label in dict.fromkeys(_labels_of(entry)):
            notes.setdefault(label, []).append(entry.path)
    found = [
        Label(source, key or None, name, len(paths), tuple(paths[:LABEL_EXAMPLES]))
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


def spellings(entries: Sequence[Entry]) -> list[SpelledWord]:
    keys = {entry.id: tuple(entry.properties) for entry in entries}
    tags = {entry.id: entry.tags for entry in entries}
    named = {entry.id: [name for _, name in categories_of(entry)] for entry in entries}
    return [
        *near_spellings("property", keys),
        *near_spellings("tag", tags),
        *near_spellings("category", named),
    ]
