"""Things that many notes belong to: through a property, or as a map that lists them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from glassmind.files.attachments import is_attachment
from glassmind.graph.folding import folded, in_singular
from glassmind.graph.ontology.categories import categories_of
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, Hub, Listed

LEAST_MEMBERS = 3
"""Notes that make a hub; two that name one thing may do so by chance."""

MEMBERS_SHOWN = 5

MAPS = frozenset(["moc", "map of content", "mapa de contenido", "hub", "index"])
"""What notes that lead to others are called, as tag, category or end of a name."""


def hubs(
    entries: Sequence[Entry],
    led_to: Callable[[Collection[int]], Mapping[int, Sequence[NotePath]]],
) -> list[Hub]:
    """Return what notes belong to, the hub of most members first.

    `led_to` returns the notes that some notes lead to, by the id of each.
    """
    found = [*_by_property(entries), *_maps(entries, led_to)]
    return sorted(found, key=lambda hub: (-hub.members.total, hub.name, hub.property))


def _by_property(entries: Sequence[Entry]) -> list[Hub]:
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
    return [
        Hub(key[0] or None, *named[key], _listed(paths))
        for key, paths in members.items()
        if len(paths) >= LEAST_MEMBERS
    ]


def _maps(
    entries: Sequence[Entry],
    led_to: Callable[[Collection[int]], Mapping[int, Sequence[NotePath]]],
) -> list[Hub]:
    maps = {entry.id: entry for entry in entries if is_map(entry)}
    return [
        Hub(None, maps[note_id].title, maps[note_id].path, _listed(paths))
        for note_id, paths in led_to(maps.keys()).items()
        if len(paths) >= LEAST_MEMBERS
    ]


def is_map(entry: Entry) -> bool:
    """Whether a note says of itself that it leads to others."""
    said = [tag.rpartition("/")[2] for tag in entry.tags]
    said += [label for _, label in categories_of(entry)]
    if any(_names_map(text) for text in said):
        return True
    name = folded(entry.title)
    return name in MAPS or name.endswith((" moc", " index"))


@lru_cache(maxsize=8_192)  # the same few tags stand in every note
def _names_map(text: str) -> bool:
    return in_singular(folded(text)) in MAPS


def _listed(paths: Collection[NotePath]) -> Listed[str]:
    ordered = sorted(paths)
    return Listed(tuple(ordered[:MEMBERS_SHOWN]), len(ordered))
