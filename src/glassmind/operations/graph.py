"""Operations on the link graph and the vocabulary: paths, themes, ranks, names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from msgspec import structs

from glassmind.engine import Engine
from glassmind.graph.export import graph_as_dot, graph_as_graphml
from glassmind.model import graph as domain
from glassmind.model import ontology as vocabulary
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.obsidian.text import Style, counted
from glassmind.operations.find import Name, NoteArguments, most
from glassmind.operations.names import note_name, report_guesses, with_uris
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    FileForm,
    Paging,
    PeopleText,
    Result,
    Route,
    Run,
    Tool,
    arg,
    copied,
    note_paths,
    operation,
    parts_of,
    shown,
)
from glassmind.search.query import SAYS

MOST_SHOWN = 1_000  # items of one list that the engine returns
MOST_CHAINS, MOST_HOPS = 50, 20  # what the engine returns
FAILS = (404, 409)
Answer = TypeVar("Answer", bound=Result)

GraphFormat = Literal["json", "graphml", "dot"]

Limited = Annotated[int, most("results", MOST_SHOWN)]
Depth = Annotated[int, arg("How many links away (1).", ge=1, le=3)]
Unresolved = Annotated[bool, arg("Include unresolved links: names that no file has.")]
ThemeName = Annotated[
    Name | None, arg("One theme, by its number or label.", metavar="THEME")
]
Resolution = Annotated[
    float | None,
    arg(
        "Above 1 finds more and smaller themes, below 1 fewer.",
        metavar="R",
        ge=0.01,
        le=100,
    ),
]


class GraphResult(Result):
    """A result that discloses the lines of its links, and every note it names."""

    def sources(self) -> DisclosedNotes:
        passages, names = list[DisclosedLines](), list[str]()
        for part in parts_of(self):
            if isinstance(part, domain.GraphLink) and part.sentence:
                passages.append(DisclosedLines(part.source, part.line, part.line))
            if (
                isinstance(part, domain.GraphNode)
                and part.properties
                and not part.ghost
            ):
                passages.append(DisclosedLines(part.path))
            if isinstance(part, domain.CommonNote):  # its link is shown without a line
                passages += [DisclosedLines(path) for path in note_paths([part.path])]
            for name in ("path", "source", "target", "hub"):
                value = getattr(part, name, None)
                names += [value] if isinstance(value, str) else []
            names += getattr(part, "via", ())
        return shown(passages, note_paths(names))


ARROWS = {("inbound",): "<-", ("outbound",): "->", ("inbound", "outbound"): "<>"}

MOST_MEMBERS = 100  # members shown of a single theme; JSON has all
NO_NOTE = "(no such note yet)"
NO_THEMES = "No themes: they need at least three notes that link to each other."


def connections_text(
    result: "ConnectionsResult", _: object, style: Style
) -> Iterator[str]:
    theme = style.faint(f"  theme: {result.theme.label}") if result.theme else ""
    yield f"{style.strong(result.path)}{_tags(result.tags, style)}{theme}"
    if not result.hops:
        yield "No linked notes."
    for hop in result.hops:
        yield ""
        yield (
            f"{counted(hop.hop, 'hop')}: {counted(hop.total, 'note')}, "
            f"{hop.inbound_total:,} inbound, {hop.outbound_total:,} outbound"
        )
        for near in hop.neighbours:
            yield from _neighbour(near, style)
    if result.similar:
        yield ""
        yield "Similar, not linked"
        for note in result.similar:
            yield f"  {note.similarity:.2f}  {style.strong(note.path)}"


def _neighbour(near: domain.Neighbour, style: Style) -> Iterator[str]:
    ghost = style.faint(f"  {NO_NOTE}") if near.ghost else ""
    via = style.faint(f"  via {' > '.join(near.via)}") if near.via else ""
    shared = _tags(near.shared_tags, style)
    yield f"  {_arrow(near)} {style.strong(near.path)}{shared}{via}{ghost}"
    yield from (f"       {_link(link, style)}" for link in near.edges)
    left = near.edges_total - len(near.edges)
    if left:
        yield style.faint(f"       and {counted(left, 'more link')}")


def _arrow(step: domain.Neighbour | domain.PathStep) -> str:
    return ARROWS.get(tuple(step.directions), "--")


def _link(link: domain.GraphLink, style: Style) -> str:
    sentence = style.quote(link.sentence) or f"({link.kind})"
    return f"{sentence}{style.faint(f'  {link.source}:{link.line}')}"


def _tags(tags: Sequence[str], style: Style) -> str:
    return style.faint("  " + " ".join(f"#{tag}" for tag in tags)) if tags else ""


def path_text(result: "PathResult", _: object, style: Style) -> Iterator[str]:
    if result.reason:
        ends = (style.strong(end.path) for end in (result.source, result.target))
        yield f"{' and '.join(ends)}: {style.clean(result.reason.text)}"
    for chain in result.chains:
        yield f"{counted(chain.length, 'link')}:"
        yield f"   {style.strong(chain.notes[0].path)}"
        for step, stop in zip(chain.steps, chain.notes[1:], strict=True):
            yield from (f"      {_link(link, style)}" for link in step.edges)
            ghost = style.faint(f"  {NO_NOTE}") if stop.ghost else ""
            yield f"   {_arrow(step)} {style.strong(stop.path)}{ghost}"
        yield ""
    if result.common:
        yield f"Linked with both: {counted(result.common_total, 'note')}"
        yield from (f"  {style.strong(near.path)}" for near in result.common)
    if result.chains and result.cut:
        yield style.faint("There may be more chains.")


def themes_text(result: "ThemesResult", _: object, style: Style) -> Iterator[str]:
    for theme in result.themes:
        by = f", confirmed by {style.clean(theme.hub)}" if theme.hub else ""
        size = style.faint(f"{counted(theme.size, 'note')}{by}")
        yield f"{theme.id}. {style.strong(theme.label)}  {size}"
        yield f"   {style.clean(theme.summary)}"
        if len(result.themes) == 1:
            for member in theme.members[:MOST_MEMBERS]:
                where = member.title if member.ghost else member.path
                yield f"   {member.influence:6.1%}  {style.strong(where)}"
            if theme.size > MOST_MEMBERS:
                yield style.faint(f"   and {theme.size - MOST_MEMBERS:,} more")
    if not result.total:
        yield NO_THEMES
        return
    apart = f", {result.apart:,} in none" if result.apart else ""
    yield style.faint(
        f"{counted(result.total, 'theme')} of {counted(result.notes, 'note')}{apart}; "
        f"modularity {result.modularity:.2f}"
    )
    if result.warning:
        yield result.warning


def rank_text(result: "RankResult", _: object, style: Style) -> Iterator[str]:
    if not result.notes:
        yield "No notes match."
    width = len(str(len(result.notes)))
    for note in result.notes:
        mark = "*" if note.hit else " "
        where, why = style.strong(note.path), style.faint(note.reason)
        yield f"{note.rank:>{width}}.{mark}{note.score:.4f}  {where}  {why}"
    if result.margin:
        notes = counted(result.samples, "note")
        off = f"scores may be off by {result.margin:.2g} (95 % confidence)"
        yield style.faint(f"Estimated from {notes}: {off}.")


def timeline_text(result: "TimelineResult", _: object, style: Style) -> Iterator[str]:
    yield style.strong(result.path)
    left = result.total - len(result.events)
    if left:
        yield style.faint(f"{counted(left, 'earlier event')} left out")
    for event in result.events:
        origin = f"{event.origin} {event.commit[:8]}".rstrip()
        said = f": {style.quote(event.sentence)}" if event.sentence.strip() else ""
        detail = style.clean(event.detail)
        yield f"{event.day}  {detail}{said}{style.faint(f'  ({origin})')}"


def graph_operation(  # noqa: PLR0913 - a declaration names every part
    title: str,
    about: str,
    text: PeopleText,
    *,
    command: Command | None = None,
    sets: tuple[str, ...] = ("graph",),
    files: Mapping[str, FileForm] | None = None,
    **tool: Any,
) -> Callable[[Run], Run]:
    """Register an operation; its tool is in the first set, its route may be in more."""

    def register(function: Run) -> Run:
        name = function.__name__
        return operation(
            group="Graph",
            for_people=text,
            command=command or Command(f"graph {name}"),
            tool=Tool(title, about, **tool),
            route=Route("GET", f"/graph/{name}", sets=sets, fails=FAILS),
            files=files or {},
        )(function)

    return register


def answered(
    method: Callable[..., Any],
    kind: type[Answer],
    vault: Engine,
    arguments: Arguments,
    caller: Caller,
    *names: str,
) -> Answer:
    """Call a method of `vault.knowledge`; `names` are arguments that name notes."""
    values = structs.asdict(arguments)
    given = [values.pop(name) for name in names]
    notes = [
        value if value is None else note_name(vault, value, name)
        for name, value in zip(names, given, strict=True)
    ]
    found = method(*notes, **values)
    report_guesses(vault, caller, *notes, ghosts=values.get("ghosts", False))
    return with_uris(
        vault.config.vault.name, copied(kind, found, vault=vault.config.vault.name)
    )


class ConnectionsArguments(NoteArguments):
    depth: Depth = 1
    limit: Annotated[int, most("notes per hop", MOST_SHOWN)] = 50
    ghosts: Unresolved = False
    subgraph: Annotated[
        bool, arg("In JSON, all links among these notes.", only=("cli", "http"))
    ] = False
    format: Annotated[
        GraphFormat | None,
        arg("JSON, or the notes and links as a graph file.", only=("cli", "http")),
    ] = None


class ConnectionsResult(GraphResult, domain.Connections):
    def is_empty(self) -> bool:
        return not any(hop.total for hop in self.hops)


GRAPH_FILES = {
    "graphml": FileForm(
        "application/graphml+xml; charset=utf-8",
        lambda result: graph_as_graphml(result.subgraph),
    ),
    "dot": FileForm(
        "text/vnd.graphviz; charset=utf-8", lambda result: graph_as_dot(result.subgraph)
    ),
}


@graph_operation(
    "Show connections",
    "Show notes linked with a note, hop by hop, each link with its sentence, "
    "and similar notes without a link. <- links to it, -> is linked from it.",
    connections_text,
    page=Paging("hops", most=200, inner="neighbours", grows=False),
    sets=("core", "graph"),
    files=GRAPH_FILES,
)
def connections(
    vault: Engine, arguments: ConnectionsArguments, caller: Caller
) -> ConnectionsResult:
    """Show the notes that links connect with a note."""
    name = note_name(vault, arguments.name, "name")
    found = vault.knowledge.connections(
        name,
        depth=arguments.depth,
        limit=arguments.limit,
        ghosts=arguments.ghosts,
        subgraph=arguments.subgraph or arguments.format in GRAPH_FILES,
    )
    report_guesses(vault, caller, name, ghosts=arguments.ghosts)
    return with_uris(vault.config.vault.name, copied(ConnectionsResult, found))


class PathArguments(Arguments):
    source: Annotated[Name, arg("A note.", positional="word")]
    target: Annotated[Name, arg("Another note.", positional="word")]
    limit: Annotated[int, most("chains (5)", MOST_CHAINS)] = 5
    most_hops: Annotated[
        int, arg("Maximum number of links in a chain (6).", ge=1, le=MOST_HOPS)
    ] = 6
    common: Annotated[
        bool,
        arg("List notes linked with both.", flag="--no-common", only=("cli", "http")),
    ] = True
    ghosts: Unresolved = False


class PathResult(GraphResult, domain.Chains):
    empty_without = ("chains",)


@graph_operation(
    "Find paths between notes",
    "Find chains of links between two notes, shortest first, each link with "
    "its sentence, and the notes linked with both. Links are followed in both "
    "directions; without a chain, it says why.",
    path_text,
    page=Paging("chains", most=MOST_CHAINS, furthest=MOST_CHAINS),
)
def path(vault: Engine, arguments: PathArguments, caller: Caller) -> PathResult:
    """Find chains of links between two notes."""
    names = "source", "target"
    method = vault.knowledge.path
    return answered(method, PathResult, vault, arguments, caller, *names)


class ThemesArguments(Arguments):
    theme: ThemeName = None
    resolution: Resolution = None
    ghosts: Unresolved = False
    refresh: Annotated[
        bool, arg("Recompute the themes and store them in the index.", only=("cli",))
    ] = False


class ThemesResult(GraphResult, domain.Themes):
    empty_without = ("themes",)
    vault: str


@graph_operation(
    "Show themes",
    "Show the themes of the vault: groups of notes that link to each other, "
    "largest first, each with its label and key members; by number or label, "
    "one theme with all its notes.",
    themes_text,
    page=Paging("themes", most=MOST_SHOWN),
)
def themes(vault: Engine, arguments: ThemesArguments, caller: Caller) -> ThemesResult:
    """Show groups of notes that link to each other."""
    result = answered(vault.knowledge.themes, ThemesResult, vault, arguments, caller)
    usual = vault.config.graph.theme_resolution
    if result.resolution != usual:
        said = f"Resolution {result.resolution:g} instead of {usual:g} (the setting)."
        kept = arguments.resolution is None or arguments.refresh
        caller.notice(said + " To undo it: glassmind graph themes --refresh" * kept)
    return result


class RankArguments(Arguments):
    metric: Annotated[domain.Metric, arg("What counts (influence).")] = "influence"
    limit: Limited = 20
    theme: ThemeName = None
    about: Annotated[
        Name | None,
        arg("Only notes around what this search finds.", metavar="QUERY", pattern=SAYS),
    ] = None
    least_inbound: Annotated[
        int,
        arg("Only notes that at least so many others link to (0).", ge=0, le=1_000_000),
    ] = 0
    ghosts: Unresolved = False


class RankResult(GraphResult, domain.RankedNotes):
    empty_without = ("notes",)


@graph_operation(
    "Rank notes",
    "Rank notes: influence (linked from notes that matter), bridging (between "
    "groups), hubs (link to much), authorities (linked from hubs); of the "
    "vault, one theme, or around what a query finds.",
    rank_text,
    page=Paging("notes", most=100, furthest=MOST_SHOWN),
)
def rank(vault: Engine, arguments: RankArguments, caller: Caller) -> RankResult:
    """Rank notes by their links."""
    return answered(vault.knowledge.rank, RankResult, vault, arguments, caller)


class TimelineArguments(NoteArguments):
    limit: Limited = 100


class TimelineResult(Result, domain.Timeline):
    empty_without = ("events",)

    def sources(self) -> DisclosedNotes:
        """Return the note and its linked notes; a sentence may be from either."""
        paths = note_paths([self.path, *(event.path for event in self.events)])
        return shown([DisclosedLines(path) for path in paths])


@graph_operation(
    "Show a timeline",
    "Show when a note was created and when links to it and from it appeared, "
    "each with where the date is from (properties, names, git, files).",
    timeline_text,
    page=Paging("events", most=MOST_SHOWN, grows=False),
)
def timeline(
    vault: Engine, arguments: TimelineArguments, caller: Caller
) -> TimelineResult:
    """Show when a note and its links appeared."""
    method = vault.knowledge.timeline
    return answered(method, TimelineResult, vault, arguments, caller, "name")


MOST_ENTITIES = 500  # names in a note that the engine returns
KINDS_SHOWN = 4  # kinds of notes that share a schema: what fits a line beside its keys
SOURCES = {"property": "Categories", "tag": "Tags", "folder": "Folders"}

STATES = {
    "linked": "linked",
    "match": "matched",
    "unsure": "ambiguous",
    "stub": "without a note",
}


def ontology_text(result: "OntologyResult", _: object, style: Style) -> Iterator[str]:
    for line in _sections(result):
        yield style.clean(line) if line.startswith(" ") else style.strong(line)
    notes = counted(result.notes, "note")
    yield style.faint(f"{notes}, without templates and the agent folder")


def _sections(result: "OntologyResult") -> Iterator[str]:
    yield from _labels(result.labels)
    yield from _section("Properties", result.properties, _use)
    yield from _section("Schemas", result.schemas, _schema)
    yield from _section("Different spellings", result.spellings, _spelling)
    yield from _section("Hubs", result.hubs, _hub)
    for tree in result.hierarchies:
        yield from _hierarchy(tree)


def _section(
    title: str, some: vocabulary.ListedItems[Any], line: Callable[[Any], str]
) -> Iterator[str]:
    if some.total:
        yield f"{title} ({some.total:,})"
        yield from (f"  {line(item)}" for item in some.shown)
    if some.total > len(some.shown):
        yield f"  and {some.total - len(some.shown):,} more"


def _labels(labels: vocabulary.ListedItems[vocabulary.Label]) -> Iterator[str]:
    for source, title in SOURCES.items():
        shown = [_label(label) for label in labels.shown if label.source == source]
        if shown:
            yield title
            yield f"  {', '.join(shown)}"
    left = labels.total - len(labels.shown)
    if left:
        yield f"More categories, tags and folders: {left:,}"


def _label(label: vocabulary.Label) -> str:
    key = f"{label.property}: " if label.property else ""
    mark = "#" if label.source == "tag" else ""
    return f"{key}{mark}{label.name} {label.notes:,}"


def _use(use: vocabulary.PropertyUse) -> str:
    kinds: str = use.kind
    if use.kind == "mixed":
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in use.kinds.items())
    of = f" of {use.items}" if use.kind in {"list", "tags"} and use.items else ""
    return f"{use.name}  {kinds}{of}  {counted(use.notes, 'note')}"


def _schema(schema: vocabulary.Schema) -> str:
    keys = ", ".join(f"{key.name} {key.coverage:.0%} {key.kind}" for key in schema.keys)
    more = len(schema.of) - KINDS_SHOWN
    kinds = ", ".join(schema.of[:KINDS_SHOWN]) + f" and {more:,} more" * (more > 0)
    return f"{kinds}  {counted(schema.notes, 'note')}: {keys}"


def _spelling(spelling: vocabulary.Spelling) -> str:
    variants = ", ".join(f"{use.name} {use.notes:,}" for use in spelling.variants)
    most = f"{spelling.what} {spelling.canonical} {spelling.notes:,}"
    return f"{most}, also {variants} ({spelling.reason})"


def _hub(hub: vocabulary.Hub) -> str:
    ghost = "" if hub.path else ", no note yet"
    notes = counted(hub.members.total, "note")
    return f"{hub.path or hub.name}  {notes} by {hub.property}{ghost}"


def _hierarchy(tree: vocabulary.Hierarchy) -> Iterator[str]:
    yield f"Hierarchy by {tree.name} ({tree.size:,} in {counted(tree.depth, 'level')})"
    for branch in tree.roots.shown:
        if branch.below:
            more = branch.children.total - len(branch.children.shown)
            left = f" and {more:,} more" if more else ""
            yield f"  {branch.name}: {', '.join(branch.children.shown)}{left}"


def ingest_text(result: "IngestResult", _: object, style: Style) -> Iterator[str]:
    for entity in result.entities:
        link = f"  {style.clean(entity.link)}" if entity.link else ""
        yield f"{style.strong(entity.name)}{link}  {style.faint(STATES[entity.state])}"
        for mention in entity.mentions[:1]:
            where = f"line {mention.line}: " if mention.line else ""
            yield f"  {where}{style.quote(mention.text)}"
        for match in entity.candidates if entity.state == "unsure" else ():
            known = style.strong(match.link or match.path or match.title)
            yield f"  perhaps {known}  {style.faint(match.reason)}"
        if entity.stub:
            path = style.strong(entity.stub.path)
            yield f"  new note {path}: {style.clean(entity.stub.reason)}"
    more = result.total - len(result.entities)
    if more:
        yield style.faint(f"and {more:,} more")
    counts = [f"{n:,} {STATES[state]}" for state, n in result.counts.items() if n]
    totals = ", ".join(counts) or "nothing to do"
    yield style.faint(f"{result.path}: {counted(result.total, 'name')}; {totals}")


class OntologyArguments(Arguments):
    limit: Limited = 20


class OntologyResult(Result, vocabulary.Ontology):
    vault: str

    def sources(self) -> DisclosedNotes:
        parents, named = list[str | None](), list[str | None]()
        for part in parts_of(self):
            named += getattr(part, "examples", ())
            match part:
                case (
                    vocabulary.Hub(path=path, members=below)
                    | vocabulary.Branch(path=path, children=below)
                ):
                    named += [path, *below.shown]
                    parents += [path] if below.shown else []
        passages = [DisclosedLines(path) for path in note_paths(parents)]
        return shown(passages, note_paths(named))


@operation(
    group="Graph",
    for_people=ontology_text,
    command=Command(),
    tool=Tool(
        "Show the vocabulary",
        "Show what the vault calls things: categories, tags, folders, properties "
        "and which of them occur together, spellings that differ, hubs and "
        "hierarchies. Look before choosing properties or tags for a note.",
    ),
    route=Route("GET", "/graph/ontology", sets=("graph",)),
)
def ontology(vault: Engine, arguments: OntologyArguments) -> OntologyResult:
    """Show the categories, tags, properties and hierarchies of the vault."""
    found = vault.knowledge.ontology(limit=arguments.limit)
    words = tuple(copied(vocabulary.Spelling, word) for word in found.spellings.shown)
    spellings = vocabulary.ListedItems(words, found.spellings.total)
    name = vault.config.vault.name
    result = copied(OntologyResult, found, vault=name, spellings=spellings)
    return with_uris(vault.config.vault.name, result)


class IngestArguments(NoteArguments):
    limit: Annotated[int, most("names (50)", MOST_ENTITIES)] = 50


class IngestResult(Result, vocabulary.Ingestion):
    empty_without = ("total",)
    vault: str

    def sources(self) -> DisclosedNotes:
        lines = [line.line or 0 for entity in self.entities for line in entity.mentions]
        named = [self.path, *(entity.path for entity in self.entities)]
        named += [near.path for entity in self.entities for near in entity.candidates]
        passages = [DisclosedLines(self.path, line, line) for line in lines]
        return shown(passages, note_paths(named))


@graph_operation(
    "Match what a note names",
    "Match each name in a note (people, projects, terms) with a note of the "
    "vault, or propose a new note with path and text. Writes nothing.",
    ingest_text,
    command=Command(),
    page=Paging("entities", most=MOST_ENTITIES, furthest=MOST_ENTITIES),
)
def ingest(vault: Engine, arguments: IngestArguments, caller: Caller) -> IngestResult:
    """Match the names in a note with notes of the vault."""
    method = vault.knowledge.ingest
    return answered(method, IngestResult, vault, arguments, caller, "name")
