"""The vocabulary of a vault as text: for people on a terminal, and for models."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from glassmind.markdown.style import Style, counted
from glassmind.operations.model_text import fenced, listed, named, one_line, quoted
from glassmind.operations.registry import View
from glassmind.types.ontology import (
    Entity,
    Hierarchy,
    Hub,
    Label,
    Listed,
    PropertyUse,
    Schema,
    Spelling,
)

if TYPE_CHECKING:
    from glassmind.operations.vocabulary import IngestResult, OntologyResult

KINDS_SHOWN = 4
"""Kinds of notes that share a schema: what fits a line beside its keys."""

SOURCES = {"property": "Categories", "tag": "Tags", "folder": "Folders"}

STATES = {
    "linked": "linked",
    "match": "matched",
    "unsure": "ambiguous",
    "stub": "without a note",
}


def ontology_for_people(
    result: "OntologyResult", _: Any, style: Style
) -> Iterator[str]:
    """Yield the vocabulary in sections; empty ones are left out."""
    for line in _sections(result):
        yield style.clean(line) if line.startswith(" ") else style.strong(line)
    notes = counted(result.notes, "note")
    yield style.faint(f"{notes}, without templates and the agent folder")


def ontology_for_models(result: "OntologyResult", _view: View) -> str:
    """Return the vocabulary in sections; empty ones are left out."""
    rows = [f"notice: {one_line(notice)}" for notice in result.notices]
    rows += ontology_for_people(result, None, Style())
    return fenced("\n".join(rows))


def _sections(result: "OntologyResult") -> Iterator[str]:
    """Yield titles, and below each its lines, which are indented."""
    yield from _labels(result.labels)
    yield from _section("Properties", result.properties, _use)
    yield from _section("Schemas", result.schemas, _schema)
    yield from _section("Different spellings", result.spellings, _spelling)
    yield from _section("Hubs", result.hubs, _hub)
    for tree in result.hierarchies:
        yield from _hierarchy(tree)


def _section(
    title: str, some: Listed[Any], line: Callable[[Any], str]
) -> Iterator[str]:
    if some.total:
        yield f"{title} ({some.total:,})"
        yield from (f"  {line(one)}" for one in some.shown)
    if some.total > len(some.shown):
        yield f"  and {some.total - len(some.shown):,} more"


def _labels(labels: Listed[Label]) -> Iterator[str]:
    for source, title in SOURCES.items():
        shown = [_label(label) for label in labels.shown if label.source == source]
        if shown:
            yield title
            yield f"  {', '.join(shown)}"
    left = labels.total - len(labels.shown)
    if left:
        yield f"More categories, tags and folders: {left:,}"


def _label(label: Label) -> str:
    key = f"{label.property}: " if label.property else ""
    mark = "#" if label.source == "tag" else ""
    return f"{key}{mark}{label.name} {label.notes:,}"


def _use(use: PropertyUse) -> str:
    kinds: str = use.kind
    if use.kind == "mixed":
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in use.kinds.items())
    of = f" of {use.items}" if use.kind in {"list", "tags"} and use.items else ""
    astray = f"; {use.astray:,} not {use.declared} as declared" if use.astray else ""
    return f"{use.name}  {kinds}{of}  {counted(use.notes, 'note')}{astray}"


def _schema(schema: Schema) -> str:
    keys = ", ".join(f"{key.name} {key.coverage:.0%} {key.kind}" for key in schema.keys)
    more = len(schema.of) - KINDS_SHOWN
    kinds = ", ".join(schema.of[:KINDS_SHOWN]) + f" and {more:,} more" * (more > 0)
    return f"{kinds}  {counted(schema.notes, 'note')}: {keys}"


def _spelling(spelling: Spelling) -> str:
    variants = ", ".join(f"{one.name} {one.notes:,}" for one in spelling.variants)
    most = f"{spelling.what} {spelling.canonical} {spelling.notes:,}"
    return f"{most}, also {variants} ({spelling.reason})"


def _hub(hub: Hub) -> str:
    how = f"by {hub.property}" if hub.property else "as a map"
    ghost = "" if hub.path else ", no note yet"
    return f"{hub.path or hub.name}  {counted(hub.members.total, 'note')} {how}{ghost}"


def _hierarchy(tree: Hierarchy) -> Iterator[str]:
    yield f"Hierarchy by {tree.name} ({tree.size:,} in {counted(tree.depth, 'level')})"
    for branch in tree.roots.shown:
        if branch.below:
            more = branch.children.total - len(branch.children.shown)
            left = f" and {more:,} more" if more else ""
            yield f"  {branch.name}: {', '.join(branch.children.shown)}{left}"
    for cycle in tree.cycles.shown:
        yield f"  in a circle: {' > '.join([*cycle, cycle[0]])}"


def ingest_for_people(result: "IngestResult", _: Any, style: Style) -> Iterator[str]:
    """Yield each name with the link to write, and where the note has it."""
    for entity in result.entities:
        link = f"  {style.clean(entity.link)}" if entity.link else ""
        yield f"{style.strong(entity.name)}{link}  {style.faint(STATES[entity.state])}"
        for mention in entity.mentions[:1]:
            where = f"line {mention.line}: " if mention.line else ""
            yield f"  {where}{style.clean(mention.text)}"
        for known, reason in _candidates(entity):
            yield f"  perhaps {style.clean(known)}  {style.faint(reason)}"
        if entity.stub:
            yield f"  new note {style.clean(entity.stub.path)}: {entity.stub.reason}"
    more = result.total - len(result.entities)
    if more:
        yield style.faint(f"and {more:,} more")
    totals = _counts(result) or "nothing to do"
    yield style.faint(f"{result.path}: {counted(result.total, 'name')}; {totals}")


def _candidates(entity: Entity) -> Iterator[tuple[str, str]]:
    """Yield what an ambiguous name may mean, and why."""
    for one in entity.candidates if entity.state == "unsure" else ():
        yield one.link or one.path or one.title, one.reason


def _counts(result: "IngestResult") -> str:
    counts = result.counts.items()
    return ", ".join(f"{count:,} {STATES[state]}" for state, count in counts if count)


def ingest_for_models(result: "IngestResult", view: View) -> str:
    """Return each name with the link to write, and where the note has it."""
    rows = [named(result.path)] if view.first == 1 else []
    for entity in result.entities:
        state, link = STATES[entity.state], one_line(entity.link or "")
        rows.append(f"{one_line(entity.name)} ({state}) {link}".rstrip())
        for mention in entity.mentions[:1]:
            line = f"line {mention.line} > " if mention.line else ""
            rows.append(f"   {line}{quoted(mention.text)}")
        rows += [
            f"   perhaps {one_line(known)}: {one_line(reason)}"
            for known, reason in _candidates(entity)
        ]
        if entity.stub:
            path, reason = named(entity.stub.path), one_line(entity.stub.reason)
            rows.append(f"   new note {path}: {reason}")
    totals = _counts(result)
    head = [f"{counted(result.total, 'name')}: {totals}."] if totals else []
    head.append("A proposal; nothing is written.")
    nothing = "" if result.entities else "No names that could have a note."
    return listed(head, rows, view, result.notices, nothing=nothing)
