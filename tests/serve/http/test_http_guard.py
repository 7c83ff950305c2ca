"""Who is let in, how much they may send, and how long they may take to send it."""

import http.client
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from http_harness import JSON, LIMIT_S, Web, Wire, serving, until
from route_table import ROUTES
from vault_harness import VaultHarness

from glassmind.model.access import EVERY_AGENT
from glassmind.serve.http import app as routes
from glassmind.serve.http import guard, run
from glassmind.serve.http.guard import host_names
from glassmind.serve.http.server import THREADS

PATHS = [(r.method, r.path.replace("{name}", "Tea")) for r in ROUTES]
EVERY = [*PATHS, ("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/nowhere"), ("GET", "/")]
"""Every route, the protocol, and what is no route at all."""


@pytest.fixture(scope="module")
def web(sample: VaultHarness) -> Iterator[Web]:
    with serving(sample.engine, origins=("app://obsidian.md",)) as web:
        yield web


def asked_with(web: Web, method: str, path: str, **headers: str) -> int:
    """Return the status of a request that is in order but for some headers."""
    body = b"{}" if method == "POST" else None
    usual = {**web.known, **(JSON if body else {})}
    return web.ask(method, path, body, {**usual, **headers}).status


BAD_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "localhost.evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "127.0.0.1:{other}",
    "127.0.0.1",
    "localhost",
    "LOCALHOST:{port}",
    "localhost.:{port}",
    "127.0.0.1.:{port}",
    "[::1]",
    "[::1%25lo]:{port}",
    "::1:{port}",
    "0.0.0.0:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "localhost:{port}@evil.example",
    "user@localhost:{port}",
    "localhost:{port}, evil.example",
    " ",
)


@pytest.mark.parametrize("host", BAD_HOSTS)
@pytest.mark.parametrize(("method", "path"), [("GET", "/health"), ("POST", "/mcp")])
def test_a_host_that_is_not_ours_is_answered_nowhere(
    web: Web, method: str, path: str, host: str
) -> None:
    said = host.format(port=web.port, other=web.port + 1)

    assert asked_with(web, method, path, Host=said) in {400, 421}


@pytest.mark.parametrize(("method", "path"), EVERY)
def test_every_route_looks_at_the_host_and_the_origin(
    web: Web, method: str, path: str
) -> None:
    evil = f"evil.example:{web.port}"

    assert asked_with(web, method, path, Host=evil) == 421
    assert asked_with(web, method, path, Origin=f"http://{evil}") == 403
    assert asked_with(web, method, path, Origin="null") == 403


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"]
)
def test_the_names_of_this_machine_are_answered(web: Web, host: str) -> None:
    said = host.format(port=web.port)

    assert asked_with(web, "GET", "/health", Host=said) == 200
    assert asked_with(web, "GET", "/health", Host=said, Origin=f"http://{said}") == 200


def test_a_request_that_names_no_host_is_refused(web: Web) -> None:
    for version in ("1.0", "1.1"):
        with web.raw() as wire:
            wire.send(f"GET /health HTTP/{version}", "Connection: close", "")
            assert wire.status() == (421 if version == "1.0" else 400)


def test_a_request_that_names_two_hosts_is_refused(web: Web) -> None:
    with web.raw() as wire:
        hosts = (f"Host: {web.host}", "Host: evil.example")
        wire.send("GET /health HTTP/1.1", *hosts, "Connection: close", "")
        assert wire.status() == 400


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1:{port}",
        "http://localhost:3000",
        "http://127.0.0.1:{other}",
        "http://localhost.evil.example:{port}",
        "http://127.0.0.1:{port}@evil.example",
        "http://127.0.0.1:{port}/",
        "HTTP://127.0.0.1:{port}",
        "http://LOCALHOST:{port}",
        "http://localhost.:{port}",
        "app://other.md",
        "app://obsidian.md.evil.example",
        "file://",
        "null",
        "",
    ],
)
def test_a_page_of_another_server_is_refused(web: Web, origin: str) -> None:
    said = origin.format(port=web.port, other=web.port + 1)

    assert asked_with(web, "POST", "/search", Origin=said) == 403
    assert asked_with(web, "GET", "/health", Origin=said) == 403


