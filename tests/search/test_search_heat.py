"""What is hot or pinned counts in a search where the settings say so, and shows."""

import pytest
from semantic_harness import MeaningHarness
from vault_harness import NOON

from glassmind.model.search import Hit


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let use count from one search to the next."""
    monkeypatch.setattr("glassmind.memory.activity.CACHED_S", 0.0)


FILES = {
    "A.md": "The pump of the well, and how it is mended.\n",
    "B.md": "The pump of the well, and how it is painted.\n",
    "C.md": "The pump of the well, and how it is carried.\n",
}


def the(hits: tuple[Hit, ...], path: str) -> Hit:
    return next(hit for hit in hits if hit.path == path)


def test_neither_counts_by_itself(meaning: MeaningHarness) -> None:
    meaning.indexed(FILES)
    before = meaning.ask("pump", mode="hybrid").hits

    meaning.engine.memory.pin("C")
    for _ in range(5):
        meaning.engine.read("C")

    assert meaning.ask("pump", mode="hybrid").hits == before


def test_a_pinned_note_gains_what_the_setting_says(meaning: MeaningHarness) -> None:
    meaning.open(memory__pinned_weight=0.08)
    meaning.indexed(FILES)
    meaning.engine.memory.pin("B")

    hit = the(meaning.ask("pump", mode="hybrid").hits, "B.md")

    (gained,) = [
        adjustment for adjustment in hit.adjustments if adjustment.name == "pinned"
    ]
    assert gained.share == pytest.approx(0.08)
    assert gained.reason == "pinned"
    votes = sum(one.share for one in hit.evidence)
    assert votes + sum(a.share for a in hit.adjustments) == pytest.approx(hit.score)


def test_a_note_in_use_gains_by_its_heat_and_loses_that_when_unpinned(
    meaning: MeaningHarness,
) -> None:
    meaning.open(memory__hot_weight=0.1)
    meaning.indexed(FILES)
    for _ in range(3):
        meaning.engine.read("C")
    used = the(meaning.ask("pump", mode="hybrid").hits, "C.md")
    meaning.engine.memory.pin("C")
    pinned = the(meaning.ask("pump", mode="hybrid").hits, "C.md")
    meaning.engine.memory.unpin("C")
    again = the(meaning.ask("pump", mode="hybrid").hits, "C.md")

    heats = [
        next(
            adjustment.share
            for adjustment in hit.adjustments
            if adjustment.name == "hot"
        )
        for hit in (used, pinned, again)
    ]

    assert 0.04 < heats[0] < heats[1] == pytest.approx(0.1)
    assert heats[0] <= heats[2] < heats[1]


def test_a_warm_note_comes_before_one_that_matches_a_little_better(
    meaning: MeaningHarness,
) -> None:
    meaning.open(memory__hot_weight=0.1)
    meaning.write(dict.fromkeys(FILES, "The pump of the well.\n"), at=NOON)
    meaning.index()
    before = meaning.found("pump", mode="hybrid")
    for _ in range(9):
        meaning.engine.read("C")

    assert before[-1] == "C.md"
    assert meaning.found("pump", mode="hybrid").index("C.md") < before.index("C.md")
