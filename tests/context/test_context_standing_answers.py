"""Answers stand on what holds: what was superseded, disputed or made private since."""

import pytest
from test_context_gather import FERRY, NOTES, QUESTION, check, gather, shown
from vault_harness import VaultHarness

KEY = "\n".join(f"mQENBF{number:03}abcdefghijklmnopqrstuvwx" for number in range(160))
PRIVATE_KEY = (
    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{KEY}\n"
    "-----END PGP PRIVATE KEY BLOCK-----"
)


def test_a_superseded_note_is_marked_and_answers_nothing(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Old times.md": '---\nsuperseded_by: "[[New times]]"\n---\n# Old times\n\n'
            "The ferry leaves the quay at 7:40 on Monday.\n",
            "New times.md": "# New times\n\n"
            "The ferry leaves the quay at 9:15 on Monday.\n",
        }
    )

    found = gather(vault)

    marks = {source.path: source.superseded_by for source in found.sources}
    assert marks == {"Old times.md": "New times", "New times.md": ""}
    assert [one.text for one in found.told] == [
        "The ferry leaves the quay at 9:15 on Monday."
    ]
    check(vault.engine, found)


def test_what_sources_do_not_agree_on_is_told_with_both_sides(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Handbook.md": "# Handbook\n\nAt Ferrin weir the alarm is set at 2.15 m.\n",
            "Ferrin weir.md": "# Ferrin weir\n\nThe alarm is set at 2.40 m.\n",
        }
    )

    found = gather(vault, "At which height is the alarm set at Ferrin weir?")

    assert [
        {side.value for side in conflict.sides} for conflict in found.conflicts
    ] == [{"2.15 m", "2.40 m"}]


def test_a_conflict_about_something_else_is_not_told(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Handbook.md": "# Handbook\n\n"
            "At Ferrin weir the alarm is set at 2.15 m.\n\n"
            "The ferry leaves the quay at 9:15 on Monday.\n",
            "Ferrin weir.md": "# Ferrin weir\n\nThe alarm is set at 2.40 m.\n",
        }
    )

    found = gather(vault)

    assert found.conflicts == ()


@pytest.mark.parametrize("value", ["true", "yes"])
def test_a_note_made_private_since_it_was_indexed_is_kept_back(
    vault: VaultHarness, value: str
) -> None:
    vault.indexed(NOTES)
    vault.write({"Ferry.md": f"---\nprivate: {value}\n---\n{FERRY}"})

    found, asked = gather(vault), gather(vault, private=True)

    assert "Ferry.md" not in {source.path for source in found.sources}
    assert "9:15" not in shown(found)
    assert found.withheld == 1
    assert "Ferry.md" in {source.path for source in asked.sources}


def test_a_note_that_was_merely_edited_since_is_shown(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    vault.write({"Ferry.md": f"{FERRY}\nMore of it.\n"})

    found = gather(vault)

    assert "Ferry.md" in {source.path for source in found.sources}
    assert found.withheld == 0


def test_a_private_key_over_many_passages_is_hidden_in_all_of_them(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Key.md": f"# Key of the ferry\n\nThe key:\n\n{PRIVATE_KEY}\n"})

    found = gather(vault, "the key of the ferry mQENBF080abcdefghijklmnopqrstuvwx")

    seen = [source.shown for source in found.sources]
    assert found.sources
    assert "abcdefghij" not in shown(found)
    assert not any("abcdefghij" in text for text in seen)
    assert all(
        len(t.split("\n")) == len(o.text.split("\n"))
        for t, o in zip(seen, found.sources, strict=True)
    )
    check(vault.engine, found)


def test_a_comment_over_many_passages_is_shown_to_no_model(vault: VaultHarness) -> None:
    sections = "\n\n".join(
        f"## Part {number}\n\nThe ferry leaves the secret quay {number}. "
        + "word " * 300
        for number in range(6)
    )
    vault.indexed(
        {"Ferry.md": f"# Ferry\n\n<!--\n{sections}\n-->\n\nIt leaves at 9:15.\n"}
    )

    found = gather(vault)

    assert found.sources
    assert not any("secret quay" in source.shown for source in found.sources)


def test_who_somebody_is_is_told_by_how_the_note_begins(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Osgar Thane.md": "---\nrole: pilot\n---\n# Osgar Thane\n\n"
            "Used to teach geography and now steers boats. Bring him tea.\n\n"
            "- Chairs the [[Quay]] group\n",
            "Quay.md": "# Quay\n\nAttendees: [[Osgar Thane]], [[Ferrin]].\n",
            "Tea.md": NOTES["Tea.md"],
        }
    )

    found = gather(vault, "Who is Osgar Thane?")

    assert found.told[0].text == "Used to teach geography and now steers boats."


def test_a_sentence_that_only_leads_elsewhere_answers_nothing(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Log.md": "# Log\n\nSee [[When does the ferry leave the quay]].\n",
            "Ferry.md": FERRY,
        }
    )

    found = gather(vault)

    assert not any(one.text.startswith("See") for one in found.told)
    assert any("9:15" in one.text for one in found.told)


def test_where_no_model_is_wanted_none_is_missed(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    assert gather(vault, QUESTION).degraded == ()