def test_a_page_that_the_user_named_is_let_in(web: Web, sample: VaultHarness) -> None:
    with serving(sample.engine) as strict:
        refused = asked_with(strict, "GET", "/stats", Origin="app://obsidian.md")

    assert refused == 403
    assert asked_with(web, "GET", "/stats", Origin="app://obsidian.md") == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_an_image_in_a_page_of_another_server_gets_nothing(web: Web, site: str) -> None:
    headers = {"Sec-Fetch-Site": site}

    assert web.ask("GET", "/health", headers=headers).status == 403


@pytest.mark.parametrize(("method", "path"), EVERY)
def test_every_route_but_health_wants_the_token(
    web: Web, method: str, path: str
) -> None:
    body = b"{}" if method == "POST" else None
    wrong = [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {web.token}x"},
        {"Authorization": f"Bearer {web.token[:-1]}"},
        {"Authorization": f"Basic {web.token}"},
        {"Authorization": web.token},
        {"Authorization": "Bearer"},
        {"Cookie": f"token={web.token}"},
        {"X-Token": web.token},
    ]

    answers = [web.ask(method, path, body, {**JSON, **said}) for said in wrong]
    answers.append(web.ask(method, f"{path}?token={web.token}", body, JSON))

    if path == "/health":
        assert [answer.status for answer in answers[:-1]] == [200] * len(wrong)
        assert b"vault_path" not in b"".join(answer.body for answer in answers)
    else:
        assert {answer.status for answer in answers} == {401}
        assert answers[0].headers["www-authenticate"].startswith("Bearer")


def test_the_scheme_of_a_token_may_be_written_in_any_case(web: Web) -> None:
    headers = {"Authorization": f"bearer {web.token}"}

    assert web.ask("GET", "/stats", headers=headers).status == 200


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "text/plain; application/json",
    ],
)
@pytest.mark.parametrize("path", ["/index", "/search", "/context", "/mcp"])
def test_only_json_can_change_anything(web: Web, path: str, kind: str | None) -> None:
    headers = {**web.known} | ({"Content-Type": kind} if kind else {})

    assert web.ask("POST", path, b"{}", headers).status == 415


