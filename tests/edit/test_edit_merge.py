"""A note added to another, which all links to it lead to then."""

import json

import pytest
from parts_harness import Shelf

from glassmind.edit.restructuring import plan_merge
from glassmind.errors import BadEdit, NotEditable, NoteNotFound
from glassmind.model import NotePath
from glassmind.model.edits import Draft

OLD, NEW = NotePath("a/Old.md"), NotePath("b/New.md")


def merged(shelf: Shelf) -> tuple[Draft, Shelf]:
    draft = plan_merge(shelf.harness, OLD, NEW)
    return draft, shelf.after(draft)


def test_the_text_is_added_and_the_note_goes_to_the_trash() -> None:
    draft, after = merged(
        Shelf.of({OLD: "old\n", NEW: "---\naliases: [Old]\n---\nn\n"})
    )

    assert after.text(NEW) == "---\naliases: [Old]\n---\nn\n\nold\n"
    assert OLD not in after.files
    assert after.text(".trash/a/Old.md") == "old\n"
    assert draft.verb == "merge"
    assert draft.title == "merge a/Old.md into b/New.md"


def test_a_name_in_the_trash_that_is_taken_gets_a_number() -> None:
    _, after = merged(Shelf.of({OLD: "", NEW: "", ".trash/a/Old.md": "x"}))

    assert after.text(".trash/a/Old.md") == "x"
    assert ".trash/a/Old 1.md" in after.files


@pytest.mark.parametrize(
    ("link", "then"),
    [
        ("[[Old]]", "[[New]]"),
        ("[[a/Old|x]]", "[[b/New|x]]"),
        ("![[Old#Pot]]", "![[New#Pot]]"),
        ("[[Old#^id]]", "[[New#^id]]"),
        ("[x](a/Old.md#Pot)", "[x](b/New.md#Pot)"),
        ("---\nup: '[[Old#Pot]]'\n---\n", "---\nup: '[[New#Pot]]'\n---\n"),
        ("[[Old#None]] `[[Old]]`", "[[New#None]] `[[Old]]`"),
    ],
)
def test_links_to_it_lead_to_the_other_note(link: str, then: str) -> None:
    shelf = Shelf.of({OLD: "# Pot\n\nx ^id\n", NEW: "# Top\n", "C.md": link})

    _, after = merged(shelf)

    assert after.text("C.md") == then


def test_headings_and_ids_that_clash_are_told_apart() -> None:
    shelf = Shelf.of(
        {
            OLD: "## Log\n\nx ^id\n\n[[#Log]] [[#^id]] [[New#Log]]\n",
            NEW: "## Log\n\ny ^id\n\n[[#Log]] [[Old#Log]]\n",
            "C.md": "[[Old#Log]] [[New#Log]] [[Old#^id]] [[New#^id]]",
        }
    )

    draft, after = merged(shelf)

    assert after.text("C.md") == (
        "[[New#Old#Log]] [[New#Log]] [[New#^id-2]] [[New#^id]]"
    )
    assert after.text(NEW) == (
        "---\naliases:\n  - Old\n---\n"
        "## Log\n\ny ^id\n\n[[#Log]] [[New#Old#Log]]\n\n"
        "# Old\n\n## Log\n\nx ^id-2\n\n[[#Old#Log]] [[#^id-2]] [[New#Log]]\n"
    )
    assert "below the heading Old" in draft.risks[0]


def test_links_of_the_text_lead_where_they_led_from_its_new_place() -> None:
    shelf = Shelf.of(
        {
            OLD: "[[./Jar]] [x](Jar.md) [[Cup]] ![[pic.png]]\n",
            NEW: "",
            "a/Jar.md": "",
            "a/Cup.md": "",
            "b/Cup.md": "",
            "a/pic.png": b"",
        }
    )

    _, after = merged(shelf)

    assert after.text(NEW).endswith("[[../a/Jar]] [x](Jar.md) [[a/Cup]] ![[pic.png]]\n")


def test_properties_of_the_other_note_stay_and_missing_ones_are_added() -> None:
    shelf = Shelf.of(
        {
            OLD: "---\ntitle: Old\nkind: a\ntags: [x, '#Y']\nup: '[[./Jar]]'\n---\n",
            NEW: "---\n# mine\nkind: b # why\ntags: [y]\n---\nn\n",
            "a/Jar.md": "",
        }
    )

    draft, after = merged(shelf)

    assert after.text(NEW) == (
        "---\n# mine\nkind: b # why\ntags: [y, x]\n"
        'up: "[[../a/Jar]]"\naliases:\n  - Old\n---\nn\n'
    )
    assert draft.risks == ("kind stays 'b'; 'a' of a/Old.md is left",)


def test_aliases_that_are_no_list_stay_as_they_are() -> None:
    _, after = merged(Shelf.of({OLD: "o\n", NEW: "---\naliases: Mine\n---\n"}))

    assert after.text(NEW) == "---\naliases: Mine\n---\no\n"


def test_a_note_whose_properties_cannot_be_read_loses_none() -> None:
    with pytest.raises(NotEditable, match="lost"):
        merged(Shelf.of({OLD: "---\na: [\n---\n", NEW: ""}))

    draft, after = merged(Shelf.of({OLD: "o\n", NEW: "---\na: [\n---\n"}))

    assert after.text(NEW) == "---\na: [\n---\no\n"
    assert "becomes no alias" in draft.risks[0]


def test_cards_of_a_canvas_follow() -> None:
    nodes = [{"id": "1", "type": "file", "file": OLD, "subpath": "#Log"}]
    shelf = Shelf.of(
        {OLD: "# Log\n", NEW: "# Log\n", "B.canvas": json.dumps({"nodes": nodes})}
    )

    _, after = merged(shelf)

    card = json.loads(after.text("B.canvas"))["nodes"][0]
    assert (card["file"], card["subpath"]) == (NEW, "#Old#Log")


def test_a_note_that_hid_another_of_its_name_hides_it_no_more() -> None:
    shelf = Shelf.of({OLD: "", NEW: "", "z/x/Old.md": "", "a/C.md": "[[Old]]"})

    _, after = merged(shelf)

    assert after.text("a/C.md") == "[[New]]"


def test_one_note_and_none_are_not_merged() -> None:
    shelf = Shelf.of({OLD: ""})

    with pytest.raises(BadEdit):
        plan_merge(shelf.harness, OLD, OLD)
    with pytest.raises(NoteNotFound):
        plan_merge(shelf.harness, OLD, NEW)
