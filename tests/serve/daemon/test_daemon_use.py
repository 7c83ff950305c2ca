"""What a client is handed is its use, and not that of the daemon who found it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_harness import DaemonHarness, harness_in
from semantic_harness import LONG
from vault_harness import usage_text


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[DaemonHarness]:
    """A vault, and processes that stay with it."""
    yield from harness_in(tmp_path)


@pytest.mark.slow
def test_what_a_client_is_handed_goes_on_record_once(harness: DaemonHarness) -> None:
    harness.write({f"{word}.md": LONG.format(word) for word in ("tea", "pump", "well")})
    daemon = harness.daemon()
    daemon.ask("index")
    client = harness.process()
    asked = daemon.ask("asked")

    found = client.ask("search", text="tea", mode="hybrid")

    assert found["paths"]
    assert daemon.ask("asked") > asked  # it was the daemon who looked
    text = usage_text(harness.folder)
    (event,) = [json.loads(line) for line in text.splitlines()]
    assert event["verb"] == "search"
    assert event["paths"] == found["paths"][:5]
