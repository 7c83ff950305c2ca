"""What of a note is shown for what was asked: properties, links, and nothing torn."""

import pytest
from vault_harness import VaultHarness

from glassmind.model.context import Bundle, Excerpt

FLAT = (
    "---\naliases: [Home]\naddress: 3 Chandlers Row\nrent: 790\nlandlord: Fennimore\n"
    "pets: false\ncontacts:\n  plumber:\n    name: Osgar Pell\n    phone: 555-0142\n"
    "  electrician:\n    name: Brid Tansley\nparking:\n---\n# Flat\n\n"
    "Top floor, two rooms. The rent goes out on the 3rd.\n\n"
    "## Upkeep\n\n- The heating is serviced by the plumber every October.\n"
    "- Smoke alarms get new batteries. Parking is in the yard.\n"
)


def pack(vault: VaultHarness, query: str, **wanted: object) -> Bundle:
    return vault.engine.bundles.pack(query, **wanted)  # type: ignore[arg-type]


def excerpts(vault: VaultHarness, query: str, path: str, **wanted: object) -> list[str]:
    return [one.text for one in of_note(pack(vault, query, **wanted), path)]


def of_note(made: Bundle, path: str) -> tuple[Excerpt, ...]:
    return next(note.excerpts for note in made.notes if note.path == path)


@pytest.mark.parametrize("budget", [400, 1_000, 6_000])
def test_a_property_that_is_asked_for_is_shown(
    vault: VaultHarness, budget: int
) -> None:
    vault.indexed({"Areas/Flat.md": FLAT, "Other.md": "The landlord of a hall.\n"})

    said = excerpts(
        vault, "landlord of the flat", "Areas/Flat.md", budget_tokens=budget
    )

    assert said[0].split("\n")[0] == "landlord: Fennimore"
    assert not any("address:" in one for one in said)


def test_a_property_is_shown_with_all_that_stands_below_it(vault: VaultHarness) -> None:
    vault.indexed({"Flat.md": FLAT})

    said = excerpts(vault, "electrician of the flat", "Flat.md")

    assert said[0].startswith("contacts:\n  plumber:\n    name: Osgar Pell\n")
    assert not any("rent: 790" in one for one in said)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_properties_are_known_however_lines_end(vault: VaultHarness, ends: str) -> None:
    vault.indexed({"Flat.md": FLAT.replace("\n", ends)})

    made = pack(vault, "who is the landlord of the flat", budget_tokens=400)

    first, second = of_note(made, "Flat.md")
    assert first.text == "landlord: Fennimore"
    assert second.text.startswith("Top floor")
    states = vault.engine.bundles.verify([first.receipt, second.receipt])
    assert {state.state for state in states} == {"unchanged"}


def test_a_property_without_a_value_says_nothing(vault: VaultHarness) -> None:
    vault.indexed({"Flat.md": FLAT})

    assert not any(
        "parking:" in excerpt for excerpt in excerpts(vault, "parking", "Flat.md")
    )


def test_properties_of_many_notes_leave_the_room_to_their_passages(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            f"Station {n}.md": f"---\nstatus: number {n} is well\n---\n"
            f"# Station {n}\n\nStation {n} stands at mile {n * 7} of the river "
            "and counts herons.\n"
            for n in range(12)
        }
    )

    made = pack(vault, "status of the station", budget_tokens=1_500)

    shown = [excerpt.text for note in made.notes for excerpt in note.excerpts]
    facts = [text for text in shown if text.startswith("status:")]
    assert 1 <= len(facts) <= 4
    assert len(made.notes) >= 8


