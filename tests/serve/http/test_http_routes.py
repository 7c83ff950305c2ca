"""Every route gives what the engine gives, in the shapes of the program's own JSON."""

import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from http_harness import Web, Wire, serving, until
from path_table import NAMES, Fence, lay
from route_table import ROUTES
from vault_harness import VaultHarness

from glassmind.errors import IndexBusy, IndexUnwritable
from glassmind.model.access import EVERY_AGENT
from glassmind.model.index import Progress, WatchState
from glassmind.operations.find import search_result
from glassmind.operations.maintain import StatsResult
from glassmind.operations.registry import copied
from glassmind.search.query import UNMEASURED
from glassmind.store.lock import WriterLock
from glassmind.store.watch_state import write_state
from glassmind.version import __version__

TEA = "---\naliases: [Cha]\n---\n# Tea\n\nOolong rests.\n\n## Pot\n\nA pot of clay.\n"


@pytest.fixture(scope="module")
def web(sample: VaultHarness) -> Iterator[Web]:
    with serving(sample.engine) as web:
        yield web


@pytest.fixture
def tea(vault: VaultHarness) -> Iterator[Web]:
    vault.indexed({"Tea.md": TEA, "Folder/Cup & saucer.md": "# Cup\n\nFor tea.\n"})
    with serving(vault.engine) as web:
        yield web


def test_a_search_answers_as_the_engine_does(web: Web, sample: VaultHarness) -> None:
    answer = web.post("/search", {"query": "heron radio", "limit": 3})

    reply = sample.engine.seen_by(EVERY_AGENT).search("heron radio", limit=3)
    root = str(sample.root)
    expected = search_result(reply, vault=sample.root.name, root=root)
    assert answer.status == 200
    known = json.loads(msgspec.json.encode(expected))
    assert answer.json == {name: known[name] for name in answer.json}
    assert set(known) - set(answer.json) == {"semantic_failure"}
    assert len(answer.json["hits"]) == 3


def test_every_wish_of_a_search_is_heard(web: Web) -> None:
    wishes = {
        "query": "river",
        "limit": 2,
        "mode": "fulltext",
        "intent": "balanced",
        "hop_depth": 1,
        "threshold": 0.1,
        "min_similarity": None,
        "unique": "chunks",
        "explain": True,
    }

    answer = web.post("/search", wishes)

    assert len(answer.json["hits"]) == 2
    assert answer.json["hits"][0]["evidence"][0]["fields"]


def test_a_least_similarity_that_nothing_is_measured_by_is_told(web: Web) -> None:
    wishes = {"query": "river", "mode": "fulltext", "min_similarity": 0.3}

    answer = web.post("/search", wishes)

    assert answer.json["hits"]
    assert answer.json["degraded"] == [UNMEASURED]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "not a JSON object"),
        (b"[]", 400, "not a JSON object"),
        (b'{"query": "a"', 400, "not a JSON object"),
        (b'{"query": NaN}', 400, "not a JSON object"),
        ('{"query": "a"}'.encode("utf-16"), 400, "not a JSON object"),
        (b"{}", 422, "query is missing"),
        (b'{"query": ""}', 422, "nothing to search for"),
        (b'{"query": 1}', 422, "query must be a text"),
        (b'{"query": "a", "limit": "1"}', 422, "limit must be a whole number"),
        (b'{"query": "a", "limit": true}', 422, "limit must be a whole number"),
        (b'{"query": "a", "limit": 0}', 422, "limit must be 1 or more (got 0)"),
        (b'{"query": "a", "mode": "magic"}', 422, "must be one of hybrid"),
        (b'{"query": "a", "mode": true}', 422, "must be one of hybrid"),
        (b'{"query": "a", "query": "b"}', 400, "each name given once"),
        (b'{"query": "a", "colour": "red"}', 422, "no argument 'colour'"),
        (b'{"query": "\\ud800"}', 422, "valid Unicode text"),
        (b'{"query": "before:never"}', 422, "is not a date"),
        (b'{"query": "a", "root_note": "Nil", "mode": "hybrid"}', 404, "no note is"),
        (b'{"query": "%s"}' % (b"a" * 20_001), 422, "at most 20,000 characters"),
    ],
)
def test_a_search_that_cannot_be_made_is_told_why(
    web: Web, body: bytes, status: int, said: str
) -> None:
    answer = web.post("/search", body)

    assert answer.status == status
    assert said in answer.json["error"]["message"]
    assert set(answer.json["error"]) == {"code", "message", "hint"}
    assert all(answer.json["error"].values())


