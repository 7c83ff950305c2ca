"""The tools of obsidian-brain: its names, arguments, defaults and replies."""

from pathlib import Path
from typing import Any

import pytest
from compat_harness import NEAREST, answer_of, called, defaults_of, doubtful, tool_of
from search_harness import harbour
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import AmbiguousName, BadArgument, MassDeletion, NoteNotFound
from glassmind.model.index import Progress
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import ToolCall

WRITING = {
    "create_note",
    "edit_note",
    "apply_edit_preview",
    "link_notes",
    "move_note",
    "delete_note",
}
"""Tools that have a page of tests of their own."""

TEA: dict[str, str | bytes] = {
    "Tea.md": (
        "---\ntags: [drink]\naliases: [Cha]\n---\n# Tea\n\nWater from the [[Kettle]]\n"
        "and leaves from [[Aunt]].\n"
    ),
    "Kettle.md": "It sings for [[Tea]].\n\nAlways [[Tea|tea]].",
    "drinks/Cocoa.md": "Milk and #drink/sweet chocolate.",
}


def brain(harness: VaultHarness, tool: str, /, **given: object) -> Any:
    return called(harness.engine, "brain", tool, **given)


def ids(reply: Any) -> list[str]:
    return [result["nodeId"] for result in reply["data"]]


def test_these_tools_are_served_with_these_defaults() -> None:
    found = {
        tool.name: defaults_of(tool)
        for tool in tools_of(["brain"])
        if tool.name not in WRITING
    }

    assert found == {
        "search": {"query": None, "mode": "hybrid", "limit": 20, "unique": "notes"},
        "list_notes": {
            "directory": None,
            "tag": None,
            "limit": 100,
            "includeStubs": True,
        },
        "read_note": {"name": None, "mode": "brief", "maxContentLength": 2000},
        "find_connections": {
            "name": None,
            "depth": 1,
            "returnSubgraph": False,
            "includeStubs": False,
        },
        "find_path_between": {
            "from": None,
            "to": None,
            "maxDepth": 3,
            "includeCommon": False,
            "includeStubs": False,
        },
        "detect_themes": {"themeId": None, "includeStubs": False},
        "rank_notes": {
            "metric": "both",
            "limit": 20,
            "themeId": None,
            "includeStubs": False,
            "minIncomingLinks": 2,
        },
        "reindex": {"resolution": None},
        "index_status": {},
    }


def test_hybrid_search_adds_up_the_ranks_of_words_and_meaning(
    meaning: MeaningHarness,
) -> None:
    harness = harbour(meaning)
    ranks = [
        {path: n for n, path in enumerate(ids(brain(harness, "search", **asked)), 1)}
        for asked in (
            {"query": "the skiff leaks", "mode": "fulltext"},
            {"query": "the skiff leaks", "mode": "semantic"},
        )
    ]

    reply = brain(harness, "search", query="the skiff leaks")

    assert len(reply["data"]) > 3
    for result in reply["data"]:
        path = result["nodeId"]
        wanted = sum(1 / (60 + rank[path]) for rank in ranks if path in rank)
        assert result["score"] == pytest.approx(wanted)
    scores = [result["score"] for result in reply["data"]]
    assert scores == sorted(scores, reverse=True)


def test_a_search_by_meaning_scores_by_cosine(meaning: MeaningHarness) -> None:
    reply = brain(harbour(meaning), "search", query="vessel drips", mode="semantic")

    assert ids(reply)[0] == "Boats/Skiff.md"
    scores = [result["score"] for result in reply["data"]]
    assert 0.0 < scores[0] <= 1.0
    assert scores == sorted(scores, reverse=True)


def test_what_matched_stands_between_marks(vault: VaultHarness) -> None:
    vault.indexed(TEA)

    reply = brain(vault, "search", query="sweet chocolate", mode="fulltext")

    assert reply["data"][0] == {
        "nodeId": "drinks/Cocoa.md",
        "title": "Cocoa",
        "score": reply["data"][0]["score"],
        "excerpt": "Milk and #drink/>>>sweet<<< >>>chocolate<<<.",
    }


def test_passages_come_with_their_place(meaning: MeaningHarness) -> None:
    meaning.indexed({"Boat.md": "# Hull\n\n" + "The hull is of old grey oak. " * 20})

    (result,) = brain(meaning, "search", query="oak hull", unique="chunks")["data"]

    assert result["chunkId"] == "Boat.md::0"
    assert result["chunkHeading"] == "Hull"
    assert (result["chunkStartLine"], result["chunkEndLine"]) == (1, 3)
    assert 0 < len(result["chunkExcerpt"]) <= 200


