"""`glassmind serve` as a user runs it: its token, its port, its end, what it tells."""

import contextlib
import json
import os
import shlex
import signal
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_harness import Inside, Program, with_index, with_note
from http_harness import LIMIT_S, Started, started, until
from starlette.datastructures import Headers

from glassmind.serve.daemon.protocol import socket_of
from glassmind.serve.http.guard import AccessRules

CHOSEN = "chosen-by-somebody-who-likes-tea"


def sockets(program: Program) -> list[Path]:
    """Return where daemons listen."""
    folders = program.home.glob(".local/share/glassmind/*/")
    return [file for file in map(socket_of, folders) if file.exists()]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return with_index(tmp_path_factory.mktemp("serve"))


@pytest.fixture(scope="module")
def open_server(program: Program) -> Iterator[Started]:
    """A server on every address, with a token file that others can read."""
    file = program.home / "secret"
    file.write_text(f"{CHOSEN}\n", "ascii")
    file.chmod(0o644)
    where = ("--host", "0.0.0.0")  # noqa: S104
    with started(program, *where, "--token-file", str(file)) as running:
        yield running


@pytest.fixture(scope="module")
def running(program: Program) -> Iterator[Started]:
    with started(program) as running:
        yield running


def token_file(program: Program) -> Path:
    (found,) = program.home.glob(".local/share/glassmind/*/http.token")
    return found


def test_it_tells_where_it_listens_and_where_the_token_is(running: Started) -> None:
    url = f"http://127.0.0.1:{running.port}"

    assert running.first == f"Listening on {url}, for MCP on {url}/mcp\n"
    assert running.web().get("/stats").status == 200


def test_the_token_is_long_private_and_kept(running: Started) -> None:
    shown = running.program.run("serve", "--show-token").stdout.strip()
    again = running.program.json("serve", "--show-token")

    file = token_file(running.program)
    assert file.read_text("ascii").strip() == shown == again["token"]
    assert len(shown) == 43  # 256 bits, six a letter
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    program = with_note(tmp_path)
    first = program.run("serve", "--show-token").stdout
    token_file(program).chmod(0o644)

    second = program.run("serve", "--show-token").stdout

    assert first != second
    assert stat.S_IMODE(token_file(program).stat().st_mode) == 0o600


def test_a_link_in_the_place_of_the_token_is_not_followed(tmp_path: Path) -> None:
    program = with_note(tmp_path)
    program.run("serve", "--show-token")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("a token that somebody else knows well", "ascii")
    elsewhere.chmod(0o600)
    token_file(program).unlink()
    folder = next(program.home.glob(".local/share/glassmind/*"))
    (folder / "http.token").symlink_to(elsewhere)

    shown = program.run("serve", "--show-token").stdout.strip()

    assert shown not in elsewhere.read_text("ascii")
    assert not token_file(program).is_symlink()


def test_the_token_is_told_to_nobody_who_did_not_ask(running: Started) -> None:
    web = running.web()
    web.get("/stats")
    web.get(f"/stats?token={web.token}")
    web.ask("GET", "/stats", headers={"Authorization": f"Basic {web.token}"})
    until(lambda: sum(line["event"] == "request" for line in running.lines()) >= 3)

    told = json.dumps(running.lines()) + running.first
    assert web.token not in told


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "notes.example"])  # noqa: S104
def test_the_network_is_not_listened_to_without_a_token(
    program: Program, host: str
) -> None:
    done = Inside(program).run("serve", "--host", host, "--port", "0")

    assert done.returncode == 2
    assert "choose a token" in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_a_token_of_the_users_choice_opens_the_network(open_server: Started) -> None:
    web = open_server.web(CHOSEN)
    own_token = open_server.web().token

    good = web.get("/stats").status
    bad = web.get("/stats", Host=f"evil.example:{web.port}").status
    own = web.get("/stats", Authorization=f"Bearer {own_token}").status

    assert (good, bad, own) == (200, 421, 401)
    assert "nothing is encrypted on the way" in open_server.told.read_text("utf-8")


@pytest.mark.slow
def test_the_vault_is_followed_unless_it_is_not_to_be(tmp_path: Path) -> None:
    program = with_index(tmp_path)

    def mode() -> str:
        return str(program.json("status")["watch"]["mode"])

    with started(program, "--no-watch") as running:
        until(lambda: bool(sockets(program)))  # it has taken the vault up
        assert running.web().get("/health").status == 200
        assert mode() == "off"
    with started(program):
        until(lambda: mode() == "watching")