@pytest.mark.parametrize("name", ["Tea.md", "tea", "Cha", "Tea.md?lines=1-99"])
def test_a_note_is_read_by_path_title_or_alias(
    tea: Web, vault: VaultHarness, name: str
) -> None:
    answer = tea.get(f"/notes/{name}")

    note = vault.engine.read("Tea.md")
    assert (answer.json["path"], answer.json["text"]) == (note.path, note.text)
    assert answer.json["digest"] == note.digest
    assert answer.json["uri"] == "obsidian://open?vault=Notes&file=Tea"
    assert answer.json["truncated"] is False


@pytest.mark.parametrize(
    "path", ["Folder/Cup%20%26%20saucer.md", "Folder%2FCup%20%26%20saucer.md"]
)
def test_a_path_may_have_its_slashes_encoded(tea: Web, path: str) -> None:
    assert tea.get(f"/notes/{path}").json["text"] == "# Cup\n\nFor tea.\n"


def test_a_part_of_a_note_is_read_alone(tea: Web) -> None:
    by_heading = tea.get("/notes/Tea?heading=Pot").json
    by_lines = tea.get("/notes/Tea?lines=4-6").json
    one_line = tea.get("/notes/Tea?lines=4").json
    rest = tea.get("/notes/Tea?lines=4-").json

    assert by_heading["text"] == "## Pot\n\nA pot of clay.\n"
    assert by_lines["text"] == "# Tea\n\nOolong rests.\n"
    assert one_line["lines"] == [4, 4]
    assert rest["text"].startswith("# Tea\n")
    assert rest["text"].endswith("A pot of clay.\n")


def test_a_long_note_comes_a_page_at_a_time(tea: Web, vault: VaultHarness) -> None:
    text = "# Long\n\n" + "Steeped, poured and drunk. " * 20_000
    vault.indexed({"Long.md": text})

    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = tea.get(f"/notes/Long.md?offset={offset}").json
        assert page["characters"] == len(text)
        pages.append(page["text"])
        offset = page["next_offset"]

    assert "".join(pages) == text
    assert len(pages) == 3


def test_a_page_tells_the_lines_it_holds(tea: Web) -> None:
    pages = [
        tea.get(f"/notes/Tea?{asked}").json["lines"]
        for asked in (
            "limit=4",
            "offset=4&limit=19",
            "offset=23",
            "offset=5&limit=1",
            "heading=Pot&offset=7",
            f"offset={len(TEA)}",
        )
    ]

    assert pages == [[1, 1], [2, 3], [4, 10], [2, 2], [9, 10], [10, 10]]


def test_a_page_behind_the_end_is_told_how_long_the_text_is(tea: Web) -> None:
    answer = tea.get(f"/notes/Tea?offset={len(TEA) + 1}")

    assert (answer.status, answer.code) == (404, "offset_out_of_range")
    assert f"{len(TEA)} characters" in answer.json["error"]["message"]


def test_a_file_that_cannot_be_read_is_told_with_what_can_be_done(
    tea: Web, vault: VaultHarness
) -> None:
    vault.indexed({"Odd.md": b"\x00\x01\x02" * 50})

    answer = tea.get("/notes/Odd.md")

    assert (answer.status, answer.code) == (409, "file_unreadable")
    assert "skipped" in answer.json["error"]["message"]
    assert "/index" in answer.json["error"]["hint"]
    assert "/stats" not in answer.json["error"]["hint"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/notes/Nothing like it", 404),
        ("/notes/Tea?heading=Saucer", 404),
        ("/notes/Tea?lines=90-99", 404),
        ("/notes/Tea?lines=9-3", 422),
        ("/notes/Tea?lines=a-b", 422),
        ("/notes/Tea?offset=-1", 422),
        ("/notes/Tea?offset=1&offset=2", 422),
        ("/notes/Tea?name=Cup", 422),
        ("/notes/Tea?heading=%ff", 404),
        ("/notes/", 404),
        ("/notes", 405),
    ],
)
def test_a_note_that_cannot_be_read_is_told_why(
    tea: Web, path: str, status: int
) -> None:
    answer = tea.get(quote(path, safe="/?=&%"))

    assert answer.status == status
    assert answer.json["error"]["message"]


@pytest.fixture(scope="module")
def fenced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, Fence]]:
    harness = VaultHarness(tmp_path_factory.mktemp("fenced"))
    fence = lay(harness.root)
    harness.index()
    with serving(harness.engine) as web:
        yield web, fence
    harness.close()


