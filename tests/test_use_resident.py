"""What a guest is handed is its use, and not that of the resident who found it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from meaning_desk import LONG
from resident_desk import ResidentDesk, desk_in


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ResidentDesk]:
    """A vault, and processes that stay with it."""
    yield from desk_in(tmp_path)


def test_what_a_guest_is_handed_goes_on_record_once(desk: ResidentDesk) -> None:
    desk.write({f"{word}.md": LONG.format(word) for word in ("tea", "pump", "well")})
    resident = desk.resident()
    resident.ask("index")
    guest = desk.stay()
    asked = resident.ask("asked")

    found = guest.ask("search", text="tea", mode="hybrid")

    assert found["paths"]
    assert resident.ask("asked") > asked  # it was the resident who looked
    text = (desk.folder / "use.jsonl").read_text("utf-8")
    (event,) = [json.loads(line) for line in text.splitlines()]
    assert event["verb"] == "search"
    assert event["paths"] == found["paths"][:5]
