"""What follows from the links, over HTTP."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import jsonschema  # type: ignore[import-untyped]
import pytest
from http_harness import Web, serving
from route_table import ROUTES as ALL_ROUTES
from vault_harness import VaultHarness

from glassmind.operations.arguments import fields_of

GRAPH = [route for route in ALL_ROUTES if route.path.startswith("/graph/")]

NOTE = "Projects/Heron node v3.md"

ASKED: dict[str, dict[str, Any]] = {
    "/graph/connections": {"name": NOTE, "depth": 2, "subgraph": "true"},
    "/graph/path": {"source": "Home", "target": "Everyday sourdough"},
    "/graph/themes": {"resolution": 2},
    "/graph/rank": {"metric": "bridging", "limit": 3, "about": "heron"},
    "/graph/suggest": {"limit": 3},
    "/graph/similar": {"name": NOTE},
    "/graph/timeline": {"name": "Heron network", "limit": 5},
    "/graph/ontology": {"limit": 3},
    "/graph/resolve": {"text": "Heron nodes"},
    "/graph/ingest": {"name": "2025 in review"},
    "/graph/health": {"check": "orphans"},
}


@pytest.fixture(scope="module")
def web(sample: VaultHarness) -> Iterator[Web]:
    with serving(sample.engine) as web:
        yield web


@pytest.fixture
def tea(vault: VaultHarness) -> Iterator[Web]:
    vault.indexed(
        {
            "Folder/Tea & cups.md": "To [[Cup]] and [[Nobody]].",
            "Cup.md": "For [[Tea & cups]].",
            "a/Same.md": "",
            "b/Same.md": "",
        }
    )
    with serving(vault.engine) as web:
        yield web


def check_shape(web: Web, values: Any, name: str) -> None:
    """Fail unless an answer has the shape that the server describes."""
    described = web.get("/openapi.json").json
    jsonschema.validate(values, {"$ref": f"#/components/schemas/{name}", **described})


def test_all_routes_that_read_are_tried_here() -> None:
    assert {route.path for route in GRAPH if route.method == "GET"} == set(ASKED)


@pytest.mark.parametrize("path", ASKED)
def test_an_answer_is_of_the_shape_that_is_described(web: Web, path: str) -> None:
    answer = web.get(f"{path}?{urlencode(ASKED[path])}")

    assert answer.status == 200, answer.body
    (route,) = [one for one in GRAPH if (one.method, one.path) == ("GET", path)]
    check_shape(web, answer.json, route.schema)
    shapes = web.get("/openapi.json").json["components"]["schemas"]
    absent = set(shapes[route.schema]["properties"]) - set(answer.json)
    assert absent <= {"secrets"}  # for the owner alone
    assert set(shapes[route.schema]["properties"]) >= set(answer.json) - {"untrusted"}


@pytest.mark.parametrize("path", ASKED)
def test_the_most_that_may_be_asked_for_is_given(web: Web, path: str) -> None:
    (route,) = [one for one in GRAPH if (one.method, one.path) == ("GET", path)]
    fields = fields_of(route.operation.arguments, "http")
    bounds = {field.name: field.bounds.le for field in fields if field.kind is int}

    answer = web.get(f"{path}?{urlencode(ASKED[path] | bounds)}")

    assert answer.status == 200, answer.body


@pytest.mark.parametrize(
    ("shape", "kind", "begins"),
    [
        ("graphml", "application/graphml+xml; charset=utf-8", "<?xml"),
        ("dot", "text/vnd.graphviz; charset=utf-8", "digraph"),
        ("json", "application/json", "{"),
    ],
)
def test_connections_can_be_had_for_programs_that_draw_graphs(
    tea: Web, shape: str, kind: str, begins: str
) -> None:
    answer = tea.get(f"/graph/connections?name=Cup&format={shape}")

    assert answer.status == 200
    assert answer.headers["content-type"] == kind
    assert answer.body.decode().startswith(begins)
    assert "Tea &amp; cups" in answer.body.decode() or shape != "graphml"


@pytest.mark.parametrize(
    "asked", ["check=orphans&check=ghosts", "check=ghosts,orphans"]
)
def test_several_checks_may_be_asked_for(tea: Web, asked: str) -> None:
    report = tea.get(f"/graph/health?{asked}").json

    assert {one["name"] for one in report["checks"]} == {"orphans", "ghosts"}
    assert report["partial"] is True


def test_a_name_that_only_links_know_is_told_with_how_to_see_them(tea: Web) -> None:
    answer = tea.get("/graph/connections?name=Nobody")

    assert (answer.status, answer.code) == (404, "note_is_ghost")
    assert "1 link leads to that name" in answer.json["error"]["message"]
    assert "ghosts=true" in answer.json["error"]["hint"]


def test_a_name_may_hold_slashes_and_whatever_else(tea: Web) -> None:
    query = urlencode({"name": "Folder/Tea & cups.md", "ghosts": "true"})

    answer = tea.get(f"/graph/connections?{query}")

    near = [one["path"] for one in answer.json["hops"][0]["neighbours"]]
    assert answer.json["path"] == "Folder/Tea & cups.md"
    assert near == ["Cup.md", "Nobody"]


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ("/graph/connections?name=Zeppelin", 404, "note_not_found"),
        ("/graph/connections?name=Same", 409, "ambiguous_name"),
        ("/graph/connections", 422, "bad_argument"),
        ("/graph/connections?name=Cup&depth=4", 422, "bad_argument"),
        ("/graph/connections?name=Cup&odd=1", 422, "bad_argument"),
        ("/graph/path?source=Cup&target=Zeppelin", 404, "note_not_found"),
        ("/graph/path?source=Cup&target=Cup&most_hops=0", 422, "bad_argument"),
        ("/graph/themes?theme=zeppelin", 404, "unknown_theme"),
        ("/graph/rank?theme=zeppelin", 404, "unknown_theme"),
        ("/graph/rank?metric=fame", 422, "bad_argument"),
        ("/graph/health?check=zeppelin", 404, "unknown_check"),
        ("/graph/dismiss?a=Cup&b=Same", 405, "wrong_method"),
        ("/graph", 404, "no_route"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_hint(
    tea: Web, asked: str, status: int, code: str
) -> None:
    answer = tea.get(asked)

    assert (answer.status, answer.code) == (status, code)
    assert answer.json["error"]["hint"]


def test_nothing_of_it_is_told_to_strangers(tea: Web) -> None:
    for route in GRAPH:
        body = None if route.method == "GET" else b"{}"
        headers = {} if body is None else {"Content-Type": "application/json"}
        assert tea.ask(route.method, route.path, body, headers).status == 401


def test_a_pair_is_dismissed_and_brought_back_by_json_alone(
    tea: Web, vault: VaultHarness
) -> None:
    pair = {"a": "Folder/Tea & cups.md", "b": "Cup"}
    form = {**tea.known, "Content-Type": "application/x-www-form-urlencoded"}

    refused = tea.ask("POST", "/graph/dismiss", "a=Cup&b=Tea", form)
    first = tea.post("/graph/dismiss", pair)
    listed = (vault.root / first.json["file"]).read_text("utf-8")
    back = tea.post("/graph/dismiss", {**pair, "restore": True})

    assert refused.status == 415
    assert first.json["changed"] is back.json["changed"] is True
    assert first.json["line"] in listed
    check_shape(tea, first.json, "DismissResult")


def test_a_finding_is_dismissed_by_its_key(tea: Web) -> None:
    def keys() -> list[str]:
        report = tea.get("/graph/health?check=orphans").json
        return [one["key"] for one in report["checks"][0]["examples"]]

    assert keys() == ["orphans:a/Same.md", "orphans:b/Same.md"]
    done = tea.post("/graph/finding/dismiss", {"key": "orphans:a/Same.md"})

    assert done.status == 200
    assert keys() == ["orphans:b/Same.md"]


def test_what_is_no_finding_cannot_be_dismissed(tea: Web) -> None:
    done = tea.post("/graph/finding/dismiss", {"key": "orphans:Zeppelin.md"})

    assert done.status == 404


def test_where_nothing_may_be_written_a_dismissal_is_refused(
    vault: VaultHarness,
) -> None:
    vault.open(writes__mode="off")
    vault.indexed({"A.md": "a", "B.md": "b"})

    with serving(vault.engine) as web:
        answer = web.post("/graph/dismiss", {"a": "A", "b": "B"})

    assert (answer.status, answer.code) == (409, "writes_off")
    assert not (vault.root / ".agent/dismissed.txt").exists()


def test_before_the_index_all_say_so(vault: VaultHarness) -> None:
    vault.write({"Tea.md": "oolong"})

    with serving(vault.engine) as web:
        for path, given in ASKED.items():
            answer = web.get(f"{path}?{urlencode(given)}")
            assert (answer.status, answer.code) == (503, "index_absent"), path


def test_the_description_has_every_route_of_the_graph(web: Web) -> None:
    paths = web.get("/openapi.json").json["paths"]

    for route in GRAPH:
        assert route.method.lower() in paths[route.path]


def test_the_vault_is_told_by_its_name(web: Web, sample: VaultHarness) -> None:
    answers = {path: web.get(f"{path}?{urlencode(ASKED[path])}") for path in ASKED}

    told = {path: found.json["vault"] for path, found in answers.items()
            if "vault" in found.json}  # fmt: skip
    assert set(told.values()) == {sample.root.name}
    assert len(told) >= 4
    assert not [
        answer
        for answer in answers.values()
        if str(sample.root).encode() in answer.body
    ]


def test_a_file_that_takes_no_line_is_not_the_settings_fault(
    tea: Web, vault: VaultHarness
) -> None:
    (vault.root / ".agent/dismissed.txt").mkdir(parents=True)

    done = tea.post("/graph/dismiss", {"a": "Cup", "b": "Tea & cups"})

    assert done.status == 409
    error = done.json["error"]
    assert error["code"] == "write_failed"
    assert error["hint"] == "name another file, or fix the one it names"
