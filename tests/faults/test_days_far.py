"""Days at either end of the calendar, wherever one may be named."""

import time
from collections.abc import Callable, Iterator
from datetime import date

import pytest
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.search.query import midnight

FAR = ["9999-12-31", "9999", "0001-01-01", "0001"]

VERBS: dict[str, Callable[[Engine, str], object]] = {
    "search": lambda on, day: on.search(f"tea after:{day} -before:{day}"),
    "list": lambda on, day: on.list_notes(since=day, until=day),
    "recall": lambda on, day: on.memory.recall(since=day, until=day),
    "log": lambda on, day: on.memory.log(since=day),
    "brief": lambda on, day: on.bundles.brief(since=day),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_the_first_and_the_last_day(
    vault: VaultHarness, verb: str
) -> None:
    vault.write({"Tea.md": "tea\n"})
    vault.index()
    vault.engine.memory.capture("memory", "Tea at five.")

    for day in FAR:
        VERBS[verb](vault.engine, day)


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def zone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A zone of the machine, east or west."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "2026-03-01"])
def test_the_access_log_takes_them_too(day: str) -> None:
    found = midnight(date.fromisoformat(day))

    assert found.tzinfo is not None
    assert found.isoformat().startswith(f"{day}T00:00:00")