@pytest.mark.parametrize("budget", [300, 1_000, 6_000])
@pytest.mark.parametrize("title", ["# Dorothea Quist\n\n", ""])
def test_no_passage_runs_from_the_properties_into_the_text(
    vault: VaultHarness, budget: int, title: str
) -> None:
    vault.indexed(
        {
            "Dorothea Quist.md": "---\naliases: [Doro]\nphone: 555\n"
            "email: dorothea.quist@county.example\nborn: 1961\ncity: Harrowmere\n"
            f"role: surveyor\nsince: 2019\n---\n{title}"
            "County flood desk since 2019, and she answers letters.\n"
        }
    )

    said = excerpts(
        vault, "who is Dorothea Quist", "Dorothea Quist.md", budget_tokens=budget
    )

    assert any("County flood desk" in one for one in said)
    assert not any("---" in one for one in said)


def test_a_line_that_links_to_what_was_asked_is_shown(vault: VaultHarness) -> None:
    items = "".join(f"- [[Thing {n}]], and what it is for\n" for n in range(30))
    vault.indexed(
        {
            "Home.md": f"# Home\n\n{items}- [[Japan trip 2026]]\n{items}",
            "Japan trip 2026.md": "# Japan\n\nThe trip is in April.\n",
        }
    )

    said = excerpts(vault, "when is the Japan trip", "Home.md", budget_tokens=500)

    assert "[[Japan trip 2026]]" in said[0]


def test_a_link_alone_is_not_shown_for_what_the_note_says(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "2026-02-03.md": "Bought the tickets! It was 1,740 for the two of us, out "
            "on 10 October. → [[Japan trip 2026]]\n\n" + "Work, and more of it. " * 20
        }
    )

    said = excerpts(vault, "Japan trip", "2026-02-03.md", budget_tokens=220)

    assert said[0].startswith("Bought the tickets!")


@pytest.mark.parametrize("heading", ["# Kiln", "## About the kiln"])
def test_no_passage_is_a_heading_alone(vault: VaultHarness, heading: str) -> None:
    line = "It burns wood of many sorts for a night and a day, and nobody opens it, "
    vault.indexed({"A.md": f"First words.\n\n{heading}\n\n{line * 9}\n"})

    for budget in (220, 260, 300):
        said = excerpts(vault, "kiln", "A.md", budget_tokens=budget)

        assert "It burns" in said[0] or "First words" in said[0], budget


def test_a_note_that_is_shown_but_for_its_properties_does_not_go_on(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "---\nupdated: 2026-01-02\n---\n# Tea\n\nTea is hot.\n"})

    (excerpt,) = of_note(pack(vault, "tea hot"), "Tea.md")

    assert excerpt.text == "Tea is hot."
    assert not excerpt.trimmed


def test_what_a_note_says_itself_comes_before_a_link_of_that_name(
    vault: VaultHarness,
) -> None:
    items = "".join(f"- Thing {n}, and what it is for\n" for n in range(30))
    vault.indexed(
        {
            "Home.md": f"# Home\n\nThe Japan trip is in April.\n{items}"
            f"- [[Japan trip]]\n{items}"
        }
    )

    said = excerpts(vault, "when is the Japan trip", "Home.md", budget_tokens=300)

    assert "in April" in said[0]


def test_no_passage_is_a_scrap_of_a_line(vault: VaultHarness) -> None:
    vault.indexed(
        {
            f"A kiln with a name {n}.md": f"# Kiln {n}\n\n- [draught:: kiln {n}] burns "
            + f"wood of sort {n} all the night long, says the keeper of house {n}, " * 4
            for n in range(12)
        }
    )

    for budget in range(300, 2_000, 40):
        made = pack(vault, "kiln", budget_tokens=budget)

        cuts = [
            excerpt
            for note in made.notes
            for excerpt in note.excerpts
            if excerpt.trimmed
        ]
        assert all(len(cut.text) >= 40 for cut in cuts[1:]), budget


def test_a_whole_passage_is_shown_however_short_it_is(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": f"Kiln {n} is hot.\n" for n in range(9)})

    made = pack(vault, "kiln", budget_tokens=600)

    assert len(made.notes) > 3
    assert not any(excerpt.trimmed for note in made.notes for excerpt in note.excerpts)
