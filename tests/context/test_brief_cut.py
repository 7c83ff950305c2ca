"""What is too long for a briefing or a summary: cut, and nothing told in its place."""

from datetime import date

import pytest
from test_brief import brief, texts
from vault_harness import VaultHarness

from glassmind.context.markdown import briefing_as_markdown
from glassmind.errors import BudgetTooSmall
from glassmind.operations.context import brief_result, summarize_result

TODAY = date(2024, 5, 3)

MOVED = "We move the readings to the new server in the rack."
CALL = "Call the landlord about the long list of things that are broken in the flat"

LONG = {
    "Atlas/Long.md": "---\ntype: decision\ndate: 2024-04-01\n---\n# Long\n\n"
    f"## Decision\n\n{f'{MOVED} ' * 60}\n",
    "Atlas/Short.md": "---\ntype: decision\ndate: 2024-01-01\n---\n# Short\n\n"
    "We keep the old server.\n",
    "Atlas/Tasks.md": f"# Tasks\n\n- [ ] {f'{CALL} ' * 20}📅 2024-01-01\n"
    "- [ ] Pay the rent 📅 2024-12-01\n",
}


@pytest.mark.parametrize("budget", [500, 700, 1000, 1500])
def test_the_newest_decision_and_the_first_task_are_cut_and_not_passed_by(
    vault: VaultHarness, budget: int
) -> None:
    vault.indexed(LONG)

    found = brief(vault, "Atlas", budget_tokens=budget)

    newest, first = found.decisions[0], found.tasks[0]
    assert (newest.date, first.date) == ("2024-04-01", "2024-01-01")
    assert newest.trimmed
    assert first.trimmed
    assert newest.text.startswith(MOVED)
    assert newest.text.endswith("in the rack.")
    assert first.text.startswith(CALL)
    markdown = briefing_as_markdown(found)
    assert markdown.count(" (goes on)") == 2
    assert found.tokens <= budget
    states = vault.engine.bundles.verify([newest.receipt, first.receipt])
    assert {state.state for state in states} == {"unchanged"}


def test_what_is_cut_is_not_counted_as_left_out(vault: VaultHarness) -> None:
    vault.indexed(LONG)

    found = brief(vault, "Atlas", budget_tokens=1500)

    assert texts(found.decisions)[1:] == ["We keep the old server."]
    assert found.dropped == ()
    told = brief_result(found, "Notes").to_json()
    assert [one["trimmed"] for one in told["decisions"]] == [True, False]


def test_a_task_that_cannot_be_cut_is_the_last_that_is_looked_at(
    vault: VaultHarness,
) -> None:
    name = "A very long name of a note about all that is broken in the flat " * 3
    vault.indexed(
        {
            f"Atlas/{name}.md": "- [ ] Call the landlord 📅 2024-01-01\n",
            "Atlas/Rent.md": "- [ ] Pay the rent 📅 2024-12-01\n",
        }
    )

    found = brief(vault, "Atlas", budget_tokens=220)

    assert found.tasks == ()
    assert {one.section: one.count for one in found.dropped}["tasks"] == 2


def test_a_decision_that_fits_with_all_else_is_not_cut(vault: VaultHarness) -> None:
    said = f"{MOVED} " * 20
    vault.indexed({"Atlas/A.md": f"# A\n\n## Decision\n\n{said}\n"})
    whole = brief(vault, "Atlas", budget_tokens=6000)

    found = brief(vault, "Atlas", budget_tokens=whole.tokens)

    assert texts(found.decisions) == [said.strip()]
    assert found.tokens == whole.tokens
    assert found.dropped == ()


def test_a_note_with_a_long_path_is_told_where_there_is_room_for_it(
    vault: VaultHarness,
) -> None:
    folder = "深いフォルダ名がここに続きます" * 4
    vault.indexed({f"{folder}/{'漢字' * 30}.md": "Said.\n"})
    whole = brief(vault, budget_tokens=6000)

    found = brief(vault, budget_tokens=whole.tokens)

    assert (found.hot, found.changed) == (whole.hot, whole.changed)
    with pytest.raises(BudgetTooSmall) as refused:
        brief(vault, budget_tokens=200)
    assert refused.value.least < whole.tokens
    least = brief(vault, budget_tokens=refused.value.least)
    assert least.hot or least.changed
    assert least.tokens <= refused.value.least


@pytest.mark.parametrize("budget", [300, 1000, 6000])
def test_a_summary_tells_the_newest_decision_however_long(
    vault: VaultHarness, budget: int
) -> None:
    vault.indexed(LONG)

    found = vault.engine.bundles.summarize(
        "Atlas", save=False, budget_tokens=budget, today=TODAY
    )

    decided = found.text.partition("## Decisions\n")[2].split("\n")[1]
    assert "] 2024-04-01 Long: " in decided
    assert decided.endswith("in the rack. (goes on)")
    assert found.tokens <= budget
    told = {
        one["path"]: one["trimmed"]
        for one in summarize_result(found).to_json()["sentences"]
    }
    assert told["Atlas/Long.md"]
    assert not told.get("Atlas/Short.md")


def test_a_summary_tells_an_open_question_however_long(vault: VaultHarness) -> None:
    asked = (
        "Who pays for it? " + "Nobody in the house has said a word about it yet. " * 40
    )
    page = f"# A\n\n## Open questions\n\n{asked}\n\nWho tends it?\n"
    vault.indexed({"Atlas/A.md": page})

    found = vault.engine.bundles.summarize("Atlas", save=False, today=TODAY)

    assert ": Who pays for it? Nobody in the house" in found.text
    assert "yet. (goes on)\n" in found.text
    assert "Who tends it?" in found.text
