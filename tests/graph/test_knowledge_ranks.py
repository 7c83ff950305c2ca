"""Which notes matter, by each measure, in the whole vault and in parts of it."""

from typing import Any

import pytest
from graph_harness import content, edges_from, net_of
from hypothesis import given
from hypothesis import strategies as st
from operation_harness import result_of, text_of, values_of
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.errors import (
    BadLimit,
    BadWish,
    IndexAbsent,
    NothingAsked,
    UnknownTheme,
)
from glassmind.links import ranks as measures
from glassmind.links.graph import part_of
from glassmind.model.graph import RankedNotes
from glassmind.model.search import SearchReply

STAR: dict[str, str | bytes] = {
    "Hub.md": "",
    **{f"s{n}.md": "[[Hub]]" for n in range(5)},
}
CLIQUES: dict[str, str | bytes] = {
    **{f"a{n}.md": "tea [[a0]] [[a1]] [[a2]] [[a3]]" for n in range(4)},
    **{f"b{n}.md": "coffee [[b0]] [[b1]] [[b2]] [[b3]]" for n in range(4)},
    "bridge.md": "[[a0]] [[b0]]",
    "alone.md": "tea too",
}


def ranked(vault: VaultHarness, **wanted: Any) -> RankedNotes:
    return vault.engine.knowledge.rank(**wanted)


def titles(found: RankedNotes) -> list[str]:
    return [note.title for note in found.notes]


@pytest.mark.parametrize("metric", ["influence", "bridging", "authorities"])
def test_the_middle_of_a_star_comes_first(vault: VaultHarness, metric: str) -> None:
    vault.indexed(STAR)

    found = ranked(vault, metric=metric)

    assert titles(found) == ["Hub", "s0", "s1", "s2", "s3", "s4"]
    assert [note.rank for note in found.notes] == [1, 2, 3, 4, 5, 6]
    first = found.notes[0]
    assert (first.inbound, first.outbound, found.total) == (5, 0, 6)


def test_every_reason_names_what_speaks_for_a_note(vault: VaultHarness) -> None:
    vault.indexed({"Star.md": "[[A]] [[B]]", "A.md": "[[B]]", "B.md": "", "C.md": ""})

    def first(metric: str) -> str:
        return ranked(vault, metric=metric).notes[0].reason

    assert first("influence") == "2 notes link to it, first of all A"
    assert first("authorities") == "2 notes link to it, first of all Star"
    assert first("hubs") == "links to 2 notes, first of all B"
    assert ranked(vault, metric="hubs").notes[-1].reason == "links to no note"
    assert ranked(vault).notes[-1].reason == "no note links to it"


def test_what_joins_two_groups_is_on_their_ways(vault: VaultHarness) -> None:
    vault.indexed(CLIQUES)

    found = ranked(vault, metric="bridging", limit=3)

    assert titles(found) == ["bridge", "a0", "b0"]
    # 4 x 4 pairs of 10 x 9 / 2 meet over the bridge
    assert found.notes[0].score == pytest.approx(16 / 45)
    assert found.notes[0].reason == (
        "35.6 % of the shortest paths between two others go through it"
    )
    assert (found.margin, found.samples) == (0.0, 0)


