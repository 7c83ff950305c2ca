"""The bars of the link graph: ratios against networkx in the same run.

    python benchmarks/graph.py [--large] [--only networkx|rebuilt|connections]

Both sides get the same graph and the same task, take turns, and are timed by the work
they do, since other programs share the machine. `connections` is timed by the clock: it
is what a caller waits for. Lines without a bar are there to be known.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
import vaults

from glassmind import Engine, open_vault
from glassmind.graph.link_graph import link_graph
from glassmind.links.communities import clusters, modularity
from glassmind.links.graph import LinkGraph, build, inner_links, rings, shortest_paths
from glassmind.links.ranks import bridging, influence
from glassmind.model.graph import LinkRows, NodeRows

LINKS_PER_NOTE, TOPIC = 5, 100
"""Links of a note, most of them to notes of its own topic; of so many notes each."""

NEAR = 0.7
"""How many links stay within the topic: real vaults have communities."""

WARM_MS = 5.0
"""What `connections` may take at 10,000 notes."""

ONLY = ("networkx", "rebuilt", "connections")
CHAINS = 5
SIZES, LARGE = (10_000,), (10_000, 100_000)
VAULTS, LARGE_VAULTS = (2_000, 5_000, 10_000), (2_000, 10_000, 50_000)
CACHE = Path(tempfile.gettempdir()) / "glassmind-benchmarks"


class Row(NamedTuple):
    """One measurement: ours, what it is held against, and the least or most ratio."""

    name: str
    ours_ms: float
    other_ms: float
    least: float = 0.0
    most: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether it missed its bar."""
        if self.least:
            return self.other_ms / self.ours_ms < self.least
        return bool(self.most) and self.ours_ms / self.other_ms > self.most

    def line(self) -> str:
        """Return a line of the table."""
        text = f"{self.name:<52}{self.ours_ms:>10.3f}{self.other_ms:>12.3f}"
        if self.most:
            text += f"{self.ours_ms / self.other_ms:>9.2%}  <= {self.most:.0%}"
        else:
            text += f"{self.other_ms / self.ours_ms:>8.1f}x"
        if self.least:
            text += f"  >= {self.least:g}x"
        bar = self.least or self.most
        return text + (("  MISSED" if self.failed else "  ok") if bar else "")


def work_ms(work: Callable[[], object], times: int = 1) -> float:
    """Return the processor time of one of so many runs, in milliseconds."""
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) * 1_000 / times


def in_turns(
    ours: Callable[[], object], other: Callable[[], object], turns: int, times: int = 1
) -> tuple[float, float]:
    """Return the median work of each, ours run `times` times in each turn."""
    ours()
    found = [(work_ms(ours, times), work_ms(other)) for _ in range(turns)]
    return statistics.median(f[0] for f in found), statistics.median(
        f[1] for f in found
    )


class Drawn(NamedTuple):
    """One graph, as rows for us and as pairs for networkx."""

    nodes: NodeRows
    links: LinkRows
    pairs: list[tuple[int, int]]


def drawn(count: int) -> Drawn:
    """Return a graph with communities, the same each time."""
    chance = np.random.default_rng(5)
    many = count * LINKS_PER_NOTE
    sources = np.sort(chance.integers(0, count, many))
    topics = sources // TOPIC * TOPIC
    near = topics + chance.integers(0, TOPIC, many)
    targets = np.where(
        chance.random(many) < NEAR, near, chance.integers(0, count, many)
    )
    targets %= count
    targets[targets == sources] = (targets[targets == sources] + 1) % count
    names = [f"{number:07}.md" for number in range(count)]
    nodes = NodeRows(np.arange(1, count + 1), names, names)
    rows = LinkRows(sources + 1, targets + 1, np.full(many, 8), [])
    return Drawn(
        nodes, rows, list(zip(sources.tolist(), targets.tolist(), strict=True))
    )


def networkx_graph(graph: Drawn) -> "nx.DiGraph[int]":
    """Return what networkx makes of the pairs."""
    made = nx.DiGraph()
    made.add_nodes_from(range(len(graph.nodes.ids)))
    made.add_edges_from(graph.pairs)
    return made


def whole(net: LinkGraph, other: "nx.DiGraph[int]", name: str) -> Iterator[Row]:
    """Yield what looks at the whole graph: ranks and communities."""
    plain = other.to_undirected()
    turns = 3 if len(net) > SIZES[0] else 5
    ranked = in_turns(partial(influence, net), partial(nx.pagerank, other), turns)
    yield Row(f"PageRank, {name}", *ranked, least=20)
    parted = in_turns(
        partial(clusters, net),
        partial(nx.community.louvain_communities, plain, seed=1),
        1 if len(net) > SIZES[0] else 3,
    )
    yield Row(f"communities (Leiden / Louvain), {name}", *parted, least=1)
    theirs = nx.community.louvain_communities(plain, seed=1) if turns > 3 else None
    found = modularity(net, clusters(net))
    said = f"    modularity {found:.4f}"
    if theirs is not None:
        said += f", Louvain's {nx.community.modularity(plain, theirs):.4f}"
    spent = work_ms(partial(bridging, net))
    sampled = bridging(net)
    print(f"{said}; bridging from {sampled.samples} roots {spent:.0f} ms, "
          f"error {sampled.error:.4f}")  # fmt: skip


def neighbourhood(net: LinkGraph, node: int) -> object:
    """Return all within two hops and the links between them."""
    around = rings(net, [node], 2)
    return inner_links(net, np.concatenate([[node], *around]))