def test_a_token_may_be_in_a_file_of_the_users(open_server: Started) -> None:
    file, other = open_server.program.home / "secret", CHOSEN[::-1]

    assert open_server.line() == f"Token: from {file}\n"
    assert open_server.web(CHOSEN).get("/stats").status == 200
    file.write_text(f"{other}\n", "ascii")
    assert open_server.web(CHOSEN).get("/stats").status == 401
    assert open_server.web(other).get("/stats").status == 200
    file.write_text(f"{CHOSEN}\n", "ascii")
    assert open_server.web(CHOSEN).get("/stats").status == 200


@pytest.mark.skipif(os.name == "nt", reason="modes of files tell nothing there")
def test_a_token_file_that_others_can_read_is_reported(open_server: Started) -> None:
    file = open_server.program.home / "secret"

    assert f"chmod 600 {file}" in open_server.told.read_text("utf-8")


def test_the_line_about_the_token_has_the_command_that_prints_it(
    running: Started, program: Program
) -> None:
    _, said, command = running.line().partition("; ")

    asked = shlex.split(command.removesuffix(" prints it\n"))
    assert (said, asked[0]) == ("; ", "glassmind")
    assert program.bare(*asked[1:]).stdout.strip() == running.web().token


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(Path.unlink, id="deleted"),
        pytest.param(
            lambda file: file.chmod(0o640), id="readable", marks=pytest.mark.slow
        ),
    ],
)
def test_a_token_that_is_deleted_or_laid_open_is_over_at_once(
    tmp_path: Path, end: Callable[[Path], None]
) -> None:
    program = with_index(tmp_path)
    with started(program) as running:
        old = running.web()
        assert old.get("/stats").status == 200
        end(token_file(program))
        assert old.get("/stats").status == 401
        assert old.get("/stats", Authorization="Bearer ").status == 401
        assert running.web().get("/stats").status == 200
        assert old.get("/stats").status == 401


@pytest.mark.parametrize(
    "token", ["", "short", "two words are not a token", "Tee" * 5 + "ä"]
)
def test_a_token_that_is_none_is_refused_and_not_repeated(
    program: Program, token: str
) -> None:
    done = Inside(program).run("serve", "--token", token, "--port", "0")

    assert done.returncode == 2
    assert "the token of --token cannot be used" in done.stderr
    assert not token or token not in done.stderr


def test_a_port_that_another_server_has_is_told_with_what_to_do(
    running: Started,
) -> None:
    done = Inside(running.program).run("serve", "--port", str(running.port))

    assert done.returncode == 2
    assert (
        f"port {running.port} of 127.0.0.1 is taken by another program" in done.stderr
    )
    assert f"glassmind serve --port {running.port + 1}" in done.stderr
    assert running.web().get("/health").status == 200


def test_a_port_that_another_program_has_is_told_too(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        done = Inside(program).run("--json", "serve", "--port", str(port))

    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["kind"] == "ServingFault"
    assert "is taken by another program" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "url", "reached"),
    [("0", "0.0.0.0", "127.0.0.1"), ("::", "[::]", "::ffff:127.0.0.1")],  # noqa: S104
)
def test_everywhere_is_everywhere_however_it_is_written(
    program: Program, host: str, url: str, reached: str
) -> None:
    if host == "::" and not has_ipv6():
        pytest.skip("this machine has no ::1")
    with started(program, "--host", host, GLASSMIND_SERVER_TOKEN=CHOSEN) as running:
        assert running.first.startswith(f"Listening on http://{url}:{running.port},")
        here = f"127.0.0.1:{running.port}"
        named = running.web(CHOSEN).get("/stats", Host=here).status
        other = running.web(CHOSEN).get("/stats", Host=f"{host}:{running.port}").status

    assert (named, other) == (200, 421)
    scope = {"server": (reached, 7331), "path": "/health", "headers": []}
    rules = AccessRules(frozenset(), None, by_address=True)
    assert rules.refusal(scope, Headers({"host": "127.0.0.1:7331"})) is None


@pytest.mark.slow
def test_an_address_by_a_name_is_answered_by_either(program: Program) -> None:
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
    except OSError:
        pytest.skip("this machine does not know its own name")
    with started(program, "--host", name, GLASSMIND_SERVER_TOKEN=CHOSEN) as running:
        statuses = []
        for host in (name, address, "evil.example"):
            with socket.create_connection((address, running.port), LIMIT_S) as wire:
                head = f"GET /health HTTP/1.0\r\nHost: {host}:{running.port}\r\n\r\n"
                wire.sendall(head.encode())
                statuses.append(int(wire.recv(100).split()[1]))

    assert statuses == [200, 200, 421]


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "url"), [("localhost", "localhost"), ("::1", "[::1]"), ("[::1]", "[::1]")]
)
def test_any_name_of_this_machine_will_do(
    program: Program, host: str, url: str
) -> None:
    if host != "localhost" and not has_ipv6():
        pytest.skip("this machine has no ::1")
    with started(program, "--host", host) as running:
        assert running.first.startswith(f"Listening on http://{url}:{running.port},")
        reached = ("127.0.0.1" if host == "localhost" else "::1", running.port)
        with socket.create_connection(reached, timeout=LIMIT_S) as wire:
            host_line = f"Host: {url}:{running.port}".encode()
            wire.sendall(b"GET /health HTTP/1.0\r\n" + host_line + b"\r\n\r\n")
            assert wire.recv(100).startswith(b"HTTP/1.1 200 ")


