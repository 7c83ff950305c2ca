"""Which tasks a bundle shows, in which order, and of which day."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from section_harness import SectionHarness
from vault_harness import VaultHarness

from glassmind.context.question_words import section_asked
from glassmind.context.sections import shortened
from glassmind.model import NotePath, Span
from glassmind.model.context import Bundle, Item

TODAY = date(2026, 3, 20)
LONG = "Write to every member of the committee about the new rules of the harbour"


@pytest.fixture
def harness(vault: VaultHarness) -> SectionHarness:
    return SectionHarness(vault)


def pack(vault: VaultHarness, query: str, **wanted: object) -> Bundle:
    return vault.engine.bundles.pack(query, today=TODAY, **wanted)  # type: ignore[arg-type]


def test_a_task_without_a_due_day_has_no_date(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"2026-03-01 Boat.md": "- [ ] wax\n- [ ] sand 📅 2026-04-01\n"})

    assert [(task.text, task.date) for task in harness.tasks()] == [
        ("sand 📅 2026-04-01", "2026-04-01"),
        ("wax", ""),
    ]


@pytest.mark.parametrize("budget", [600, 1000])
def test_what_is_overdue_is_not_passed_by_for_something_shorter(
    vault: VaultHarness, budget: int
) -> None:
    tasks = [f"- [ ] {LONG}, the {n}th of them 📅 2026-01-{n:02}" for n in range(1, 8)]
    page = "\n".join(
        ["The harbour and its rules.", "", *tasks, "- [ ] wax the harbour"]
    )
    vault.indexed({"A harbour with a long name of its own.md": page})

    found = pack(vault, "harbour", budget_tokens=budget).tasks

    assert found
    assert [one.date for one in found] == [
        f"2026-01-{n:02}" for n in range(1, len(found) + 1)
    ]


def test_a_task_too_long_for_its_room_is_cut_behind_a_word(vault: VaultHarness) -> None:
    long = f"{LONG} and of [[every other harbour of the coast]] " * 12
    vault.indexed({"Harbour.md": f"The harbour.\n\n- [ ] {long}\n"})

    [found] = pack(vault, "harbour", budget_tokens=1000).tasks

    assert found.trimmed
    assert found.text.startswith(LONG)
    assert found.text.count("[[") == found.text.count("]]")


@given(st.text(alphabet="ab [](.\n", max_size=120), st.floats(0, 1))
def test_a_task_is_cut_to_its_beginning_if_at_all(text: str, share: float) -> None:
    item = Item("task", text, NotePath("A.md"), "A", (), Span(1, 1), "", "", "task")

    found = shortened(item, share)

    assert found is None or (found.trimmed and text.startswith(found.text))
    assert found is None or (
        found.text.strip() and len(found.text) <= len(text) * share
    )


def test_tasks_come_by_the_words_they_share_with_the_question(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Mattis.md": "Mattis is allergic.\n\n- [ ] Cards: hazelnut (Mattis)\n",
            "Trip.md": "The trip with Mattis.\n\n- [ ] Report 📅 2026-01-01\n",
        }
    )

    found = pack(vault, "is Mattis allergic to anything").tasks

    assert [one.text.split()[0] for one in found] == ["Cards:", "Report"]


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("which tasks are overdue on the boat", ["saw", "x", "wax"]),
        ("boat todo", ["saw", "wax", "x"]),
    ],
)
def test_what_is_due_leads_where_tasks_are_asked_for(
    vault: VaultHarness, query: str, order: list[str]
) -> None:
    page = "The boat.\n\n- [ ] wax the boat overdue\n- [ ] saw 📅 2026-01-01\n"
    vault.indexed({"Boat.md": page, "Tea.md": "Boat tea.\n\n- [ ] x 📅 2025-01-01\n"})

    found = pack(vault, query).tasks

    assert [one.text.split()[0] for one in found] == order


def test_a_task_that_says_most_is_not_lost_among_many_with_a_day(
    vault: VaultHarness,
) -> None:
    many = "".join(f"- [ ] chore {n} 📅 2026-01-01\n" for n in range(60))
    vault.indexed({"Boat.md": f"The boat.\n\n{many}- [ ] varnish the rudder\n"})

    assert pack(vault, "rudder of the boat").tasks[0].text == "varnish the rudder"


@pytest.mark.parametrize(
    ("query", "section"),
    [
        ("what is still to do on Wagtail", "tasks"),
        ("how to do the laundry", ""),
        ("late due to rain", ""),
        ("what did the group agree in January", "decisions"),
        ("open questions about the boat", "questions"),
        ("welche Aufgaben sind offen", "tasks"),
        ("", ""),
    ],
)
def test_a_question_may_ask_for_a_section(query: str, section: str) -> None:
    assert section_asked(query) == section


def test_the_section_that_is_asked_for_has_room_before_the_others(
    vault: VaultHarness,
) -> None:
    tasks = "".join(f"- [ ] boat task {n} 📅 2026-01-{n:02}\n" for n in range(1, 11))
    asks = "".join(f"- Who pays for part {n} of the boat?\n" for n in range(10))
    story = "\n\n".join(f"Plank {n} of the boat was sawn by hand." for n in range(900))
    vault.indexed({"Boat.md": f"{story}\n\n{tasks}\n## Open questions\n\n{asks}"})

    asked = pack(vault, "tasks of the boat", budget_tokens=2000)
    other = pack(vault, "open questions of the boat", budget_tokens=2000)

    assert len(asked.tasks) > len(other.tasks)
    assert len(other.questions) > len(asked.questions)


def test_a_captured_task_is_due_when_its_text_says_so(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Boat.md": "A boat.\n\n- [ ] sand 📅 2026-03-30\n- [ ] wax\n"})
    for said in ("Pay the rent 📅 2026-03-01", "Oil it [due:: 2026-04-01]", "Tar it"):
        vault.engine.memory.capture("task", said, project="Boat")
    vault.engine.index()

    found = [
        (task.text.split()[0], task.date, task.rule)
        for task in harness.tasks("Boat.md")
    ]

    assert found == [
        ("Pay", "2026-03-01", "overdue"),
        ("sand", "2026-03-30", "due"),
        ("Oil", "2026-04-01", "due"),
        ("Tar", "", "capture"),
        ("wax", "", "task"),
    ]


def test_the_decision_that_was_asked_for_has_room_before_other_tasks(
    sample: VaultHarness,
) -> None:
    found = sample.engine.bundles.pack("wagtail ribs", budget_tokens=1000)

    assert [decision.title for decision in found.decisions] == [
        "D-006 Steamed ribs for Wagtail"
    ]


@pytest.mark.parametrize("about", ["rules", "rudder"])
def test_where_room_is_tight_a_task_has_more_if_it_is_about_the_question(
    vault: VaultHarness, about: str
) -> None:
    task = f"- [ ] write to every member of the committee about the new {about}\n"
    notes = {
        f"Boat/Rudder {n}.md": " ".join(f"w{n}x{at} rudder" for at in range(60))
        for n in range(12)
    }
    vault.indexed({"Boat/The workshop by the harbour.md": f"Wood.\n\n{task}", **notes})

    found = pack(vault, "rudder", budget_tokens=1000, project="Boat/")

    assert bool(found.tasks) == (about == "rudder")
    left = [one.count for one in found.dropped if one.section == "tasks"]
    assert left == ([] if found.tasks else [1])
