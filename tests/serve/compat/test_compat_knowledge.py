"""The tools of the Knowledge layer: arguments, results, and what is left without it."""

from typing import Any

import pytest
from compat_harness import NEAREST, answer_of, called, doubtful, schema_of, tool_of
from search_harness import harbour
from semantic_harness import LONG, MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import BadArgument, BadDate

BOTH = pytest.mark.parametrize("tool", ["semantic_search", "search_files"])


def asked(harness: VaultHarness, tool: str, query: str, **given: object) -> Any:
    return called(harness.engine, "knowledge", tool, query=query, **given)


def paths(reply: Any) -> list[str]:
    return [result["path"] for result in reply["results"]]


@BOTH
def test_a_tool_takes_a_query_and_filters(tool: str) -> None:
    schema = schema_of(tool_of("knowledge", tool))

    assert schema["required"] == ["query"]
    assert list(schema["properties"]) == ["query", "top_k", "folder", "tags", "since"]
    top_k = schema["properties"]["top_k"]
    assert (top_k["default"], top_k["maximum"]) == (8, 20)


def test_meaning_finds_what_no_word_names(meaning: MeaningHarness) -> None:
    reply = asked(harbour(meaning), "semantic_search", "vessel drips")

    best = reply["results"][0]
    assert (best["path"], best["relevance"]) == ("Boats/Skiff.md", 1.0)
    assert best["excerpt"].startswith("The skiff leaks at the bow")
    assert reply["mode"] == "semantic"


def test_what_links_led_to_says_the_way(meaning: MeaningHarness) -> None:
    meaning.indexed(
        {
            "Boat.md": LONG.format("Leaks at the bow, and so wants [[Pitch]] for it,"),
            "Pitch.md": LONG.format("Warm slowly in iron kettles"),
            **{f"Far {i}.md": LONG.format(f"zeppelins{i}") for i in range(3)},
        }
    )

    reply = asked(meaning, "semantic_search", "what helps against leaks at the bow")

    found = {one["path"]: one for one in reply["results"]}
    pitch = found["Pitch.md"]
    assert pitch["connection_path"] == ["Boat.md", "Pitch.md"]
    assert "Boat" in pitch["connection"]
    assert "connection_path" not in found["Boat.md"]


@BOTH
def test_without_a_model_keywords_answer_and_the_reply_says_so(
    vault: VaultHarness, tool: str
) -> None:
    vault.indexed({"Tea.md": "oolong rests", "Cocoa.md": "milk"})

    reply = asked(vault, tool, "oolong")

    assert paths(reply) == ["Tea.md"]
    assert reply["mode"] == "keyword"
    assert any(said.startswith("semantic: ") for said in reply["degraded"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"folder": "Boats"}, {"Boats/Skiff.md", "Boats/Barge.md"}),
        ({"folder": "/boats/"}, {"Boats/Skiff.md", "Boats/Barge.md"}),
        ({"folder": "oats"}, set()),
        ({"folder": "../"}, None),
        ({"tags": ["boat"]}, {"Boats/Skiff.md", "Boats/Barge.md"}),
        ({"tags": ["boat", "#boat/small"]}, {"Boats/Skiff.md"}),
        ({"tags": ["nosuch"]}, set()),
        ({"folder": "Boats", "since": "2024-04"}, {"Boats/Barge.md"}),
        ({"folder": 'Boats" tag:"nosuch'}, set()),
    ],
)
@BOTH
def test_filters_keep_the_rest_out(
    meaning: MeaningHarness,
    tool: str,
    given: dict[str, object],
    expected: set[str] | None,
) -> None:
    reply = asked(harbour(meaning), tool, 'leaks "', **given)

    assert set(paths(reply)) == (set() if expected is None else expected)


@BOTH
def test_a_quote_in_the_query_opens_no_filter(
    meaning: MeaningHarness, tool: str
) -> None:
    harness = harbour(meaning)

    found = paths(asked(harness, tool, 'leaks "path: Garden', folder="Boats"))

    assert set(found) <= {"Boats/Skiff.md", "Boats/Barge.md"}


@BOTH
def test_filters_alone_choose_files(meaning: MeaningHarness, tool: str) -> None:
    found = paths(asked(harbour(meaning), tool, "", tags=["boat"]))

    assert found == ["Boats/Barge.md", "Boats/Skiff.md"]


@BOTH
def test_a_file_shows_two_passages_at_most_and_files_are_as_many_as_wanted(
    meaning: MeaningHarness, tool: str
) -> None:
    parts = "\n\n".join(f"# H{i}\n\n" + LONG.format("oolong") for i in range(9))
    meaning.indexed({f"n{i}.md": f"{parts} {i}" for i in range(12)})

    usual = asked(meaning, tool, "oolong")["results"]
    some = asked(meaning, tool, "oolong", top_k=3)["results"]

    assert (len(usual), len(some)) == (8, 3)
    assert len({one["path"] for one in usual}) == 8
    assert all(len(one["more"]) <= 1 for one in usual)


@pytest.mark.parametrize("given", [{"top_k": 21}, {"top_k": 0}, {"tags": [1]}])
@BOTH
def test_a_call_that_does_not_fit_is_refused(
    vault: VaultHarness, tool: str, given: dict[str, object]
) -> None:
    with pytest.raises(BadArgument):
        answer_of(vault.engine, "knowledge", tool, query="x", **given)


@BOTH
def test_a_day_that_is_none_is_an_error(vault: VaultHarness, tool: str) -> None:
    vault.indexed({"Tea.md": "oolong"})

    with pytest.raises(BadDate):
        asked(vault, tool, "oolong", since="someday")


@BOTH
def test_a_search_that_finds_nothing_good_says_so(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    doubtful(harbour(meaning).engine, monkeypatch)

    near = asked(meaning, tool, "skiff")
    none = asked(meaning, tool, "skiff", folder="Nowhere")

    assert near["results"]
    assert near["degraded"] == [NEAREST]
    assert none["degraded"] == []
