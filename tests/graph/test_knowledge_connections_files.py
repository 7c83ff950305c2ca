"""Parts of the graph for other programs: whatever notes say, the files hold it."""

import io
import re
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operation_harness import text_of, values_of
from vault_harness import VaultHarness

from glassmind.graph import connections
from glassmind.graph.export import graph_as_dot, graph_as_graphml
from glassmind.model.graph import GraphLink, GraphNode, GraphPart

SPACE = "{http://graphml.graphdrawing.org/xmlns}"

texts = st.text(max_size=20)


@st.composite
def graphs(draw: st.DrawFn) -> GraphPart:
    paths = draw(st.lists(texts, min_size=1, max_size=5, unique=True))
    nodes = [
        GraphNode(path, draw(texts), hop, draw(st.booleans()), (draw(texts),), {})
        for hop, path in enumerate(paths)
    ]
    ends = st.sampled_from(paths)
    edges = [
        GraphLink(draw(ends), draw(ends), "link", draw(texts), 0.7, 3, draw(texts))
        for _ in range(draw(st.integers(0, 5)))
    ]
    return GraphPart(tuple(nodes), tuple(edges), len(edges))


@given(graphs())
def test_graphml_reads_back_as_it_was(graph: GraphPart) -> None:
    tree = ET.fromstring(graph_as_graphml(graph).encode())  # noqa: S314 - our own

    def values(kind: str, key: str) -> list[str]:
        found = tree.findall(f".//{SPACE}{kind}/{SPACE}data[@key='{kind}_{key}']")
        return [one.text or "" for one in found]

    assert values("node", "path") == [cleaned(node.path) for node in graph.nodes]
    assert values("edge", "sentence") == [cleaned(t.sentence) for t in graph.edges]
    ids = [node.attrib["id"] for node in tree.findall(f".//{SPACE}node")]
    ends = [
        (graph.nodes[ids.index(e.attrib["source"])].path, e.attrib["id"])
        for e in tree.findall(f".//{SPACE}edge")
    ]
    assert ends == [(tie.source, f"e{n}") for n, tie in enumerate(graph.edges)]


def cleaned(text: str) -> str:
    """What XML can say of a text."""
    return "".join(
        letter
        if letter in "\t\n\r" or (letter >= " " and letter not in "\ufffe\uffff")
        else "\ufffd"
        for letter in text
    )


QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')


@given(graphs())
def test_no_text_of_a_note_ends_a_string_of_dot(graph: GraphPart) -> None:
    lines = graph_as_dot(graph).split("\n")

    assert len(lines) == len(graph.nodes) + len(graph.edges) + 4
    for line in lines[2:-2]:
        bare = QUOTED.sub("", line)
        assert re.fullmatch(r"  n\d( -> n\d)? \[([a-z]+=(, )?)*\];", bare), line


def test_graphml_loads_in_networkx_with_parallel_links(vault: VaultHarness) -> None:
    nx = pytest.importorskip("networkx")
    vault.indexed({"A & B.md": '<[[C]]> and\x0b [[C|"more"]]', "C.md": "[[A & B]]"})
    found = vault.engine.knowledge.connections("C", subgraph=True)
    assert found.subgraph

    made = graph_as_graphml(found.subgraph)

    read = nx.read_graphml(io.BytesIO(made.encode()))
    assert sorted(path for _, path in read.nodes(data="path")) == ["A & B.md", "C.md"]
    assert read.number_of_edges() == 3
    assert read.is_directed()


def test_the_same_graph_gives_the_same_bytes(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": f"[[{(n * 7) % 20}]] [[{n + 1}]]" for n in range(20)})

    one = vault.engine.knowledge.connections("3", depth=3, subgraph=True)
    other = vault.open().knowledge.connections("3", depth=3, subgraph=True)

    assert one.subgraph
    assert other.subgraph
    first, second = one.subgraph, other.subgraph
    assert graph_as_dot(first) == graph_as_dot(second)
    assert graph_as_graphml(first) == graph_as_graphml(second)
    values = values_of(vault.engine, "connections", name="3", depth=3, subgraph=True)
    assert msgspec.json.encode(values["subgraph"]) == msgspec.json.encode(first)


def test_links_that_are_left_out_are_told_of_in_the_answer_and_in_the_files(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_EDGES", 5)
    vault.indexed({"Hub.md": "".join(f"[[{n}]]\n" for n in range(9))})
    vault.indexed({f"{n}.md": "[[Hub]]" for n in range(9)})
    said = (
        "5 of 18 links between these notes are shown, those of the nearest; "
        "with a lower limit or depth there are fewer"
    )

    found = vault.engine.knowledge.connections("Hub", subgraph=True)

    assert found.subgraph
    assert found.notices == (said,)
    part = found.subgraph
    lines = graph_as_graphml(part).splitlines()
    assert lines[1] == f"<!-- {said} -->"
    tree = ET.fromstring("\n".join(lines).encode())  # noqa: S314 - our own
    assert len(tree.findall(f".//{SPACE}edge")) == 5
    assert graph_as_dot(part).startswith(f"// {said}\ndigraph ")
    assert vault.engine.knowledge.connections("Hub").notices == ()


def test_a_long_title_of_controls_leaves_the_files_whole(vault: VaultHarness) -> None:
    odd = "".join(map(chr, range(1, 32))) + '\x7f\x85\u2028\ufffe<&>"\\]]>-->' * 200
    node = GraphNode("A.md", odd, 0, ghost=False, tags=(odd,), properties={})
    link = GraphLink("A.md", "A.md", "property", odd, 0.7, 1, odd)
    graph = GraphPart((node,), (link,), 2)

    tree = ET.fromstring(graph_as_graphml(graph).encode())  # noqa: S314 - our own
    lines = graph_as_dot(graph).split("\n")

    title = tree.find(f".//{SPACE}node/{SPACE}data[@key='node_title']")
    assert title is not None
    assert title.text == cleaned(odd)
    assert len(lines) == 7
    assert all(QUOTED.sub("", line).count('"') == 0 for line in lines[1:])


def test_people_read_a_line_for_each_neighbour(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "see [[B]] #x", "B.md": "\x1b[31m[[C]] #X", "C.md": "[[B]]"})

    shown = text_of(vault.engine, "connections", name="A", depth=2)

    assert shown == (
        "A.md  #x  theme: B\n"
        "\n"
        "1 hop: 1 note, 0 inbound, 1 outbound\n"
        "  -> B.md  #x\n"
        "       see [[B]] #x  A.md:1\n"
        "\n"
        "2 hops: 1 note, 1 inbound, 1 outbound\n"
        "  <> C.md  via B.md\n"
        "       \\x1b[31m[[C]] #X  B.md:1\n"
        "       [[B]]  C.md:1\n"
    )


def test_a_note_alone_says_so(vault: VaultHarness) -> None:
    vault.indexed({"A.md": ""})

    text = text_of(vault.engine, "connections", name="A")
    shown = values_of(vault.engine, "connections", name="A")

    assert text == "A.md\nNo linked notes.\n"
    assert (shown["hops"], "subgraph" in shown) == ([], False)
