"""Context and memory over HTTP: what is answered, in which shape, and what is not."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jsonschema  # type: ignore[import-untyped]
import pytest
from cli_harness import with_note
from http_harness import LIMIT_S, Answer, Web, serving, started, until
from route_table import ROUTES as ALL_ROUTES
from vault_harness import VaultHarness

from glassmind.obsidian.text import estimate_tokens

MARKDOWN = {"Accept": "text/markdown"}

ASKED: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/context"): {"query": "heron radio battery", "budget": 2_000},
    ("GET", "/hot-context"): {"budget": 2_000, "limit": 5},
    ("GET", "/brief"): {"budget": 2_000, "since": "2020-01-01"},
    ("GET", "/summary"): {"project": "Heron network", "budget": 1_000},
    ("GET", "/recall"): {"limit": 5},
    ("GET", "/inbox"): {},
    ("GET", "/hot"): {"limit": 5},
    ("GET", "/log"): {"limit": 5},
}
"""Every route that reads, and what is asked of it."""

ROUTES = {
    (route.method, route.path): route
    for route in ALL_ROUTES
    if (route.method, route.path) in ASKED
}

PACKETS = ("/context", "/hot-context", "/brief")

NOTE = {"kind": "memory", "text": "The samovar stands in the cellar."}

TEA = {
    "Tea.md": "---\nproject: Tea house\n---\n# Tea\n\nOolong brews at 90 degrees.\n",
    "Cups.md": "# Cups\n\n- [ ] Buy cups for [[Tea]]\n",
}


ROUTES = {
    (route.method, route.path): route
    for route in ALL_ROUTES
    if (route.method, route.path) in {*ASKED, ("POST", "/capture")}
}


def check_shape(web: Web, values: Any, name: str) -> None:
    """Fail unless an answer has the shape that the server describes."""
    described = web.get("/openapi.json").json
    jsonschema.validate(values, {"$ref": f"#/components/schemas/{name}", **described})


def ask(
    web: Web, method: str, path: str, given: dict[str, Any], **headers: str
) -> Answer:
    if method == "POST":
        return web.post(path, given, **headers)
    return web.get(f"{path}?{urlencode(given)}" if given else path, **headers)


@pytest.fixture(scope="module")
def web(sample: VaultHarness) -> Iterator[Web]:
    with serving(sample.engine) as web:
        yield web


@pytest.fixture
def tea(vault: VaultHarness) -> Iterator[Web]:
    vault.indexed(TEA)
    with serving(vault.engine) as web:
        yield web


@pytest.mark.parametrize(("method", "path"), ASKED)
def test_an_answer_is_of_the_shape_that_is_described(
    web: Web, method: str, path: str
) -> None:
    answer = ask(web, method, path, ASKED[method, path])

    assert answer.status == 200, answer.body
    name = ROUTES[method, path].schema
    check_shape(web, answer.json, name)
    shapes = web.get("/openapi.json").json["components"]["schemas"]
    assert set(answer.json) - {"untrusted"} == set(shapes[name]["properties"])


@pytest.mark.parametrize(("method", "path"), ASKED)
def test_the_most_that_may_be_asked_for_is_given(
    web: Web, method: str, path: str
) -> None:
    bounds = {
        argument.name: int(argument.most)
        for argument in ROUTES[method, path].arguments
        if argument.kind == "integer" and argument.most is not None
    }

    answer = ask(web, method, path, ASKED[method, path] | bounds)

    assert answer.status == 200, answer.body


@pytest.mark.parametrize(
    ("method", "path"), [one for one in ASKED if one[1] in PACKETS]
)
@pytest.mark.parametrize("budget", [320, 1_000, 4_000])
def test_a_packet_is_had_as_markdown_within_its_budget(
    web: Web, method: str, path: str, budget: int
) -> None:
    given = ASKED[method, path] | {"budget": budget}

    read = ask(web, method, path, given, **MARKDOWN)
    told = ask(web, method, path, given).json

    assert read.headers["content-type"] == "text/markdown; charset=utf-8"
    assert read.body.startswith(b"#")
    assert estimate_tokens(read.body.decode()) <= budget
    assert told["tokens"] <= told["budget_tokens"] == budget


def test_a_summary_is_had_as_markdown_and_is_kept_nowhere(
    tea: Web, vault: VaultHarness
) -> None:
    given = {"project": "Tea house"}

    made = ask(tea, "GET", "/summary", given)
    read = ask(tea, "GET", "/summary", given, **MARKDOWN)

    assert made.json["text"] == read.body.decode()
    assert "Oolong brews at 90 degrees." in read.body.decode()
    assert made.json["saved"] is None
    assert not (vault.root / ".agent").exists()


def test_without_a_budget_the_settings_say_how_much(web: Web) -> None:
    told = web.post("/context", {"query": "heron"}).json

    assert told["budget_tokens"] == 6_000
    assert told["notes"]


def test_a_capture_waits_in_the_inbox_and_is_found_at_once(
    tea: Web, vault: VaultHarness
) -> None:
    done = tea.post("/capture", {**NOTE, "client": "a\nscript", "tags": ["tea"]})

    assert done.status == 200, done.body
    check_shape(tea, done.json, "CaptureResult")
    memo = done.json["memory"]
    assert (memo["place"], memo["generated"]) == ("inbox", True)
    assert memo["client"] == "a script"
    assert memo["text"].strip() == NOTE["text"]
    assert NOTE["text"] in (vault.root / memo["path"]).read_text("utf-8")
    found = tea.post("/search", {"query": "samovar"}).json["hits"]
    assert [hit["path"] for hit in found] == [memo["path"]]
    (waiting,) = tea.get("/inbox").json["waiting"]
    (recalled,) = tea.get("/recall?query=samovar").json["memories"]
    assert waiting["path"] == recalled["path"] == memo["path"]
    check_shape(tea, tea.get("/inbox").json, "InboxResult")
    check_shape(tea, tea.get("/recall").json, "RecallResult")
    (record,) = tea.get("/log").json["records"]
    assert (record["path"], record["client"]) == (memo["path"], "a script")
    packed = tea.post("/context", {"query": "samovar cellar"}, **MARKDOWN)
    assert NOTE["text"] in packed.body.decode()


@pytest.mark.parametrize("said", [{}, {"client": ""}, {"client": "cli"}])
def test_who_says_no_name_of_its_own_goes_by_how_it_came(
    tea: Web, said: dict[str, str]
) -> None:
    assert tea.post("/capture", {**NOTE, **said}).json["memory"]["client"] == "http"


def test_a_capture_that_is_repeated_finds_the_first(tea: Web) -> None:
    first = tea.post("/capture", NOTE).json["memory"]["path"]

    again = tea.post("/capture", NOTE).json

    (near,) = again["near"]
    assert (near["path"], near["similarity"]) == (first, 1)


def test_captures_of_many_at_once_are_all_there(tea: Web) -> None:
    paths: list[str] = []

    def capture(name: str) -> None:
        for number in range(5):
            said = {"kind": "memory", "text": f"{name} has seen heron {number}."}
            paths.append(tea.post("/capture", said).json["memory"]["path"])

    threads = [threading.Thread(target=capture, args=(name,)) for name in "ABCD"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)

    assert len(set(paths)) == 20
    waiting = tea.get("/inbox").json["waiting"]
    assert {one["path"] for one in waiting} == set(paths)
    assert tea.get("/log?limit=100").json["total"] == 20


@pytest.mark.slow
def test_captures_beside_a_server_and_through_it_are_all_found(tmp_path: Path) -> None:
    program = with_note(tmp_path)
    assert program.run("index").returncode == 0

    with started(program) as running:
        web = running.web()
        threads = [
            threading.Thread(target=_captured, args=(web, range(6))),
            threading.Thread(target=_captured, args=(web, range(6, 12))),
        ]
        for thread in threads:
            thread.start()
        beside = [
            program.json("capture", "memory", "--text", f"The pot has heron {number}.")
            for number in range(3)
        ]
        for thread in threads:
            thread.join(LIMIT_S)
        # one that found the index busy is taken in by whoever writes it next
        until(lambda: len(_paths_of(web, "heron")) == 15)
        written = web.get("/log?limit=50").json

    assert {one["memory"]["place"] for one in beside} == {"kept"}
    assert written["total"] == 15
    clients = [one["client"] for one in written["records"]]
    assert (clients.count("http"), clients.count("cli")) == (12, 3)


def _captured(web: Web, numbers: range) -> None:
    for number in numbers:
        said = {"kind": "memory", "text": f"The cup has seen heron {number}."}
        web.post("/capture", said)


def _paths_of(web: Web, query: str) -> set[str]:
    found = web.post("/search", {"query": query, "limit": 50}).json["hits"]
    return {hit["path"] for hit in found}


def test_before_the_index_a_capture_is_kept_and_says_what_is_missing(
    vault: VaultHarness,
) -> None:
    vault.write(TEA)

    with serving(vault.engine) as web:
        done = web.post("/capture", NOTE).json

    assert done["indexed"] is False
    (notice,) = done["notices"]
    assert "glassmind index" in notice
    assert str(vault.place) not in notice
    assert NOTE["text"] in (vault.root / done["memory"]["path"]).read_text("utf-8")
    vault.index()
    assert vault.found("samovar") == [done["memory"]["path"]]


def test_nothing_is_captured_but_by_json(tea: Web, vault: VaultHarness) -> None:
    form = {**tea.known, "Content-Type": "application/x-www-form-urlencoded"}

    refused = tea.ask("POST", "/capture", "kind=memory&text=x", form)
    wrong = tea.get("/capture?kind=memory&text=x")

    assert (refused.status, wrong.status) == (415, 405)
    assert not (vault.root / ".agent").exists()


@pytest.mark.parametrize(
    ("asked", "given", "refusal"),
    [
        ("POST /context", {}, (422, "bad_argument")),
        ("POST /context", {"query": " "}, (422, "nothing_asked")),
        ("POST /context", {"query": "tea", "budget": 10}, (422, "bad_argument")),
        ("POST /context", {"query": "tea", "limit": 0}, (422, "bad_argument")),
        ("POST /context", {"query": "tea", "mode": "odd"}, (422, "bad_argument")),
        ("POST /context", {"query": "x", "project": "Zep"}, (404, "project_unknown")),
        ("POST /context", {"query": "before:soon"}, (422, "bad_date")),
        ("POST /context", {"query": "tea", "save": True}, (422, "bad_argument")),
        ("GET /hot-context", {"project": "Zep"}, (404, "project_unknown")),
        ("GET /brief", {"since": "soon"}, (422, "bad_date")),
        ("GET /brief", {"project": "Zep"}, (404, "project_unknown")),
        ("GET /summary", {}, (422, "bad_argument")),
        ("GET /summary", {"project": "Zep"}, (404, "project_unknown")),
        ("GET /summary", {"project": "x", "save": "true"}, (422, "bad_argument")),
        ("POST /verify", {"receipts": []}, (422, "no_receipts")),
        ("POST /verify", {"receipts": "odd"}, (422, "bad_argument")),
        ("POST /verify", {"receipts": ["x"] * 1_001}, (422, "bad_argument")),
        ("POST /capture", {**NOTE, "tags": ["x"] * 101}, (422, "bad_argument")),
        ("POST /capture", {"kind": "memory"}, (422, "bad_argument")),
        ("POST /capture", {"kind": "odd", "text": "x"}, (422, "bad_argument")),
        ("POST /capture", {**NOTE, "agent": False}, (422, "bad_argument")),
        ("GET /recall", {"since": "soon"}, (422, "bad_date")),
        ("GET /recall", {"kind": "odd"}, (422, "bad_argument")),
        ("GET /log", {"since": "soon"}, (422, "bad_date")),
        ("GET /inbox", {"accept": "all"}, (422, "bad_argument")),
        ("POST /inbox", {}, (405, "wrong_method")),
        ("GET /context", {}, (405, "wrong_method")),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_hint(
    tea: Web, asked: str, given: dict[str, Any], refusal: tuple[int, str]
) -> None:
    method, _, path = asked.partition(" ")

    answer = ask(tea, method, path, given)

    assert (answer.status, answer.code) == refusal, answer.body
    assert answer.json["error"]["hint"]


def test_where_nothing_may_be_written_a_capture_is_refused(vault: VaultHarness) -> None:
    vault.open(writes__mode="off")
    vault.indexed(TEA)

    with serving(vault.engine) as web:
        answer = web.post("/capture", NOTE)

    assert (answer.status, answer.code) == (409, "writes_off")
    assert not (vault.root / ".agent").exists()


def test_a_disk_that_does_not_take_a_capture_is_told(
    tea: Web, vault: VaultHarness
) -> None:
    (vault.root / ".agent").mkdir()
    (vault.root / ".agent/inbox").write_text("no folder", "utf-8")

    answer = tea.post("/capture", NOTE)

    assert answer.status in {409, 503}
    assert answer.json["error"]["hint"]
    assert str(vault.root) not in answer.body.decode()


def test_nothing_of_it_is_told_to_strangers(tea: Web, vault: VaultHarness) -> None:
    for method, path in ROUTES:
        body = None if method == "GET" else b"{}"
        headers = {} if body is None else {"Content-Type": "application/json"}
        assert tea.ask(method, path, body, headers).status == 401
    assert not (vault.root / ".agent").exists()


@pytest.mark.parametrize("path", PACKETS)
def test_before_the_index_packets_say_so(vault: VaultHarness, path: str) -> None:
    vault.write(TEA)

    with serving(vault.engine) as web:
        (method,) = [one for one, other in ASKED if other == path]
        answer = ask(web, method, path, ASKED[method, path])

    assert (answer.status, answer.code) == (503, "index_absent")


def test_the_description_has_every_route(web: Web) -> None:
    paths = web.get("/openapi.json").json["paths"]

    for method, path in ROUTES:
        assert method.lower() in paths[path]
    content = paths["/context"]["post"]["responses"]["200"]["content"]
    assert set(content) == {"application/json", "text/markdown; charset=utf-8"}


def test_no_answer_names_a_place_on_the_machine(web: Web, sample: VaultHarness) -> None:
    for (method, path), given in ASKED.items():
        body = ask(web, method, path, given).json
        body.pop("vault", "")  # as a search says it, to those who know the token
        assert str(sample.root) not in json.dumps(body), path
