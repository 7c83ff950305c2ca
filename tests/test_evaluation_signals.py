"""What a signal of search adds is told by asking without it."""

import time
from collections.abc import Mapping

import pytest
from meaning_desk import MeaningDesk
from search_desk import Synonyms
from vault_desk import VaultDesk

from glassmind.engine import Engine
from glassmind.evaluation.bench import Bench
from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.measure import measure
from glassmind.evaluation.run import evaluate
from glassmind.evaluation.signals import (
    SIMILAR,
    ChangedAdapters,
    asker_of,
    signals,
    with_similar,
)

THEMED = {
    "Flood.md": "The tide turns here, as somebody wrote once. [[Moon]] and [[Ebb]].",
    "Moon.md": "It pulls the tide along. [[Ebb]]",
    "Ebb.md": "When a tide goes out again. [[Moon]]",
    "Apart.md": "The tide turns here, as somebody wrote once. Loom and ebony.",
}
"""Of two that say the same, one belongs with the other hits; the other is newer."""

LINKED = {
    "Root.md": "---\nrelated: '[[Aspen]]'\n---\nZebra. [[Birch]]",
    "Birch.md": "A tree whose bark is white.",
    "Aspen.md": "A tree whose leaves never rest.",
}
"""One is linked in the text and the other in a property; the other is newer."""

REST = " ".join(f"word{number}" for number in range(50))
DATED = {
    "Old.md": f"The kettle sings. {REST} once",
    "New.md": f"The kettle sings. {REST} word0",
    "Other.md": f"A kettle. {REST}",
    "Garden.md": "Beans along the wall, and nothing where it floods.",
}
"""One says what is asked a little more plainly than the one that is of today."""

TEA = "oolong sencha matcha kettle leaves water steep harvest " * 3
ALIKE = {"Cup.md": f"{TEA} porcelain", "Pot.md": TEA, "Train.md": "harbour engine"}


def ready(desk: MeaningDesk, notes: Mapping[str, str], *, new: str = "") -> MeaningDesk:
    """Return the notes indexed, one of them changed just now."""
    desk.use(Synonyms())
    desk.write(notes)
    if new:
        desk.write({new: notes[new]}, at=int(time.time()))
    desk.index()
    return desk


def gains(desk: MeaningDesk, query: GoldQuery) -> dict[str, float]:
    """Return what each row has more than the whole, which finds the note first."""
    with asker_of(desk.engine) as asker:
        whole, rows = measure(asker, [query], signals())
    assert whole.means["hit@1"] == 1
    return {row.name: row.versus.mean for row in rows if row.versus is not None}


def test_without_themes_a_note_that_belongs_with_the_hits_comes_later(
    meaning: MeaningDesk,
) -> None:
    desk = ready(meaning, THEMED)

    found = gains(desk, GoldQuery("1", "tide turns", {"Flood.md": 1.0}))

    assert found["without themes"] < 0
    assert found["without edge confidence"] == found["without recency"] == 0


def test_without_confidence_a_link_in_a_property_counts_as_one_in_the_text(
    meaning: MeaningDesk,
) -> None:
    desk = ready(meaning, LINKED)
    query = GoldQuery("1", "nothing", {"Birch.md": 1.0}, root_note="Root.md")

    found = gains(desk, query)

    assert found["without edge confidence"] < 0
    assert found["without recency"] == 0


@pytest.mark.parametrize("fusion", ["minmax", "weighted_sum"])
def test_without_recency_a_note_of_today_comes_after_what_says_more(
    meaning: MeaningDesk, fusion: str
) -> None:
    desk = ready(meaning, DATED, new="New.md")
    desk.open(search__fusion=fusion)

    found = gains(desk, GoldQuery("1", "kettle sings", {"New.md": 1.0}))

    assert found["without recency"] < 0
    assert found["without themes"] == found["without edge confidence"] == 0


def test_similar_notes_count_as_if_the_setting_said_so(meaning: MeaningDesk) -> None:
    desk = ready(meaning, ALIKE)
    usual = desk.ask("porcelain")

    with Engine(ChangedAdapters(desk.engine.config, with_similar)) as engine:
        found = engine.search("porcelain")

    desk.open(search__implicit_weight=SIMILAR)
    assert found == desk.ask("porcelain")
    assert set(found.channels) - set(usual.channels) == {"implicit"}


def test_every_signal_has_a_row_beside_the_other_ablations(vault: VaultDesk) -> None:
    vault.indexed(DATED)
    query = GoldQuery("1", "kettle sings", {"Old.md": 1.0})
    bench = Bench("self", vault.root, [query], 3, "none", lambda _: vault.open())

    report = evaluate(bench)
    alone = evaluate(bench, compare=False)

    assert [row.name for row in report.ablations][-6:] == [
        "without themes",
        "without edge confidence",
        "without recency",
        "with similar notes 0.25",
        "with used notes hot 0.05",
        "with any notes hot 0.05",
    ]
    assert report.ablations[0].name == "lexical alone"
    assert alone.ablations == []
