"""What a note or folder may be called, whoever gives it its name."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_harness import EditingHarness, MakeHarness, harnesses_in, snapshot

from glassmind.edit.names import check_new_name
from glassmind.edit.planning import new_note, plan_move
from glassmind.edit.restructuring import plan_split
from glassmind.errors import BadEdit
from glassmind.model import NotePath

VAULT = {
    "a/Tea.md": "# Green\n\nx\n",
    "Home.md": "[[Tea]] [t](Tea.md)\n",
    "C #1/Old.md": "",
    "Odd /Note.md": "",
    "x [y].md": "",
    "pic.png": b"\x89PNG",
}

NO_NAMES = [
    ("a/ lead", "begins or ends with a blank"),
    ("trail .md", "begins or ends with a blank"),
    ("new /Tea", "begins or ends with a blank"),
    ("new/\u00a0/Tea", "needs a name"),
    ("con.md", "that of a device"),
    ("new/LPT1", "that of a device"),
    ("aux/Tea", "that of a device"),
    ("x.", "ends in a dot"),
    ("folder./Tea", "ends in a dot"),
    ("a[b]", r"it has \[ \]"),
    ("new#/Tea", "it has #"),
    ("a|b", r"it has \|"),
    ("a:b", "it has :"),
    ("100%%", "it has %%"),
    ("x" * 253, "too long"),
]


@pytest.fixture
def editing(tmp_path: Path) -> Iterator[MakeHarness]:
    yield from harnesses_in(tmp_path)


@pytest.fixture
def harness(editing: MakeHarness) -> EditingHarness:
    return editing(VAULT)


@pytest.mark.parametrize(("name", "why"), NO_NAMES)
def test_what_is_no_name_is_refused_alike(
    harness: EditingHarness, name: str, why: str
) -> None:
    before = snapshot(harness.root)

    with pytest.raises(BadEdit, match=why):
        new_note(harness.harness, name, "text")
    with pytest.raises(BadEdit, match=why):
        plan_move(harness.harness, "a/Tea.md", name)

    assert snapshot(harness.root) == before


@pytest.mark.parametrize("folder", ["aux", "b.", "new#", "new /b", "a/[b]"])
def test_sections_go_to_no_folder_of_such_a_name(
    harness: EditingHarness, folder: str
) -> None:
    with pytest.raises(BadEdit):
        plan_split(harness.harness, NotePath("a/Tea.md"), "Green", folder=folder)


@pytest.mark.parametrize("name", [" Oolong", "Oolong ", " Oolong.md\n", "Oolong.md "])
def test_blanks_around_the_whole_are_no_part_of_a_name(
    harness: EditingHarness, name: str
) -> None:
    assert new_note(harness.harness, name, "")[0] == "Oolong.md"
    assert plan_move(harness.harness, "a/Tea.md", name).facts["to"] == "Oolong.md"


def test_folders_that_are_there_are_used_whatever_they_are_called(
    harness: EditingHarness,
) -> None:
    for folder in ("C #1", "Odd "):
        assert new_note(harness.harness, f"{folder}/New", "")[0] == f"{folder}/New.md"
        moved = plan_move(harness.harness, "a/Tea.md", f"{folder}/Tea")
        assert moved.facts["to"] == f"{folder}/Tea.md"
    into = plan_move(harness.harness, "a/Tea.md", "Odd /")
    assert into.facts["to"] == "Odd /Tea.md"


def test_a_file_that_has_an_odd_name_may_keep_it_elsewhere(
    harness: EditingHarness,
) -> None:
    assert plan_move(harness.harness, "x [y].md", "a/").facts["to"] == "a/x [y].md"
    assert plan_move(harness.harness, "C #1/", "a/C #1").facts["to"] == "a/C #1"
    with pytest.raises(BadEdit, match=r"it has \[ \]"):
        plan_move(harness.harness, "x [y].md", "a/z [y]")


def test_folders_and_other_files_are_held_to_it_too(harness: EditingHarness) -> None:
    for name in ("b.", "nul", "b#", "x/b ?"):
        with pytest.raises(BadEdit):
            plan_move(harness.harness, "a/", name)
    for name in ("pic .png", "con.png", "pic..png", "p[1].png"):
        with pytest.raises(BadEdit):
            plan_move(harness.harness, "pic.png", name)
    assert plan_move(harness.harness, "a/", "v1.2 (b)").facts["to"] == "v1.2 (b)"


def test_a_section_is_called_by_its_heading_where_that_is_a_name(
    editing: MakeHarness,
) -> None:
    harness = editing({"Tea.md": "# Con\n\nx\n\n# a: [b]\n\ny\n"})

    draft = plan_split(harness.harness, NotePath("Tea.md"), level=1)

    assert draft.facts["notes"] == ["Con note.md", "a b.md"]
    for path in ("Con note.md", "a b.md"):
        check_new_name(path)


def test_links_of_a_note_that_is_not_utf8_stay_and_are_told(
    editing: MakeHarness,
) -> None:
    latin = "Größe [[Tea]]\n".encode("cp1252")
    harness = editing({"a/Tea.md": "", "Home.md": latin})

    draft = plan_move(harness.harness, "a/Tea.md", "Pot")

    assert draft.rewritten.links == 0
    assert "Home.md" in draft.risks[0]