def test_an_address_of_another_machine_is_refused(program: Program) -> None:
    done = Inside(program).run("serve", "--host", "192.0.2.1", "--token", CHOSEN)

    assert done.returncode == 2
    assert "cannot listen on 192.0.2.1" in done.stderr


def test_a_set_of_tools_that_is_none_is_refused(program: Program) -> None:
    done = Inside(program).run("serve", "--tools", "core,magic")

    assert done.returncode == 2
    assert "no set of tools 'magic'" in done.stderr


@contextlib.contextmanager
def heeding(number: signal.Signals) -> Iterator[None]:
    """Let programs heed a signal that the tests themselves may be begun deaf to."""
    former = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, former)


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_it_ends_within_three_seconds_whoever_is_there(
    tmp_path: Path, number: signal.Signals
) -> None:
    program = with_note(tmp_path)
    with heeding(number), started(program) as running:
        web = running.web()
        with web.raw() as silent, web.raw() as slow, web.raw() as waiting:
            head = ("POST /search HTTP/1.1", f"Host: {web.host}")
            slow.send(*head)
            known = f"Authorization: Bearer {web.token}"
            waiting.send(*head, known, "Content-Type: application/json")
            waiting.send("Content-Length: 100", "", "{")
            assert web.get("/health").status == 200
            until(lambda: sockets(program))

            code, seconds = running.end(number)

            assert silent.everything() == b""
    assert code == 0
    assert seconds < 3
    assert sockets(program) == []


@pytest.mark.slow
def test_begun_with_nohup_it_outlives_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = with_note(tmp_path)
    usual = program._command
    deaf = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"]
    monkeypatch.setattr(program, "_command", lambda *args: [*deaf, *usual(*args)])
    with started(program) as running:
        running.running.send_signal(signal.SIGHUP)

        assert running.web().get("/health").status == 200
        assert running.end(signal.SIGTERM)[0] == 0


def test_a_request_is_told_without_what_was_asked(running: Started) -> None:
    web = running.web()
    web.post("/search", {"query": "heron radio"})
    web.get("/api/search?query=heron+radio")
    web.get("/notes/Heron%20network")
    routes = {"/search", "/api/search", "/notes/{name}"}
    until(lambda: routes <= {line.get("route") for line in running.lines()})

    line = next(line for line in running.lines() if line.get("route") == "/search")
    assert set(line) == {"time", "event", "method", "route", "status", "ms", "bytes"}
    told = json.dumps(running.lines()).lower()
    assert "heron" not in told
    assert "radio" not in told


@pytest.mark.slow
def test_it_goes_on_though_nobody_reads_what_it_tells(program: Program) -> None:
    command = program._command("--vault", program.vault, "serve", "--port", "0")
    deaf = subprocess.Popen(
        command,
        cwd=program.home,
        env=program.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        assert deaf.stdout is not None
        web = Started(program, deaf, deaf.stdout.readline()).web()
        answers = {web.get("/nowhere").status for _ in range(900)}
        deaf.send_signal(signal.SIGTERM)
        code = deaf.wait(LIMIT_S)
    finally:
        deaf.kill()
        deaf.communicate(timeout=LIMIT_S)

    assert answers == {404}
    assert code == 0


@pytest.mark.slow
def test_a_quiet_server_does_not_log_requests(program: Program) -> None:
    with started(program, "--quiet") as running:
        running.web().get("/stats")
        running.end(signal.SIGTERM)

        assert [line for line in running.lines() if line["event"] == "request"] == []


def test_a_note_written_meanwhile_is_found(tmp_path: Path) -> None:
    program = with_note(tmp_path)
    with started(program) as running:
        web = running.web()
        until(lambda: web.get("/health").json["note_count"] == 1)
        (program.vault / "Cup.md").write_text("# Cup\n\nOf porcelain.\n", "utf-8")

        until(lambda: web.post("/search", {"query": "porcelain"}).json.get("hits"))


@pytest.mark.slow
def test_two_servers_of_one_vault_both_answer(running: Started) -> None:
    with started(running.program) as second:
        for server in (running, second):
            web = server.web()
            assert web.post("/search", {"query": "heron"}).json["hits"]
            assert web.post("/index", {}).json["notes"] > 70
