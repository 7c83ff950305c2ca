"""What stands below what: by properties such as `parent`, by folders, by nested tags.

A property may lead up or down; both say the same edge. Things that stand below
themselves are told as cycles, and everything else is still counted: the walk from the
roots goes to no thing twice.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from glassmind.graph.folding import folded, key_form
from glassmind.model import NotePath
from glassmind.model.ontology import Branch, Entry, Hierarchy, Listed

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

INDEX_NAMES = frozenset(["index", "readme", "home", "start", "moc"])
"""Names of a note that speaks for the folder it stands in."""

BRANCHES_SHOWN, CHILDREN_SHOWN, CYCLES_SHOWN = 10, 10, 10


def hierarchies(entries: Sequence[Entry]) -> tuple[Hierarchy, ...]:
    """Return each hierarchy of a vault: by property, by folders, by tags.

    One without any thing above another is left out.
    """
    made = (*_by_properties(entries), _by_folders(entries), _by_tags(entries))
    return tuple(one for one in made if one.size)


def _by_properties(entries: Sequence[Entry]) -> Iterator[Hierarchy]:
    """Yield one hierarchy for all properties that lead up or down."""
    below: dict[str, set[str]] = {}
    used: set[str] = set()
    for entry in entries:
        for name, target, path in entry.links:
            form = key_form(name)
            if form not in UP and form not in DOWN:
                continue
            other = path or target
            above, under = (other, entry.path) if form in UP else (entry.path, other)
            below.setdefault(above, set()).add(under)
            used.add(name)
    shown = {str(entry.path): entry.title for entry in entries}
    paths = {str(entry.path): entry.path for entry in entries}
    if below:
        yield hierarchy_of("property", ", ".join(sorted(used)), below, shown, paths)


def _by_folders(entries: Sequence[Entry]) -> Hierarchy:
    below: dict[str, set[str]] = {}
    for folder in {entry.folder for entry in entries if entry.folder}:
        parts = folder.split("/")
        for depth in range(1, len(parts)):
            upper = "/".join(parts[:depth])
            below.setdefault(upper, set()).add("/".join(parts[: depth + 1]))
        below.setdefault(parts[0], set())
    shown = {folder: folder.rpartition("/")[2] for folder in _things(below)}
    notes = folder_notes(entries)
    return hierarchy_of("folder", "folders", below, shown, notes)


def folder_notes(entries: Sequence[Entry]) -> dict[str, NotePath]:
    """Return the note that speaks for each folder that has one.

    It stands in the folder under its name, or beside it; else it is called index.
    """
    paths = {entry.path.removesuffix(".md"): entry.path for entry in entries}
    found: dict[str, NotePath] = {}
    for folder in sorted({entry.folder for entry in entries if entry.folder}):
        for path in (f"{folder}/{folder.rpartition('/')[2]}", folder):
            if path in paths:
                found.setdefault(folder, paths[path])
    for entry in entries:
        if entry.folder and folded(entry.title) in INDEX_NAMES:
            found.setdefault(entry.folder, entry.path)
    return found


def _by_tags(entries: Sequence[Entry]) -> Hierarchy:
    below: dict[str, set[str]] = {}
    for tag in {tag.lower() for entry in entries for tag in entry.tags}:
        parts = tag.split("/")
        for depth in range(1, len(parts)):
            upper = "/".join(parts[:depth])
            below.setdefault(upper, set()).add("/".join(parts[: depth + 1]))
    shown = {tag: f"#{tag}" for tag in _things(below)}
    return hierarchy_of("tag", "nested tags", below, shown, {})


def hierarchy_of(
    nesting: str,
    name: str,
    below: Mapping[str, Collection[str]],
    shown: Mapping[str, str],
    paths: Mapping[str, NotePath],
) -> Hierarchy:
    """Return the hierarchy of things by what stands right below each."""
    things = _things(below)
    under = {child for children in below.values() for child in children}
    roots = sorted(things - under)
    branches, depth = [], 0
    for root in roots:
        count, deepest = _walked(root, below)
        depth = max(depth, deepest)
        children = sorted(shown.get(child, child) for child in below.get(root, ()))
        listed = Listed(tuple(children[:CHILDREN_SHOWN]), len(children))
        branches.append(Branch(shown.get(root, root), paths.get(root), listed, count))
    branches.sort(key=lambda branch: (-branch.below, branch.name))
    cycles = [tuple(shown.get(t, t) for t in cycle) for cycle in cycles_in(below)]
    return Hierarchy(
        nesting,  # type: ignore[arg-type]  # the three callers name one each
        name,
        len(things),
        depth,
        Listed(tuple(branches[:BRANCHES_SHOWN]), len(branches)),
        Listed(tuple(cycles[:CYCLES_SHOWN]), len(cycles)),
    )


def _things(below: Mapping[str, Iterable[str]]) -> set[str]:
    return {*below, *(child for children in below.values() for child in children)}


def _walked(root: str, below: Mapping[str, Collection[str]]) -> tuple[int, int]:
    """Return how many things stand below a root, and in how many levels with it."""
    seen, ring, levels = {root}, {root}, 0
    while ring:
        levels += 1
        ring = {child for one in ring for child in below.get(one, ())} - seen
        seen |= ring
    return len(seen) - 1, levels


def cycles_in(below: Mapping[str, Collection[str]]) -> list[tuple[str, ...]]:
    """Return one cycle for each knot of things that stand below themselves.

    A shortest one through the first thing of the knot, which comes first in it.
    """
    found = []
    for knot in _knots(below):
        first = min(knot)
        if len(knot) > 1 or first in below.get(first, ()):
            found.append(_cycle_through(first, below, knot))
    return sorted(found)


def _cycle_through(
    first: str, below: Mapping[str, Collection[str]], knot: Collection[str]
) -> tuple[str, ...]:
    came: dict[str, str] = {}
    ring = [first]
    while True:
        following = []
        for one in ring:
            for child in sorted(below.get(one, ())):
                if child == first:
                    chain = [one]
                    while chain[-1] != first:
                        chain.append(came[chain[-1]])
                    return tuple(reversed(chain))
                if child in knot and child not in came:
                    came[child] = one
                    following.append(child)
        ring = following


def _knots(below: Mapping[str, Collection[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected parts (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_things: list[str] = []
    is_open: set[str] = set()
    for start in sorted(below):
        if start in order:
            continue
        work = [(start, iter(sorted(below.get(start, ()))))]
        order[start] = lowest[start] = len(order)
        open_things.append(start)
        is_open.add(start)
        while work:
            thing, children = work[-1]
            child = next(children, None)
            if child is None:
                work.pop()
                if work:
                    upper = work[-1][0]
                    lowest[upper] = min(lowest[upper], lowest[thing])
                if lowest[thing] == order[thing]:
                    yield _closed(thing, open_things, is_open)
            elif child not in order:
                order[child] = lowest[child] = len(order)
                open_things.append(child)
                is_open.add(child)
                work.append((child, iter(sorted(below.get(child, ())))))
            elif child in is_open:
                lowest[thing] = min(lowest[thing], order[child])


def _closed(thing: str, open_things: list[str], is_open: set[str]) -> set[str]:
    """Take the knot that ends at a thing from those that are still open."""
    knot = set()
    while True:
        last = open_things.pop()
        is_open.discard(last)
        knot.add(last)
        if last == thing:
            return knot
