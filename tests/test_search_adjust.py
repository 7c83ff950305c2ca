"""What is added to a score after the channels voted: bounded, named, by a fixed day."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meaning_desk import MeaningDesk
from search_desk import check_sum

from glassmind.model.adjustments import AdjustmentName
from glassmind.search.ranking import (
    LIFTS,
    STRENGTHS,
    NoteFact,
    adjust,
    asked_words,
    fact_of,
)
from glassmind.wiring import search as wiring_search

TODAY = date(2026, 3, 31)
ALL: dict[AdjustmentName, float] = {
    "recency": 0.1, "tag": 0.05, "path": 0.2, "title": 0.3,
}  # fmt: skip


WEIGHTS = st.just(0.0) | st.floats(0.001, 2)


def noon(day: date) -> int:
    """Return a modification time on a day, in nanoseconds."""
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return int(at.timestamp()) * 10**9


def a_note(
    path: str = "Note.md",
    *,
    day: date = TODAY,
    title: str = "Note",
    aliases: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> NoteFact:
    return NoteFact(noon(day), path, title, aliases, tags)


def made(
    note: NoteFact, text: str, name: AdjustmentName, today: date = TODAY
) -> tuple[float, str]:
    """Return what one adjustment of weight 1 adds, and why."""
    found = adjust(note, asked_words(text), {name: 1.0}, today)
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
    found, said = made(a_note(day=day), "anything", "recency")

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
    assert made(a_note(tags=tags), text, "tag")[0] == share


def test_a_match_of_tags_names_them() -> None:
    note = a_note(tags=("river", "boat", "place/weir"))

    share, said = made(note, "the weir of the river", "tag")

    assert share == pytest.approx(2 / 3)
    assert said == "tagged #river, #place/weir"


def test_a_folder_that_is_named_counts_and_the_file_does_not() -> None:
    note = a_note("Projects/Flood alert/Plan.md")

    assert made(note, "plan of the flood alert", "path") == (
        1.0,
        "in the folder Flood alert",
    )
    assert made(note, "the plan", "path") == (0.0, "")
    assert made(a_note("Plan.md"), "the plan", "path") == (0.0, "")


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("heron network", 1.0),
        ("the HERON network of ours", 1.0),
        ("heron", 0.25),
        ("nothing of it", 0.0),
        ("river stations", 1.0),
    ],
)
def test_a_title_or_alias_counts_by_the_square_of_what_is_named(
    text: str, share: float
) -> None:
    note = a_note(title="Heron network", aliases=("River stations",))

    assert made(note, text, "title")[0] == share


def test_a_match_of_names_says_which() -> None:
    note = a_note(title="Heron network", aliases=("River stations",))

    assert made(note, "where the river stations are", "title")[1] == (
        "called 'River stations'"
    )


@settings(deadline=None)
@given(
    st.text(max_size=30),
    st.text(max_size=20),
    st.lists(st.text(max_size=10), max_size=4).map(tuple),
    st.integers(-(10**20), 10**20),
    st.fixed_dictionaries(dict.fromkeys(STRENGTHS, WEIGHTS)),
)
def test_no_adjustment_adds_more_than_its_weight(
    text: str,
    name: str,
    tags: tuple[str, ...],
    mtime_ns: int,
    weights: dict[AdjustmentName, float],
) -> None:
    note = NoteFact(mtime_ns, f"{name}/{name}.md", name, (name,), tags)

    found = adjust(note, asked_words(f"{text} {name}"), weights, TODAY)

    assert len({one.name for one in found}) == len(found)
    for one in found:
        assert 0 < one.share <= weights[one.name] * (1 + 1e-9)
        assert one.reason
    assert [one.share for one in found] == sorted(
        (one.share for one in found), reverse=True
    )


def test_what_has_no_weight_is_not_looked_at() -> None:
    assert adjust(a_note(), asked_words("note"), {}, TODAY) == []
    assert adjust(a_note(), asked_words("note"), {"title": 0.0}, TODAY) == []


def test_what_use_would_tell_weighs_nothing_yet() -> None:
    assert (LIFTS["hot"], LIFTS["pinned"]) == (0.0, 0.0)
    assert all(0 <= weight <= 0.1 for weight in LIFTS.values())


def test_a_row_is_read_in_its_parts() -> None:
    row = (7, "A/B.md", "B", '["b", "Bee"]', "2024-01-01", '["x", "x/y"]')

    assert fact_of(row) == NoteFact(7, "A/B.md", "B", ("b", "Bee"), ("x", "x/y"))


SAME = "---\ntags: [river]\n---\nThe water of the river stands at the second mark."


@pytest.fixture
def desk(meaning: MeaningDesk, monkeypatch: pytest.MonkeyPatch) -> MeaningDesk:
    monkeypatch.setattr(wiring_search, "LIFTS", ALL)
    meaning.write({"Flood/River.md": SAME}, at=noon(date(2026, 3, 1)) // 10**9)
    meaning.write({"Other/Weir.md": SAME}, at=noon(TODAY) // 10**9)
    meaning.index()
    return meaning


def test_each_adjustment_is_named_beside_the_votes(desk: MeaningDesk) -> None:
    hits = desk.ask("the flood of the river", today=TODAY).hits

    (river,) = [hit for hit in hits if hit.path == "Flood/River.md"]
    assert {one.name: one.reason for one in river.adjustments} == {
        "path": "in the folder Flood",
        "title": "called 'River'",
        "tag": "tagged #river",
        "recency": "changed 30 days ago",
    }
    for hit in hits:
        check_sum(hit)
        assert all(0 < one.share <= ALL[one.name] for one in hit.adjustments)


def test_the_day_of_the_question_is_what_recency_counts_from(desk: MeaningDesk) -> None:
    def lift(today: date) -> float:
        hits = desk.ask("the mark", today=today).hits
        (river,) = [hit for hit in hits if hit.path == "Flood/River.md"]
        (found,) = [one for one in river.adjustments if one.name == "recency"]
        return found.share

    assert lift(date(2026, 3, 1)) == pytest.approx(0.1)
    assert lift(date(2026, 3, 31)) == pytest.approx(0.05)


def test_adjustments_decide_between_notes_that_say_the_same(desk: MeaningDesk) -> None:
    assert desk.found("water at the second mark", today=TODAY)[0] == "Other/Weir.md"
    assert desk.found("water of the flood river", today=TODAY)[0] == "Flood/River.md"
