"""What is added to a score after the channels voted: bounded, named, by a fixed day."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_harness import check_sum
from semantic_harness import MeaningHarness

from glassmind.model.search import ActivityLevel, AdjustmentName
from glassmind.search import search as hybrid
from glassmind.search.ranking import COLD, LIFTS, adjust

TODAY = date(2026, 3, 31)
Facts = tuple[int, tuple[str, ...]]
ALL: dict[AdjustmentName, float] = {
    "recency": 0.1, "tag": 0.05,
}  # fmt: skip


WEIGHTS = st.just(0.0) | st.floats(0.001, 2)


def noon(day: date) -> int:
    """Return a modification time on a day, in nanoseconds."""
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return int(at.timestamp()) * 10**9


def a_row(*, day: date = TODAY, tags: tuple[str, ...] = ()) -> Facts:
    return noon(day), tags


def made(
    row: Facts,
    text: str,
    name: AdjustmentName,
    today: date = TODAY,
) -> tuple[float, str]:
    """Return what one adjustment of weight 1 adds, and why."""
    found = adjust(row, COLD, text, {name: 1.0}, today)
    return (found[0].share, found[0].reason) if found else (0.0, "")


@pytest.mark.parametrize(
    ("day", "share", "reason"),
    [
        (date(2026, 3, 31), 1.0, "changed today"),
        (date(2026, 3, 30), 30 / 31, "changed yesterday"),
        (date(2026, 3, 1), 0.5, "changed 30 days ago"),
        (date(2025, 12, 31), 0.25, "changed 90 days ago"),
        (date(2018, 3, 31), 30 / 2952, "changed 2,922 days ago"),
        (date(2027, 1, 1), 1.0, "changed today"),
    ],
)
def test_a_note_loses_half_of_its_lift_in_thirty_days(
    day: date, share: float, reason: str
) -> None:
    found, said = made(a_row(day=day), "anything", "recency")

    assert found == pytest.approx(share)
    assert said == reason


@pytest.mark.parametrize(
    ("tags", "text", "share"),
    [
        (("river",), "by the river", 1.0),
        (("river", "boat"), "by the river", 0.5),
        (("place/river",), "by the RIVER", 1.0),
        (("flood-risk",), "risk of flood", 1.0),
        (("flood-risk",), "risk of fire", 0.0),
        ((), "by the river", 0.0),
        (("🎉",), "by the river", 0.0),
    ],
)
def test_tags_count_by_how_many_of_them_are_asked_for(
    tags: tuple[str, ...], text: str, share: float
) -> None:
    assert made(a_row(tags=tags), text, "tag")[0] == share


def test_a_match_of_tags_names_them() -> None:
    row = a_row(tags=("river", "boat", "place/weir"))

    share, said = made(row, "the weir of the river", "tag")

    assert share == pytest.approx(2 / 3)
    assert said == "tagged #river, #place/weir"


@settings(deadline=None)
@given(
    st.sampled_from(["", "a note of Tea", "tea/green and water"]),
    st.lists(st.sampled_from(["tea", "tea/green", "Ä", ""]), max_size=4),
    st.integers(-(10**20), 10**20),
    st.fixed_dictionaries(dict.fromkeys(("recency", "tag", "hot", "pinned"), WEIGHTS)),
    st.builds(ActivityLevel, st.floats(0, 1), st.booleans()),
)
def test_no_adjustment_adds_more_than_its_weight(
    text: str,
    tags: list[str],
    mtime_ns: int,
    weights: dict[AdjustmentName, float],
    activity: ActivityLevel,
) -> None:
    row = (mtime_ns, tuple(tags))

    found = adjust(row, activity, text, weights, TODAY)

    assert len({one.name for one in found}) == len(found)
    for one in found:
        assert 0 <= one.share <= weights[one.name] * (1 + 1e-9)
        assert one.reason
    assert [one.share for one in found] == sorted(
        (one.share for one in found), reverse=True
    )


def test_what_has_no_weight_adds_nothing() -> None:
    assert adjust(a_row(), ActivityLevel(1.0, pinned=True), "note", {}, TODAY) == []
    assert adjust(a_row(), COLD, "note", {"recency": 0.0}, TODAY) == []


def test_lifts_are_small_and_leave_activity_to_the_settings() -> None:
    assert LIFTS.keys() == {"recency", "superseded"}
    assert all(0 <= weight <= 0.1 for weight in LIFTS.values())


SAME = "---\ntags: [river]\n---\nThe water of the river stands at the second mark."


@pytest.fixture
def harness(meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch) -> MeaningHarness:
    monkeypatch.setattr(hybrid, "LIFTS", ALL)
    meaning.write({"Flood/River.md": SAME}, at=noon(date(2026, 3, 1)) // 10**9)
    meaning.write({"Other/Weir.md": SAME}, at=noon(TODAY) // 10**9)
    meaning.index()
    return meaning


def test_each_adjustment_is_named_beside_the_votes(harness: MeaningHarness) -> None:
    hits = harness.ask("the flood of the river", today=TODAY).hits

    (river,) = [hit for hit in hits if hit.path == "Flood/River.md"]
    assert {adjustment.name: adjustment.reason for adjustment in river.adjustments} == {
        "tag": "tagged #river",
        "recency": "changed 30 days ago",
    }
    for hit in hits:
        check_sum(hit)
        assert all(
            0 < adjustment.share <= ALL[adjustment.name]
            for adjustment in hit.adjustments
        )


def test_the_day_of_the_question_is_what_recency_counts_from(
    harness: MeaningHarness,
) -> None:
    def lift(today: date) -> float:
        hits = harness.ask("the mark", today=today).hits
        (river,) = [hit for hit in hits if hit.path == "Flood/River.md"]
        (found,) = [
            adjustment
            for adjustment in river.adjustments
            if adjustment.name == "recency"
        ]
        return found.share

    assert lift(date(2026, 3, 1)) == pytest.approx(0.1)
    assert lift(date(2026, 3, 31)) == pytest.approx(0.05)


def test_adjustments_decide_between_notes_that_say_the_same(
    harness: MeaningHarness,
) -> None:
    assert harness.found("water at the second mark", today=TODAY)[0] == "Other/Weir.md"