@pytest.mark.parametrize("path", ["/index", "/mcp", "/health"])
def test_a_browser_that_asks_for_leave_gets_none(web: Web, path: str) -> None:
    wish = {
        "Origin": "http://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }

    elsewhere = web.ask("OPTIONS", path, headers=wish)
    here = web.ask("OPTIONS", path, headers={**wish, "Origin": f"http://{web.host}"})

    assert elsewhere.status == 403
    assert here.status in {401, 405}
    for answer in (elsewhere, here):
        assert not [n for n in answer.headers if n.startswith("access-control")]


@pytest.mark.parametrize(("method", "path"), EVERY)
def test_every_answer_is_marked_as_what_it_is(web: Web, method: str, path: str) -> None:
    body = b"{}" if method == "POST" else None
    asked = [web.known | JSON, JSON, web.known | JSON | {"Host": "evil.example"}]

    for headers in asked:
        answer = web.ask(method, path, body, headers)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"].endswith("no-store")
        assert answer.headers["content-security-policy"].startswith(
            "default-src 'none'"
        )
        assert "set-cookie" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers
        if answer.status != 200:
            assert answer.headers["content-type"] == "application/json"
            assert answer.json["error"]


@pytest.mark.parametrize("path", ["/search", "/mcp"])
def test_a_body_that_is_too_large_is_refused(web: Web, path: str) -> None:
    body = b'{"query": "%s"}' % (b"a" * guard.LARGEST_BODY)

    answer = web.post(path, body)

    assert (answer.status, answer.code) == (413, "too_large")


def test_a_body_of_unknown_length_is_held_to_the_same_bound(web: Web) -> None:
    with web.raw() as wire:
        head = _head(web, "POST /search", "Transfer-Encoding: chunked")
        wire.send(*head)
        piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        with_end = piece * (guard.LARGEST_BODY // 0x10000 + 2) + b"0\r\n\r\n"
        threading.Thread(target=_sent, args=(wire, with_end), daemon=True).start()
        assert wire.status() == 413


def _sent(wire: Wire, content: bytes) -> None:
    try:
        wire.socket.sendall(content)
    except OSError:
        return


def _head(web: Web, what: str, *more: str) -> list[str]:
    return [
        f"{what} HTTP/1.1",
        f"Host: {web.host}",
        f"Authorization: Bearer {web.token}",
        "Content-Type: application/json",
        *more,
        "",
    ]


@pytest.mark.parametrize("piece", [b"[", b'{"a":', b'[{"[": ['])
def test_json_that_is_too_deep_is_refused(web: Web, piece: bytes) -> None:
    answer = web.post("/search", piece * 500)

    assert (answer.status, answer.code) == (400, "bad_json")


def test_json_that_is_nested_is_refused(web: Web) -> None:
    nested = b'{"query": ' + b"[" * 64 + b"]" * 64 + b"}"
    answer = web.post("/search", nested)

    assert (answer.status, answer.code) == (400, "bad_json")


def test_brackets_in_a_text_are_not_deep(web: Web) -> None:
    answer = web.post("/search", {"query": 'a "[[[{{{\\" ' * 200})

    assert answer.status == 200


@pytest.mark.parametrize("path", ["/search", "/mcp"])
def test_json_of_too_many_parts_is_refused(web: Web, path: str) -> None:
    assert web.post(path, b"[]" * 1_000_000).code == "too_large"
    assert web.post(path, b"[" * 100_000).code == "too_large"


def test_a_body_in_many_pieces_is_read(web: Web) -> None:
    pieces = [b'{"query": "river"', *[b" " * 100] * 2_000, b"}"]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    with web.raw() as wire:
        wire.send(*_head(web, "POST /search", "Transfer-Encoding: chunked")[:-1])
        wire.send("Connection: close", "")
        wire.socket.sendall(chunks + b"0\r\n\r\n")
        assert wire.status() == 200


def test_headers_that_are_too_large_are_refused(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "HEAD_S", 1.0)
    with web.raw() as wire:
        large = [f"X-{n}: {'a' * 1_000}" for n in range(40)]
        threading.Thread(
            target=_sent,
            args=(wire, "\r\n".join(_head(web, "GET /stats", *large)).encode()),
            daemon=True,
        ).start()
        assert wire.status() in {0, 400}  # 0: it was still being sent

    assert web.get("/stats").status == 200


@pytest.mark.parametrize(
    "line", ["GET / HTTQ/1.1", "nonsense", "GET /\x01 HTTP/1.1", "\x16\x03\x01\x02"]
)
def test_what_is_no_request_is_refused(web: Web, line: str) -> None:
    with web.raw() as wire:
        wire.send(line, f"Host: {web.host}", "")
        told = wire.everything()

    assert told.startswith(b"HTTP/1.1 400 ")


def test_a_head_that_does_not_come_ends_the_connection(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "HEAD_S", 0.3)
    with web.raw() as silent, web.raw() as slow, web.raw() as second:
        slow.send("GET /health HTTP/1.1")
        second.send("GET /health HTTP/1.1", f"Host: {web.host}", "")
        assert second.socket.recv(65_536).startswith(b"HTTP/1.1 200 ")
        second.send("GET /health HTTP/1.1")

        answers = [wire.everything() for wire in (silent, slow, second)]

    assert not any(b"HTTP/" in answer for answer in answers)


def test_a_head_that_drips_is_not_waited_for(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "HEAD_S", 0.3)
    ended = threading.Event()

    def drip(wire: Wire) -> None:
        for number in range(10_000):
            try:
                wire.send(f"X-{number}: a")
            except OSError:
                break
            if ended.wait(0.05):
                break

    with web.raw() as wire:
        wire.send("GET /health HTTP/1.1", f"Host: {web.host}")
        dripping = threading.Thread(target=drip, args=(wire,))
        dripping.start()
        assert wire.everything() == b""
        ended.set()
        dripping.join(LIMIT_S)


def test_a_body_that_does_not_come_is_not_waited_for(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_S", 0.3)
    with web.raw() as wire:
        wire.send(*_head(web, "POST /search", "Content-Length: 100"), '{"query":')
        assert wire.status() == 408


def test_a_stranger_cannot_hold_a_connection_with_a_body(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "HEAD_S", 0.3)
    with web.raw() as wire:
        host = f"Host: {web.host}"
        wire.send("POST /search HTTP/1.1", host, "Content-Length: 1000000", "")
        assert wire.status() == 401
        wire.send("some of it")
        assert b"HTTP/" not in wire.everything()


def test_the_rest_of_a_refused_body_is_read_and_the_connection_goes_on(
    web: Web,
) -> None:
    client = http.client.HTTPConnection("127.0.0.1", web.port, timeout=LIMIT_S)
    statuses = []
    for path in ("/search", "/nowhere", "/health"):
        client.request("GET", path, b"x" * 1_000_000)
        answer = client.getresponse()
        statuses.append(answer.status)
        answer.read()
    client.close()

    assert statuses == [401, 401, 200]


def test_an_answer_that_takes_too_long_is_given_up(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"Tea.md": "# Tea\n"})
    over = threading.Event()
    monkeypatch.setattr(routes, "ANSWER_S", 0.2)
    monkeypatch.setattr(
        vault.engine.seen_by(EVERY_AGENT), "search", lambda *_, **__: over.wait(LIMIT_S)
    )

    with serving(vault.engine) as web:
        answer = web.post("/search", {"query": "tea"})
        over.set()

    assert (answer.status, answer.code) == (503, "late")


def test_what_nobody_waits_for_is_not_begun(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"Tea.md": "# Tea\n"})
    over = threading.Event()
    begun: list[str] = []
    ended: list[int] = []

    def slowly(text: str, **_: Any) -> None:
        begun.append(text)
        over.wait(LIMIT_S)

    def tell(_method: str, _route: str, status: int, _s: float, _size: int) -> None:
        ended.append(status)

    monkeypatch.setattr(vault.engine.seen_by(EVERY_AGENT), "search", slowly)
    with serving(vault.engine, on_request=tell) as web:
        wires = [web.raw() for _ in range(20)]
        for wire in wires:
            length = "Content-Length: 16"
            wire.send(*_head(web, "POST /search", length), '{"query": "tea"}')
        until(lambda: len(begun) == THREADS)
        healthy = web.ask("GET", "/health").status
        for wire in wires:
            wire.socket.close()
        until(lambda: len(ended) == 21)
        over.set()

    assert healthy == 200
    assert sorted(ended) == [200] + [guard.CLIENT_LEFT] * 20
    assert len(begun) == THREADS


def test_a_hundred_idle_connections_keep_nobody_out(web: Web) -> None:
    idle = [socket.create_connection(("127.0.0.1", web.port)) for _ in range(100)]
    try:
        for number, one in enumerate(idle):
            one.sendall(b"GET /health HTT" if number % 2 else b"")
        answers = [web.get("/stats").status for _ in range(20)]
        found = web.post("/search", {"query": "heron"})
    finally:
        for one in idle:
            one.close()

    assert answers == [200] * 20
    assert found.json["hits"]


def test_a_name_that_the_user_gave_is_answered_with_its_port() -> None:
    named = host_names("127.0.0.1", 7331, ["notes.lan", "notes.lan:80", "[fd00::1]"])

    assert {"notes.lan:7331", "notes.lan:80", "[fd00::1]:7331"} <= named
    assert "notes.lan" not in named


def test_the_usual_port_may_be_left_out() -> None:
    assert {"localhost", "localhost:80"} <= host_names("127.0.0.1", 80)
    assert "localhost" not in host_names("127.0.0.1", 7331)


def test_an_address_of_the_network_is_no_name_of_this_machine() -> None:
    assert host_names("192.168.1.5", 7331) == {"192.168.1.5:7331"}
    assert "0.0.0.0:7331" not in host_names("0.0.0.0", 7331)  # noqa: S104
