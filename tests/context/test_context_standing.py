"""What still holds, of when it is, and what is told of what does not."""

import pytest
from section_harness import SectionHarness, texts
from vault_harness import NOON, VaultHarness

from glassmind.context.markdown import bundle_as_markdown

OLD = "---\ntype: decision\nsuperseded-by: '[[D-4]]'\n---\nPhone modems.\n"
NEW = "---\ntype: decision\nproject: Heron\n---\nRadio in every box.\n"


@pytest.fixture
def harness(vault: VaultHarness) -> SectionHarness:
    return SectionHarness(vault)


@pytest.mark.parametrize(
    "head", ["Agreed", "What we agreed", "Vereinbart", "Beschlossen"]
)
def test_what_was_agreed_stands_under_a_heading_too(
    vault: VaultHarness, harness: SectionHarness, head: str
) -> None:
    vault.indexed({"Talk.md": f"## {head}\n\n- We buy oak.\n"})

    assert texts(harness.decisions()) == ["We buy oak."]


@pytest.mark.parametrize("newest_last", [True, False])
@pytest.mark.parametrize("by_heading", [True, False])
def test_of_a_long_log_the_newest_entries_come_first(
    vault: VaultHarness, harness: SectionHarness, newest_last: bool, by_heading: bool
) -> None:
    days = [f"20{n // 12:02}-{n % 12 + 1:02}-01" for n in range(12, 12 * 26)]
    entry = "### {}\n\n- it was\n" if by_heading else "- {}: it was\n"
    order = days if newest_last else days[::-1]
    log = "".join(entry.format(day) for day in order)
    vault.indexed({"Log.md": f"# Log\n\n## Decisions\n\n{log}"})

    found = [decision.date for decision in harness.decisions()]

    assert found == days[::-1]


def test_the_time_of_a_checkout_is_no_day(vault: VaultHarness) -> None:
    files = {f"Boat {n}.md": f"The boat {n}.\n" for n in range(24)}
    asks = {"Boat.md": "The boat.\n\n## Open questions\n\n- Who pays for the boat?\n"}
    vault.indexed(files | asks | {"2026-03-01 Boat.md": "The boat of a day."})

    found = vault.engine.bundles.pack("boat", limit=30)

    dates = {note.title: note.date for note in found.notes}
    assert dates["2026-03-01 Boat"] == "2026-03-01"
    assert {day for title, day in dates.items() if title != "2026-03-01 Boat"} == {""}
    assert [question.date for question in found.questions] == [""]
    said = bundle_as_markdown(found)
    assert "### Boat (lexical" in said
    assert "2024-05-01" not in said


def test_a_file_that_was_written_alone_has_a_day(vault: VaultHarness) -> None:
    vault.indexed({"Boat.md": "The boat.", "Oak.md": "The boat of oak."})

    found = vault.engine.bundles.pack("boat")

    assert {note.date for note in found.notes} == {"2024-05-01"}


def test_what_a_note_of_many_links_leads_to_is_suggested_behind_others(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    many = {f"Any {n}.md": "x" for n in range(40)}
    vault.indexed(
        {
            "Projects.md": "".join(f"[[Any {n}]] " for n in range(40)),
            "Music.md": "[[Records]] [[Player]]",
            "Records.md": "x",
            "Player.md": "x",
            **many,
        }
    )

    found = [
        read.path for read in harness.next_reads("Projects.md", "Music.md", limit=3)
    ]

    assert found[:2] == ["Player.md", "Records.md"]


@pytest.mark.parametrize("budget", [700, 1000, 6000])
def test_a_superseded_note_says_so_where_it_is_shown(
    vault: VaultHarness, budget: int
) -> None:
    vault.indexed(
        {
            "D-1.md": f"{OLD}\nModems in every box.\n",
            "D-4.md": NEW,
        }
    )

    found = vault.engine.bundles.pack("modems", budget_tokens=budget)

    places = {note.title: note.superseded_by for note in found.notes}
    known = {"D-1": "D-4", "D-4": ""}
    assert "D-1" in places
    assert all(known[title] == said for title, said in places.items())
    said = bundle_as_markdown(found)
    assert said.count("; superseded by ") == sum(map(bool, places.values()))
    assert found.tokens <= budget


def test_a_superseded_note_far_down_says_so_by_its_property(
    vault: VaultHarness,
) -> None:
    files = {
        f"Modem {n}.md": "modem " * 3 + " ".join(f"w{n}x{at}" for at in range(12))
        for n in range(12)
    }
    filler = "Some words about other things. " * 20
    vault.indexed(files | {"Old.md": f"{OLD}\n{filler}\nOne modem.", "D-4.md": "x"})

    found = vault.engine.bundles.pack("modem", limit=20, budget_tokens=8000).notes

    assert [note.superseded_by for note in found if note.title == "Old"] == ["D-4"]
    assert [note.title for note in found].index("Old") >= 8


def test_a_callout_under_a_heading_counts_beside_the_items(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    boxes = "- [x] a page\n- [ ] more\n- [x] a job ✅ 2026-02-02"
    said = f"> [!success] The valley first\n> Seven boxes.\n\n{boxes}"
    vault.indexed({"Talk.md": f"## Agreed\n\nWe said:\n\n{said}\n"})

    assert texts(harness.decisions()) == ["The valley first\nSeven boxes.", "a page"]


def test_no_side_of_a_conflict_is_of_the_day_of_a_checkout(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.write({f"Any {n}.md": "x" for n in range(30)})
    vault.write({"Hall.md": "Rent: 340 EUR\n"}, at=NOON)
    rent = {"Hall rent.md": "[[Hall]]\n\nThe rent of the [[Hall]] is 380 EUR.\n"}
    vault.write(rent, at=NOON - 12 * 86_400)
    vault.indexed({"Other.md": "x"})

    [found] = harness.conflicts("Hall.md", "Hall rent.md")

    assert [side.date for side in found.sides] == ["2024-04-19", ""]
