"""What a bundle leaves out is told, and nothing that matters most is among it."""

import pytest
from model_harness import real_models
from vault_harness import VaultHarness

from glassmind.context.markdown import briefing_as_markdown, bundle_as_markdown
from glassmind.errors import BudgetTooSmall
from glassmind.model.context import Bundle
from glassmind.models.cards import MINILM


def pack(vault: VaultHarness, query: str, **wanted: object) -> Bundle:
    return vault.engine.bundles.pack(query, **wanted)  # type: ignore[arg-type]


def memo(kind: str, project: str, text: str, day: int) -> str:
    return (
        f"---\nkind: {kind}\nproject: {project}\ncreated: 2026-11-{day:02}T00:00:00\n"
        f"status: open\n---\n\n{text}\n"
    )


@pytest.mark.parametrize("kind", ["task", "memory"])
def test_what_is_open_does_not_vanish_behind_later_captures(
    vault: VaultHarness, kind: str
) -> None:
    later = {
        f".agent/other/{n}.md": memo(kind, "Other", f"Unrelated {n}.", 2)
        for n in range(310)
    }
    vault.indexed(
        {
            "Atlas.md": "---\nproject: Atlas\n---\n# Atlas\n\nThe atlas project.\n",
            ".agent/tasks/Renew.md": memo("task", "Atlas", "Renew the contract.", 1),
            **later,
        }
    )

    found = pack(vault, "atlas")

    assert [task.text for task in found.tasks] == ["Renew the contract."]
    brief = vault.engine.bundles.brief(project="Atlas")
    assert [task.text for task in brief.tasks] == ["Renew the contract."]


def test_what_is_overdue_comes_first_of_a_note_with_many_tasks(
    vault: VaultHarness,
) -> None:
    chores = "".join(f"- [ ] atlas chore {n}\n" for n in range(400))
    vault.indexed({"Todo.md": f"# Todo\n\n{chores}- [ ] atlas bill 📅 2025-01-01\n"})

    found = pack(vault, "atlas")

    assert found.tasks[0].text == "atlas bill 📅 2025-01-01"
    assert found.tasks[0].rule == "overdue"


def test_every_note_that_was_found_is_shown_or_told_of(vault: VaultHarness) -> None:
    vault.indexed(
        {
            f"Kiln {n}.md": f"# Kiln {n}\n\nThe kiln of house {n} burns {n * 7} logs "
            f"a night, and its keeper number {n} sleeps {n % 9} hours.\n\n"
            f"- [ ] sweep kiln {n}\n"
            for n in range(12)
        }
    )
    found = len(vault.ask("kiln", limit=10).hits)

    for budget in (260, 300, 400, 500, 700, 1_000, 3_000):
        made = pack(vault, "kiln", limit=10, budget_tokens=budget)

        told = {one.section: one.count for one in made.dropped}
        apart = told.get("notes", 0) + told.get("near-duplicates", 0)
        assert made.notes
        assert len(made.notes) + apart == found


def test_a_small_budget_shows_a_little_of_the_best_note_or_is_refused(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            f"A note with quite a long name {n}.md": f"# A heading that goes on {n}\n\n"
            + f"Kiln {n} burns wood all night, and nobody opens it. " * 5
            for n in range(12)
        }
    )

    for budget in range(200, 500, 20):
        try:
            made = pack(vault, "kiln", limit=10, budget_tokens=budget)
        except BudgetTooSmall as fault:
            made = pack(vault, "kiln", budget_tokens=fault.least)

        assert made.notes
        assert "Nothing in the vault" not in bundle_as_markdown(made)


LEAD = (
    "This note follows the usual form of the river alarm group, and what was decided "
    "about the river alarm stands below in the order in which it came up."
)