def test_fulltext_gives_notes_whatever_is_to_be_unique(vault: VaultHarness) -> None:
    vault.indexed({"Long.md": "# A\n\noolong\n\n# B\n\noolong\n\n# C\n\noolong\n"})

    reply = brain(vault, "search", query="oolong", mode="fulltext", unique="chunks")

    assert ids(reply) == ["Long.md"]
    assert "chunkId" not in reply["data"][0]


def test_without_a_model_a_search_by_meaning_says_so_and_words_still_find(
    vault: VaultHarness,
) -> None:
    vault.indexed(TEA)

    by_meaning = brain(vault, "search", query="chocolate", mode="semantic")
    by_both = brain(vault, "search", query="chocolate")
    by_words = brain(vault, "search", query="chocolate", mode="fulltext")

    assert set(by_meaning) == {"status", "message"}
    assert by_meaning["status"] == "failed"
    assert "embeddings.backend" in by_meaning["message"]
    assert by_both["status"] == "failed"
    assert ids(by_both) == ids(by_words) == ["drinks/Cocoa.md"]
    assert set(by_words) == {"data", "context"}


def test_while_the_vault_is_being_embedded_it_is_preparing(
    meaning: MeaningHarness,
) -> None:
    said: list[Any] = []
    with meaning.open() as other:
        meaning.write({f"n{i}.md": f"oolong number {i} is here" for i in range(3)})
        meaning.index(embed=False)
        meaning.model.before = lambda _: said.append(
            called(other, "brain", "search", query="oolong", mode="semantic")
        )
        meaning.open()
        meaning.index()

    assert said[0]["status"] == "preparing"


def test_a_search_is_remembered_and_says_what_to_do_next(vault: VaultHarness) -> None:
    vault.indexed({f"n{i:02}.md": "oolong" for i in range(15)})

    reply = brain(vault, "search", query="oolong", mode="fulltext")

    context = reply["context"]
    assert context["state"] == {
        "last_search_query": "oolong",
        "last_search_results": ids(reply)[:10],
    }
    assert [action["tool"] for action in context["next_actions"]] == [
        "read_note",
        "find_connections",
    ]
    assert set(context["next_actions"][0]) == {"description", "tool", "args", "reason"}


def test_a_search_that_finds_nothing_good_says_so(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(TEA)
    doubtful(vault.engine, monkeypatch)

    near = brain(vault, "search", query="chocolate", mode="fulltext")
    none = brain(vault, "search", query="zeppelin", mode="fulltext")

    assert ids(near) == ["drinks/Cocoa.md"]
    assert near["context"]["state"]["degraded"] == [NEAREST]
    assert "degraded" not in none["context"]["state"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("search", {"query": "oolong"}),
        ("read_note", {"name": "Hub"}),
        ("find_connections", {"name": "Hub"}),
    ],
)
def test_every_hint_can_be_called(
    vault: VaultHarness, tool: str, given: dict[str, object]
) -> None:
    vault.indexed(
        {f"n{i:02}.md": "oolong" for i in range(11)}
        | {"Hub.md": " ".join(f"[[n{i:02}]]" for i in range(11)) + " [[Nobody]]"}
    )

    hints = brain(vault, tool, **given)["context"]["next_actions"]

    assert hints
    for hint in hints:
        assert set(hint) == {"description", "tool", "args", "reason"}
        assert all(hint[name] for name in ("description", "reason"))
        if tool_of("brain", hint["tool"]).read_only:
            brain(vault, hint["tool"], **hint["args"])


def test_notes_are_listed_with_what_nobody_wrote_yet_behind_them(
    vault: VaultHarness,
) -> None:
    vault.indexed(TEA)

    listed = brain(vault, "list_notes")

    assert [note["id"] for note in listed] == [
        "Kettle.md",
        "Tea.md",
        "drinks/Cocoa.md",
        "_stub/Aunt.md",
    ]
    assert listed[1] == {
        "id": "Tea.md",
        "title": "Tea",
        "tags": ["drink"],
        "frontmatter": {"tags": ["drink"], "aliases": ["Cha"]},
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"includeStubs": False}, ["Kettle.md", "Tea.md", "drinks/Cocoa.md"]),
        ({"directory": "drinks"}, ["drinks/Cocoa.md"]),
        ({"directory": "drinks/"}, ["drinks/Cocoa.md"]),
        ({"directory": "_stub"}, ["_stub/Aunt.md"]),
        ({"tag": "drink"}, ["Tea.md", "drinks/Cocoa.md"]),
        ({"tag": "#drink/sweet"}, ["drinks/Cocoa.md"]),
        ({"limit": 1}, ["Kettle.md"]),
        ({"directory": "../"}, []),
    ],
)
def test_a_list_keeps_to_its_filters(
    vault: VaultHarness, given: dict[str, object], expected: list[str]
) -> None:
    vault.indexed(TEA)

    assert [note["id"] for note in brain(vault, "list_notes", **given)] == expected


