"""What stands around a note: neighbours by hop, each link with its sentence."""

import json
import random
from itertools import pairwise

import pytest
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import (
    AmbiguousName,
    BadLimit,
    BadWish,
    IndexAbsent,
    NoteNotFound,
)
from glassmind.model.graph import Connections, GraphLink, Neighbour

NOTES: dict[str, str | bytes] = {
    "Tea.md": "---\nup: '[[Drinks]]'\n---\n#drink #Green\n\nIt comes from [[Camellia]]."
    " Brew it in a [kettle](Kettle.md).\n\n![[Oolong]]\n\n[[Nobody]] knows.\n",
    "Drinks.md": "#drink\n\n- [[Tea]] is one\n- [[Coffee]] is another\n",
    "Camellia.md": "A plant. #green\n",
    "Kettle.md": "Made in [[Japan]].\n",
    "Oolong.md": "A kind of [[Tea]], and once more: [[tea|this]].\n",
    "Coffee.md": "Grows in [[Brazil]].\n",
    "Japan.md": "",
    "Brazil.md": "[[Japan]] buys much.\n",
    "Alone.md": "[[Alone]] and [[#Heading]]\n",
}


def around(vault: VaultHarness, name: str, **wanted: object) -> Connections:
    return vault.engine.knowledge.connections(name, **wanted)  # type: ignore[arg-type]


def by_path(found: Connections, hop: int = 1) -> dict[str, Neighbour]:
    return {near.path: near for near in found.hops[hop - 1].neighbours}


