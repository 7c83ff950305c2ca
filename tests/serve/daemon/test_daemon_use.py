"""What a client is handed is its use, and not that of the daemon who found it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_desk import DaemonDesk, desk_in
from meaning_desk import LONG
from vault_desk import usage_text


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DaemonDesk]:
    """A vault, and processes that stay with it."""
    yield from desk_in(tmp_path)


@pytest.mark.slow
def test_what_a_client_is_handed_goes_on_record_once(desk: DaemonDesk) -> None:
    desk.write({f"{word}.md": LONG.format(word) for word in ("tea", "pump", "well")})
    daemon = desk.daemon()
    daemon.ask("index")
    client = desk.process()
    asked = daemon.ask("asked")

    found = client.ask("search", text="tea", mode="hybrid")

    assert found["paths"]
    assert daemon.ask("asked") > asked  # it was the daemon who looked
    text = usage_text(desk.folder)
    (event,) = [json.loads(line) for line in text.splitlines()]
    assert event["verb"] == "search"
    assert event["paths"] == found["paths"][:5]
