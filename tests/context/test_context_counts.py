"""What is a decision, an open question or a task, and what only looks like one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from section_harness import SectionHarness, texts
from vault_harness import VaultHarness

from glassmind.context.items import labelled_lines
from glassmind.context.markdown import bundle_as_markdown, item_line
from glassmind.context.note_lines import NoteLines
from glassmind.context.sections import shortened
from glassmind.model import NotePath, Span
from glassmind.model.context import Item

TYPED = "---\ntype: decision\n---\n"
TAGGED = "---\ntags: [decision]\n---\n"


@pytest.fixture
def harness(vault: VaultHarness) -> SectionHarness:
    return SectionHarness(vault)


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Decision: oak.", ["Decision: oak."]),
        ("**Decision:** oak.", ["**Decision:** oak."]),
        ("**Decision**: oak.", ["**Decision**: oak."]),
        ("Talk.\n\n- Decided: oak.\n- Talk.", ["Decided: oak."]),
        ("✅ Agreed: oak.\n\nTalk.", ["✅ Agreed: oak."]),
        ("Entscheidung: Eiche.", ["Entscheidung: Eiche."]),
        ("Beschlossen: Eiche.", ["Beschlossen: Eiche."]),
        ("Decision:\n\n- oak\n- pine", ["oak", "pine"]),
        ("**Decided:**\n1. oak\n2. pine\n\nTalk.", ["oak", "pine"]),
        ("- **Agreed:**\n  - oak\n  - pine\n- Talk.", ["oak", "pine"]),
        ("> Agreed:\n> - oak\n> - pine", ["oak", "pine"]),
        ("Decision:\n- oak\n  - why\n\n  As told.\n\n- pine", ["oak", "pine"]),
        ("Decision:\n- oak\n%% Ann %%\n- pine", ["oak", "pine"]),
        ("Decision:\n- oak\n- TBD\n- [ ] pine\n- [x] elm", ["oak", "elm"]),
        ("Decision:\n- Agreed: oak\n- pine", ["Agreed: oak", "pine"]),
        ("Decision:\n- oak\n\n## Next\n\n- pine", ["oak"]),
        ("Decision:\n- oak\n\n---\n\n- pine", ["oak"]),
        ("Decision:\n- oak\n\n1. pine", ["oak"]),
        ("Decision:\n- oak\n\nTalk.\n\n- pine", ["oak"]),
        ("Decision:\n\noak\n\n- pine", ["oak"]),
        ("- Agreed:\n- Next: Monday\n- Talk.", []),
        ("## Wood #decision\n\n- oak\n- pine\n\nTalk.", ["oak", "pine"]),
        ("## Wood #decision\n\noak\n\nTalk.", ["oak"]),
        ("## Wood #decision\n\n## Next\n", []),
        ("Decision: we buy\noak.\n\nTalk.", ["Decision: we buy\noak."]),
        ("Decision: TBD", []),
        ("Decided: none yet.", []),
        ("Decision: oak or pine?", []),
        ("The decision was: oak.", []),
        ("Disagreed: oak.", []),
        ("```\nDecision: oak.\n```", []),
        ("---\ndecision: oak\n---\nTalk.", []),
        ("## Decision outcome\n\nWe keep one.", ["We keep one."]),
        ("## Outcome\n\nIt rained.", []),
        ("## Decisions\n\n- TBD\n- none yet\n- [ ] Choose a tile\n- Oak?", []),
        ("## Decisions\n\n- [x] Oak\n- pine", ["Oak", "pine"]),
        (f"{TYPED}# A\n\nThree ways.\n\nDecision: oak.\n\nRot.", ["Decision: oak."]),
        (f"{TYPED}# Use oak\n\n## Context\n\nThree ways.", ["Use oak"]),
        (f"{TYPED}# Use oak\n\nThree ways.\n\nRot.", ["Use oak"]),
        (f"{TYPED}# Use oak\n\n## Decision\n\nTBD\n\n## Context\n\nX.", []),
    ],
)
def test_what_tells_a_decision(
    vault: VaultHarness, harness: SectionHarness, note: str, said: list[str]
) -> None:
    vault.indexed({"Boat.md": note})

    assert texts(harness.decisions()) == said


def test_what_is_proposed_comes_behind_what_was_decided(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    new = "---\ntype: decision\nstatus: proposed\ndate: 2026-03-01\n---\nSteel."
    old = "---\ntype: decision\nstatus: accepted\ndate: 2025-03-01\n---\nOak."
    vault.indexed({"Steel.md": new, "Oak.md": old})

    assert texts(harness.decisions()) == ["Oak.", "Steel."]


def test_the_decision_of_the_sample_vault_on_ribs_is_told_and_not_its_reasons(
    sample: VaultHarness,
) -> None:
    found = sample.engine.bundles.pack("how are the ribs of Wagtail mended")

    assert "steam-bent green oak" in found.decisions[0].text


def test_a_question_about_a_journey_brings_no_decision_on_the_radio(
    sample: VaultHarness,
) -> None:
    found = sample.engine.bundles.pack("when do I fly to Japan")

    assert found.notes
    assert not [
        decision for decision in found.decisions if "radio" in decision.text.lower()
    ]


def test_what_says_more_to_the_question_comes_before_what_is_newer(
    vault: VaultHarness,
) -> None:
    log = "## Decisions\n\n- 2026-02-01: the boat gets a red sail\n"
    vault.indexed(
        {
            "Boat.md": f"The boat needs paint.\n\n{log}- 2025-01-01: paint it green\n",
            "Sail.md": "The boat has a sail.",
        }
    )

    found = vault.engine.bundles.pack("which paint does the boat get")

    assert [decision.date for decision in found.decisions] == [
        "2025-01-01",
        "2026-02-01",
    ]


def test_a_linked_decision_counts_if_it_shares_a_word_with_the_question(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Boat.md": "The boat. [[Wood]] [[Tea]]",
            "Wood.md": "---\ntype: decision\n---\nWe buy oak for every boat.",
            "Tea.md": "---\ntype: decision\n---\nWe drink oolong.",
        }
    )

    found = vault.engine.bundles.pack("boat", limit=1)

    assert texts(found.decisions) == ["We buy oak for every boat."]


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("> [!faq] How is it reset?\n> Hold the button.", []),
        ("> [!help]\n> Call 112.", []),
        ("> [!question] Who knows?\n> (urgent)", ["Who knows?\n(urgent)"]),
        ("> [!question] Who pays?\n> Not me.", ["Who pays?\nNot me."]),
        ("## Questions\n\n- How is it reset? Hold the button.\n- Who?", ["Who?"]),
        ("## Questions\n\n- Which bank?\n  - The one in town.\n- Who?", ["Who?"]),
        ("## Questions\n\n- Which key? **Answer: blue**\n- Who?", ["Who?"]),
        ("## Questions\n\n- Who pays? A: Dana\n- Who?", ["Who?"]),
        ("## Questions\n\n- Closed: who cooks?\n- **Answered:** x?\n- Who?", ["Who?"]),
        ("- Oak, or pine? (Tobias) #question ^q1", ["Oak, or pine? (Tobias)"]),
        (
            "## Questions\n\n- Oak? [[Tobias]]\n- Oak? Or pine?",
            ["Oak?", "Oak? Or pine?"],
        ),
        ("## Open questions\n\nWhich oak? Tobias asks.", ["Which oak? Tobias asks."]),
    ],
)
def test_what_is_still_asked(
    vault: VaultHarness, harness: SectionHarness, note: str, said: list[str]
) -> None:
    vault.indexed({"Boat.md": note})

    found = texts(harness.questions())

    assert len(found) == len(said)
    assert all(one.startswith(wanted) for one, wanted in zip(found, said, strict=True))


@pytest.mark.parametrize("budget", [1500, 3000, 6000])
def test_the_question_that_was_asked_is_the_first_of_the_open_ones(
    sample: VaultHarness, budget: int
) -> None:
    asked = "which alarm height is right for Millbrook"

    found = sample.engine.bundles.pack(asked, budget_tokens=budget)

    [first, *_] = found.questions
    assert first.text.startswith("Which flood alarm height is right for Millbrook?")
    goes_on = "(goes on)" in bundle_as_markdown(found)
    assert goes_on or not any(question.trimmed for question in found.questions)


def test_an_item_too_long_for_its_share_is_cut_at_a_sentence(
    vault: VaultHarness,
) -> None:
    long = "We buy oak for the boat. " + "It was felled in a\nwet winter. " * 200
    vault.indexed({"Boat.md": f"The boat.\n\n> [!decision] {long}"})

    [found] = vault.engine.bundles.pack("boat", budget_tokens=2000).decisions

    assert found.trimmed
    assert found.text.startswith("We buy oak")
    assert found.text.endswith(".")


BOXES = ' xX-/!*?i"pcbd✓~><lSIkuf'


def test_only_what_waits_to_be_done_is_a_task(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Boat.md": "\n".join(f"- [{box}] box {box}" for box in BOXES)})

    found = [task.text.removeprefix("box").strip() for task in harness.tasks()]

    assert found == ["", "/", "!", "*", "?"]


def plugin(*statuses: tuple[str, str]) -> dict[str, str]:
    held = [{"symbol": box, "name": "x", "type": kind} for box, kind in statuses]
    settings = {
        "statusSettings": {"coreStatuses": held[:1], "customStatuses": held[1:]}
    }
    path = ".obsidian/plugins/obsidian-tasks-plugin/data.json"
    return {path: json.dumps(settings)}


def test_the_tasks_plugin_says_which_signs_are_open(vault: VaultHarness) -> None:
    boat = "Boat.\n\n- [ ] saw\n- [>] tar\n- [!] wax\n- [i] oak\n- [/] oil"
    vault.write(
        plugin((" ", "TODO"), (">", "ON_HOLD"), ("!", "NON_TASK"), ("/", "DONE"))
    )
    vault.indexed({"Boat.md": boat})
    before = texts(vault.engine.bundles.pack("boat").tasks)

    vault.write(plugin((" ", "TODO"), ("/", "IN_PROGRESS"), (">", "DONE")))

    assert before == ["saw", "tar"]
    assert texts(vault.engine.bundles.pack("boat").tasks) == ["saw", "wax", "oil"]


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"statusSettings": 3}', "[" * 9000])
def test_settings_of_the_plugin_that_are_broken_say_nothing(
    vault: VaultHarness, broken: str
) -> None:
    [path] = plugin()
    vault.write({path: broken})
    vault.indexed({"Boat.md": "Boat.\n\n- [ ] saw\n- [>] tar"})

    assert texts(vault.engine.bundles.pack("boat").tasks) == ["saw"]


def test_what_a_memo_says_is_not_said_twice(vault: VaultHarness) -> None:
    vault.indexed({"Boat.md": "A boat."})
    said = "The siren: is it **loud** enough? Nobody in the upper village heard it."
    vault.engine.memory.capture("decision", said, project="Boat")
    found: Item = vault.engine.bundles.pack("boat").decisions[0]

    assert item_line(found, lambda _: "[1]") == f"[1] {found.date} {said}\n"


def test_what_to_read_next_names_only_what_is_shown_and_fills_its_room(
    vault: VaultHarness,
) -> None:
    same = "The boat is made of old oak from the wet hill behind the mill."
    vault.indexed(
        {
            "Boat.md": f"{same}\n\n[[Mill]] [[Hill]]",
            "Copy.md": f"{same}\n\n[[Mill]] [[Hill]] [[Wood]]",
            "Mill.md": "It grinds.",
            "Hill.md": "It is wet.",
            "Wood.md": "It grows.",
        }
    )

    found = vault.engine.bundles.pack("boat of old oak", limit=1)

    [shown] = [note.title for note in found.notes]
    assert {one.path for one in found.suggested} >= {"Mill.md", "Hill.md"}
    for one in found.suggested:
        assert one.why in {f"linked from {shown}", f"links to {shown}"}


def test_nothing_is_suggested_that_is_shown(sample: VaultHarness) -> None:
    for budget in (1000, 3000, 6000):
        found = sample.engine.bundles.pack("heron radio", budget_tokens=budget)
        shown = {note.path for note in found.notes}
        titles = {note.title for note in found.notes}
        assert shown.isdisjoint(one.path for one in found.suggested)
        for one in found.suggested:
            named = one.why.replace("; ", " and ").replace(", ", " and ").split(" and ")
            for part in named:
                name = part.removeprefix("linked from ").removeprefix("links to ")
                assert name in titles or name.endswith(" more"), one.why


LINES = st.sampled_from(
    [
        "Decision: oak",
        "**Agreed:** tea",
        "- Decided:",
        "Agreed:",
        "- a",
        "  - b",
        "%%",
        "```",
        "---",
        "# A",
        "",
        "> x",
        "text",
    ]
)


@given(st.lists(LINES | st.text(max_size=20), max_size=12))
def test_what_a_label_begins_stands_in_the_note_and_in_order(lines: list[str]) -> None:
    page = NoteLines("\n".join(lines).split("\n"))

    found = list(labelled_lines(page))

    assert all(1 <= span.start <= span.end <= len(page.lines) for span in found)
    assert [span.start for span in found] == sorted(span.start for span in found)


@given(st.text(alphabet="ab .!?\n", max_size=80), st.floats(0, 1))
def test_what_is_cut_is_the_beginning_of_it_up_to_the_end_of_a_sentence_or_a_line(
    text: str, share: float
) -> None:
    path = NotePath("A.md")
    item = Item("task", text, path, "A", (), Span(1, 1), "A.md:1@0", "", "task")

    cut = shortened(item, share)

    if cut is not None:
        assert cut.trimmed
        assert text.startswith(cut.text)
        assert len(cut.text) <= share * len(text)
        assert cut.text[-1] in ".!?" or text[len(cut.text)] == "\n"