def test_neighbours_are_told_with_direction_and_sentence(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    near = by_path(around(vault, "Tea"))

    assert {path: n.directions for path, n in near.items()} == {
        "Drinks.md": ("inbound", "outbound"),
        "Oolong.md": ("inbound", "outbound"),
        "Camellia.md": ("outbound",),
        "Kettle.md": ("outbound",),
    }
    kinds = {p: [(e.kind, e.property) for e in n.edges] for p, n in near.items()}
    assert kinds["Drinks.md"] == [("property", "up"), ("link", "")]
    assert kinds["Oolong.md"] == [("embed", ""), ("link", ""), ("link", "")]
    assert kinds["Kettle.md"] == [("markdown", "")]
    (edge,) = near["Camellia.md"].edges
    assert (edge.source, edge.target, edge.line) == ("Tea.md", "Camellia.md", 6)
    assert edge.sentence.startswith("It comes from [[Camellia]].")
    assert near["Drinks.md"].edges[0].sentence == "up: [[Drinks]]"


def test_a_card_of_a_canvas_is_told_with_its_line_by_connections_and_path(
    vault: VaultHarness,
) -> None:
    cards = [
        {"id": "1", "type": "text", "text": "Once a [[Pot]] is hot. Wait.", "y": 0},
        {"id": "2", "type": "file", "file": "Tea.md", "subpath": "#Brew", "y": 9},
    ]
    board = json.dumps({"nodes": cards})
    vault.indexed({"Board.canvas": board, "Tea.md": "# Brew", "Pot.md": ""})

    ahead = by_path(around(vault, "Board"))
    (back,) = around(vault, "Tea").hops[0].neighbours
    (chain,) = vault.engine.knowledge.path("Tea", "Pot").chains

    card = GraphLink("Board.canvas", "Tea.md", "canvas", "", 0.7, 3, "![[Tea.md#Brew]]")
    said = GraphLink(
        "Board.canvas", "Pot.md", "link", "", 1.0, 1, "Once a [[Pot]] is hot."
    )
    assert (ahead["Tea.md"].edges, ahead["Pot.md"].edges) == ((card,), (said,))
    assert (back.path, back.directions) == ("Board.canvas", ("inbound",))
    assert back.edges == (card,)
    assert [stop.path for stop in chain.notes] == ["Tea.md", "Board.canvas", "Pot.md"]
    assert [step.directions for step in chain.steps] == [("inbound",), ("outbound",)]
    assert [step.edges for step in chain.steps] == [(card,), (said,)]


def test_tags_that_both_have_are_told_whatever_their_case(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    found = around(vault, "Tea")

    near = by_path(found)
    assert found.tags == ("drink", "Green")
    assert near["Drinks.md"].shared_tags == ("drink",)
    assert near["Camellia.md"].shared_tags == ("Green",)
    assert near["Kettle.md"].shared_tags == ()


def test_each_note_stands_at_its_nearest_hop_with_the_way_there(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    found = around(vault, "Tea", depth=3)

    ways = [{n.path: n.via for n in ring.neighbours} for ring in found.hops]
    assert ways[1:] == [
        {"Japan.md": ("Kettle.md",), "Coffee.md": ("Drinks.md",)},
        {"Brazil.md": ("Drinks.md", "Coffee.md")},
    ]
    japan, brazil = by_path(found, 2)["Japan.md"], by_path(found, 3)["Brazil.md"]
    assert japan.edges[0].sentence == "Made in [[Japan]]."
    assert brazil.directions == ("outbound",)
    counts = [(r.total, r.inbound_total, r.outbound_total) for r in found.hops]
    assert counts == [(4, 2, 4), (2, 0, 2), (1, 1, 1)]


def test_ghosts_are_left_out_unless_asked_for(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    assert "Nobody" not in by_path(around(vault, "Tea"))
    ghost = by_path(around(vault, "Tea", ghosts=True))["Nobody"]
    assert (ghost.ghost, ghost.directions) == (True, ("outbound",))
    assert ghost.edges[0].sentence == "[[Nobody]] knows."


def test_a_ghost_can_be_asked_for_by_its_name(vault: VaultHarness) -> None:
    vault.indexed({**NOTES, "Nobody else.md": ""})

    found = around(vault, "nobody", ghosts=True)

    assert (found.path, found.ghost, found.theme) == ("Nobody", True, None)
    assert list(by_path(found)) == ["Tea.md"]
    assert around(vault, "nobody").path == "Nobody else.md"


def test_a_note_that_links_to_itself_alone_has_no_neighbours(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    found = around(vault, "Alone", depth=3, subgraph=True)

    assert (found.hops, found.notices) == ((), ())
    assert found.subgraph
    assert [node.path for node in found.subgraph.nodes] == ["Alone.md"]


def test_of_a_hub_the_most_closely_linked_are_shown_and_the_rest_counted(
    vault: VaultHarness,
) -> None:
    spokes = {f"s{n:03}.md": "[[Hub]]" for n in range(200)}
    vault.indexed({"Hub.md": "[[s150]] [[s007]]", "x.md": "[[s042]]", **spokes})

    found = around(vault, "Hub", limit=4)

    (ring,) = found.hops
    assert [near.path for near in ring.neighbours] == [
        "s007.md", "s150.md", "s042.md", "s000.md"
    ]  # fmt: skip
    assert (ring.total, ring.inbound_total, ring.outbound_total) == (200, 200, 2)
    (notice,) = found.notices
    assert notice.startswith(
        "of 200 notes 1 hop away the 4 most closely linked are shown;"
    )


def test_of_many_links_between_two_notes_some_are_shown_and_a_link_back(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "[[B]]\n\n" * 30, "B.md": "see [[A]]"})

    (near,) = around(vault, "A").hops[0].neighbours

    assert near.edges_total == 31
    assert [edge.source for edge in near.edges] == ["A.md"] * 4 + ["B.md"]


def test_a_subgraph_holds_every_link_between_what_is_shown(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    graph = around(vault, "Kettle", depth=2, subgraph=True).subgraph

    assert graph
    assert [(node.path, node.hop) for node in graph.nodes] == [
        ("Kettle.md", 0), ("Japan.md", 1), ("Tea.md", 1), ("Brazil.md", 2),
        ("Camellia.md", 2), ("Drinks.md", 2), ("Oolong.md", 2),
    ]  # fmt: skip
    ends = {(edge.source, edge.target) for edge in graph.edges}
    assert ("Brazil.md", "Japan.md") in ends
    assert ("Oolong.md", "Tea.md") in ends
    assert len(graph.edges) == graph.edges_total == 9
    assert graph.nodes[2].properties == {"up": "[[Drinks]]"}


@pytest.mark.parametrize("depth", [0, 4, -1])
def test_a_depth_that_cannot_be_had_is_an_error(
    vault: VaultHarness, depth: int
) -> None:
    vault.indexed(NOTES)

    with pytest.raises(BadWish, match="from 1 to 3"):
        around(vault, "Tea", depth=depth)


def test_limits_and_names_that_cannot_be_met_are_errors(vault: VaultHarness) -> None:
    vault.indexed({**NOTES, "x/Plan.md": "", "y/Plan.md": ""})

    with pytest.raises(BadLimit):
        around(vault, "Tea", limit=0)
    with pytest.raises(NoteNotFound):
        around(vault, "Zanzibar")
    with pytest.raises(AmbiguousName):
        around(vault, "Plan", ghosts=True)


def test_without_an_index_the_answer_says_how_to_make_one(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        around(vault, "Tea")


def test_what_was_written_since_is_seen(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    assert "Milk.md" not in by_path(around(vault, "Tea"))

    vault.indexed({"Milk.md": "goes into [[Tea]]"})

    assert "Milk.md" in by_path(around(vault, "Tea"))


def test_a_note_is_told_with_its_theme_whoever_asked_before(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)
    first = around(vault, "Tea").theme
    assert first is not None

    (theme, *_) = [
        theme
        for theme in vault.engine.knowledge.themes().themes
        if any(member.path == "Tea.md" for member in theme.members)
    ]

    assert (first.id, first.label) == (theme.id, theme.label)
    assert around(vault, "Tea").theme == first


def test_the_theme_of_a_note_is_that_of_the_links_as_they_are(
    vault: VaultHarness,
) -> None:
    vault.indexed({**NOTES, "Moon.md": "", "Sun.md": "", "Sky.md": "[[Moon]] [[Sun]]"})
    sky = around(vault, "Sky").theme
    assert sky is not None
    assert around(vault, "Tea").theme != sky

    vault.indexed({"Sky.md": "---\ntitle: Heaven\n---\n[[Moon]] [[Sun]]"})
    heaven = around(vault, "Sky").theme
    vault.indexed({"Sky.md": "nothing"})

    assert heaven is not None
    assert heaven.id == sky.id
    assert around(vault, "Sky").theme is None


def test_notes_that_are_alike_without_a_link_are_told(meaning: MeaningHarness) -> None:
    meaning.indexed(
        {
            "Tea.md": "oolong sencha matcha kettle leaves water steep harvest " * 3,
            "Cha.md": "sencha oolong kettle matcha leaves steep harvest water " * 3,
            "Bike.md": "wheels chain saddle spokes handlebar brakes pedal tyre " * 3,
        }
    )

    found = meaning.engine.knowledge.connections("Tea")

    assert [note.path for note in found.similar] == ["Cha.md"]
    assert found.similar[0].similarity > 0.7
    meaning.engine.knowledge.dismiss("Tea", "Cha")
    assert meaning.engine.knowledge.connections("Tea").similar == ()


def test_a_vault_linked_at_random_is_told_as_it_is(vault: VaultHarness) -> None:
    chance = random.Random(11)
    ends = {n: {chance.randrange(60) for _ in range(chance.randrange(4))} - {n}
            for n in range(60)}  # fmt: skip
    vault.indexed(
        {f"{n:02}.md": " ".join(f"[[{end:02}]]" for end in ends[n]) for n in range(60)}
    )
    ties = {n: ends[n] | {m for m in range(60) if n in ends[m]} for n in range(60)}

    for root in range(0, 60, 7):
        found = around(vault, f"{root:02}", depth=3, limit=100)

        far = {root: 0}
        for hop in (1, 2, 3):
            reached = {t for n in far for t in ties[n]} - far.keys()
            far |= dict.fromkeys(reached, hop)
        shown = {int(n.title): n for ring in found.hops for n in ring.neighbours}
        assert {n: near.hop for n, near in shown.items()} == {
            n: hop for n, hop in far.items() if hop
        }
        for number, near in shown.items():
            way = [root, *(int(step[:2]) for step in near.via), number]
            assert len(way) == near.hop + 1
            assert all(b in ties[a] for a, b in pairwise(way))
            assert ("outbound" in near.directions) == (number in ends[way[-2]])
            assert ("inbound" in near.directions) == (way[-2] in ends[number])
