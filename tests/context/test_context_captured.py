"""What was captured, as bundles, briefings and summaries tell it: whole, or cut."""

from datetime import date

import pytest
from memory_harness import kept, waiting
from section_harness import SectionHarness, texts
from vault_harness import VaultHarness

from glassmind.context.markdown import briefing_as_markdown, bundle_as_markdown
from glassmind.model.memory import MemoKind

TODAY = date(2026, 3, 20)

SAID = {
    "sections": "## Context\n\nThe roof leaks.\n\n## Decision\n\nWe replace the roof.\n"
    "\n## Consequences\n\nIt costs money.",
    "a rule": "We take the copper pipe\n---\nbecause steel rusts.",
    "paragraphs": "We paint it red.\n\nNobody liked the green.",
    "code alone": "```\nmake roof\n```",
    "many lines": "\n".join(f"The roof has plank {n}" for n in range(30)),
    "tags first": "#roof\n\nWe tar it.",
}

LISTED = "- We keep the old gutter\n- We buy a new pipe"


@pytest.fixture
def harness(vault: VaultHarness) -> SectionHarness:
    return SectionHarness(vault)


@pytest.fixture
def roof(vault: VaultHarness) -> VaultHarness:
    vault.open()
    vault.indexed({"Roof.md": "---\nproject: Roof\n---\nA roof of the house.\n"})
    return vault


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
@pytest.mark.parametrize("kind", ["decision", "question", "task"])
def test_a_capture_is_told_whole(
    roof: VaultHarness, harness: SectionHarness, kind: MemoKind, said: str
) -> None:
    memo = kept(roof, said, kind, project="Roof")
    roof.engine.index()

    asked = {
        "decision": harness.decisions,
        "question": harness.questions,
        "task": harness.tasks,
    }
    [found] = asked[kind]("Roof.md")

    assert (found.text, found.trimmed) == (said, False)
    assert found.path == memo.path
    lines = (roof.root / found.path).read_text().splitlines()
    told = lines[found.lines.start - 1 : found.lines.end]
    assert len(told) == len(said.splitlines())
    assert [state.state for state in roof.engine.bundles.verify([found.receipt])] == [
        "unchanged"
    ]


def test_every_item_of_a_captured_list_is_told(
    roof: VaultHarness, harness: SectionHarness
) -> None:
    kept(roof, LISTED, project="Roof")
    roof.engine.index()

    assert texts(harness.decisions("Roof.md")) == [LISTED.replace("- ", "")]


def test_bundles_briefings_and_summaries_tell_all_of_a_capture(
    roof: VaultHarness,
) -> None:
    kept(roof, SAID["sections"], project="Roof")
    roof.engine.index()
    bundles = roof.engine.bundles

    made = {
        "context": bundle_as_markdown(bundles.pack("roof", project="Roof")),
        "brief": briefing_as_markdown(bundles.brief(project="Roof", today=TODAY)),
        "summary": bundles.summarize("Roof", save=False, today=TODAY).text,
    }

    for verb, text in made.items():
        assert "The roof leaks. ## Decision We replace the roof." in text, verb
        assert "It costs money." in text, verb


def test_a_summary_says_no_sentence_of_a_decision_twice(roof: VaultHarness) -> None:
    said = "We put oak on the whole roof.\n\nThe old slate of the roof was too heavy."
    kept(roof, said, project="Roof")
    roof.engine.index()

    found = roof.engine.bundles.summarize("Roof", save=False, today=TODAY).text

    assert found.count("oak on the whole roof") == 1
    assert found.count("old slate of the roof") == 1


def test_a_capture_that_waits_is_told_whole_without_the_box_above_it(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Roof.md": "A roof."})
    waiting(vault, SAID["sections"], project="Roof")
    vault.engine.index()

    [found] = harness.decisions("Roof.md")

    assert (found.text, found.approved) == (SAID["sections"], False)


def test_a_captured_task_is_done_by_its_box_whatever_stands_around_it(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    head = "---\nkind: task\nproject: Roof\n---\n"
    vault.indexed(
        {
            "Roof.md": "A roof.",
            ".agent/tasks/done.md": f"{head}# Mine\n\n- [x] Tar it.\n\nDone so.\n",
            ".agent/tasks/open.md": f"{head}# Mine\n\n- [ ] Oil it.\n\nWith care.\n",
        }
    )

    assert texts(harness.tasks("Roof.md")) == ["# Mine\n\nOil it.\n\nWith care."]


def test_a_day_in_a_later_line_of_a_captured_task_is_the_day_it_is_due(
    roof: VaultHarness, harness: SectionHarness
) -> None:
    kept(roof, "Buy nails\n\nin two sizes 📅 2026-03-01", "task", project="Roof")
    roof.engine.index()

    assert [task.date for task in harness.tasks("Roof.md")] == ["2026-03-01"]


def test_a_capture_too_long_for_its_room_is_cut_and_says_so(roof: VaultHarness) -> None:
    said = "\n\n".join(f"Plank {n} of the roof is sawn by hand." for n in range(80))
    kept(roof, said, project="Roof")
    roof.engine.index()

    found = roof.engine.bundles.pack("roof", project="Roof", budget_tokens=1000)

    [told] = found.decisions
    assert told.trimmed
    assert said.startswith(told.text)
    assert told.text.endswith("is sawn by hand.")
    assert "by hand. (goes on)\n" in bundle_as_markdown(found)


def test_a_captured_list_too_long_for_its_room_is_cut_behind_an_item(
    roof: VaultHarness,
) -> None:
    said = "\n".join(f"- plank {n} of the roof, sawn by hand" for n in range(80))
    kept(roof, said, project="Roof")
    roof.engine.index()

    found = roof.engine.bundles.pack("roof", project="Roof", budget_tokens=3000)

    [told] = found.decisions
    assert told.trimmed
    assert told.text.endswith(", sawn by hand")
    assert told.text.startswith("plank 0 of the roof, sawn by hand\nplank 1")
