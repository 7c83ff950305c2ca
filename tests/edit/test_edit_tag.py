"""A tag renamed over a whole vault."""

import json

import pytest
from parts_harness import Shelf

from glassmind.edit.restructuring import plan_rename_tag
from glassmind.errors import BadEdit, EditRefused


def test_every_note_with_the_tag_changes_and_no_other() -> None:
    shelf = Shelf.of(
        {
            "A.md": "#tea and #Tea/green\n",
            "B.md": "---\ntags:\n  - tea # mine\n---\n",
            "C.md": "#teapot `#tea`\n",
        }
    )

    draft = plan_rename_tag(shelf.harness, "#tea", "drink")

    after = shelf.after(draft)
    assert [step.to for step in draft.steps] == ["A.md", "B.md"]
    assert after.text("A.md") == "#drink and #drink/green\n"
    assert after.text("B.md") == "---\ntags:\n  - drink # mine\n---\n"
    assert draft.facts["tags"] == 3
    assert draft.title == "rename the tag #tea to #drink"
    assert draft.risks == ()


def test_a_tag_that_is_there_already_is_not_said_twice() -> None:
    shelf = Shelf.of(
        {
            "A.md": "---\ntags: [tea, drink, x]\n---\n#tea #drink\n",
            "B.md": '---\ntags:\n  - "#Tea"\n  - x\n  - tea\n---\n',
        }
    )

    draft = plan_rename_tag(shelf.harness, "tea", "drink")

    after = shelf.after(draft)
    assert after.text("A.md") == "---\ntags: [drink, x]\n---\n#drink #drink\n"
    assert after.text("B.md") == '---\ntags:\n  - "#drink"\n  - x\n---\n'


def test_tags_on_the_cards_of_a_canvas_are_renamed() -> None:
    raw = '{"nodes":[{"id":"1","type":"text","text":"a \\"#tea\\" #tea\\n#tea/x"}]}'
    shelf = Shelf.of({"B.canvas": raw})

    after = shelf.after(plan_rename_tag(shelf.harness, "tea", "drink"))

    text = json.loads(after.text("B.canvas"))["nodes"][0]["text"]
    assert text == 'a "#tea" #drink\n#drink/x'


def test_links_to_a_heading_with_the_tag_follow() -> None:
    shelf = Shelf.of({"A.md": "## Plan #tea\n", "B.md": "[[A#Plan tea]] [[A#Plan]]"})

    after = shelf.after(plan_rename_tag(shelf.harness, "tea", "drink"))

    assert after.text("A.md") == "## Plan #drink\n"
    assert after.text("B.md") == "[[A#Plan drink]] [[A#Plan]]"


def test_a_tag_may_go_below_itself() -> None:
    shelf = Shelf.of({"A.md": "#tea #tea/green\n"})

    after = shelf.after(plan_rename_tag(shelf.harness, "tea", "tea/all"))

    assert after.text("A.md") == "#tea/all #tea/all/green\n"


def test_a_drawing_keeps_its_tags_and_is_named() -> None:
    drawing = "---\nexcalidraw-plugin: parsed\ntags: [tea]\n---\n"
    shelf = Shelf.of({"A.md": "#tea\n", "D.excalidraw.md": drawing})

    draft = plan_rename_tag(shelf.harness, "tea", "drink")

    assert [step.to for step in draft.steps] == ["A.md"]
    assert "D.excalidraw.md keeps the tag" in draft.risks[0]


def test_a_tag_that_nobody_has_is_refused() -> None:
    shelf = Shelf.of({"A.md": "tea\n"})

    with pytest.raises(EditRefused, match="no note has the tag #tea"):
        plan_rename_tag(shelf.harness, "tea", "drink")


@pytest.mark.parametrize(("old", "new"), [("tea", "tea"), ("a b", "c"), ("a", "1")])
def test_names_that_are_none_are_refused(old: str, new: str) -> None:
    with pytest.raises(BadEdit):
        plan_rename_tag(Shelf.of({"A.md": "#tea\n"}).harness, old, new)