def near(net: LinkGraph, other: "nx.DiGraph[int]", name: str) -> Iterator[Row]:
    """Yield what looks at a part of the graph: two hops, and chains."""
    plain = other.to_undirected()
    chance = np.random.default_rng(9)
    starts = chance.integers(0, len(net), 40).tolist()
    ends = list(pairwise(starts[:11]))
    chains = partial(shortest_paths, net, most_hops=12)

    def each(work: Callable[..., object], of: Sequence[object]) -> Callable[[], None]:
        def run() -> None:
            for item in of:
                work(*item) if isinstance(item, tuple) else work(item)

        return run

    def row(title: str, pair: tuple[float, float], count: int, least: float) -> Row:
        return Row(f"{title}, {name}", pair[0] / count, pair[1] / count, least)

    pair = in_turns(
        each(partial(neighbourhood, net), starts),
        each(lambda node: nx.ego_graph(plain, node, 2), starts),
        5,
    )
    yield row("2 hops with their links", pair, len(starts), 5)
    pair = in_turns(
        each(lambda node: rings(net, [node], 2), starts),
        each(
            lambda node: nx.single_source_shortest_path_length(plain, node, cutoff=2),
            starts,
        ),
        5,
        3,
    )
    yield row("2 hops, nodes alone", pair, len(starts), 0)
    pair = in_turns(
        each(partial(chains, limit=CHAINS), ends),
        each(
            lambda a, b: list(islice(nx.shortest_simple_paths(plain, a, b), CHAINS)),
            ends,
        ),
        3,
        3,
    )
    yield row(f"{CHAINS} shortest chains", pair, len(ends), 5)
    pair = in_turns(
        each(partial(chains, limit=1), ends),
        each(lambda a, b: nx.shortest_path(plain, a, b), ends),
        5,
        3,
    )
    yield row("1 shortest chain", pair, len(ends), 0)


def beside_networkx(sizes: Sequence[int]) -> Iterator[Row]:
    """Yield every measurement against networkx."""
    for count in sizes:
        graph = drawn(count)
        name = f"{count:,} / {len(graph.pairs):,}"
        made = partial(build, "", graph.nodes, graph.links)
        pair = in_turns(made, partial(networkx_graph, graph), 3, 3)
        yield Row(f"build, {name}", *pair, least=20)
        net, other = made(), networkx_graph(graph)
        yield from whole(net, other, name)
        yield from near(net, other, name)


def opened(root: Path, place: Path) -> Engine:
    """Return an engine with an index of the text in `place`."""
    settings = {"index.location": str(place), "embeddings.backend": "none"}
    engine = open_vault(root, settings=settings, env={})
    engine.index(embed=False)
    return engine


def rebuilt(root: Path, engine: Engine) -> Row:
    """Return what the first graph costs after a change, beside reading the rows."""
    note, spent = root / "changed.md", list[tuple[float, float]]()
    rows = engine._vault.rows()

    def read() -> object:
        return rows.graph_nodes(), rows.graph_links()

    try:
        for turn in range(9):
            note.write_text(f"To [[{turn}]].\n")
            engine.index(paths=["changed.md"], embed=False)
            graph = work_ms(lambda: link_graph(engine._vault).around(0))
            spent.append((graph, work_ms(read)))
    finally:
        note.unlink(missing_ok=True)
    ours, other = (statistics.median(column) for column in zip(*spent, strict=True))
    many = f"{len(link_graph(engine._vault)):,} notes"
    return Row(f"graph after a change / reading its rows, {many}", ours, other)


def connections(engine: Engine, count: int) -> Row:
    """Return what a caller waits for the neighbours of a note, by the clock."""
    net = link_graph(engine._vault)
    chance = np.random.default_rng(3)
    names = [str(net.paths[node]) for node in chance.integers(0, len(net), 120)]
    times, works = [], []
    for turn, name in enumerate([*names[:20], *names]):
        began = time.perf_counter()
        spent = work_ms(partial(engine.knowledge.connections, name))
        if turn >= 20:
            times.append((time.perf_counter() - began) * 1_000)
            works.append(spent)
    p95, work = statistics.quantiles(times, n=20)[-1], statistics.median(works)
    print(f"    connections, {count:,} notes: p95 {p95:.2f} ms, work p50 {work:.2f} ms")
    middle = statistics.median(times)
    least = 1.0 if count == SIZES[0] else 0.0
    return Row(
        f"connections p50 / {WARM_MS:g} ms, {count:,} notes", middle, WARM_MS, least
    )


def in_vaults(sizes: Sequence[int], only: str) -> Iterator[Row]:
    """Yield what is measured over generated vaults."""
    for count in sizes:
        if only == "rebuilt" and count != SIZES[0]:
            continue
        root = CACHE / f"vault-{count}"
        vaults.write_vault(root, count)
        with tempfile.TemporaryDirectory(prefix="glassmind-bench-") as folder:
            engine = opened(root, Path(folder))
            if only in {"", "connections"}:
                yield connections(engine, count)
            if only in {"", "rebuilt"} and count >= SIZES[0]:
                yield rebuilt(root, engine)
            engine.close()


def main() -> int:
    """Print the table; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="ten times the graph too")
    parser.add_argument("--only", default="", choices=ONLY)
    given = parser.parse_args()
    print(f"{'':<52}{'ours ms':>10}{'other ms':>12}{'ratio':>9}")
    missed = False
    parts: list[Iterator[Row]] = []
    if given.only in {"", "networkx"}:
        parts.append(beside_networkx(LARGE if given.large else SIZES))
    if given.only != "networkx":
        parts.append(in_vaults(LARGE_VAULTS if given.large else VAULTS, given.only))
    for part in parts:
        for row in part:
            print(row.line(), flush=True)
            missed |= row.failed
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
