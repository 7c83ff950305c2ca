"""More clients than there is room for: who is told so, and who is closed."""

import asyncio.constants
import errno
import socket
from pathlib import Path
from typing import Any

import pytest
from cli_harness import with_note
from http_harness import serving, started, until
from vault_harness import VaultHarness


def test_beyond_the_most_connections_a_request_is_refused(
    sample: VaultHarness,
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


def test_far_beyond_them_a_connection_is_closed_at_once(sample: VaultHarness) -> None:
    with serving(sample.engine, most=16) as web:
        wires = [web.raw() for _ in range(16 + 3 + 60)]
        closed = [wire.everything() for wire in wires[-60:]]
        for wire in wires:
            wire.socket.close()
        until(lambda: web.ask("GET", "/health").status == 200)

    assert closed == [b""] * 60


def test_a_process_that_may_open_no_more_files_waits_and_goes_on(
    sample: VaultHarness, monkeypatch: pytest.MonkeyPatch
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
