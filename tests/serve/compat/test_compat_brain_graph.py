"""The tools of obsidian-brain that follow links: arguments, replies, hints."""

from typing import Any

import pytest
from compat_harness import called
from vault_harness import VaultHarness

from glassmind.errors import BadArgument, NoteNotFound, UnknownTheme
from glassmind.serve.compat.brain import MOST_EDGES, MOST_NEIGHBOURS, MOST_PATHS

CHAIN: dict[str, str | bytes] = {
    "A.md": (
        "---\nmood: calm\n---\nFirst [[B]] is seen.\n\nThen [[B]] again, and [[Ghost]]."
    ),
    "B.md": "From here to [[C]].",
    "C.md": "To [[D]] it goes.",
    "D.md": "The end.",
    "E.md": "Alone with [[Ghost]].",
}


def clique(name: str) -> dict[str, str | bytes]:
    """Return five notes that all lead to each other."""
    names = [f"{name}{n}" for n in range(5)]
    return {
        f"{one}.md": " ".join(f"[[{other}]]" for other in names if other != one)
        for one in names
    }


TWO = {**clique("ant"), **clique("bee"), "bridge.md": "[[ant0]] [[bee0]]"}


def brain(harness: VaultHarness, tool: str, /, **given: object) -> Any:
    return called(harness.engine, "brain", tool, **given)


def test_connections_are_a_list_of_ids_and_titles_nearest_first(
    vault: VaultHarness,
) -> None:
    vault.indexed(CHAIN)

    reply = brain(vault, "find_connections", name="B", depth=2)

    *near, far = reply["data"]
    assert sorted(near, key=lambda one: one["id"]) == [
        {"id": "A.md", "title": "A"},
        {"id": "C.md", "title": "C"},
    ]
    assert far == {"id": "D.md", "title": "D"}
    assert reply["context"]["state"] == {
        "last_connections_root": "B.md",
        "last_connections_count": 3,
    }
    (hint,) = reply["context"]["next_actions"]
    assert hint["tool"] == "find_path_between"
    assert hint["args"] == {"from": "B.md", "to": "D.md"}


def test_stubs_are_neighbours_only_where_they_are_asked_for(
    vault: VaultHarness,
) -> None:
    vault.indexed(CHAIN)

    without = brain(vault, "find_connections", name="A")["data"]
    with_stubs = brain(vault, "find_connections", name="A", includeStubs=True)["data"]
    of_stub = brain(vault, "find_connections", name="_stub/Ghost.md")

    assert [one["id"] for one in without] == ["B.md"]
    assert {stub["id"] for stub in with_stubs} == {"B.md", "_stub/Ghost.md"}
    assert {one["id"] for one in of_stub["data"]} == {"A.md", "E.md"}
    assert of_stub["context"]["state"]["last_connections_root"] == "_stub/Ghost.md"


def test_a_subgraph_has_frontmatter_and_the_first_context_of_each_edge(
    vault: VaultHarness,
) -> None:
    vault.indexed(CHAIN)

    graph = brain(vault, "find_connections", name="A", returnSubgraph=True)["data"]
    stubs = brain(
        vault, "find_connections", name="E", returnSubgraph=True, includeStubs=True
    )["data"]

    assert graph == {
        "nodes": [
            {"id": "A.md", "title": "A", "frontmatter": {"mood": "calm"}},
            {"id": "B.md", "title": "B", "frontmatter": {}},
        ],
        "edges": [
            {
                "sourceId": "A.md",
                "targetId": "B.md",
                "context": "First [[B]] is seen.",
            }
        ],
    }
    assert stubs["nodes"][1]["frontmatter"] == {"_stub": True}
    assert stubs["edges"][0]["targetId"] == "_stub/Ghost.md"


def test_many_neighbours_are_worth_a_look_at_the_themes(vault: VaultHarness) -> None:
    vault.indexed(
        {"Hub.md": " ".join(f"[[n{i:02}]]" for i in range(11))}
        | {f"n{i:02}.md": "x" for i in range(11)}
    )

    actions = brain(vault, "find_connections", name="Hub")["context"]["next_actions"]

    assert [action["tool"] for action in actions] == [
        "detect_themes",
        "find_path_between",
    ]


def test_every_hint_of_connections_can_be_called_as_it_stands(
    vault: VaultHarness,
) -> None:
    vault.indexed(TWO)

    reply = brain(vault, "find_connections", name="ant1", depth=3)

    assert reply["context"]["next_actions"]
    for hint in reply["context"]["next_actions"]:
        brain(vault, hint["tool"], **hint["args"])


