"""Fifty notes that give orders, through every route there is."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from editing_harness import outside_agent
from http_harness import Answer, Web, answer_of, serving
from injection.corpus import ATTACKS, CANARY, HEADING, TOPIC, Attack
from injection.harness import MADE, NOTE, SHOWN, attacked, calls_of, ids_in
from route_table import ROUTES
from vault_harness import VaultHarness

from glassmind.errors import HeadingNotFound
from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.operations.registry import NoNotes
from glassmind.serve.http.replies import error_body, refusal_of
from glassmind.serve.http.server import event

JOB = "<the id of a run>"
DRY = {"dry_run": True}
EDITS = [{"op": "append", "text": "x"}]

CALLS: dict[str, list[dict[str, Any]]] = {
    "POST /search": [{"query": TOPIC, "limit": 100, "explain": True}],
    "POST /context": [{"query": TOPIC}, {"query": NOTE, "budget": 600}],
    "GET /hot-context": [{}],
    "GET /brief": [{"since": "2020-01-01"}, {"project": CANARY}],
    "GET /summary": [{"project": CANARY}, {"project": "tea"}],
    "POST /verify": [{"receipts": [f"{NOTE}:1-3"]}],
    "POST /capture": [{"kind": "memory", "text": f"a {TOPIC}", "sources": [NOTE]}],
    "GET /recall": [{}, {"query": TOPIC}],
    "GET /inbox": [{}],
    "GET /hot": [{}],
    "GET /log": [{}],
    "POST /edit": [
        {"name": NOTE, "edits": EDITS, **DRY},
        {"name": NOTE, "edits": [{"op": "heading", "heading": HEADING, "text": "x"}]},
        {"name": NOTE, "edits": EDITS},
    ],
    "POST /notes": [{"title": "New", "template": NOTE, **DRY}],
    "POST /delete": [{"name": NOTE, **DRY}, {"name": NOTE, "confirm": True}],
    "POST /move": [{"source": NOTE, "destination": "Moved/", **DRY}],
    "POST /rename-heading": [{"name": NOTE, "heading": HEADING, "new": "x", **DRY}],
    "POST /rename-tag": [{"old": CANARY, "new": "tame", **DRY}],
    "POST /merge": [{"source": NOTE, "into": "Home", **DRY}],
    "POST /split": [{"name": NOTE, "level": 1, **DRY}],
    "GET /changes": [{}],
    "GET /changes/{id}": [{"id": MADE}, {"id": SHOWN}],
    "POST /changes/{id}/undo": [{"id": MADE, **DRY}],
    "POST /changes/{id}/apply": [{"id": SHOWN}],
    "GET /notes/{name}": [{"name": NOTE}, {"name": NOTE, "heading": HEADING}],
    "POST /index": [{}],
    "GET /health": [{}],
    "GET /graph/connections": [
        {"name": NOTE, "ghosts": "true"},
        {"name": NOTE, "subgraph": "true", "format": "graphml"},
        {"name": NOTE, "subgraph": "true", "format": "dot"},
    ],
    "GET /graph/path": [{"source": "Home", "target": NOTE, "ghosts": "true"}],
    "GET /graph/themes": [{}, {"theme": "1"}],
    "GET /graph/rank": [{"least_inbound": 0}],
    "GET /graph/suggest": [{}, {"name": NOTE}],
    "POST /graph/suggest/apply": [{"name": NOTE, **DRY}],
    "GET /graph/similar": [{}],
    "GET /graph/timeline": [{"name": NOTE}],
    "GET /graph/ontology": [{}],
    "GET /graph/resolve": [{"text": NOTE}],
    "GET /graph/ingest": [{"name": NOTE}],
    "POST /graph/dismiss": [{"a": NOTE, "b": "Home"}],
    "GET /graph/health": [{}],
    "POST /graph/health/fix": [DRY],
    "POST /graph/finding/dismiss": [{"key": f"orphans:{NOTE}"}],
    "GET /stats": [{}],
    "GET /api/search": [{"query": TOPIC}],
    "GET /api/kb/ask": [
        {"question": f"Where does the {TOPIC} fish?"},
        {"question": f"Where does the {TOPIC} fish?", "stream": "false"},
    ],
    "GET /openapi.json": [{}],
    "GET /metrics": [{}],
}
"""How each route is asked; `NOTE` stands for each of the notes in turn."""

NONE = {"id": "none"}
REFUSED: dict[str, list[dict[str, Any]]] = {
    "POST /edit": [
        {"name": NOTE, "edits": [{"op": "heading", "heading": "no", "text": "x"}]}
    ],
    "POST /delete": [{"name": NOTE}],
    "POST /rename-heading": [{"name": NOTE, "heading": "no", "new": "x", **DRY}],
    "GET /changes/{id}": [NONE],
    "POST /changes/{id}/undo": [{**NONE, **DRY}],
    "POST /changes/{id}/apply": [NONE],
    "GET /notes/{name}": [
        {"name": NOTE, "heading": "none such"},
        {"name": f"{CANARY} nowhere"},
    ],
    "GET /graph/themes": [{"theme": CANARY}],
}
"""What is asked for in vain: what a refusal says is of notes too."""

FEW = ATTACKS[::25] + ATTACKS[-6:]
BY_NAME = {f"{route.method} {route.path}": route for route in ROUTES}
KINDS = ("application/json", "text/markdown", "text/event-stream")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = attacked(tmp_path_factory.mktemp("hostile"), writes__mode="propose")
    yield harness
    harness.close()


@pytest.fixture(scope="module")
def web(hostile: VaultHarness) -> Iterator[Web]:
    with serving(hostile.engine) as web:
        yield web


def test_no_route_is_forgotten() -> None:
    assert set(BY_NAME) == set(CALLS)


def outside(markdown: str) -> Iterator[str]:
    """Yield the lines of a packet with an attack that stand in no fence of it."""
    fence = ""
    for line in markdown.split("\n"):
        marks = re.match(r"`{3,}", line)
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif marks:
            fence = marks[0]
        elif CANARY in line:
            yield line


def assert_labelled(name: str, values: Any) -> None:
    if not isinstance(values, dict):
        return
    if values.get("error"):  # a run has one, or none
        assert values["error"]["message"].isprintable()
    elif not issubclass(BY_NAME[name].operation.result, NoNotes):
        assert next(iter(values.items())) == ("untrusted", LABEL_OF_VALUES)


def assert_held(name: str, answer: Answer) -> None:
    """An answer keeps what notes say apart from what we say."""
    assert answer.status < 500, answer.body
    text, kind = answer.body.decode(), answer.headers["content-type"]
    if kind.startswith("application/json"):
        assert_labelled(name, json.loads(text))
    elif kind.startswith("text/markdown"):
        for line in outside(text):
            assert re.match(r"#{1,3} |\[\d+\] |Missing: ", line), line
            assert line.isprintable()
    elif kind.startswith("text/event-stream"):
        for line in text.splitlines():
            assert re.match(r"(event: \w+|data: \{.*\}|:.*|)\Z", line), line
        for found in re.findall(r"event: (?:sources|answer)\ndata: (.*)", text):
            assert json.loads(found)["untrusted"] == LABEL_OF_VALUES
    elif kind.startswith("application/graphml"):
        ET.fromstring(text)  # noqa: S314 - our own
    elif not kind.startswith("text/vnd.graphviz"):
        assert CANARY not in text, kind


def drive(
    hostile: VaultHarness, web: Web, name: str, notes: tuple[Attack, ...]
) -> None:
    """Ask a route in each way, about each note; each way is answered as it should."""
    ids = ids_in(hostile)
    before = outside_agent(hostile.root)
    kinds = KINDS if BY_NAME[name].other_types else KINDS[:1]

    def answers(given: dict[str, Any]) -> list[Answer]:
        return [
            answer_of(web, BY_NAME[name], asked, Accept=kind)
            for asked in calls_of(given, notes, ids)
            for kind in kinds
        ]

    for given in (*CALLS[name], *REFUSED.get(name, ())):
        told = answers(given)
        for answer in told:
            assert_held(name, answer)
        answered = any(answer.status == 200 for answer in told)
        assert answered == (given in CALLS[name]), (given, told[0].body)
    assert outside_agent(hostile.root) == before


@pytest.mark.parametrize("name", CALLS)
def test_what_notes_say_stays_what_they_say(
    hostile: VaultHarness, web: Web, name: str
) -> None:
    drive(hostile, web, name, FEW)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CALLS)
def test_what_all_notes_say_stays_what_they_say(
    hostile: VaultHarness, web: Web, name: str
) -> None:
    drive(hostile, web, name, ATTACKS)


@pytest.fixture
def tea(vault: VaultHarness) -> Iterator[Web]:
    vault.indexed(
        {
            "Tea.md": "# Tea\n\n## Pot\n\nClay.\n",
            "Hidden.md": "# Sleep\u200b\u200b\u200bing\n\nx\n",
            "A/Cup.md": "---\nproject: Kettle\n---\nx",
            "B/Cup.md": "x",
        }
    )
    with serving(vault.engine) as web:
        yield web


CITES_NOTHING = {"kind": "memory", "text": "x", "sources": ["Tea#nope"]}
NAMING: list[tuple[str, str, dict[str, Any] | None, str]] = [
    ("/notes/Tea?heading=nope", "heading_not_found", None, "Pot"),
    ("/notes/Cup", "ambiguous_name", None, "A/Cup.md"),
    ("/summary?project=Kettel", "project_unknown", None, "Kettle"),
    ("/capture", "bad_memory", CITES_NOTHING, "Pot"),
]
OF_OURS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("/notes/Zanzibar%20archipelago", "note_not_found", None),
    ("/summary?project=Zanzibar", "project_unknown", None),
    ("/nowhere", "no_route", None),
    ("/search", "bad_argument", {}),
    ("/search", "nothing_asked", {"query": ""}),
]


@pytest.mark.parametrize(("path", "code", "body", "named"), NAMING)
def test_a_refusal_that_names_notes_begins_by_saying_what_they_are(
    tea: Web, path: str, code: str, body: dict[str, Any] | None, named: str
) -> None:
    answer = tea.get(path) if body is None else tea.post(path, body)

    assert answer.code == code
    assert named in answer.json["error"]["message"]
    said = json.loads(answer.body)
    assert list(said) == ["untrusted", "error"]
    assert said["untrusted"] == LABEL_OF_VALUES


@pytest.mark.parametrize(("path", "code", "body"), OF_OURS)
def test_a_refusal_in_our_words_and_the_callers_alone_is_plain(
    tea: Web, path: str, code: str, body: dict[str, Any] | None
) -> None:
    answer = tea.get(path) if body is None else tea.post(path, body)

    assert answer.code == code
    assert list(json.loads(answer.body)) == ["error"]


def test_a_refusal_flags_the_hidden_text_that_it_names(tea: Web) -> None:
    answer = tea.get("/notes/Hidden?heading=nope")

    assert json.loads(answer.body).get("hidden_text") == ["zero-width"]


def test_an_answer_that_breaks_off_over_notes_says_what_they_are(
    vault: VaultHarness,
) -> None:
    refusal = refusal_of(HeadingNotFound("Tea.md", "x", ("Pot",)), vault.engine.config)

    _, _, data = event("error", error_body(refusal)).decode().partition("data: ")

    assert list(json.loads(data)) == ["untrusted", "error"]


def test_hidden_text_is_flagged_where_a_note_is_read(web: Web) -> None:
    for attack in ATTACKS:
        answer = web.get(f"/notes/{quote(attack.path, safe='')}")
        if answer.status == 200 and attack.path.isprintable():
            found = json.loads(answer.body).get("hidden_text", [])
            assert tuple(found) == attack.hidden, attack.path


def test_what_the_server_says_of_itself_says_what_notes_are(web: Web) -> None:
    described = json.loads(web.get("/openapi.json").body)

    assert "untrusted" not in described
    assert LABEL_OF_VALUES in described["info"]["description"]
    shape = described["paths"]["/search"]["post"]["responses"]["200"]
    schema = shape["content"]["application/json"]["schema"]
    assert schema["required"] == ["untrusted"]
    error = described["components"]["schemas"]["Error"]
    assert {"untrusted", "hidden_text"} <= set(error["properties"])
    assert error["required"] == ["error"]
