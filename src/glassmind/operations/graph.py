"""Operations on the link graph: connections, paths, themes, ranks, timelines."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, assert_never

from msgspec import UNSET, Meta, Struct, UnsetType

from glassmind.engine import Engine
from glassmind.operations import graph_text as text
from glassmind.operations.graph_files import graph_as_dot, graph_as_graphml
from glassmind.operations.names import note_name, report_guesses
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
    shown,
)
from glassmind.render.address import obsidian_uri
from glassmind.render.style import counted
from glassmind.retrieval.wishes import SAYS
from glassmind.types import NotePath
from glassmind.types import chains as chain_types
from glassmind.types import connections as connection_types
from glassmind.types import themes as theme_types
from glassmind.types.connections import Direction
from glassmind.types.graph import EdgeKind
from glassmind.types.ledger import Passage, Shown
from glassmind.types.ranks import Metric
from glassmind.types.timeline import DateOrigin, EventKind

MOST_SHOWN = 1_000
"""Items of one list that the engine returns."""

MOST_CHAINS, MOST_HOPS = 50, 20
"""Chains between two notes, and links of one chain, that the engine returns."""

Limit = Annotated[int, Meta(ge=1, le=MOST_SHOWN)]
NoteName = Annotated[str, Meta(max_length=4_096)]

Name = Annotated[
    NoteName,
    arg(
        "Path, title or alias of a note.",
        positional="words",
        for_models="path, title or alias",
    ),
]
Depth = Annotated[
    Annotated[int, Meta(ge=1, le=3)],
    arg("How many links away (1).", for_models="links away"),
]
Unresolved = Annotated[
    bool,
    arg(
        "Include unresolved links: names that no file has.",
        for_models="linked names without a note too",
    ),
]
ThemeName = Annotated[
    NoteName | None,
    arg(
        "One theme, by its number or label.",
        metavar="THEME",
        for_models="number or label",
    ),
]


class GraphLink(Struct, frozen=True):
    """One link with the sentence around it.

    `source` and `target` are paths, or the name of an unresolved link; `line` is of
    the source.
    """

    source: str
    target: str
    kind: EdgeKind
    property: str
    confidence: float
    line: int
    sentence: str


class ThemeLabel(Struct, frozen=True):
    """The theme of a note."""

    id: int
    label: str


def link_sources(links: Iterable[GraphLink]) -> tuple[list[Passage], list[str]]:
    """Return the lines that links quote, and the notes they name."""
    passages = [
        Passage(one.source, one.line, one.line) for one in links if one.sentence
    ]
    return passages, note_paths(
        end for one in links for end in (one.source, one.target)
    )


def _links(found: Iterable[connection_types.Tie]) -> list[GraphLink]:
    return [copied(GraphLink, tie) for tie in found]


def note_uri_of(vault: Engine, path: str, *, ghost: bool = False) -> str | None:
    """Return the Obsidian address of a note; opening an unresolved name creates it."""
    return None if ghost else obsidian_uri(vault.config.vault.name, NotePath(path))


def _theme_label(theme: connection_types.ThemeName | None) -> ThemeLabel | None:
    return copied(ThemeLabel, theme) if theme else None


class ConnectionsArguments(Arguments, frozen=True, kw_only=True):
    name: Name
    depth: Depth = 1
    limit: Annotated[
        Limit,
        arg("Maximum number of notes per hop (50).", short="-n", for_models="per hop"),
    ] = 50
    ghosts: Unresolved = False
    subgraph: Annotated[
        bool, arg("In JSON, all links among these notes.", only=("cli", "http"))
    ] = False
    format: Annotated[
        Literal["json", "graphml", "dot"] | None,
        arg("JSON, or the notes and links as a graph file.", only=("cli", "http")),
    ] = None


class Neighbour(Struct, frozen=True, kw_only=True):
    """A note so many hops away.

    `via` are the notes on the way to it. `directions` and `edges` are of the links
    between it and the last of these.
    """

    path: str
    title: str
    ghost: bool
    hop: int
    directions: list[Direction]
    via: list[str]
    edges: list[GraphLink]
    edges_total: int
    shared_tags: list[str]
    uri: str | None


class HopNotes(Struct, frozen=True, kw_only=True):
    """The notes so many hops away, and how many there are in all."""

    hop: int
    total: int
    inbound_total: int
    outbound_total: int
    neighbours: list[Neighbour]


class SimilarNote(Struct, frozen=True):
    """A similar note without a link."""

    path: str
    title: str
    similarity: float
    uri: str | None


class GraphNode(Struct, frozen=True):
    """A note, or an unresolved name, in a part of the graph."""

    path: str
    title: str
    hop: int
    ghost: bool
    tags: list[str]
    properties: dict[str, Any]


class GraphPart(Struct, frozen=True):
    """Notes and the links between them; `edges_total` counts links left out too."""

    nodes: list[GraphNode]
    edges: list[GraphLink]
    edges_total: int

    def sources(self) -> tuple[list[Passage], list[str]]:
        """Return the notes whose properties or lines are shown, and those named."""
        passages, named = link_sources(self.edges)
        passages += [
            Passage(node.path)
            for node in self.nodes
            if node.properties and not node.ghost
        ]
        return passages, [*named, *note_paths(node.path for node in self.nodes)]


class ConnectionsResult(Result, frozen=True, kw_only=True):
    """A note with its neighbours by hop, and similar notes without a link."""

    path: str
    title: str
    ghost: bool
    tags: list[str]
    theme: ThemeLabel | None
    uri: str | None
    depth: int
    hops: list[HopNotes]
    similar: list[SimilarNote]
    subgraph: GraphPart | UnsetType = UNSET
    notices: list[str]

    def sources(self) -> Shown:
        """Return the lines with links, and every note that is named."""
        near = [one for hop in self.hops for one in hop.neighbours]
        passages, named = link_sources(edge for one in near for edge in one.edges)
        names = [self.path, *(one.path for one in self.similar)]
        names += [one.path for one in near]
        names += [name for one in near for name in one.via]
        if self.subgraph:
            more, others = self.subgraph.sources()
            passages, names = passages + more, names + others
        return shown(passages, [*named, *note_paths(names)])

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
    return copied(
        ConnectionsResult,
        found,
        theme=_theme_label(found.theme),
        uri=note_uri_of(vault, found.path, ghost=found.ghost),
        hops=[_hop(vault, ring) for ring in found.rings],
        similar=[
            copied(SimilarNote, note, uri=note_uri_of(vault, note.path))
            for note in found.similar
        ],
        subgraph=graph_part(found.subgraph) if found.subgraph else UNSET,
    )


def _hop(vault: Engine, ring: connection_types.Ring) -> HopNotes:
    near = [
        copied(
            Neighbour,
            one,
            edges=_links(one.edges),
            uri=note_uri_of(vault, one.path, ghost=one.ghost),
        )
        for one in ring.neighbours
    ]
    return copied(
        HopNotes,
        ring,
        inbound_total=ring.inbound,
        outbound_total=ring.outbound,
        neighbours=near,
    )


def graph_part(found: connection_types.Subgraph) -> GraphPart:
    """Return the typed result of a part of the graph."""
    return GraphPart(
        [
            copied(GraphNode, node, properties=dict(node.properties))
            for node in found.nodes
        ],
        _links(found.edges),
        found.edges_total,
    )


class SubgraphArguments(Arguments, frozen=True, kw_only=True):
    name: Name
    format: Annotated[
        Literal["json", "graphml", "dot"], arg("The format.", for_models="")
    ] = "json"
    depth: Depth = 1
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=200)],
        arg("Maximum number of notes per hop.", for_models="per hop"),
    ] = 20
    ghosts: Unresolved = False


class SubgraphResult(Result, frozen=True, kw_only=True):
    """A note, its neighbours and all links between them; `text` is the graph file."""

    path: str
    format: str
    nodes: list[GraphNode]
    edges: list[GraphLink]
    edges_total: int
    text: str | UnsetType = UNSET
    notices: list[str]

    def sources(self) -> Shown:
        """Return the notes whose properties or lines are shown, and those named."""
        passages, named = self.part.sources()
        return shown(passages, note_paths([self.path, *named]))

    @property
    def part(self) -> GraphPart:
        """The notes and links."""
        return GraphPart(self.nodes, self.edges, self.edges_total)


@operation(
    group="Graph",
    for_people=text.connections_for_people,
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
    part = graph_part(found.subgraph or connection_types.Subgraph((), (), 0))
    writers = {"graphml": graph_as_graphml, "dot": graph_as_dot}
    writer = writers.get(arguments.format)
    return SubgraphResult(
        path=found.path,
        format=arguments.format,
        nodes=part.nodes,
        edges=part.edges,
        edges_total=part.edges_total,
        text=writer(part) if writer else UNSET,
        notices=list(found.notices),
    )


class PathArguments(Arguments, frozen=True, kw_only=True):
    source: Annotated[
        NoteName,
        arg("A note.", positional="word", for_models="path, title or alias"),
    ]
    target: Annotated[NoteName, arg("Another note.", positional="word", for_models="")]
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_CHAINS)],
        arg("Maximum number of chains (5).", short="-n", for_models="chains"),
    ] = 5
    most_hops: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_HOPS)],
        arg("Maximum number of links in a chain (6).", for_models=""),
    ] = 6
    common: Annotated[
        bool,
        arg("List notes linked with both.", flag="--no-common", only=("cli", "http")),
    ] = True
    ghosts: Annotated[
        bool,
        arg(
            "Follow unresolved links: names that no file has.",
            for_models="also through linked names without a note",
        ),
    ] = False


class PathNote(Struct, frozen=True, kw_only=True):
    """A note on the way."""

    path: str
    title: str
    ghost: bool
    uri: str | None


class CommonNote(PathNote, frozen=True, kw_only=True):
    """A note that is linked with both ends, seen from each of them."""

    from_source: list[Direction]
    from_target: list[Direction]


class PathStep(Struct, frozen=True):
    """From one note to the next; `outbound` is the direction of the chain."""

    directions: list[Direction]
    edges: list[GraphLink]
    edges_total: int


class Chain(Struct, frozen=True):
    """One chain of links; `length` counts them."""

    length: int
    notes: list[PathNote]
    steps: list[PathStep]


class NoPath(Struct, frozen=True, kw_only=True):
    """Why there is no chain: its kind, a sentence, and the figures of that kind."""

    kind: Literal["same_note", "not_connected", "too_far", "only_through_ghosts"]
    text: str
    source_size: int | UnsetType = UNSET
    target_size: int | UnsetType = UNSET
    most_hops: int | UnsetType = UNSET
    shortest: int | UnsetType = UNSET
    ghosts: list[str] | UnsetType = UNSET
    hops: int | UnsetType = UNSET


class PathResult(Result, frozen=True, kw_only=True):
    """Chains of links, shortest first; `reason` says why there are none."""

    source: PathNote
    target: PathNote
    chains: list[Chain]
    cut: bool
    reason: NoPath | None
    common: list[CommonNote]
    common_total: int
    notices: list[str]

    def sources(self) -> Shown:
        """Return the lines with links, notes linked with both, and notes on the way."""
        steps = [step for chain in self.chains for step in chain.steps]
        passages, named = link_sources(edge for step in steps for edge in step.edges)
        # the link is shown without its line
        passages += [
            Passage(path) for path in note_paths(one.path for one in self.common)
        ]
        stops = [self.source, self.target]
        stops += [note for chain in self.chains for note in chain.notes]
        return shown(passages, [*named, *note_paths(stop.path for stop in stops)])

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
    return copied(
        PathResult,
        found,
        source=_path_note(vault, found.source),
        target=_path_note(vault, found.target),
        chains=[
            Chain(
                len(chain.steps),
                [_path_note(vault, stop) for stop in chain.stops],
                [copied(PathStep, one, edges=_links(one.edges)) for one in chain.steps],
            )
            for chain in found.chains
        ],
        reason=no_path(found.reason) if found.reason else None,
        common=[
            CommonNote(
                path=near.stop.path,
                title=near.stop.title,
                ghost=near.stop.ghost,
                uri=note_uri_of(vault, near.stop.path, ghost=near.stop.ghost),
                from_source=list(near.from_source),
                from_target=list(near.from_target),
            )
            for near in found.common
        ],
    )


def _path_note(vault: Engine, stop: chain_types.Stop) -> PathNote:
    return copied(PathNote, stop, uri=note_uri_of(vault, stop.path, ghost=stop.ghost))


def no_path(reason: chain_types.NoChain) -> NoPath:
    """Return why there is no chain, and what to do."""
    match reason:
        case chain_types.SameNote():
            return NoPath(kind="same_note", text="both names mean the same note")
        case chain_types.NotConnected(ours, theirs):
            said = (
                "no chain of links connects them: the first is connected with "
                f"{counted(ours - 1, 'note')}, the second with "
                f"{counted(theirs - 1, 'note')}"
            )
            return NoPath(
                kind="not_connected", text=said, source_size=ours, target_size=theirs
            )
        case chain_types.TooFar(most, shortest):
            said = (
                f"the shortest chain has {shortest:,} links, more than the {most:,} "
                "allowed; allow more hops to see it"
            )
            return NoPath(kind="too_far", text=said, most_hops=most, shortest=shortest)
        case chain_types.OnlyThroughGhosts(ghosts, hops):
            said = f"only unresolved links connect them: {', '.join(ghosts)}"
            return NoPath(
                kind="only_through_ghosts", text=said, ghosts=list(ghosts), hops=hops
            )
        case _:
            assert_never(reason)


class ThemesArguments(Arguments, frozen=True, kw_only=True):
    theme: ThemeName = None
    resolution: Annotated[
        Annotated[float, Meta(ge=0.01, le=100)] | None,
        arg(
            "Above 1 finds more and smaller themes, below 1 fewer.",
            metavar="R",
            for_models="above 1 more and smaller themes",
        ),
    ] = None
    ghosts: Unresolved = False
    refresh: Annotated[
        bool,
        arg("Find the themes again and store them in the index.", only=("cli",)),
    ] = False


class TagCount(Struct, frozen=True):
    """A tag, and how many members of a theme have it."""

    name: str
    notes: int


class ThemeMember(Struct, frozen=True):
    """A note of a theme; `influence` is its share of the theme, all make 1."""

    path: str
    title: str
    influence: float
    ghost: bool
    uri: str | None


class Theme(Struct, frozen=True, kw_only=True):
    """A group of notes that are linked with each other more than with others.

    It is `confirmed` if most members name one note, its `hub`, in a property. An id
    below 0 is only valid for this answer.
    """

    id: int
    label: str
    summary: str
    size: int
    standing: theme_types.Standing
    hub: str | None
    tags: list[TagCount]
    members: list[ThemeMember]


class ThemesResult(Result, frozen=True, kw_only=True):
    """Themes, largest first. `apart` counts notes in no theme."""

    vault: str
    themes: list[Theme]
    total: int
    modularity: float
    resolution: float
    notes: int
    apart: int
    ghosts: bool
    warning: str

    def sources(self) -> Shown:
        """Return the notes of the themes."""
        members = [one.path for theme in self.themes for one in theme.members]
        return shown(named=note_paths([*members, *(one.hub for one in self.themes)]))

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
    found = vault.knowledge.themes(
        theme=arguments.theme,
        resolution=arguments.resolution,
        ghosts=arguments.ghosts,
        refresh=arguments.refresh,
    )
    usual = vault.config.graph.theme_resolution
    if found.resolution != usual:
        said = f"Resolution {found.resolution:g} instead of {usual:g} (the setting)"
        once = arguments.resolution is not None and not arguments.refresh
        undo = "To undo it: glassmind graph themes --refresh"
        caller.notice(f"{said}, for this answer only." if once else f"{said}. {undo}")
    return copied(
        ThemesResult,
        found,
        vault=vault.config.vault.name,
        themes=[_theme(vault, theme) for theme in found.themes],
    )


def _theme(vault: Engine, theme: theme_types.Theme) -> Theme:
    return copied(
        Theme,
        theme,
        hub=theme.hub or None,
        tags=[TagCount(name, count) for name, count in theme.tags],
        members=[
            copied(ThemeMember, one, uri=note_uri_of(vault, one.path, ghost=one.ghost))
            for one in theme.members
        ],
    )


class RankArguments(Arguments, frozen=True, kw_only=True):
    metric: Annotated[Metric, arg("What counts (influence).", for_models="")] = (
        "influence"
    )
    limit: Annotated[
        Limit, arg("Maximum number of notes (20).", short="-n", for_models="")
    ] = 20
    theme: ThemeName = None
    about: Annotated[
        NoteName | None,
        arg(
            "Only notes around what this search finds.",
            metavar="QUERY",
            pattern=SAYS,
            for_models="a search query",
        ),
    ] = None
    least_inbound: Annotated[
        Annotated[int, Meta(ge=0, le=1_000_000)],
        arg(
            "Only notes that at least so many others link to (0).",
            for_models="least notes that link to it",
        ),
    ] = 0
    ghosts: Unresolved = False


class RankedNote(Struct, frozen=True, kw_only=True):
    """A note and its place; `hit` says that the search `about` found it."""

    rank: int
    path: str
    title: str
    ghost: bool
    score: float
    inbound: int
    outbound: int
    hit: bool
    reason: str
    uri: str | None


class RankResult(Result, frozen=True, kw_only=True):
    """Notes by rank. `margin` bounds the error of a score, estimated from `samples`."""

    metric: str
    theme: ThemeLabel | None
    about: str
    notes: list[RankedNote]
    total: int
    margin: float
    samples: int
    notices: list[str]

    def sources(self) -> Shown:
        """Return the notes."""
        return shown(named=note_paths(note.path for note in self.notes))

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
    found = vault.knowledge.rank(
        metric=arguments.metric,
        limit=arguments.limit,
        theme=arguments.theme,
        about=arguments.about,
        least_inbound=arguments.least_inbound,
        ghosts=arguments.ghosts,
    )
    return copied(
        RankResult,
        found,
        theme=_theme_label(found.theme),
        notes=[
            copied(
                RankedNote, note, uri=note_uri_of(vault, note.path, ghost=note.ghost)
            )
            for note in found.notes
        ],
        margin=found.error,
    )


class TimelineArguments(Arguments, frozen=True, kw_only=True):
    name: Name
    limit: Annotated[
        Limit,
        arg(
            "Maximum number of events, the latest (100).",
            short="-n",
            for_models="latest",
        ),
    ] = 100


class TimelineEvent(Struct, frozen=True, kw_only=True):
    """Something that happened to a note, to a link of it or to a linked note.

    `origin` says where the date is from.
    """

    day: str
    time: str
    kind: EventKind
    path: str
    title: str
    origin: DateOrigin
    detail: str
    sentence: str
    commit: str
    uri: str


class TimelineResult(Result, frozen=True, kw_only=True):
    """The latest events around a note, earliest first; `total` counts all."""

    path: str
    title: str
    uri: str
    events: list[TimelineEvent]
    total: int
    notices: list[str]

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
    return copied(
        TimelineResult,
        found,
        uri=note_uri_of(vault, found.path),
        events=[
            copied(TimelineEvent, event, uri=note_uri_of(vault, event.path))
            for event in found.events
        ],
    )
