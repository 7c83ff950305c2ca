"""What is kept from somebody, or from everybody, in places that are easily forgotten.

Reports, counts, records of changes, other memories, warnings and names of values.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hindsight_harness import fact, remembering
from msgspec.structs import asdict
from secrets_harness import ISSUED, Drawing
from test_secrets_index import held
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.access.scopes import read_scope
from glassmind.edit.vault import EditRequest
from glassmind.errors import ChangesetUnknown
from glassmind.model.access import EVERY_AGENT, Scope, known_as
from glassmind.model.edits import Append
from glassmind.serve.recording import safe_text, safe_values

AGENT = EditRequest(client="cup")
TOKEN = ISSUED["GitHub classic"](Drawing(11))
NO_TEXT = b"\0"
"""What no note is made of, so that its file is skipped."""
COPY = " (conflicted copy 2024-05-01)"
"""What a sync tool calls a file by that is skipped too."""

SCOPES = {
    "private": EVERY_AGENT,
    "folder": read_scope(["folder:Harness"]),
    "excluded": read_scope(["-folder:Hid"]),
}


def private(text: str = "") -> str:
    return f"---\nprivate: true\n---\n{text}"


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_a_run_names_no_skipped_file_that_may_not_be_named(
    vault: VaultHarness, scope: Scope
) -> None:
    told_of, kept = (f"{folder}/A{COPY}.md" for folder in ("Harness", "Hid"))
    vault.write({"Harness/A.md": "Tea.", told_of: "Tea.", kept: "Tea."})
    engine = vault.open(access__private_folders=("Hid",) * (scope == EVERY_AGENT))

    told = engine.seen_by(scope).index()

    assert [one.path for one in told.skipped] == [told_of]
    assert [one.path for one in engine.index().skipped] == [told_of, kept]


@pytest.mark.parametrize("kind", ["folder", "excluded"])
def test_another_memory_is_not_asked_or_told_for_a_client_with_rules(
    vault: VaultHarness, kind: str
) -> None:
    with remembering(fact(1, "The skiff leaks at the stern.")) as memory:
        vault.open(hindsight__url=memory.url, hindsight__retain=True)
        vault.indexed({"Harness/A.md": "The skiff is blue.", "Hid/B.md": "The skiff."})
        client = vault.engine.seen_by(SCOPES[kind])

        kept = (
            client.search("skiff", mode="hybrid"),
            client.bundles.pack("skiff", mode="hybrid"),
            client.recalls(),
        )
        client.memory.capture("decision", "We paint the skiff.")
        assert not memory.heard

        agent = vault.engine.seen_by(EVERY_AGENT)
        found = agent.search("skiff", mode="hybrid")
        agent.memory.capture("decision", "We sell the skiff.")
        assert agent.recalls()

    assert "stern" in repr(found)
    assert memory.asked
    assert len(memory.retained) == 1
    assert "stern" not in repr(kept)
    assert kept[2] is None


def changes(engine: Engine) -> list[str]:
    """Return the titles of the changes that an agent is told of."""
    with known_as("cup"):
        listed = engine.seen_by(EVERY_AGENT).editing.changesets()
        assert listed.total == len(listed.changesets)
        return [changeset.draft.title for changeset in listed.changesets]


def test_a_change_of_a_note_that_is_private_now_is_not_told(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "Tea.\n", "B.md": "Tea.\n"})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = engine.seen_by(EVERY_AGENT).editing
    done = [editing.edit(name, [Append("x")], AGENT).changeset for name in "AB"]
    assert len(changes(engine)) == 2

    vault.write({"A.md": private("Tea.\nx")})  # and not indexed yet

    assert changes(engine) == [done[1].draft.title]
    with known_as("cup"):
        with pytest.raises(ChangesetUnknown):
            editing.show(done[0].id)
        with pytest.raises(ChangesetUnknown):
            editing.undo(done[0].id, AGENT)
    engine.index()
    assert changes(engine) == [done[1].draft.title]
    vault.remove("B.md")  # what is gone is nobody's secret
    assert changes(engine) == [done[1].draft.title]
    assert len(engine.editing.changesets().changesets) == 2


def test_links_that_lead_to_private_notes_are_not_counted(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "A.md": "[[B]] and [[P]] and [[P|it]] and [[Nowhere]]",
            "B.md": "[[A]]",
            "P.md": private("[[A]]"),
        }
    )

    seen = vault.engine.seen_by(EVERY_AGENT).stats()

    assert vault.engine.stats().links == 6
    assert (seen.links, seen.ghosts) == (3, 1)


def test_figures_are_those_of_a_vault_without_what_is_private(
    vault: VaultHarness, tmp_path: Path
) -> None:
    notes = {"A.md": "# Tea\n\nOolong. #drink\n\n- [ ] buy [[B]]\n", "B.md": "# B\n"}
    hidden: dict[str, str | bytes] = {
        "P.md": private(f"# P\n\n[[A]] [[Gone]] #own {TOKEN}\n\n- [ ] do ![[x.png]]\n"),
        "Q.md": "---\nprivate: true\na: [\n---\nTea\n",
        "Empty.md": private(),
        "Hid/N.md": NO_TEXT,
        "x.png": b"x",
    }
    vault.open(access__private_folders=("Hid",)).client = "owner"
    vault.indexed({**notes, **hidden})
    (tmp_path / "twin").mkdir()
    twin = VaultHarness(tmp_path / "twin")
    twin.indexed(notes)
    seen, whole = vault.engine.seen_by(EVERY_AGENT), twin.engine

    told, wanted = (asdict(one.stats()) for one in (seen, whole))

    of_the_machine = {"folder", "index_bytes", "last_run"}
    differ = {name for name in wanted if told[name] != wanted[name]}
    assert differ <= of_the_machine
    owned = asdict(vault.engine.stats())
    assert {"notes", "chunks", "tags", "links", "ghosts", "tasks", "headings"} <= {
        name for name in wanted if owned[name] != wanted[name]
    }
    for name in ("notes", "chunks", "secrets"):
        assert getattr(seen.status(), name) == getattr(whole.status(), name), name
    twin.close()


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_a_receipt_of_a_kept_note_is_as_one_of_a_note_that_is_not_there(
    vault: VaultHarness, scope: Scope
) -> None:
    vault.write({"Harness/A.md": "Oolong.\n", "Hid/B.md": "Sencha, long ago.\n"})
    engine = vault.open(access__private_folders=("Hid",) * (scope == EVERY_AGENT))
    engine.index()
    packed = engine.bundles.pack("sencha").notes
    receipts = [excerpt.receipt for note in packed for excerpt in note.excerpts]
    absent = [receipt.replace("Hid/B.md", "Old/B.md") for receipt in receipts]
    changed = [f"{receipt.rpartition('@')[0]}@00000000" for receipt in receipts]
    assert receipts
    assert {one.state for one in engine.bundles.verify(receipts)} == {"unchanged"}
    assert {one.state for one in engine.bundles.verify(absent)} == {"moved"}

    asked = (*receipts, *absent, *changed)
    told = engine.seen_by(scope).bundles.verify(asked)

    assert {(one.state, one.now) for one in told} == {("gone", None)}
    said = {one.note.replace("Old/B.md", "Hid/B.md") for one in told}
    assert len(said) == 1


def test_a_token_under_a_property_that_stands_twice_is_not_in_the_index(
    vault: VaultHarness,
) -> None:
    note = f"---\n{TOKEN}: a\n{TOKEN}: b\n---\nTea.\n"

    report = vault.indexed({"A.md": note})

    (told,) = vault.rows("select warnings from notes")
    assert "is given twice" in told[0]
    assert TOKEN not in repr((report, told))
    assert TOKEN.encode() not in held(vault)


def test_a_token_that_stands_only_in_a_key_of_json_is_hidden() -> None:
    found: list[Any] = [{TOKEN: 1}, {"a": [{"b": {TOKEN: None}}]}, [{TOKEN: []}]]
    for values in found:
        text = safe_text(json.dumps(values))

        assert TOKEN not in json.dumps(safe_values(values))
        assert TOKEN not in text
        assert json.loads(text) == safe_values(values)
        assert "(hidden: GitHub token)" in text
