"""Operations on the link graph: connections, paths, themes, ranks, timelines."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, structs

from glassmind.engine import Engine
from glassmind.operations import graph_text as text
from glassmind.operations.graph_files import graph_as_dot, graph_as_graphml
from glassmind.operations.names import note_name, report_guesses, with_uris
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    FileForm,
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
from glassmind.retrieval.wishes import SAYS
from glassmind.types.chains import Chains, CommonNote
from glassmind.types.connections import Connections, GraphLink, GraphNode, GraphPart
from glassmind.types.ledger import Passage, Shown
from glassmind.types.ranks import Metric, Ranking
from glassmind.types.themes import Themes
from glassmind.types.timeline import Timeline

MOST_SHOWN = 1_000
"""Items of one list that the engine returns."""

MOST_CHAINS, MOST_HOPS = 50, 20
"""Chains between two notes, and links of one chain, that the engine returns."""

Limit = Annotated[int, Meta(ge=1, le=MOST_SHOWN)]
NoteName = Annotated[str, Meta(max_length=4_096)]
GraphFormat = Literal["json", "graphml", "dot"]

Name = Annotated[NoteName, arg("Path, title or alias of a note.", positional="words")]
Depth = Annotated[int, arg("How many links away (1).", ge=1, le=3)]
Unresolved = Annotated[bool, arg("Include unresolved links: names that no file has.")]
ThemeName = Annotated[
    NoteName | None, arg("One theme, by its number or label.", metavar="THEME")
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

    def sources(self) -> Shown:
        passages, named = list[Passage](), list[str]()
        for part in parts_of(self):
            if isinstance(part, GraphLink) and part.sentence:
                passages.append(Passage(part.source, part.line, part.line))
            if isinstance(part, GraphNode) and part.properties and not part.ghost:
                passages.append(Passage(part.path))
            if isinstance(part, CommonNote):  # its link is shown without a line
                passages += [Passage(path) for path in note_paths([part.path])]
            for name in ("path", "source", "target", "hub"):
                value = getattr(part, name, None)
                named += [value] if isinstance(value, str) else []
            named += getattr(part, "via", ())
        return shown(passages, note_paths(named))


class ConnectionsArguments(Arguments):
    name: Name
    depth: Depth = 1
    limit: Annotated[
        Limit, arg("Maximum number of notes per hop (50).", short="-n")
    ] = 50
    ghosts: Unresolved = False
    subgraph: Annotated[
        bool, arg("In JSON, all links among these notes.", only=("cli", "http"))
    ] = False
    format: Annotated[
        GraphFormat | None,
        arg("JSON, or the notes and links as a graph file.", only=("cli", "http")),
    ] = None


class ConnectionsResult(GraphResult, Connections):
    """A note with its neighbours by hop, and similar notes without a link."""

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
"""Graph files with their media types, as IANA lists them."""


@operation(
    group="Graph",
    for_people=text.connections_for_people,
    for_models=text.connections_for_models,
    command=Command("graph connections"),
    tool=Tool(
        title="Show connections",
        sets=("core",),
        description=(
            "Show notes linked with a note, hop by hop, each link with its sentence, "
            "and similar notes without a link. <- links to it, -> is linked from it."
        ),
        page=Page("hops", most=200, inner="neighbours", grows=False),
    ),
    route=Route("GET", "/graph/connections", sets=("core", "graph"), fails=(404, 409)),
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
    return with_uris(vault, copied(ConnectionsResult, found))


class SubgraphArguments(Arguments):
    name: Name
    format: Annotated[GraphFormat, arg("The format.")] = "json"
    depth: Depth = 1
    limit: Annotated[int, arg("Maximum number of notes per hop.", ge=1, le=200)] = 20
    ghosts: Unresolved = False


class SubgraphResult(GraphResult, GraphPart):
    """A note, its neighbours and all links between them; `text` is the graph file."""

    path: str
    format: str
    notices: tuple[str, ...]
    text: str | UnsetType = UNSET


@operation(
    group="Graph",
    for_models=text.subgraph_for_models,
    tool=Tool(
        title="Export a subgraph",
        sets=("graph",),
        description=(
            "Export a note, its neighbours and every link between them as a graph: "
            "JSON, GraphML (Gephi, yEd) or DOT (Graphviz)."
        ),
        fits=True,
    ),
)
def subgraph(vault: Engine, arguments: SubgraphArguments) -> SubgraphResult:
    """Export a note, its neighbours and all links between them."""
    found = vault.knowledge.connections(
        note_name(vault, arguments.name, "name"),
        depth=arguments.depth,
        limit=arguments.limit,
        ghosts=arguments.ghosts,
        subgraph=True,
    )
    part = found.subgraph or GraphPart((), (), 0)
    writer = {"graphml": graph_as_graphml, "dot": graph_as_dot}.get(arguments.format)
    return copied(
        SubgraphResult,
        part,
        path=found.path,
        format=arguments.format,
        notices=found.notices,
        text=writer(part) if writer else UNSET,
    )


class PathArguments(Arguments):
    source: Annotated[NoteName, arg("A note.", positional="word")]
    target: Annotated[NoteName, arg("Another note.", positional="word")]
    limit: Annotated[
        int, arg("Maximum number of chains (5).", short="-n", ge=1, le=MOST_CHAINS)
    ] = 5
    most_hops: Annotated[
        int, arg("Maximum number of links in a chain (6).", ge=1, le=MOST_HOPS)
    ] = 6
    common: Annotated[
        bool,
        arg("List notes linked with both.", flag="--no-common", only=("cli", "http")),
    ] = True
    ghosts: Annotated[bool, arg("Follow unresolved links: names that no file has.")] = (
        False
    )


class PathResult(GraphResult, Chains):
    """Chains of links, shortest first; `reason` says why there are none."""

    def is_empty(self) -> bool:
        return not self.chains


@operation(
    group="Graph",
    for_people=text.path_for_people,
    for_models=text.path_for_models,
    command=Command("graph path"),
    tool=Tool(
        title="Find paths between notes",
        sets=("graph",),
        description=(
            "Find chains of links between two notes, shortest first, each link with "
            "its sentence, and the notes linked with both. Links are followed in both "
            "directions; without a chain, it says why."
        ),
        page=Page("chains", most=MOST_CHAINS, furthest=MOST_CHAINS),
    ),
    route=Route("GET", "/graph/path", sets=("graph",), fails=(404, 409)),
)
def path(vault: Engine, arguments: PathArguments, caller: Caller) -> PathResult:
    """Find chains of links between two notes."""
    source = note_name(vault, arguments.source, "source")
    target = note_name(vault, arguments.target, "target")
    found = vault.knowledge.path(
        source,
        target,
        limit=arguments.limit,
        most_hops=arguments.most_hops,
        common=arguments.common,
        ghosts=arguments.ghosts,
    )
    report_guesses(vault, caller, source, target, ghosts=arguments.ghosts)
    return with_uris(vault, copied(PathResult, found))


class ThemesArguments(Arguments):
    theme: ThemeName = None
    resolution: Resolution = None
    ghosts: Unresolved = False
    refresh: Annotated[
        bool,
        arg("Find the themes again and store them in the index.", only=("cli",)),
    ] = False


class ThemesResult(GraphResult, Themes):
    """Themes, largest first; `total` counts all, and `apart` notes in no theme."""

    vault: str

    def is_empty(self) -> bool:
        return not self.themes


@operation(
    group="Graph",
    for_people=text.themes_for_people,
    for_models=text.themes_for_models,
    command=Command("graph themes"),
    tool=Tool(
        title="Show themes",
        sets=("graph",),
        description=(
            "Show the themes of the vault: groups of notes that link to each other, "
            "largest first, each with its label and key members; by number or label, "
            "one theme with all its notes."
        ),
        page=Page("themes", most=MOST_SHOWN),
    ),
    route=Route("GET", "/graph/themes", sets=("graph",), fails=(404, 409)),
)
def themes(vault: Engine, arguments: ThemesArguments, caller: Caller) -> ThemesResult:
    """Show groups of notes that link to each other."""
    found = vault.knowledge.themes(**structs.asdict(arguments))
    usual = vault.config.graph.theme_resolution
    if found.resolution != usual:
        said = f"Resolution {found.resolution:g} instead of {usual:g} (the setting)"
        once = arguments.resolution is not None and not arguments.refresh
        undo = "To undo it: glassmind graph themes --refresh"
        caller.notice(f"{said}, for this answer only." if once else f"{said}. {undo}")
    name = vault.config.vault.name
    return with_uris(vault, copied(ThemesResult, found, vault=name))


class RankArguments(Arguments):
    metric: Annotated[Metric, arg("What counts (influence).")] = "influence"
    limit: Annotated[Limit, arg("Maximum number of notes (20).", short="-n")] = 20
    theme: ThemeName = None
    about: Annotated[
        NoteName | None,
        arg("Only notes around what this search finds.", metavar="QUERY", pattern=SAYS),
    ] = None
    least_inbound: Annotated[
        int,
        arg("Only notes that at least so many others link to (0).", ge=0, le=1_000_000),
    ] = 0
    ghosts: Unresolved = False


class RankResult(GraphResult, Ranking):
    """Notes by rank. `margin` bounds the error of a score, estimated from `samples`."""

    def is_empty(self) -> bool:
        return not self.notes


@operation(
    group="Graph",
    for_people=text.rank_for_people,
    for_models=text.rank_for_models,
    command=Command("graph rank"),
    tool=Tool(
        title="Rank notes",
        sets=("graph",),
        description=(
            "Rank notes: influence (linked from notes that matter), bridging (between "
            "groups), hubs (link to much), authorities (linked from hubs); of the "
            "vault, one theme, or around what a query finds."
        ),
        page=Page("notes", most=100, furthest=MOST_SHOWN),
    ),
    route=Route("GET", "/graph/rank", sets=("graph",), fails=(404, 409)),
)
def rank(vault: Engine, arguments: RankArguments) -> RankResult:
    """Rank notes by their links."""
    found = vault.knowledge.rank(**structs.asdict(arguments))
    return with_uris(vault, copied(RankResult, found))


class TimelineArguments(Arguments):
    name: Name
    limit: Annotated[
        Limit, arg("Maximum number of events, the latest (100).", short="-n")
    ] = 100


class TimelineResult(Result, Timeline):
    """The latest events around a note, earliest first; `total` counts all."""

    def sources(self) -> Shown:
        """Return the note and its linked notes; a sentence may be from either."""
        paths = note_paths([self.path, *(event.path for event in self.events)])
        return shown([Passage(path) for path in paths])

    def is_empty(self) -> bool:
        return not self.events


@operation(
    group="Graph",
    for_people=text.timeline_for_people,
    for_models=text.timeline_for_models,
    command=Command("graph timeline"),
    tool=Tool(
        title="Show a timeline",
        sets=("graph",),
        description=(
            "Show when a note was created and when links to it and from it appeared, "
            "each with where the date is from (properties, names, git, files)."
        ),
        page=Page("events", most=MOST_SHOWN, grows=False),
    ),
    route=Route("GET", "/graph/timeline", sets=("graph",), fails=(404, 409)),
)
def timeline(
    vault: Engine, arguments: TimelineArguments, caller: Caller
) -> TimelineResult:
    """Show when a note and its links appeared."""
    name = note_name(vault, arguments.name, "name")
    found = vault.knowledge.timeline(name, limit=arguments.limit)
    report_guesses(vault, caller, name)
    return with_uris(vault, copied(TimelineResult, found))