def test_an_error_names_the_arguments_as_the_tool_does(vault: VaultHarness) -> None:
    vault.indexed(CHAIN)
    elsewhere = "obsidian://open?vault=Other&file=A"

    with pytest.raises(BadArgument, match="find_path_between: from "):
        brain(vault, "find_path_between", **{"from": elsewhere, "to": "A"})


def test_a_path_is_told_by_ids_and_by_what_each_link_says(vault: VaultHarness) -> None:
    vault.indexed(CHAIN)

    reply = brain(vault, "find_path_between", **{"from": "C", "to": "A"})

    assert reply == {
        "paths": [
            {
                "nodes": ["C.md", "B.md", "A.md"],
                "edges": [
                    {
                        "sourceId": "C.md",
                        "targetId": "B.md",
                        "context": "From here to [[C]].",
                    },
                    {
                        "sourceId": "B.md",
                        "targetId": "A.md",
                        "context": "First [[B]] is seen.",
                    },
                ],
                "length": 2,
            }
        ]
    }


def test_a_path_that_is_too_long_is_none_and_says_why(vault: VaultHarness) -> None:
    vault.indexed(CHAIN | {"F.md": "to [[D]]"})

    short = brain(vault, "find_path_between", **{"from": "A", "to": "F"})
    long = brain(vault, "find_path_between", **{"from": "A", "to": "F", "maxDepth": 4})
    apart = brain(vault, "find_path_between", **{"from": "A", "to": "E"})
    over = brain(
        vault, "find_path_between", **{"from": "A", "to": "E", "includeStubs": True}
    )

    assert short["paths"] == apart["paths"] == []
    assert "4 links" in short["reason"]
    assert [path["length"] for path in long["paths"]] == [4]
    assert "no chain of links" in apart["reason"]
    assert over["paths"][0]["nodes"] == ["A.md", "_stub/Ghost.md", "E.md"]


def test_common_neighbours_are_told_when_asked_for(vault: VaultHarness) -> None:
    vault.indexed(CHAIN)

    ends = {"from": "A", "to": "C"}
    without = brain(vault, "find_path_between", **ends)
    common = brain(vault, "find_path_between", **ends, includeCommon=True)["common"]

    assert "common" not in without
    assert common == [{"id": "B.md", "title": "B"}]


def test_a_theme_is_summed_up_as_obsidian_brain_does_it(vault: VaultHarness) -> None:
    tagged = {
        path: f"---\ntags: [insect, garden]\n---\n{text!s}"
        for path, text in clique("ant").items()
    }
    vault.indexed({**tagged, **clique("bee")})

    ants = brain(vault, "detect_themes", themeId="ant0")
    bees = brain(vault, "detect_themes", themeId="bee0")
    by_number = brain(vault, "detect_themes", themeId=ants["id"])

    assert ants["summary"] == (
        "Key members: ant0, ant1, ant2, ant3, ant4. Tags: garden, insect. "
        "5 nodes total."
    )
    assert bees["summary"] == (
        "Key members: bee0, bee1, bee2, bee3, bee4. 5 nodes total."
    )
    assert by_number == ants
    assert brain(vault, "rank_notes", themeId=ants["id"]) == brain(
        vault, "rank_notes", themeId=str(ants["id"])
    )


def test_a_reply_about_a_hub_is_bounded_and_says_how_much_there_is(
    vault: VaultHarness,
) -> None:
    names = [f"note {n:03}" for n in range(MOST_NEIGHBOURS + 20)]
    links = " ".join(f"[[{name}]]" for name in names)
    vault.indexed({f"{name}.md": links for name in names})

    listed = brain(vault, "find_connections", name=names[0])
    part = brain(vault, "find_connections", name=names[0], returnSubgraph=True)
    paths = brain(vault, "find_path_between", **{"from": names[0], "to": names[1]})

    assert len(listed["data"]) == MOST_NEIGHBOURS
    state = listed["context"]["state"]
    assert state["last_connections_count"] == MOST_NEIGHBOURS + 19
    assert len(part["data"]["nodes"]) == MOST_NEIGHBOURS + 1
    assert len(part["data"]["edges"]) == MOST_EDGES
    assert "edges are here" in part["context"]["state"]["notices"][0]
    assert len(paths["paths"]) == MOST_PATHS