@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_no_name_leads_out_of_the_vault(fenced: tuple[Web, Fence], name: str) -> None:
    web, fence = fenced
    root = {"query": "canary", "root_note": name, "mode": "hybrid"}

    answers = [
        web.get(f"/notes/{quote(name, safe='')}"),
        web.get(f"/notes/{quote(name, safe='/%.~:')}"),
        web.post("/search", root),
        web.post("/index", {"paths": [name]}),
    ]

    for answer in answers:
        assert answer.status < 500
        assert answer.status == 200 or str(fence.root.parent) not in str(answer.json)
    fence.assert_untouched(*(answer.body.decode() for answer in answers))


def test_the_counts_are_those_of_the_engine(web: Web, sample: VaultHarness) -> None:
    answer = web.get("/stats")

    seen = sample.engine.seen_by(EVERY_AGENT).stats()  # one note is private
    expected = copied(StatsResult, seen, vault=str(sample.root)).to_json()
    assert answer.json == json.loads(json.dumps(expected))


def test_health_without_a_token_says_only_that_the_server_is_up(
    web: Web, vault: VaultHarness
) -> None:
    up = {"status": "ok", "version": f"glassmind {__version__}"}

    assert web.ask("GET", "/health").json == up
    wrong = {"Authorization": "Bearer of-another-vault-altogether"}
    assert web.ask("GET", "/health", headers=wrong).json == up
    with serving(vault.open()) as empty:  # no index yet: not told either
        assert empty.ask("GET", "/health").json == up


def test_health_with_a_token_tells_what_works(web: Web, sample: VaultHarness) -> None:
    health = web.get("/health").json

    assert health["status"] == "ok"  # without a model, as the settings want it
    assert health["channels"]["lexical"] is True
    assert health["channels"]["semantic"] is False
    seen = sample.engine.seen_by(EVERY_AGENT).stats().notes
    assert health["note_count"] == seen == sample.engine.stats().notes - 1
    assert health["vault_path"] == str(sample.root)


def test_health_is_degraded_before_there_is_an_index(vault: VaultHarness) -> None:
    with serving(vault.open()) as web:
        health = web.get("/health")
        search = web.post("/search", {"query": "tea"})

    assert health.status == 200
    assert health.json["status"] == "degraded"
    assert not any(health.json["channels"].values())
    assert search.status == 503
    assert search.code == "index_absent"
    assert str(vault.root.parent) not in search.body.decode()


def test_health_is_degraded_while_the_vault_cannot_be_followed(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "oolong"})
    hindered = WatchState("watching", error="the disk is full", pid=os.getpid())
    with serving(vault.engine) as web:
        write_state(vault.folder, hindered)
        health = web.get("/health").json
        search = web.post("/search", {"query": "oolong"}).json

    assert health["status"] == "degraded"
    assert health["channels"]["lexical"] is True
    assert search["degraded"] == ["the index may be behind the vault: the disk is full"]


def test_passages_come_in_the_shape_of_obsidian_rag(tea: Web) -> None:
    answer = tea.get("/api/search?query=clay&limit=5")

    (found,) = answer.json
    assert set(found) == {"chunkId", "path", "chunkIndex", "content", "score"}
    assert found["path"] == "Tea.md"
    assert "A pot of clay." in found["content"]
    assert found["chunkId"] == f"Tea.md::{found['chunkIndex']}"


def test_passages_are_twenty_unless_said_otherwise(web: Web) -> None:
    assert len(web.get("/api/search?query=the+river").json) == 20
    assert len(web.get("/api/search?query=the+river&limit=3").json) == 3
    assert web.get("/api/search").status == 422
    assert web.get("/api/search?query=").status == 422


def test_an_index_run_answers_with_its_report(tea: Web, vault: VaultHarness) -> None:
    vault.write({"New.md": "# New\n\nA samovar.\n"})

    report = tea.post("/index", {}).json

    assert (report["added"], report["unchanged"], report["notes"]) == (1, 2, 3)
    assert vault.found("samovar") == ["New.md"]


def test_a_reading_request_never_writes(tea: Web, vault: VaultHarness) -> None:
    vault.write({"New.md": "# New\n\nA samovar.\n"})

    asked = [
        tea.get(path).status for path in ("/index", "/index?verify=true", "/search")
    ]

    assert asked == [405, 405, 405]
    assert tea.get("/search").headers["allow"] == "POST"
    assert vault.found("samovar") == []


