"""Servers asked by many clients while the vault changes under them."""

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from fault_tools.dump import differences, dump
from fault_tools.harness import Harness
from fault_tools.vaults import edit, make_vault
from soak_harness import Asking, Stdio, http_server, resident_bytes, wait_until

WARM_BYTES, SETTLED_BYTES = 200_000_000, 64_000_000
"""What a server may hold more at the end than after a fifth of the time: caches of
SQLite and of words and the allocator's slack, not what grows with every question. They
fill for some 15 s of asking and editing (by 60 to 110 MB, then level for minutes), so
a short run may see all of it and a long one only what moves about later."""


def check_ending_is_fresh(harness: Harness) -> None:
    """The watching server alone brings the index up to the vault as it is now."""
    rows, _ = harness.fresh(())

    def is_level() -> bool:
        return differences(dump(harness.folder), rows) == []

    wait_until(is_level, 120)


class Size(NamedTuple):
    """How many ask about how many notes, for how long; `steps` edits go at once, at
    least `changes` in all, and each server may grow by `more_bytes`."""

    clients: int
    notes: int
    seconds: float
    steps: int
    changes: int
    more_bytes: int


def soak(harness: Harness, logs: Path, size: Size) -> None:
    make_vault(harness.vault, size.notes, 31)
    harness.index()
    with ExitStack() as stack:
        http, server = stack.enter_context(http_server(harness, logs / "serve.log"))
        asking = [Asking(http, n, "hybrid") for n in range(size.clients // 2)]
        servers = [server]
        for n in range(size.clients - len(asking)):
            client = Stdio(harness, logs / f"mcp-{n}.log")
            stack.callback(client.close)
            servers.append(client.running.pid)
            asking.append(Asking(client, 100 + n, "hybrid" if n % 2 else "fulltext"))
        began, held = time.monotonic(), list[int]()
        for one in asking:
            one.start()
        turn = 0
        while time.monotonic() < began + size.seconds:
            edit(harness.vault, random.Random(turn), steps=size.steps)
            turn += 1
            wait_until(more_answers(asking), 120)
            if not held and time.monotonic() > began + size.seconds / 5:
                held = [resident_bytes(one) for one in servers]
        for one in asking:
            one.end()
        assert [one.failed for one in asking] == [[]] * size.clients
        assert all(one.answered for one in asking)
        check_ending_is_fresh(harness)
        grown = [
            resident_bytes(one) - at for one, at in zip(servers, held, strict=True)
        ]
        assert max(grown) < size.more_bytes
        assert turn * size.steps >= size.changes
    harness.check_converges()
    said = "".join(log.read_text("utf-8", "replace") for log in logs.glob("*.log"))
    assert "Traceback" not in said
    assert "locked" not in said


def more_answers(asking: list[Asking]) -> Callable[[], bool]:
    """Return what tells whether some client was answered since now, or failed."""
    before = sum(one.answered for one in asking)
    return lambda: (
        sum(one.answered for one in asking) > before or any(o.failed for o in asking)
    )


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    place = tmp_path / "logs"
    place.mkdir()
    return place


@pytest.mark.slow
def test_clients_are_answered_while_the_vault_changes(
    tmp_path: Path, logs: Path
) -> None:
    short = Size(
        clients=4, notes=80, seconds=6, steps=4, changes=8, more_bytes=WARM_BYTES
    )
    soak(Harness(tmp_path), logs, short)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_eight_clients_ask_for_five_minutes_while_two_thousand_notes_change(
    tmp_path: Path, logs: Path
) -> None:
    long = Size(
        8, 2_000, seconds=300, steps=12, changes=2_000, more_bytes=SETTLED_BYTES
    )
    soak(Harness(tmp_path), logs, long)