def test_a_note_in_brief_has_the_titles_it_is_linked_with(vault: VaultHarness) -> None:
    vault.indexed(TEA)

    reply = brain(vault, "read_note", name="tea")

    assert reply["data"] == {
        "id": "Tea.md",
        "title": "Tea",
        "tags": ["drink"],
        "frontmatter": {"tags": ["drink"], "aliases": ["Cha"]},
        "outgoing": ["Kettle", "Aunt"],
        "incoming": ["Kettle"],
    }
    assert reply["context"]["state"] == {
        "last_file_read": "Tea.md",
        "last_file_outgoing": ["Kettle.md"],
        "last_file_unresolved_links": ["Aunt"],
    }


def test_a_note_in_full_has_its_body_and_what_stands_around_links(
    vault: VaultHarness,
) -> None:
    vault.indexed(TEA)

    note = brain(vault, "read_note", name="Tea", mode="full")["data"]

    said = "Water from the [[Kettle]]\nand leaves from [[Aunt]]."
    assert note["content"] == f"# Tea\n\n{said}\n"
    assert note["truncated"] is False
    assert note["outgoing"] == [
        {"id": "Kettle.md", "title": "Kettle", "context": said},
        {"id": "_stub/Aunt.md", "title": "Aunt", "context": said},
    ]
    assert [edge["context"] for edge in note["incoming"]] == [
        "It sings for [[Tea]].",
        "Always [[Tea|tea]].",
    ]


@pytest.mark.parametrize("name", ["_stub/Aunt.md", "_stub/aunt"])
def test_a_name_nobody_wrote_yet_is_told_with_who_links_to_it(
    vault: VaultHarness, name: str
) -> None:
    vault.indexed({**TEA, "Aunts.md": "All of them."})

    reply = brain(vault, "read_note", name=name)
    full = brain(vault, "read_note", name=name, mode="full")

    assert reply["data"] == {
        "id": "_stub/Aunt.md",
        "title": "Aunt",
        "tags": [],
        "frontmatter": {"_stub": True},
        "outgoing": [],
        "incoming": ["Tea"],
    }
    state = reply["context"]["state"]
    assert state["last_file_read"] == "_stub/Aunt.md"
    assert full["data"]["content"] == ""
    assert full["data"]["truncated"] is False
    assert full["data"]["incoming"] == [
        {
            "id": "Tea.md",
            "title": "Tea",
            "context": "Water from the [[Kettle]]\nand leaves from [[Aunt]].",
        }
    ]


def test_every_note_of_a_list_can_be_read(vault: VaultHarness) -> None:
    links = "[[Plan 01]] [[Plan]] [[b/Ähre]] [[Roof.md]]"
    vault.indexed({"a/Plan 00.md": links, "c/_stub/Kept.md": "", "_stub/Real.md": ""})

    listed = brain(vault, "list_notes")

    assert len(listed) == 7
    for note in listed:
        read = brain(vault, "read_note", name=note["id"])["data"]
        assert {name: read[name] for name in note} == note


def test_a_note_goes_before_a_name_nobody_wrote(vault: VaultHarness) -> None:
    vault.indexed(
        {"x.md": "---\naliases: [Aunt]\n---\n", "y.md": "[[Aunt]] and [[Uncle]]"}
    )

    assert brain(vault, "read_note", name="Aunt")["data"]["id"] == "x.md"
    with pytest.raises(NoteNotFound):
        brain(vault, "read_note", name="_stub/Zeppelin.md")


