"""The vocabulary of a vault as people read it."""

from collections.abc import Iterator, Sequence

from glassmind.render.style import Style, counted
from glassmind.types.ontology import (
    Hierarchy,
    Hub,
    Label,
    Listed,
    Ontology,
    PropertyUse,
    Schema,
    Spelling,
)

SORTS_SHOWN = 4
"""Sorts of one schema that are named: what fits a line beside its keys."""

LEFT_OUT = "templates and the agent's folder do not count"

SOURCES = {"property": "Categories", "tag": "Tags", "folder": "Folders"}


def ontology_as_text(found: Ontology, style: Style) -> str:
    """Return the vocabulary in sections; one that has nothing to say is left out."""
    parts = [
        *_labels(found.labels),
        *_section("Properties", found.properties, map(_use, found.properties.shown)),
        *_section("Schemas", found.schemas, map(_schema, found.schemas.shown)),
        *_section(
            "Spelled in several ways",
            found.spellings,
            map(_spelling, found.spellings.shown),
        ),
        *_section("Hubs", found.hubs, map(_hub, found.hubs.shown)),
        *(line for one in found.hierarchies for line in _hierarchy(one)),
        *((0, notice) for notice in found.notices),
    ]
    told = f"the vocabulary of {counted(found.notes, 'note')}; {LEFT_OUT}"
    lines = [
        style.clean(f"  {line}") if depth else style.strong(line)
        for depth, line in parts
    ]
    return "".join(f"{line}\n" for line in [*lines, style.faint(told)])


def _section(
    title: str, listed: Listed[object], lines: Iterator[str]
) -> Iterator[tuple[int, str]]:
    if not listed.total:
        return
    yield 0, f"{title} ({listed.total:,})"
    yield from ((1, line) for line in lines)
    yield from _more(listed)


def _more(listed: Listed[object]) -> Iterator[tuple[int, str]]:
    if listed.total > len(listed.shown):
        yield 1, f"and {listed.total - len(listed.shown):,} more"


def _labels(found: Listed[Label]) -> Iterator[tuple[int, str]]:
    for source, title in SOURCES.items():
        shown = [label for label in found.shown if label.source == source]
        if shown:
            yield 0, title
            yield 1, ", ".join(_label(label) for label in shown)
    left = found.total - len(found.shown)
    if left:
        yield 0, f"Further categories, tags and folders: {left:,}"


def _label(label: Label) -> str:
    key = f"{label.key}: " if label.key else ""
    mark = "#" if label.source == "tag" else ""
    return f"{key}{mark}{label.name} {label.notes:,}"


def _use(use: PropertyUse) -> str:
    kinds: str = use.kind
    if use.kind == "mixed":
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in use.kinds.items())
    of = f" of {use.items}" if use.kind in {"list", "tags"} and use.items else ""
    astray = f"; {use.astray:,} not {use.declared} as declared" if use.astray else ""
    return f"{use.name}  {kinds}{of}  {counted(use.notes, 'note')}{astray}"


def _schema(schema: Schema) -> str:
    keys = ", ".join(f"{key.name} {key.coverage:.0%} {key.kind}" for key in schema.keys)
    more = len(schema.of) - SORTS_SHOWN
    sorts = ", ".join(schema.of[:SORTS_SHOWN]) + f" and {more:,} more" * (more > 0)
    return f"{sorts}  {counted(schema.notes, 'note')}: {keys}"


def _spelling(spelling: Spelling) -> str:
    variants = ", ".join(f"{name} {n:,}" for name, n in spelling.variants)
    return (
        f"{spelling.what} {spelling.canonical} {spelling.notes:,}, also {variants} "
        f"({spelling.reason})"
    )


def _hub(hub: Hub) -> str:
    how = f"by {hub.property}" if hub.property else "as a map"
    ghost = "" if hub.path else ", no note yet"
    return f"{hub.path or hub.name}  {counted(hub.members.total, 'note')} {how}{ghost}"


def _hierarchy(one: Hierarchy) -> Iterator[tuple[int, str]]:
    yield 0, f"Hierarchy by {one.name} ({one.size:,} in {counted(one.depth, 'level')})"
    for branch in one.roots.shown:
        if branch.below:
            children = ", ".join(branch.children.shown)
            more = branch.children.total - len(branch.children.shown)
            yield 1, f"{branch.name}: {children}" + f" and {more:,} more" * bool(more)
    yield from ((1, f"in a circle: {_circle(cycle)}") for cycle in one.cycles.shown)


def _circle(cycle: Sequence[str]) -> str:
    return " > ".join([*cycle, cycle[0]])
