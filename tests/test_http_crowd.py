"""More clients than there is room for: who is told so, and who is closed."""

import asyncio.constants
import errno
import resource
import socket
from pathlib import Path
from typing import Any

import pytest
from cli_desk import with_note
from http_desk import serving, started, until
from vault_desk import VaultDesk

from glassmind.serve.http import limits
from glassmind.serve.http.limits import raise_file_limit


def test_beyond_the_most_connections_a_request_is_refused(
    sample: VaultDesk,
) -> None:
    with serving(sample.engine, most=3) as web:
        idle = [web.raw() for _ in range(3)]
        refused = [web.ask("GET", "/health"), web.post("/search", {"query": "river"})]
        for wire in idle:
            wire.socket.close()
        until(lambda: web.get("/stats").status == 200)

    for answer in refused:
        assert answer.status == 503
        assert answer.headers["connection"] == "close"


def test_far_beyond_them_a_connection_is_closed_at_once(sample: VaultDesk) -> None:
    with serving(sample.engine, most=16) as web:
        wires = [web.raw() for _ in range(16 + 3 + 60)]
        closed = [wire.everything() for wire in wires[-60:]]
        for wire in wires:
            wire.socket.close()
        until(lambda: web.ask("GET", "/health").status == 200)

    assert closed == [b""] * 60


def test_a_process_that_may_open_no_more_files_waits_and_goes_on(
    sample: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asyncio.constants, "ACCEPT_RETRY_DELAY", 0.3)
    usual, tried, full = socket.socket.accept, [0], [True]

    def accept(self: socket.socket) -> tuple[socket.socket, Any]:
        if not full[0]:
            return usual(self)
        tried[0] += 1
        raise OSError(errno.EMFILE, "Too many open files")

    with (
        serving(sample.engine) as web,
        monkeypatch.context() as patch,
    ):
        patch.setattr(socket.socket, "accept", accept)
        with web.raw() as waiting:
            until(lambda: tried[0] >= 4)
            full[0] = False
            waiting.send("GET /health HTTP/1.0", f"Host: {web.host}", "")
            assert waiting.status() == 200


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "room_for"),
    [
        (1024, 1 << 20, 2048, 512),
        (256, 256, None, 128),
        (256, 1000, 1000, 500),
        (256, resource.RLIM_INFINITY, 2048, 512),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None, 512),
        (4096, 4096, None, 512),
        (1, 1, None, 1),
    ],
)
def test_half_of_the_files_a_process_may_open_are_for_connections(
    monkeypatch: pytest.MonkeyPatch,
    soft: int,
    hard: int,
    raised: int | None,
    room_for: int,
) -> None:
    wishes: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: wishes.append(pair))

    assert raise_file_limit() == room_for
    assert wishes == ([] if raised is None else [(raised, hard)])


def test_a_bound_that_cannot_be_raised_is_kept_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: int, __: tuple[int, int]) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", refuse)

    assert raise_file_limit() == 128


@pytest.mark.slow
def test_idle_connections_leave_a_server_of_few_files_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = with_note(tmp_path)
    usual = program._command
    limited = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"]
    monkeypatch.setattr(program, "_command", lambda *args: [*limited, *usual(*args)])
    with started(program) as running:
        web = running.web()
        idle = [web.raw() for _ in range(240)]
        with web.raw() as last:
            assert last.everything() == b""
        for wire in idle:
            wire.socket.close()
        until(lambda: web.post("/search", {"query": "tea"}).status == 200)


@pytest.mark.slow
def test_a_server_may_open_more_files_than_a_shell_begins_with(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if not hasattr(resource, "prlimit"):
        pytest.skip("this system does not tell what another process may")
    if hard != resource.RLIM_INFINITY and hard < limits.WANTED_FILES:
        pytest.skip("this system allows no more files")
    program = with_note(tmp_path)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        with started(program) as running:
            pid = running.running.pid
            found = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert found == (limits.WANTED_FILES, hard)
