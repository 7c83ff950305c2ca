"""Links to files that are left out of the index: they are carried as others are."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_harness import EditingHarness, MakeHarness, harnesses_in, snapshot
from vault_harness import VaultHarness

from glassmind.edit.planning import plan_delete, plan_move, plan_new, plan_outside
from glassmind.edit.restructuring import plan_merge, plan_split
from glassmind.edit.vault import EditRequest
from glassmind.errors import NoteNotFound
from glassmind.model import NotePath
from glassmind.model.edits import AddLink, Draft

HIDING = {
    ".obsidian/app.json": json.dumps({"userIgnoreFilters": ["Excl/", "D/Attach/"]})
}
EXCLUDED = HIDING | {"Excl/T.md": "# H\n", "Excl/p.png": "png"}
ATTACHED = HIDING | {
    "D/d.md": "[[Attach/T]] ![p](Attach/p.png)\n",
    "D/Attach/T.md": "[[d]] [n](../../N.md)\n",
    "D/Attach/p.png": "png",
    "N.md": "![[D/Attach/p.png]] [[D/Attach/T#H]] [[T]] [[D/d]]\n",
}
ASK, DRY = EditRequest(client="robot"), EditRequest(client="robot", dry_run=True)


@pytest.fixture
def editing(tmp_path: Path) -> Iterator[MakeHarness]:
    yield from harnesses_in(tmp_path)


def moved(harness: EditingHarness, source: str, to: str) -> Draft:
    draft = plan_move(harness.harness, source, to)
    harness.apply(draft)
    return draft


def card(file: str) -> str:
    node = {"id": "1", "type": "file", "file": file}
    return json.dumps({"nodes": [node], "edges": []})


def test_links_of_a_note_that_moves_are_carried(editing: MakeHarness) -> None:
    said = "[x](../Excl/T.md#H) ![](../Excl/p.png) [[../Excl/T|t]] [[T]]\n"
    harness = editing(EXCLUDED | {"sub/N.md": said})

    draft = moved(harness, "sub/N.md", "N.md")

    assert harness.text("N.md") == (
        "[x](./Excl/T.md#H) ![](./Excl/p.png) [[./Excl/T|t]] [[T]]\n"
    )
    assert draft.rewritten == (3, 1)
    assert draft.risks == ()


def test_links_to_what_goes_along_with_a_folder_are_carried(
    editing: MakeHarness,
) -> None:
    harness = editing(ATTACHED | {"Board.canvas": card("D/Attach/p.png")})

    draft = moved(harness, "D/", "E")

    assert harness.text("N.md") == (
        "![[E/Attach/p.png]] [[E/Attach/T#H]] [[T]] [[E/d]]\n"
    )
    assert (
        json.loads(harness.text("Board.canvas"))["nodes"][0]["file"] == "E/Attach/p.png"
    )
    assert draft.rewritten == (4, 2)


def test_what_is_left_out_is_carried_and_neither_read_nor_written(
    editing: MakeHarness,
) -> None:
    harness = editing(ATTACHED)

    draft = moved(harness, "D/", "a/b/E")

    assert {step.path for step in draft.steps} == {"D", "N.md"}
    assert harness.text("a/b/E/Attach/T.md") == ATTACHED["D/Attach/T.md"]
    assert not draft.risks


def test_moving_a_folder_back_gives_the_old_bytes(editing: MakeHarness) -> None:
    harness = editing(ATTACHED)
    moved(harness, "D/", "a/E")

    moved(harness, "a/E/", "D")

    assert harness.text("N.md") == ATTACHED["N.md"]
    assert harness.text("D/d.md") == ATTACHED["D/d.md"]


def test_a_name_that_one_left_out_had_for_itself_is_written_longer(
    editing: MakeHarness,
) -> None:
    harness = editing(EXCLUDED | {"N.md": "[[T]] [[Nobody]]\n", "U.md": ""})

    made = plan_new(harness.harness, NotePath("b/T.md"), b"")
    draft = plan_move(harness.harness, "U.md", "b/T.md")
    adopting = plan_new(harness.harness, NotePath("b/Nobody.md"), b"")

    for one in (made, draft):
        assert one.adopted == 0
        assert one.rewritten == (1, 1)
        assert b"[[Excl/T]] [[Nobody]]\n" in [step.after for step in one.steps]
    assert adopting.adopted == 1


def test_a_link_that_comes_to_one_left_out_is_kept_from_it(
    editing: MakeHarness,
) -> None:
    harness = editing(EXCLUDED | {"a/Other.md": "", "N.md": "[[Other]]\n"})

    moved(harness, "a/Other.md", "a/long/T.md")

    assert harness.text("N.md") == "[[a/long/T]]\n"


def test_a_deletion_counts_links_to_what_goes_along(editing: MakeHarness) -> None:
    harness = editing(ATTACHED)

    draft = plan_delete(harness.harness, "D/")

    assert draft.risks[0] == "4 links will lead nowhere"
    assert not plan_delete(harness.harness, "N.md").risks


def test_links_are_carried_by_a_merge_and_a_split(editing: MakeHarness) -> None:
    harness = editing(
        EXCLUDED
        | {
            "a/One.md": "[x](../Excl/T.md)\n",
            "Two.md": "two\n",
            "a/Three.md": "# S\n\n![](../Excl/p.png)\n",
        }
    )

    merged = plan_merge(harness.harness, NotePath("a/One.md"), NotePath("Two.md"))
    split = plan_split(
        harness.harness, NotePath("a/Three.md"), heading="S", folder="b/c"
    )

    assert b"[x](./Excl/T.md)" in merged.steps[0].after
    found = {step.to: step.after for step in split.steps}
    assert b"![](../../Excl/p.png)" in found[NotePath("b/c/S.md")]


def test_links_of_a_note_that_was_renamed_outside_are_offered(
    editing: MakeHarness,
) -> None:
    harness = editing(EXCLUDED | {"sub/N.md": "[x](../Excl/T.md)\n"})
    (harness.root / "sub/N.md").rename(harness.root / "N.md")
    harness.refresh(())

    draft = plan_outside(harness.harness, {NotePath("sub/N.md"): NotePath("N.md")})

    assert draft is not None
    assert draft.steps[0].after == b"[x](./Excl/T.md)\n"


def test_no_verb_takes_a_file_for_it_is_a_target_of_links(editing: MakeHarness) -> None:
    harness = editing(EXCLUDED | {"N.md": "[[T]]\n"})

    for name in ("p.png", "T"):
        with pytest.raises(NoteNotFound):
            plan_move(harness.harness, name, "X")


def test_hidden_files_and_those_of_programs_are_no_targets(
    editing: MakeHarness,
) -> None:
    hidden = {".hidden/T.md": "", "node_modules/T.md": "", "a/.T.md": ""}
    harness = editing(hidden | {"N.md": "[[T]]\n"})

    draft = plan_new(harness.harness, NotePath("b/T.md"), b"")

    assert (draft.adopted, draft.rewritten) == (1, (0, 0))


def test_a_new_link_is_not_taken_for_one_to_a_file_left_out(
    vault: VaultHarness,
) -> None:
    vault.indexed(EXCLUDED | {"b/long/T.md": "", "N.md": "", "b/Only.md": ""})
    adding = [AddLink("b/long/T", "a {link}"), AddLink("b/Only", "a {link}")]

    done = vault.engine.editing.edit("N", adding, DRY)

    (step,) = done.changeset.draft.steps
    assert step.after.split() == [b"a", b"[[b/long/T|T]]", b"a", b"[[Only]]"]


def test_a_move_that_is_taken_back_gives_the_old_bytes(vault: VaultHarness) -> None:
    both = {"userIgnoreFilters": ["D/Attach/", "E/Attach/"]}
    vault.open(writes__mode="allow")
    vault.indexed(ATTACHED | {".obsidian/app.json": json.dumps(both)})
    before = snapshot(vault.root)
    done = vault.engine.editing.move("D/", "E", ASK)
    there = (vault.root / "N.md").read_bytes()

    back = vault.engine.editing.undo(done.changeset.id, ASK)

    assert b"[[E/Attach/T#H]]" in there
    assert before.items() <= snapshot(vault.root).items()
    assert not (vault.root / "E").exists()
    assert back.changeset.draft.risks == ()
