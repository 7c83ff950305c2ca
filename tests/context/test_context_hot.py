"""Recent context is packed without a question, and a bundle may be kept."""

import re
from datetime import date

import pytest
from vault_harness import VaultHarness

from glassmind.context.markdown import bundle_as_markdown
from glassmind.errors import WriteRefused
from glassmind.model.context import Bundle

TODAY = date(2024, 5, 2)

NOTES = {
    "Plan.md": "---\na: b\n---\n# Plan\n\nThe kiln moves in May.\n\n- [ ] Call Bo\n",
    "Shed.md": "# Shed\n\nThe shed has a new roof. See [[Plan]].\n",
}


def hot(vault: VaultHarness, **wanted: object) -> Bundle:
    return vault.engine.bundles.hot(today=TODAY, **wanted)  # type: ignore[arg-type]


def test_what_is_alive_is_packed_from_the_openings_of_warm_notes(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    found = hot(vault)

    assert {note.path for note in found.notes} == set(NOTES)
    plan = next(note for note in found.notes if note.path == "Plan.md")
    assert plan.excerpts[0].text.startswith("The kiln moves in May.")
    assert plan.why
    assert [item.text for item in found.tasks] == ["Call Bo"]
    text = bundle_as_markdown(found)
    assert text.startswith("# Recently active notes\n")
    assert (found.query, found.answer) == ("", ())
    assert found.tokens <= found.budget_tokens


def test_it_says_what_waits_in_the_inbox_as_a_briefing_does(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)
    for text in ("The kiln moves in June.", "Bo has the key."):
        vault.engine.memory.capture("memory", text, client="a stranger", agent=True)
    said = "2 captures wait in the inbox, approved by nobody yet"

    found, begun = hot(vault), vault.engine.bundles.brief(today=TODAY)

    assert begun.notices == (said,)
    assert found.degraded == (said,)
    assert said in bundle_as_markdown(found)


def test_a_vault_without_notes_has_nothing_alive(vault: VaultHarness) -> None:
    vault.index()

    found = hot(vault)

    assert found.notes == ()


def test_what_was_packed_is_kept_where_it_was_asked_for(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    found = vault.engine.bundles.pack("kiln", save=True, today=TODAY)

    assert found.saved is not None
    name = found.saved.rpartition("/")[2]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d Context kiln\.md", name)
    kept = (vault.root / found.saved).read_text("utf-8")
    assert "The kiln moves in May." in kept
    assert found.notes[0].excerpts[0].receipt in kept


def test_a_question_that_is_asked_again_has_one_bundle(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    pack = vault.engine.bundles.pack
    first, other = pack("kiln", save=True).saved, pack("kiln 2", save=True).saved
    vault.indexed({"Later.md": "The kiln moves in June, and not in May.\n"})

    again, same = pack("kiln", save=True).saved, pack("kiln", save=True).saved

    assert again == same != first
    kept = {str(f.relative_to(vault.root)) for f in vault.root.rglob("summaries/*.md")}
    gone = {path for path in kept if "/.trash/" in path}
    assert kept - gone == {again, other}
    assert len(gone) == 1
    assert first not in vault.found("kiln")


def test_nothing_is_kept_where_nothing_may_be_written(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    vault.open(writes__mode="off")

    with pytest.raises(WriteRefused):
        vault.engine.bundles.pack("kiln", save=True)

    assert not (vault.root / ".agent").exists()


def test_asking_leaves_the_vault_as_it_was(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    before = {
        file: file.read_bytes() for file in vault.root.rglob("*") if file.is_file()
    }

    vault.engine.bundles.pack("kiln")
    hot(vault)

    after = {
        file: file.read_bytes() for file in vault.root.rglob("*") if file.is_file()
    }
    assert after == before
