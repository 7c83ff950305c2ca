"""Facts of Hindsight where people, programs and agents see them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Inside, Program
from compat_harness import called
from hindsight_harness import HindsightHarness, as_json, fact, remembering
from http_harness import serving
from mcp_harness import call, structured_server, text_of
from search_harness import HARBOUR, harbour
from semantic_harness import MeaningHarness
from vault_harness import usage_text

LEAK = fact(1, "The owner said that the skiff leaks most after a dry winter.")
PATH = "hindsight://default/fact-1"
QUESTION = "where does the skiff leaks"


@pytest.fixture
def memory() -> Iterator[HindsightHarness]:
    """A server that remembers one thing about boats."""
    with remembering(LEAK) as harness:
        yield harness


@pytest.fixture
def harness(meaning: MeaningHarness, memory: HindsightHarness) -> MeaningHarness:
    """The harbour, with that server beside it."""
    harbour(meaning)
    meaning.open(hindsight__url=memory.url)
    return meaning


@pytest.fixture
def program(tmp_path: Path, memory: HindsightHarness) -> Program:
    """The program, with that server beside its vault."""
    made = Inside(Program(tmp_path))
    for path, text in HARBOUR.items():
        file = made.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    made.env["GLASSMIND_HINDSIGHT_URL"] = memory.url
    assert made.run("index").returncode == 0
    return made


def checks(program: Program) -> list[Any]:
    found = json.loads(program.run("--json", "doctor").stdout)
    return [one for one in found["checks"] if one["name"] == "hindsight"]


def test_the_program_shows_a_fact_without_lines_and_says_where_it_is_from(
    program: Program,
) -> None:
    shown = program.run("search", "--mode", "hybrid", QUESTION).stdout

    assert f" {PATH}\n" in shown
    assert "remembered by Hindsight (world fact, 2026-03-01)" in shown
    assert "Boats/Skiff.md:" in shown


def test_the_program_has_facts_in_json_and_leaves_them_out_of_paths(
    program: Program,
) -> None:
    reply = json.loads(
        program.run("--json", "search", "--mode", "hybrid", QUESTION).stdout
    )
    paths = program.run("search", "--mode", "hybrid", "--paths", QUESTION).stdout

    (hit,) = [one for one in reply["hits"] if one["path"] == PATH]
    assert (hit["uri"], hit["modified"]) == (None, None)
    assert "hindsight" in reply["channels"]
    assert "Boats/Skiff.md" in paths
    assert "hindsight" not in paths


def test_the_doctor_says_how_hindsight_is(
    program: Program, memory: HindsightHarness
) -> None:
    (well,) = checks(program)
    memory.misbehave = lambda _: as_json({}, 401)
    (ill,) = checks(program)
    program.env["GLASSMIND_HINDSIGHT_URL"] = ""

    assert well["state"] == "ok"
    assert "127.0.0.1" in well["finding"]
    assert ill["state"] == "warn"
    assert "HTTP 401" in ill["finding"]
    assert checks(program) == []


@pytest.mark.parametrize("retains", [True, False])
def test_the_doctor_says_what_would_go_to_another_machine_and_how_to_let_it(
    program: Program, *, retains: bool
) -> None:
    program.env["GLASSMIND_HINDSIGHT_URL"] = "http://192.0.2.1:8888"
    program.env["GLASSMIND_HINDSIGHT_RETAIN"] = str(retains).lower()

    (found,) = checks(program)

    captures = ", and what is captured," if retains else ""
    assert f"what you ask{captures} would go there" in found["finding"]
    assert "note text" not in found["finding"]
    assert "config set hindsight.allow_remote true" in found["fix"]


def test_a_search_over_http_has_the_fact(harness: MeaningHarness) -> None:
    with serving(harness.engine) as web:
        hits = web.post("/search", {"query": QUESTION}).json["hits"]
        passages = web.get("/api/search?query=skiff+leaks").json

    (hit,) = [one for one in hits if one["path"] == PATH]
    assert hit["snippet"]["text"] == LEAK["text"]
    assert hit["uri"] is None
    (passage,) = [one for one in passages if one["path"] == PATH]
    assert passage["content"] == LEAK["text"]


def test_health_over_http_tells_whether_hindsight_answers(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    with serving(harness.engine) as web:
        well = web.get("/health").json
    memory.misbehave = lambda _: as_json({}, 500)
    with serving(harness.open()) as web:
        ill = web.get("/health").json
    with serving(harness.open(hindsight__url="")) as web:
        without = web.get("/health").json

    assert (well["status"], well["channels"]["hindsight"]) == ("ok", True)
    assert (ill["status"], ill["channels"]["hindsight"]) == ("degraded", False)
    assert (without["status"], without["channels"]["hindsight"]) == ("ok", False)
    assert {one.path for one in memory.heard} == {"/health"}


def test_health_believes_what_a_search_heard_a_moment_ago(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    harness.ask(QUESTION)
    memory.misbehave = lambda _: as_json({}, 500)

    assert harness.engine.recalls() is True
    assert not any(one.path == "/health" for one in memory.heard)


def test_an_agent_is_shown_a_fact_as_what_it_is(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.facts = [LEAK, fact(2, f"{QUESTION} {QUESTION}")]

    answer = call(structured_server(harness.engine), "glassmind_search", query=QUESTION)

    text, values = text_of(answer), answer.structured_content
    assert values is not None
    fenced = text[text.index("Hits 1") :]
    assert PATH in fenced
    assert f"{PATH}:1-1" not in text
    assert "obsidian://" in text
    assert "obsidian://" not in fenced[fenced.index(PATH) :].split("\n", 4)[3]
    (hit,) = [value for value in values["hits"] if value["path"] == PATH]
    assert (hit["uri"], hit["modified"]) == (None, None)
    links = [one for one in answer.content if one.type == "resource_link"]
    assert not any("hindsight" in str(link.uri) for link in links)
    assert '"name": "hindsight' not in json.dumps(values)


def test_where_a_fact_is_the_best_the_best_note_is_offered_to_be_read(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.facts = [fact(1, "quokka sightings of the quokka")]

    answer = call(
        structured_server(harness.engine), "glassmind_search", query="quokka leaks"
    )

    assert answer.structured_content is not None
    shown = json.dumps(answer.structured_content)
    assert PATH in shown
    assert '"name": "hindsight' not in shown


def test_an_agent_pages_through_notes_and_facts_once_each(
    harness: MeaningHarness,
) -> None:
    server, cursor, seen = structured_server(harness.engine), None, []
    for _ in range(10):
        given = {
            "query": QUESTION,
            "limit": 2,
            **({"cursor": cursor} if cursor else {}),
        }
        values = call(server, "glassmind_search", **given).structured_content
        assert values is not None
        seen += [value["path"] for value in values["hits"]]
        cursor = values["next_cursor"]
        if cursor is None:
            break

    assert len(seen) == len(set(seen)) > 2
    assert PATH in seen


@pytest.mark.parametrize("intent", ["factual_lookup", "conceptual"])
def test_vault_search_has_facts_in_the_same_list(
    harness: MeaningHarness, intent: str
) -> None:
    reply = called(
        harness.engine,
        "graphrag",
        "vault_search",
        query=QUESTION,
        intent=intent,
        threshold=0.5,  # a memo of the vault, which memory votes for, is the best
    )

    (one,) = [one for one in reply["results"] if one["path"] == PATH]
    assert one["channel"] == "hindsight"
    assert "remembered by Hindsight" in one["match_reason"]
    assert one["excerpt"] == LEAK["text"]


def test_stages_that_read_notes_are_given_no_facts(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    engine = harness.engine

    engine.bundles.pack(QUESTION)
    engine.memory.recall(QUESTION)
    engine.memory.capture("memory", "The skiff leaks at the bow again.")
    called(engine, "brain", "search", query=QUESTION)
    called(engine, "knowledge", "search_files", query=QUESTION)

    assert memory.heard == []


def test_facts_are_not_on_record_as_notes_that_were_used(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.facts = [fact(n, QUESTION) for n in range(5)]

    hits = harness.ask(QUESTION).hits

    assert not all(hit.is_note for hit in hits[:5])
    text = usage_text(harness.place) or usage_text(harness.place.parent)
    assert "Skiff.md" in text
    assert "hindsight" not in text
