"""What a packet says of itself: how sure it is, what it lacks, and who wrote what."""

from datetime import date
from pathlib import Path

import pytest
from semantic_harness import MeaningHarness, WordModel
from vault_harness import VaultHarness

from glassmind.context.markdown import bundle_as_markdown
from glassmind.errors import ProjectUnknown
from glassmind.operations.context import context_result
from glassmind.search.confidence import FITTED

KILN = {
    "Kiln.md": "# Kiln\n\nThe kiln fires stoneware at 1,240 degrees.\n",
    "Shed.md": "# Shed\n\nThe shed has a roof, and a kiln below it.\n",
    "Garden.md": "# Garden\n\nTomatoes want water every morning.\n",
}
MARK = "; generated, not approved)"


def test_what_the_search_lacked_is_told_in_every_form(
    vault: VaultHarness, tmp_path: Path
) -> None:
    vault.indexed(KILN)
    vault.open(
        embeddings__backend="onnx", embeddings__models_folder=str(tmp_path / "none")
    )

    made = vault.engine.bundles.pack("kiln")

    lacks = vault.ask("kiln").degraded
    assert any(said.startswith("semantic: ") for said in lacks)
    assert made.degraded == lacks
    assert made.notes
    assert context_result(made, vault="Notes", root="/v").to_json()["degraded"] == list(
        lacks
    )
    assert f"Missing: {lacks[0][:100]}" in bundle_as_markdown(made)


@pytest.mark.parametrize("query", ["the kiln fires stoneware", "zebra insurance"])
def test_a_packet_is_as_sure_as_its_search(meaning: MeaningHarness, query: str) -> None:
    meaning.use(WordModel(f"{FITTED} in words"))
    meaning.indexed(KILN)

    made = meaning.engine.bundles.pack(query)

    reply = meaning.ask(query)
    assert reply.confidence is not None
    assert (made.confidence, made.doubtful) == (reply.confidence, reply.is_doubtful)
    told = context_result(made, vault="Notes", root="/v").to_json()["confidence"]
    assert told == reply.confidence
    assert f"confidence {reply.confidence:.2f}" in bundle_as_markdown(made)


def test_a_passage_that_an_agent_wrote_says_so_until_a_person_approves(
    vault: VaultHarness,
) -> None:
    vault.indexed(KILN)
    memory = vault.engine.memory
    memory.capture(
        "memory", "The kiln has a cracked door.", client="a stranger", agent=True
    )

    made = vault.engine.bundles.pack("kiln door")
    for waiting in memory.inbox().waiting:
        memory.accept(waiting.path)
    later = vault.engine.bundles.pack("kiln door")

    marks = {note.path.startswith(".agent/"): note.generated for note in made.notes}
    assert marks == {True: True, False: False}
    values = context_result(made, vault="Notes", root="/v").to_json()["notes"]
    assert [value["path"] for value in values if value["generated"]] == [
        note.path for note in made.notes if note.path.startswith(".agent/")
    ]
    titles = [
        line
        for line in bundle_as_markdown(made).splitlines()
        if line.startswith("### ")
    ]
    assert [line.endswith(MARK) for line in titles] == [
        note.generated for note in made.notes
    ]
    assert any(note.path.startswith(".agent/") for note in later.notes)
    assert not any(note.generated for note in later.notes)
    assert MARK not in bundle_as_markdown(later)


def test_what_is_alive_in_a_project_is_of_that_project_alone(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Work/Atlas/Plan.md": "# Plan\n\nThe kiln moves in May.\n",
            "Said.md": "---\nproject: Atlas\n---\n# Said\n\nBo has the key.\n",
            "Other.md": "# Other\n\nTomatoes want water.\n\n- [ ] Water them\n",
        }
    )
    hot, today = vault.engine.bundles.hot, date(2024, 5, 2)

    every, some = hot(today=today), hot(project="Atlas", today=today)

    assert len(every.notes) == 3
    assert {note.path for note in some.notes} == {"Work/Atlas/Plan.md", "Said.md"}
    assert (some.project, some.tasks) == ("Atlas", ())
    with pytest.raises(ProjectUnknown):
        hot(project="Nowhere", today=today)