def test_themes_are_clusters_with_label_summary_and_members(
    vault: VaultHarness,
) -> None:
    vault.indexed(TWO)

    reply = brain(vault, "detect_themes")
    first = reply["clusters"][0]

    assert set(first) == {
        "id",
        "label",
        "summary",
        "nodeIds",
        "staleMembersFiltered",
    }
    members = {
        frozenset(name[:3] for name in one["nodeIds"]) for one in reply["clusters"]
    }
    assert len(reply["clusters"]) == len(members) == 2
    assert first["summary"].startswith("Key members: ")
    assert 0.3 < reply["modularity"] < 1
    assert "warning" not in reply
    assert brain(vault, "detect_themes", themeId=str(first["id"])) == first
    assert brain(vault, "detect_themes", themeId=first["label"]) == first


def test_a_deleted_note_is_no_member_of_any_theme(vault: VaultHarness) -> None:
    vault.indexed(TWO)
    brain(vault, "detect_themes")

    vault.remove("ant3.md")
    vault.index()

    for one in brain(vault, "detect_themes")["clusters"]:
        assert "ant3.md" not in one["nodeIds"]
        assert "ant3" not in one["summary"]


def test_links_that_fall_into_no_groups_are_warned_of(vault: VaultHarness) -> None:
    vault.indexed(clique("ant"))

    reply = brain(vault, "detect_themes")

    assert reply["modularity"] < 0.3
    assert "low" in reply["warning"]


def test_a_theme_that_there_is_not_is_a_fault(vault: VaultHarness) -> None:
    vault.indexed(TWO)

    with pytest.raises(UnknownTheme):
        brain(vault, "detect_themes", themeId="zeppelin")
    with pytest.raises(UnknownTheme):
        brain(vault, "rank_notes", themeId="zeppelin")


def test_reindex_makes_themes_of_the_resolution_that_is_asked_for(
    vault: VaultHarness,
) -> None:
    vault.write(TWO)

    first = brain(vault, "reindex")
    broad = brain(vault, "reindex", resolution=0.01)
    kept = brain(vault, "detect_themes")["clusters"]

    assert first["communitiesDetected"] == 2
    assert broad["communitiesDetected"] == len(kept)
    assert len(kept) <= 2


def test_notes_are_ranked_by_both_measures_unless_one_is_named(
    vault: VaultHarness,
) -> None:
    vault.indexed(TWO)

    both = brain(vault, "rank_notes", limit=3)
    bridging = brain(vault, "rank_notes", metric="bridging", limit=3)
    influence = brain(vault, "rank_notes", metric="influence", limit=3)

    assert both == {"influence": influence, "bridging": bridging}
    assert set(influence[0]) == {"id", "title", "score"}
    assert influence[0]["id"] in {"ant0.md", "bee0.md"}
    assert "bridge.md" in {one["id"] for one in bridging}
    assert all(0 <= one["score"] <= 1 for one in bridging)


def test_influence_is_for_notes_that_several_lead_to_unless_said_otherwise(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "[[B]] [[C]]", "B.md": "[[C]]", "C.md": "x", "D.md": "y"})

    usual = brain(vault, "rank_notes", metric="influence")
    every = brain(vault, "rank_notes", metric="influence", minIncomingLinks=0)

    assert [one["id"] for one in usual] == ["C.md"]
    assert [one["id"] for one in every][:2] == ["C.md", "B.md"]
    assert {one["id"]: one["score"] for one in every}["D.md"] == 0


def test_a_ranking_keeps_to_its_theme_and_counts_stubs_where_asked(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        TWO | {"bridge.md": "[[ant0]] [[bee0]] [[Ghost]]", "x.md": "[[Ghost]]"}
    )
    theme = next(
        one["id"]
        for one in brain(vault, "detect_themes")["clusters"]
        if "bee1.md" in one["nodeIds"]
    )

    ranked = brain(vault, "rank_notes", metric="influence", themeId=str(theme))
    stubs = brain(vault, "rank_notes", metric="influence", includeStubs=True)

    assert not [one for one in ranked if one["id"].startswith("ant")]
    assert "_stub/Ghost.md" in {stub["id"] for stub in stubs}


def test_a_name_that_nobody_has_is_a_fault(vault: VaultHarness) -> None:
    vault.indexed(CHAIN)

    with pytest.raises(NoteNotFound):
        brain(vault, "find_connections", name="zeppelin")
    with pytest.raises(NoteNotFound):
        brain(vault, "find_path_between", **{"from": "A", "to": "zeppelin"})
