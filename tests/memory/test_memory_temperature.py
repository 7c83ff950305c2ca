"""How warm notes are, and that nothing but use, edits, pins and company makes them."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import BadDate, BadLimit, IndexAbsent, ProjectUnknown
from glassmind.memory.activity import (
    WARM,
    UsageCount,
    place_in,
    together,
    use_heat,
)
from glassmind.model.memory import ActiveNote, ActivityOverview

TODAY = date(2026, 3, 20)


def noon(days_ago: int) -> int:
    """Return noon of a day before the day of the tests, in seconds."""
    day = TODAY - timedelta(days=days_ago)
    return int(datetime(day.year, day.month, day.day, 12).astimezone().timestamp())


def edited(vault: VaultHarness, notes: Mapping[str, int], **texts: str) -> None:
    """Write notes that were edited so many days ago, each at a minute of its own."""
    for at, (path, days) in enumerate(notes.items()):
        text = texts.get(path.partition(".")[0], f"{path} says something.\n")
        vault.write({path: text}, at=noon(days) + 120 * at)
    vault.index()


def told(vault: VaultHarness, **wishes: object) -> ActivityOverview:
    asked: dict[str, object] = {"limit": 100, "today": TODAY.isoformat(), **wishes}
    return vault.engine.memory.temperatures(**asked)  # type: ignore[arg-type]


def of(found: ActivityOverview, path: str) -> ActiveNote:
    return next(note for note in found.notes if note.path == path)


def test_what_was_edited_today_is_hot_and_cools_with_time(vault: VaultHarness) -> None:
    edited(vault, {"A.md": 0, "B.md": 1, "C.md": 7, "D.md": 30, "E.md": 400})

    found = told(vault)

    assert [note.path for note in found.notes] == ["A.md", "B.md", "C.md", "D.md"]
    assert [note.level for note in found.notes] == ["hot", "hot", "warm", "cold"]
    assert (found.hot, found.warm, found.cold) == (2, 1, 2)
    assert of(found, "A.md").reasons == ("edited today",)
    assert of(found, "B.md").reasons == ("edited yesterday",)
    assert of(found, "C.md").reasons == ("edited 7 days ago",)


def test_a_summary_is_neither_warm_nor_makes_its_project_active(
    vault: VaultHarness,
) -> None:
    summary = ".agent/summaries/2026-03-20 Summary of Atlas.md"
    said = "---\nkind: summary\nproject: Atlas\n---\nSee [[Atlas]].\n"
    vault.write({summary: said}, at=noon(0))
    edited(vault, {"Tea.md": 0, "Projects/Atlas.md": 300})

    found = told(vault)
    vault.engine.memory.pin(summary)

    assert [note.path for note in found.notes] == ["Tea.md"]
    assert found.projects == ()
    assert of(told(vault), summary).level == "hot"


def test_a_half_life_halves(vault: VaultHarness) -> None:
    vault.open(memory__half_life_days=3)
    edited(vault, {"A.md": 0, "B.md": 3})

    found = told(vault)

    assert of(found, "B.md").heat == pytest.approx(of(found, "A.md").heat / 2)


def test_notes_that_came_all_at_once_are_not_hot(vault: VaultHarness) -> None:
    many = {f"Import/{n}.md": f"Note {n}.\n" for n in range(60)}
    vault.write(many, at=noon(0))
    vault.write({"Mine.md": "I wrote this.\n"}, at=noon(0) + 600)
    vault.index()

    found = told(vault)

    assert (found.hot, found.warm) == (1, 0)
    assert [note.path for note in found.notes] == ["Mine.md"]
    assert found.cold == 60


def test_some_notes_at_once_share_what_an_edit_gives(vault: VaultHarness) -> None:
    vault.write({f"{n}.md": f"Note {n}.\n" for n in range(20)}, at=noon(0))
    vault.write({"Mine.md": "I wrote this.\n"}, at=noon(0) + 600)
    vault.index()

    found = told(vault)

    assert of(found, "7.md").reasons == ("edited today with 19 others",)
    assert of(found, "7.md").heat == pytest.approx(of(found, "Mine.md").heat / 4)


def test_a_checkout_that_goes_on_into_the_next_minute_is_no_edit(
    vault: VaultHarness,
) -> None:
    vault.write({f"{n}.md": f"Note {n}.\n" for n in range(30)}, at=noon(0) + 59)
    vault.write({f"Late {n}.md": f"Late {n}.\n" for n in range(3)}, at=noon(0) + 60)
    vault.write({"Mine.md": "I wrote this.\n"}, at=noon(0) + 600)
    vault.index()

    found = told(vault)
    brief = vault.engine.bundles.brief(today=TODAY)

    assert [note.path for note in found.notes] == ["Mine.md"]
    assert [note.path for note in brief.hot] == ["Mine.md"]
    assert brief.notices == (
        "Many files were written at once on 2026-03-20 (33 notes); that is no edit",
    )


def test_a_superseded_note_is_no_warmer_than_what_took_its_place(
    vault: VaultHarness,
) -> None:
    edited(
        vault,
        {"Old.md": 0, "Elder.md": 0, "New.md": 3, "Linked.md": 300, "Word.md": 0},
        Old="---\nsuperseded-by: '[[New]]'\n---\nSee [[Linked]].\n",
        Elder="---\nsuperseded-by: '[[Old]]'\n---\nWas so.\n",
        Word="---\nsuperseded-by: another page\n---\nWas so.\n",
    )

    found = told(vault)

    heat = of(found, "New.md").heat
    assert [note.path for note in found.notes[:4]] == [
        "Word.md",
        "New.md",
        "Elder.md",
        "Old.md",
    ]
    assert of(found, "Old.md").heat == of(found, "Elder.md").heat == heat
    assert of(found, "Linked.md").level == "cold"


def test_a_superseded_note_that_is_pinned_is_hot(vault: VaultHarness) -> None:
    old = "---\nsuperseded-by: '[[New]]'\n---\nWas so.\n"
    edited(vault, {"Old.md": 0, "New.md": 300}, Old=old)
    vault.engine.memory.pin("Old.md")

    assert of(told(vault), "Old.md").level == "hot"


def test_notes_that_supersede_each_other_are_alike(vault: VaultHarness) -> None:
    edited(
        vault,
        {"A.md": 0, "B.md": 2},
        A="---\nsuperseded-by: '[[B]]'\n---\nOne.\n",
        B="---\nsuperseded-by: '[[A]]'\n---\nOther.\n",
    )

    found = told(vault)

    assert of(found, "A.md").heat == of(found, "B.md").heat


def test_a_time_that_is_yet_to_come_warms_nothing(vault: VaultHarness) -> None:
    edited(vault, {"Later.md": -400, "Now.md": 0})

    assert [note.path for note in told(vault).notes] == ["Now.md"]


def test_a_daily_note_is_warm_by_its_own_day(vault: VaultHarness) -> None:
    edited(vault, {"2026-03-19.md": 300, "2026-03-01.md": 300, "2026-04-01.md": 300})

    found = told(vault)

    assert found.notes[0].path == "2026-03-19.md"
    assert found.notes[0].reasons == ("its day was yesterday",)
    assert "2026-04-01.md" not in [note.path for note in found.notes]


def test_what_is_read_gets_warm_before_the_next_run_and_after_it(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "Oolong.\n", "B.md": "Kettle.\n"})
    for _ in range(3):
        vault.engine.read("A")

    before = vault.engine.memory.temperatures()
    vault.index()
    after = vault.engine.memory.temperatures()

    assert before == after
    assert before.notes[0].path == "A.md"
    assert before.notes[0].reasons == ("retrieved 3 times in the last week",)
    assert before.notes[0].level == "warm"


def test_what_is_shown_for_being_warm_is_not_made_warmer(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "Oolong.\n"})
    vault.engine.read("A")
    before = vault.engine.memory.temperatures()

    for _ in range(9):
        vault.engine.memory.used("hot", [before.notes[0].path])

    assert vault.engine.memory.temperatures() == before


def test_notes_of_a_project_in_use_are_warm(vault: VaultHarness) -> None:
    edited(
        vault,
        {
            "Plan.md": 2,
            "Old.md": 200,
            "Projects/Atlas/Deep/Paper.md": 300,
            "Projects/Borealis/Paper.md": 300,
            "Other.md": 300,
        },
        Plan='---\nproject: "[[Atlas]]"\n---\nPlan.\n',
        Old="---\nproject:\n  - atlas\n  - Ceres\n---\nOld.\n",
    )

    found = told(vault)

    (atlas,) = found.projects
    assert (atlas.name, atlas.notes, atlas.last) == ("Atlas", 2, "2026-03-18")
    assert of(found, "Old.md").reasons == ("project Atlas is active",)
    assert of(found, "Old.md").level == "warm"


def test_a_folder_of_projects_makes_each_below_it_one(vault: VaultHarness) -> None:
    edited(
        vault,
        {
            "1 - Projects/Atlas/Plan.md": 2,
            "1 - Projects/Atlas/Deep/Paper.md": 300,
            "1 - Projects/Atlas.md": 300,
            "1 - Projects/Borealis/Paper.md": 300,
            "1 - Projects/Index.md": 0,
        },
    )

    found = told(vault)

    assert [(project.name, project.notes) for project in found.projects] == [
        ("Atlas", 3)
    ]
    warm = {n.path for n in found.notes if "project Atlas is active" in n.reasons}
    assert warm == {
        "1 - Projects/Atlas/Plan.md",
        "1 - Projects/Atlas/Deep/Paper.md",
        "1 - Projects/Atlas.md",
    }


def test_a_project_may_be_called_by_a_number_and_is_one_however_it_is_composed(
    vault: VaultHarness,
) -> None:
    edited(
        vault,
        {"A.md": 0, "B.md": 1, "C.md": 2, "D.md": 300},
        A="---\nproject: 2026\n---\nA.\n",
        B="---\nproject: Türme\n---\nB.\n",
        C="---\nproject: true\n---\nIt is one, and says not which.\n",
        D=f"---\nproject: {normalize('NFD', 'Türme')}\n---\nD.\n",
    )

    found = told(vault)

    projects = [(project.name, project.notes) for project in found.projects]
    assert projects == [("2026", 1), ("Türme", 2)]
    assert of(found, "D.md").reasons == ("project Türme is active",)


def test_a_project_is_active_for_as_long_as_the_settings_say(
    vault: VaultHarness,
) -> None:
    edited(vault, {"Projects/Atlas/Plan.md": 13, "Projects/Ceres/Plan.md": 14})

    assert [project.name for project in told(vault).projects] == ["Atlas"]
    vault.open(memory__active_days=2)
    assert told(vault).projects == ()
    vault.open(memory__active_days=100)
    assert [project.name for project in told(vault).projects] == ["Atlas", "Ceres"]


def test_a_project_is_active_when_a_note_of_it_is_read(vault: VaultHarness) -> None:
    vault.indexed({"Projects/Atlas/Plan.md": "Plan.\n", "Projects/Atlas/B.md": "B.\n"})

    vault.engine.read("Projects/Atlas/Plan.md")

    found = vault.engine.memory.temperatures()
    assert [project.name for project in found.projects] == ["Atlas"]
    assert of(found, "Projects/Atlas/B.md").reasons == ("project Atlas is active",)


def test_an_import_makes_no_project_active(vault: VaultHarness) -> None:
    many = {f"Projects/P{n}/Plan.md": f"Plan {n}.\n" for n in range(60)}
    vault.write(many, at=noon(0))
    vault.index()

    assert told(vault).projects == ()


def test_links_to_and_from_what_is_hot_warm_a_little(vault: VaultHarness) -> None:
    edited(
        vault,
        {"Hot.md": 0, "Led.md": 300, "Leads.md": 300, "Apart.md": 300},
        Hot="To [[Led]].\n",
        Leads="To [[Hot]].\n",
    )

    found = told(vault)

    assert of(found, "Led.md").reasons == ("linked from Hot, which is hot",)
    assert of(found, "Leads.md").reasons == ("links to Hot, which is hot",)
    assert 0 < of(found, "Led.md").heat < WARM + 0.1
    assert "Apart.md" not in [note.path for note in found.notes]


def test_a_hub_does_not_warm_all_it_links_to(vault: VaultHarness) -> None:
    links = "\n".join(f"[[Note {n}]]" for n in range(80))
    edited(vault, {"Hub.md": 0} | {f"Note {n}.md": 300 for n in range(80)}, Hub=links)

    found = told(vault)

    assert (found.hot, found.warm, found.cold) == (1, 0, 80)


def test_equal_notes_go_by_path_and_the_limit_cuts_there(vault: VaultHarness) -> None:
    edited(vault, {f"{name}.md": 3 for name in "EDCBA"})

    assert [note.path for note in told(vault, limit=2).notes] == ["A.md", "B.md"]
    assert told(vault, limit=2).warm + told(vault, limit=2).hot == 5


def test_a_project_narrows_what_is_told_and_counted(vault: VaultHarness) -> None:
    edited(vault, {"Atlas/A.md": 0, "Atlas/B.md": 300, "C.md": 0})

    found = told(vault, project="Atlas")

    assert [note.path for note in found.notes] == ["Atlas/A.md"]
    assert (found.hot, found.warm, found.cold) == (1, 0, 1)
    with pytest.raises(ProjectUnknown):
        told(vault, project="Nothing of the kind")


def test_wishes_that_cannot_be_met_are_told(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.memory.temperatures()
    edited(vault, {"A.md": 0})
    with pytest.raises(BadLimit):
        told(vault, limit=0)
    with pytest.raises(BadDate):
        told(vault, today="whenever")


@pytest.mark.parametrize("day", ["0001-01-01", "1970-01-01", "9999-12-31"])
@pytest.mark.parametrize("half_life", [0.1, 36_500])
def test_no_day_and_no_setting_is_too_far_off(
    vault: VaultHarness, day: str, half_life: float
) -> None:
    vault.open(memory__half_life_days=half_life, memory__active_days=36_500)
    edited(vault, {"A.md": 0})

    assert told(vault).hot == 1
    assert told(vault, today=day).hot in {0, 1}


def test_the_same_day_gives_the_same_answer(vault: VaultHarness) -> None:
    edited(vault, {"A.md": 0, "Projects/Atlas/B.md": 2, "C.md": 5}, A="[[C]] [[B]]\n")
    first = told(vault)

    vault.index(rebuild=True)
    vault.open()

    assert told(vault) == first


def test_asking_what_is_warm_writes_nothing(vault: VaultHarness) -> None:
    edited(vault, {"A.md": 0})
    before = sorted(vault.folder.iterdir())

    told(vault)

    assert sorted(vault.folder.iterdir()) == before
    assert not (vault.root / ".agent").exists()


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("Projects/Atlas/Plan.md", "Projects/Atlas"),
        ("Projects/Atlas.md", "Projects/Atlas"),
        ("Work/02_project/Atlas/a/b.md", "Work/02_project/Atlas"),
        ("Projects/Index.md", None),
        ("Projects/Board.canvas", None),
        ("Subprojects/Atlas/Plan.md", None),
        ("Plan.md", None),
    ],
)
def test_where_a_project_stands(path: str, place: str | None) -> None:
    assert place_in(path) == place


shares = st.lists(st.floats(0, 1), max_size=6)
uses = st.lists(
    st.builds(
        UsageCount,
        st.sampled_from(["read", "context", "search", "hot", "other"]),
        st.integers(0, 60),
        st.integers(1, 5_000),
    ),
    max_size=12,
)


@given(shares)
def test_shares_come_to_no_less_than_the_most_and_no_more_than_one(
    given_: list[float],
) -> None:
    heat = together(*given_)

    assert max(given_, default=0.0) - 1e-9 <= heat <= 1
    assert together(*reversed(given_)) == heat


@given(uses, st.integers(0, 30), st.floats(0.1, 100))
def test_use_is_bounded_never_cools_by_more_use_and_fades(
    given_: list[UsageCount], days: int, half: float
) -> None:
    heat = use_heat(given_, half)
    older = [use._replace(days=use.days + days) for use in given_]

    assert 0 <= heat < 1
    assert use_heat([*given_, UsageCount("read", 0, 1)], half) >= heat
    assert use_heat(older, half) <= heat + 1e-12


def test_a_program_that_asks_all_day_is_no_more_than_a_day_of_reading() -> None:
    machine = use_heat([UsageCount("search", 0, 100_000)], 7.0)
    person = use_heat([UsageCount("read", 0, 15)], 7.0)

    assert machine == person