def test_a_busy_index_is_told_with_when_to_ask_again(
    tea: Web, vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(**_: Any) -> None:
        raise IndexBusy("process 7", 600)

    monkeypatch.setattr(vault.engine.seen_by(EVERY_AGENT), "index", busy)

    answer = tea.post("/index", {})

    assert (answer.status, answer.code) == (503, "index_busy")
    assert answer.headers["retry-after"] == "5"


def test_no_place_of_the_machine_is_told(
    tea: Web, vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(vault.folder)

    def full(**_: Any) -> None:
        raise IndexUnwritable(folder, f"[Errno 28] No space: '{folder}/index.db'")

    monkeypatch.setattr(vault.engine.seen_by(EVERY_AGENT), "index", full)

    answer = tea.post("/index", {})

    assert answer.status == 503
    assert str(vault.root.parent) not in answer.body.decode()


def test_a_fault_of_ours_shows_no_trace(
    tea: Web, vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a secret of Tea.md")

    monkeypatch.setattr(vault.engine.seen_by(EVERY_AGENT), "search", broken)

    answer = tea.post("/search", {"query": "tea"})

    assert (answer.status, answer.code) == (500, "unexpected")
    assert b"secret" not in answer.body
    assert b"Traceback" not in answer.body


def send_index(web: Web, wire: Wire) -> None:
    """Ask for a run by a bare connection, without waiting for its answer."""
    wire.send(
        "POST /index HTTP/1.1",
        f"Host: {web.host}",
        f"Authorization: Bearer {web.token}",
        "Content-Type: application/json",
        "Content-Length: 2",
        "",
        "{}",
    )


def test_a_client_that_goes_ends_the_run_it_asked_for(
    tea: Web, vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, ended = threading.Event(), threading.Event()

    def endless(*, progress: Any, **_: Any) -> None:
        try:
            while True:
                progress(Progress("read", 1, 2))
                began.set()
                time.sleep(0.005)
        finally:
            ended.set()

    monkeypatch.setattr(vault.engine.seen_by(EVERY_AGENT), "index", endless)

    with tea.raw() as wire:
        send_index(tea, wire)
        assert began.wait(30)

    assert ended.wait(30)


def test_runs_that_nobody_waits_for_keep_no_other_from_its_turn(
    tea: Web, vault: VaultHarness
) -> None:
    with WriterLock(vault.folder / "writer.lock") as writer:
        assert writer.try_acquire()
        for _ in range(12):  # more than may wait
            with tea.raw() as wire:
                send_index(tea, wire)
    until(lambda: tea.post("/index", {}).status == 200)


def test_metrics_are_in_the_text_format_of_prometheus(web: Web) -> None:
    web.post("/search", {"query": "heron"})
    web.ask("GET", "/stats")

    answer = web.get("/metrics")

    text = answer.body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    figures = dict(line.rsplit(" ", 1) for line in lines)
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert int(figures['glassmind_http_requests_total{route="/search",status="200"}'])
    assert int(figures['glassmind_http_requests_total{route="other",status="401"}'])
    seconds = 'glassmind_http_seconds_total{route="/search",status="200"}'
    assert float(figures[seconds]) > 0
    assert float(figures["glassmind_notes"]) > 70
    assert float(figures['glassmind_index_bytes{part="index.db"}']) > 1_000
    assert "glassmind_chunks_embedded" in figures


def test_the_description_has_every_route_that_answers(web: Web) -> None:
    described = web.get("/openapi.json").json

    found = {
        (method.upper(), path)
        for path, operations in described["paths"].items()
        for method in operations
    }
    assert found == {(r.method, r.path) for r in ROUTES}
    assert described["openapi"] == "3.1.0"


@pytest.mark.parametrize(
    "name", ["Health", "StatsResult", "SearchResult", "ReadResult"]
)
def test_answers_have_the_shape_that_is_described(web: Web, name: str) -> None:
    described = web.get("/openapi.json").json
    answers = {
        "Health": web.get("/health"),
        "StatsResult": web.get("/stats"),
        "SearchResult": web.post("/search", {"query": "heron", "explain": True}),
        "ReadResult": web.get("/notes/Heron%20network"),
    }

    shape = described["components"]["schemas"][name]
    jsonschema.validate(
        answers[name].json, {"$ref": f"#/components/schemas/{name}", **described}
    )
    assert set(answers[name].json) - set(shape["properties"]) <= {"vault_path"}