def test_a_long_body_is_cut_and_says_so(vault: VaultHarness) -> None:
    vault.indexed({"Long.md": "---\na: 1\n---\n" + "x" * 3000})

    note = brain(vault, "read_note", name="Long", mode="full")["data"]
    short = brain(vault, "read_note", name="Long", mode="full", maxContentLength=5)

    assert (note["content"], note["truncated"]) == ("x" * 2000, True)
    assert short["data"]["content"] == "xxxxx"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a/Plan", "a/Plan.md"),
        ("a/Plan.md", "a/Plan.md"),
        ("Roof", "b/Roof works.md"),
        ("plan", "a/Plan.md"),
        ("Scheme", "a/Plan.md"),
        ("oof wor", "b/Roof works.md"),
    ],
)
def test_a_note_goes_by_id_title_file_name_alias_or_part_of_a_title(
    vault: VaultHarness, name: str, path: str
) -> None:
    vault.indexed({"a/Plan.md": "---\naliases: [Scheme]\n---\n", "b/Roof works.md": ""})

    assert brain(vault, "read_note", name=name)["data"]["id"] == path


def test_a_weak_name_of_many_notes_lists_ten_of_them(vault: VaultHarness) -> None:
    vault.indexed({f"Plan {i:02}.md": "x" for i in range(12)})

    with pytest.raises(AmbiguousName, match=r"Plan 00\.md, .* and 2 more") as caught:
        brain(vault, "read_note", name="plan")
    assert len(caught.value.candidates) == 10
    with pytest.raises(NoteNotFound):
        brain(vault, "read_note", name="zeppelin")


def test_reindex_says_what_changed(vault: VaultHarness) -> None:
    vault.write(TEA)

    first = brain(vault, "reindex")
    second = brain(vault, "reindex", resolution=1.5)
    vault.write({"Aunt.md": "to [[Nobody]] and [[Nowhere]]", "Tea.md": "no link"})
    third = brain(vault, "reindex")

    assert first == {
        "nodesIndexed": 3,
        "nodesSkipped": 0,
        "nodesRemoved": 0,
        "edgesIndexed": 4,
        "stubNodesCreated": 1,
        "stubsPruned": 0,
        "communitiesDetected": 0,
        "warnings": [],
    }
    assert (second["nodesIndexed"], second["nodesSkipped"]) == (0, 3)
    assert (third["nodesIndexed"], third["stubNodesCreated"]) == (2, 1)


def test_reindex_tells_how_far_it_has_come(vault: VaultHarness) -> None:
    vault.write(TEA)
    told: list[Progress] = []
    tool = tool_of("brain", "reindex")

    tool.run(ToolCall(vault.engine, {"resolution": None}, told.append))

    assert {progress.stage for progress in told} >= {"read"}


def test_reindex_removes_nothing_when_the_vault_seems_gone(vault: VaultHarness) -> None:
    vault.indexed({f"n{i}.md": "oolong" for i in range(40)})
    for file in Path(vault.root).glob("*.md"):
        file.unlink()

    with pytest.raises(MassDeletion):
        brain(vault, "reindex")
    assert len(brain(vault, "list_notes")) == 40


def test_the_state_of_the_index_has_every_field_of_obsidian_brain(
    meaning: MeaningHarness,
) -> None:
    state = brain(harbour(meaning), "index_status")

    wanted = (
        "model dim provider notesTotal notesWithEmbeddings notesNoEmbeddableContent "
        "notesMissingEmbeddings chunksTotal summary failedChunks advertisedMaxTokens "
        "discoveredMaxTokens prefixSource overrideApplied lastReindexReasons "
        "reindexInProgress embedderReady initError"
    )
    assert set(wanted.split()) <= set(state)
    assert (state["provider"], state["notesTotal"]) == ("onnx", 8)
    assert (state["dim"], state["notesWithEmbeddings"]) == (256, 8)
    assert state["notesMissingEmbeddings"] == state["notesNoEmbeddableContent"] == 0
    assert (state["embedderReady"], state["reindexInProgress"]) == (True, False)


def test_notes_without_vectors_and_without_text_are_counted_apart(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Tea.md": "oolong rests in the pot", "Empty.md": ""})
    meaning.write({"Late.md": "assam came later than all the rest"})
    meaning.index(embed=False)

    state = brain(meaning, "index_status")

    assert state["notesTotal"] == 3
    assert state["notesWithEmbeddings"] == 1
    assert state["notesNoEmbeddableContent"] == 1
    assert state["notesMissingEmbeddings"] == 1


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("search", {}),
        ("search", {"query": "x", "mode": "psychic"}),
        ("search", {"query": "x", "limit": 0}),
        ("read_note", {"name": "x", "mode": "whole"}),
        ("read_note", {"name": "x", "maxContentLength": -1}),
        ("list_notes", {"folder": "x"}),
    ],
)
def test_a_call_that_does_not_fit_is_refused(
    vault: VaultHarness, tool: str, given: dict[str, object]
) -> None:
    with pytest.raises(BadArgument):
        answer_of(vault.engine, "brain", tool, **given)