@pytest.mark.parametrize("budget", [700, 6_000])
def test_notes_that_share_their_lead_show_what_else_they_say(
    vault: VaultHarness, budget: int
) -> None:
    vault.indexed(
        {
            "Jan.md": f"# Jan\n\n{LEAD}\n\nThe siren moves to the tower in spring.\n",
            "Feb.md": f"# Feb\n\n{LEAD}\n\nThe contract with the county ends in May.\n",
            "Copy.md": f"# Copy\n\n{LEAD}\n\nThe siren moves to the tower in spring.\n",
        }
    )

    made = pack(vault, "river alarm group", budget_tokens=budget)

    said = bundle_as_markdown(made)
    assert said.count("siren moves") == said.count("contract with") == 1
    assert len(made.notes) == 2
    assert [(one.section, one.count) for one in made.dropped] == [
        ("near-duplicates", 1)
    ]


@pytest.mark.parametrize("backend", ["none", "onnx"])
def test_no_note_is_left_out_for_its_script_while_there_is_room(
    vault: VaultHarness, backend: str
) -> None:
    scripts = {
        "ar": "ناقشنا اليوم خطة العمل للربع القادم وقررنا تأجيل الاجتماع. ",
        "te": "వర్షాకాలంలో నది నీరు చాలా పెరుగుతుంది ",
        "ko": "오늘 우리는 다음 분기 작업 계획을 논의하고 회의를 미루기로 했다. ",
    }
    english = {
        f"English {n}.md": f"# Plan {n}\n\nThe atlas plan number {n} says that people "
        f"in town {n * 3} meet on day {n}, bring {n + 2} chairs and sing.\n"
        for n in range(8)
    }
    others = {
        f"{name} {n}.md": f"# atlas {name} {n}\n\natlas {n} {text * n}\n"
        for name, text in scripts.items()
        for n in (1, 3, 9)
    }
    models = str(real_models(MINILM)) if backend == "onnx" else ""
    vault.indexed({**english, **others})
    vault.open(embeddings__backend=backend, embeddings__models_folder=models)

    made = pack(vault, "atlas", mode="fulltext", budget_tokens=60_000)

    assert not [one for one in made.dropped if one.section == "notes"]


def test_what_nobody_counted_is_told_as_the_least_there_is(vault: VaultHarness) -> None:
    chores = "".join(f"- [ ] atlas chore {n}\n" for n in range(400))
    log = "".join(f"- atlas choice {n}\n" for n in range(400))
    vault.indexed({"Atlas.md": f"# Atlas\n\n{chores}\n## Decisions\n\n{log}"})

    made = pack(vault, "atlas")
    brief = vault.engine.bundles.brief()

    for found in (made, brief):
        told = {one.section: one.at_least for one in found.dropped}
        assert told["tasks"]
        assert not told["decisions"]
    assert " or more tasks" in bundle_as_markdown(made)
    assert " or more tasks" in briefing_as_markdown(brief)


def test_what_was_left_out_gets_the_room_that_passages_do_not_need(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Logo.md": "The logo colour is not chosen.\n",
            "Other.md": "---\nproject: Brand New\n---\nThe brand has a logo.\n",
            ".agent/decisions/Green.md": memo(
                "decision", "Brand New", "The logo is green.", 1
            ),
            ".agent/tasks/Draw.md": memo("task", "Brand New", "Draw the logo.", 1),
        }
    )

    for budget in (400, 600, 1_000):
        made = pack(vault, "logo colour", project="Brand New", budget_tokens=budget)

        assert [decision.text for decision in made.decisions] == [
            "The logo is green."
        ], budget
        assert [task.text for task in made.tasks] == ["Draw the logo."], budget
        assert not {"decisions", "tasks"} & {one.section for one in made.dropped}


def test_nothing_is_left_out_while_what_it_takes_is_free(vault: VaultHarness) -> None:
    long = "and its keeper writes about the river alarm at length, " * 6
    log = "".join(f"- The alarm of the river number {n}, {long}\n" for n in range(3))
    vault.indexed(
        {
            "River.md": f"# River\n\nThe river alarm is set.\n\n## Decisions\n\n{log}\n"
            "## Next\n\n" + "".join(f"- [ ] River alarm {n}\n" for n in range(9)),
        }
    )

    for budget in range(300, 3_000, 90):
        made = pack(vault, "river alarm", budget_tokens=budget)

        tasks = [one for one in made.dropped if one.section == "tasks"]
        assert not tasks or made.budget_tokens - made.tokens < 150
