"""The tool of vault-graphrag: its names, arguments, defaults and reply."""

from typing import Any

import pytest
from compat_harness import NEAREST, answer_of, called, doubtful, schema_of, tool_of
from search_harness import harbour
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import BadArgument, NoteNotFound
from glassmind.model.search import Intent
from glassmind.search.plan import BY_INTENT

FIELDS = "path title channel relevance match_reason excerpt depth connected_via"


def asked(harness: VaultHarness, query: str, **given: object) -> list[dict[str, Any]]:
    reply = called(harness.engine, "graphrag", "vault_search", query=query, **given)
    found: list[dict[str, Any]] = reply["results"]
    return found


def test_the_tool_takes_what_vault_graphrag_takes() -> None:
    schema = schema_of(tool_of("graphrag", "vault_search"))

    assert schema["required"] == ["query"]
    assert schema["properties"]["intent"]["enum"] == list(BY_INTENT)
    defaults = {name: one.get("default") for name, one in schema["properties"].items()}
    assert defaults == {
        "query": None,
        "intent": None,
        "root_note": None,
        "max_results": 10,
        "hop_depth": 2,
        "threshold": 0.6,
    }


@pytest.mark.parametrize("intent", [None, *BY_INTENT])
def test_every_result_has_every_field_and_a_reason(
    meaning: MeaningHarness, intent: Intent | None
) -> None:
    results = asked(harbour(meaning), "the skiff leaks", intent=intent, threshold=0)

    assert results
    for result in results:
        assert " ".join(result) == FIELDS
        assert result["match_reason"]
        assert result["channel"] in {"bm25", "semantic", "graph", "memory"}
        assert 0.0 <= result["relevance"] <= 1.0
    assert results[0]["relevance"] == 1.0


def test_results_below_the_threshold_are_left_out(meaning: MeaningHarness) -> None:
    harness = harbour(meaning)

    some = asked(harness, "the skiff leaks")
    every = asked(harness, "the skiff leaks", threshold=0)

    assert some == [one for one in every if one["relevance"] >= 0.6]
    assert len(some) < len(every)


def test_no_more_results_come_than_are_wanted(meaning: MeaningHarness) -> None:
    assert len(asked(harbour(meaning), "skiff", max_results=2, threshold=0)) == 2


def test_a_query_whose_intent_is_not_plain_is_conceptual(
    meaning: MeaningHarness,
) -> None:
    harness = harbour(meaning)

    plain = asked(harness, "wet feet", threshold=0)

    assert plain == asked(harness, "wet feet", intent="conceptual", threshold=0)


def test_a_query_whose_intent_is_plain_is_taken_for_it(meaning: MeaningHarness) -> None:
    harness = harbour(meaning)

    plain = asked(harness, "what links to Kettle?", threshold=0)

    assert plain == asked(
        harness, "what links to Kettle?", intent="backlink", threshold=0
    )
    assert plain[0]["path"] == "Pitch.md"
    assert plain[0]["channel"] == "graph"


def test_links_are_followed_from_the_root_note_as_far_as_wished(
    meaning: MeaningHarness,
) -> None:
    harness = harbour(meaning)
    wish = {"intent": "context_load", "root_note": "Boats/Skiff.md", "threshold": 0}

    near = asked(harness, "zeppelin", hop_depth=1, **wish)
    far = asked(harness, "zeppelin", hop_depth=2, **wish)

    depths = {one["path"]: one["depth"] for one in far if one["channel"] == "graph"}
    assert depths["Pitch.md"] == 1
    assert depths["Kettle.md"] == 2
    (kettle,) = [one for one in far if one["path"] == "Kettle.md"]
    assert kettle["connected_via"] == ["Boats/Skiff.md", "Pitch.md"]
    assert max(one["depth"] for one in near) == 1


def test_a_channel_that_is_missing_costs_only_itself(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "oolong from [[Kettle]]", "Kettle.md": "iron"})

    reply = called(vault.engine, "graphrag", "vault_search", query="oolong")

    assert reply["results"][0]["path"] == "Tea.md"
    assert reply["results"][0]["channel"] == "bm25"
    assert any(said.startswith("semantic: ") for said in reply["degraded"])


@pytest.mark.parametrize(
    "given",
    [
        {"intent": "psychic"},
        {"max_results": 0},
        {"hop_depth": -1},
        {"hop_depth": 99},
        {"threshold": 1.5},
        {"limit": 5},
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(
    vault: VaultHarness, given: dict[str, object]
) -> None:
    with pytest.raises(BadArgument):
        answer_of(vault.engine, "graphrag", "vault_search", query="x", **given)


def test_a_root_that_is_no_note_is_an_error(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "oolong"})

    with pytest.raises(NoteNotFound):
        asked(vault, "oolong", root_note="../../etc/passwd")


def test_a_search_that_finds_nothing_good_says_so(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = doubtful(harbour(meaning).engine, monkeypatch)

    reply = called(engine, "graphrag", "vault_search", query="skiff")

    assert reply["results"]
    assert reply["degraded"] == [NEAREST]