def test_a_score_that_was_measured_from_some_notes_says_how_far_it_may_be_off(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(CLIQUES)
    exact = measures.bridging

    def sampled(net: Any) -> measures.Betweenness:
        return exact(net)._replace(error=0.02, samples=7)

    monkeypatch.setattr("glassmind.graph.ranks.bridging", sampled)
    found = ranked(vault, metric="bridging", limit=1)

    assert found.notes[0].reason.startswith("about 35.6 %")
    shown = text_of(vault.engine, "rank", metric="bridging", limit=1)
    assert "Estimated from 7 notes: scores may be off by 0.02" in shown


def test_notes_that_too_few_lead_to_are_left_out(vault: VaultHarness) -> None:
    vault.indexed(CLIQUES)

    found = ranked(vault, least_inbound=4)

    assert titles(found) == ["a0", "b0"]
    assert found.total == 2
    (notice,) = ranked(vault, least_inbound=50).notices
    assert notice == "no note of these has 50 that link to it"


def test_a_note_without_a_link_has_no_influence(vault: VaultHarness) -> None:
    vault.indexed(CLIQUES)

    last = ranked(vault).notes[-1]

    assert (last.title, last.score) == ("alone", 0.0)


def test_within_a_theme_the_links_between_its_notes_count(vault: VaultHarness) -> None:
    vault.indexed({**CLIQUES, **{f"x{n}.md": "[[a3]]" for n in range(3)}})
    themes = vault.engine.knowledge.themes()
    theme = next(t for t in themes.themes if any(m.path == "b1.md" for m in t.members))

    found = ranked(vault, theme=theme.id)

    members = {member.path for member in theme.members}
    assert {note.path for note in found.notes} == members
    assert found.theme is not None
    assert (found.theme.id, found.theme.label) == (theme.id, theme.label)
    assert sum(note.score for note in found.notes) == pytest.approx(1.0)
    assert titles(ranked(vault, theme=theme.label)) == titles(found)


def test_a_ranking_says_what_the_search_it_stands_on_says(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(CLIQUES)
    sure, found = 0.9, Engine.search

    def search(engine: Engine, text: str, *, limit: int) -> SearchReply:
        reply = found(engine, text, limit=limit)
        return reply._replace(degraded=("no model is here",), confidence=sure)

    monkeypatch.setattr(Engine, "search", search)
    assert ranked(vault, about="tea").notices == ("no model is here",)

    sure = 0.01
    missing, doubt = ranked(vault, about="tea").notices
    assert doubt.startswith("the vault seems to hold nothing of that")
    assert missing in result_of(vault.engine, "rank", about="tea").all_notices()


def test_about_a_query_a_note_known_for_something_else_does_not_come_first(
    vault: VaultHarness,
) -> None:
    others = {f"{n}.md": "[[Tea]] [[Town]]" for n in "abcde"}
    vault.indexed(
        {"Tea.md": "Oolong, from a [[Pot]], in [[Town]].", "Pot.md": "", "Town.md": ""}
        | others
    )

    found = ranked(vault, about="oolong")

    assert [note.path for note in found.notes[:3]] == ["Tea.md", "Pot.md", "Town.md"]
    assert ranked(vault).notes[0].path == "Town.md"


def test_about_a_query_its_hits_and_their_neighbours_are_ranked(
    vault: VaultHarness,
) -> None:
    vault.indexed(CLIQUES)

    found = ranked(vault, about="tea")

    assert set(titles(found)) == {"a0", "a1", "a2", "a3", "alone", "bridge"}
    assert titles(found)[0] == "a0"
    assert {n.title for n in found.notes if not n.hit} == {"bridge"}
    assert found.notes[0].inbound == 4
    (nothing,) = ranked(vault, about="zanzibar").notices
    assert nothing == "the search found no note to rank the neighbourhood of"


def test_ghosts_are_ranked_when_asked_for(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": "[[Nobody]]" for n in range(3)})

    assert "Nobody" not in titles(ranked(vault))
    first = ranked(vault, ghosts=True).notes[0]
    assert (first.title, first.ghost, first.inbound) == ("Nobody", True, 3)


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        ({"metric": "fame"}, BadWish),
        ({"limit": 0}, BadLimit),
        ({"limit": 1001}, BadLimit),
        ({"least_inbound": -1}, BadWish),
        ({"theme": "Zanzibar"}, UnknownTheme),
        ({"about": ""}, NothingAsked),
    ],
)
def test_what_cannot_be_ranked_is_an_error(
    vault: VaultHarness, wanted: dict[str, Any], fault: type[Exception]
) -> None:
    with pytest.raises(IndexAbsent):
        ranked(vault)
    vault.indexed(CLIQUES)

    with pytest.raises(fault):
        ranked(vault, **wanted)


def test_an_empty_vault_has_an_empty_ranking(vault: VaultHarness) -> None:
    vault.indexed({})

    for metric in ("influence", "bridging", "hubs", "authorities"):
        assert ranked(vault, metric=metric).notes == ()


def test_programs_and_people_read_the_same_order(vault: VaultHarness) -> None:
    vault.indexed(STAR)
    wish = {"limit": 2, "about": "s0 OR hub"}

    shown = values_of(vault.engine, "rank", **wish)

    assert [note["path"] for note in shown["notes"]] == ["Hub.md", "s0.md"]
    lines = text_of(vault.engine, "rank", **wish).splitlines()
    assert lines[0].startswith("1.*")
    assert "Hub.md  5 notes link to it, first of all s0" in lines[0]
    assert values_of(vault.open(), "rank", **wish) == shown


nodes = st.integers(0, 7)


@given(st.lists(st.tuples(nodes, nodes), max_size=30), st.sets(nodes))
def test_a_part_of_the_graph_has_the_links_between_its_nodes(
    edges: list[tuple[int, int]], chosen: set[int]
) -> None:
    net, inside = net_of(edges, 8), sorted(chosen)

    part = part_of(net, inside)

    assert part.paths == [net.paths[node] for node in inside]
    assert part.ids.tolist() == net.ids[inside].tolist()
    for place, node in enumerate(inside):
        kept = [edge for edge in edges_from(net, node) if edge.target in chosen]
        found = edges_from(part, place)
        assert [(inside[e.target], e.seq, e.line, e.kind) for e in found] == [
            (e.target, e.seq, e.line, e.kind) for e in kept
        ]
        around = [one for one in net.around(node).tolist() if one in chosen]
        assert [inside[one] for one in part.around(place).tolist()] == around


@given(st.lists(st.tuples(nodes, nodes), max_size=30))
def test_the_whole_as_a_part_is_the_whole(edges: list[tuple[int, int]]) -> None:
    net = net_of(edges, 8)

    assert content(part_of(net, range(8))) == content(net)
