"""The graph in memory follows the rows, and its notes are numbered by path."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from graph_harness import content
from vault_harness import VaultHarness

from glassmind.errors import IndexAbsent
from glassmind.graph.link_graph import link_graph
from glassmind.links.graph import LinkGraph


def graph_of(harness: VaultHarness, *, ghosts: bool = False) -> LinkGraph:
    return link_graph(harness.engine._vault, ghosts=ghosts)


def ring(count: int) -> dict[str, str]:
    """Return notes of which each leads to the next."""
    return {f"n{i:03}.md": f"to [[n{(i + 1) % count:03}]]" for i in range(count)}


def test_a_graph_that_was_given_out_stays_as_it_was(vault: VaultHarness) -> None:
    vault.indexed(ring(5))
    before = graph_of(vault)
    told = content(before)

    vault.indexed({"n002.md": "nowhere", "a.md": "[[n000]]"})

    assert len(graph_of(vault)) == 6
    assert content(before) == told


def test_the_same_graph_serves_until_something_changes(vault: VaultHarness) -> None:
    vault.indexed(ring(5))
    before = graph_of(vault)

    assert graph_of(vault) is before
    assert graph_of(vault, ghosts=True) is graph_of(vault, ghosts=True)
    vault.indexed({"n001.md": "to [[n003]]"})
    assert graph_of(vault).outward(1).tolist() == [3]
    assert graph_of(vault, ghosts=True).outward(1).tolist() == [3]
    vault.move("n004.md", "a.md")
    vault.index()
    assert list(graph_of(vault).paths)[:2] == ["a.md", "n000.md"]


def test_an_index_that_is_made_anew_gives_another_graph(vault: VaultHarness) -> None:
    vault.indexed(ring(8))
    graph_of(vault)

    vault.remove("n003.md")
    vault.index(rebuild=True)

    assert len(graph_of(vault)) == 7


def test_without_an_index_there_is_no_graph(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        graph_of(vault)


def test_many_threads_share_one_graph(vault: VaultHarness) -> None:
    vault.indexed(ring(40))

    with ThreadPoolExecutor(8) as pool:
        first = list(pool.map(lambda _: graph_of(vault), range(16)))
        vault.indexed({"n007.md": "to [[n009]]"})
        second = list(pool.map(lambda _: graph_of(vault, ghosts=True), range(16)))

    assert len({id(net) for net in first}) == 1
    assert len({id(net) for net in second}) == 1
    assert second[0].outward(7).tolist() == [9]


def test_spellings_of_a_ghost_are_one_node_behind_the_notes(
    vault: VaultHarness,
) -> None:
    vault.indexed({"a.md": "[[Tea]] [[tea.md]] [[Zoo]]", "b.md": "[[a]] [[TEA]]"})

    net = graph_of(vault, ghosts=True)

    assert (list(net.paths), net.note_count) == (["a.md", "b.md", "TEA", "Zoo"], 2)
    assert net.node_at("tEa") == 2
    assert net.inward(2).tolist() == [0, 1]
    assert [edge.seq for edge in net.edges(0, 2)] == [0, 1]
    assert net.ids.tolist()[2:] == [0, 0]
    assert graph_of(vault).node_at("Tea") is None


def test_kinds_properties_and_lines_are_told(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "a.md": '---\nup: "[[b]]"\n---\n![[b]]\n\n[b](b.md) and [[b|here]]\n',
            "b.md": "[[pic.png]] [[#Own]]",
            "c.canvas": '{"nodes":[{"id":"1","type":"file","file":"b.md"}]}',
            "pic.png": b"\x89PNG",
        }
    )

    net = graph_of(vault)

    told = [(e.kind, e.property, e.line, e.confidence) for e in net.edges(0, 1)]
    assert told == [
        ("property", "up", 2, 0.7),
        ("embed", "", 4, 1.0),
        ("markdown", "", 6, 1.0),
        ("link", "", 6, 1.0),
    ]
    assert [edge.kind for end in net.outward(2) for edge in net.edges(2, int(end))] == [
        "canvas"
    ]
    assert not len(net.outward(1))
