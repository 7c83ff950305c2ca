"""A heading renamed with every link to it, and none other."""

import json

import pytest
from parts_harness import Shelf

from glassmind.edit.restructuring import plan_rename_heading
from glassmind.errors import BadEdit, EditRefused, NotEditable, NoteNotFound
from glassmind.model import NotePath

TEA = NotePath("Tea.md")


def renamed(
    shelf: Shelf, heading: str, new: str, index: int | None = None
) -> dict[str, str]:
    """Return what changes, by path."""
    draft = plan_rename_heading(shelf.harness, TEA, heading, new, index)
    after = shelf.after(draft)
    return {step.to: after.text(step.to) for step in draft.steps}


@pytest.mark.parametrize(
    ("link", "after"),
    [
        ("[[Tea#Pot]]", "[[Tea#New pot]]"),
        ("[[Tea.md#pot|x]]", "[[Tea.md#New pot|x]]"),
        ("![[tea#POT!]]", "![[tea#New pot]]"),
        ("[a](Tea.md#Pot)", "[a](Tea.md#New%20pot)"),
        ("[a](<Tea.md#Pot>)", "[a](<Tea.md#New pot>)"),
        ("[a](Tea.md#pot 'x')", "[a](Tea.md#New%20pot 'x')"),
        ("[a][r]\n\n[r]: Tea.md#Pot\n", "[a][r]\n\n[r]: Tea.md#New%20pot\n"),
        ("| [[Tea#Pot\\|x]] |\n| - |\n", "| [[Tea#New pot\\|x]] |\n| - |\n"),
        ("---\nup: '[[Tea#Pot]]'\n---\n", "---\nup: '[[Tea#New pot]]'\n---\n"),
        ("[[Tea#Top#Pot]]", "[[Tea#Top#New pot]]"),
        ("[[Tea#Pot#Lid]]", "[[Tea#New pot#Lid]]"),
        ("%% [[Tea#Pot]] %%", "%% [[Tea#New pot]] %%"),
    ],
)
def test_every_form_of_link_is_carried_in_its_style(link: str, after: str) -> None:
    shelf = Shelf.of({"Tea.md": "# Top\n\n## Pot\n\n### Lid\n", "Cup.md": link})

    assert renamed(shelf, "Pot", "New pot") == {
        "Tea.md": "# Top\n\n## New pot\n\n### Lid\n",
        "Cup.md": after,
    }


@pytest.mark.parametrize(
    "link",
    [
        "[[Tea]] [[Tea#Top]] [[Tea#^id]] [[Tea#Pots]] [[Tee#Pot]]",
        "`[[Tea#Pot]]`\n\n~~~\n[[Tea#Pot]]\n~~~\n",
        "[[Other#Pot]] [[#Pot]] <!-- [[Tea#Pot]] -->",
    ],
)
def test_what_leads_elsewhere_or_is_no_link_stays(link: str) -> None:
    shelf = Shelf.of(
        {"Tea.md": "# Top ^id\n\n## Pot\n", "Cup.md": link, "Other.md": ""}
    )

    assert list(renamed(shelf, "Pot", "New")) == ["Tea.md"]


def test_links_of_the_note_to_itself_are_carried() -> None:
    shelf = Shelf.of({"Tea.md": "# Pot\n\n[[#Pot]] [[Tea#pot]] [x](#Pot)\n"})

    after = "# New\n\n[[#New]] [[Tea#New]] [x](#New)\n"
    assert renamed(shelf, "Pot", "New") == {"Tea.md": after}


def test_cards_of_a_canvas_are_carried() -> None:
    nodes = [
        {"id": "1", "type": "file", "file": "Tea.md", "subpath": "#Pot"},
        {"id": "2", "type": "text", "text": "See [[Tea#Pot]]"},
    ]
    shelf = Shelf.of({"Tea.md": "# Pot\n", "B.canvas": json.dumps({"nodes": nodes})})

    after = renamed(shelf, "Pot", "New")

    cards = json.loads(after["B.canvas"])["nodes"]
    assert cards[0]["subpath"] == "#New"
    assert cards[1]["text"] == "See [[Tea#New]]"


def test_what_means_something_in_links_is_left_out_of_them() -> None:
    shelf = Shelf.of({"Tea.md": "# Pot\n\n[[#Pot]]\n"})

    after = renamed(shelf, "Pot", "Q: a|b [[c]] #d")["Tea.md"]

    assert after == "# Q: a|b [[c]] #d\n\n[[#Q a b c d]]\n"


def test_an_anchor_stays_an_anchor() -> None:
    shelf = Shelf.of({"Tea.md": "# My Pot\n", "Cup.md": "[a](Tea.md#my-pot)"})

    assert renamed(shelf, "My Pot", "Old Pot")["Cup.md"] == "[a](Tea.md#old-pot)"


def test_a_twin_is_told_apart_by_a_nested_path() -> None:
    shelf = Shelf.of(
        {
            "Tea.md": "# A\n\n## Log\n\n# B\n\n## Notes\n",
            "Cup.md": "[[Tea#Log]] [[Tea#Notes]]",
        }
    )

    draft = plan_rename_heading(shelf.harness, TEA, "Notes", "Log")

    assert shelf.after(draft).text("Cup.md") == "[[Tea#Log]] [[Tea#B#Log]]"


def test_links_to_a_later_heading_of_the_name_are_carried_too() -> None:
    shelf = Shelf.of(
        {"Tea.md": "# A\n\n## Old\n\n# B\n\n## Log\n", "Cup.md": "[[Tea#Log]]"}
    )

    assert renamed(shelf, "Old", "Log")["Cup.md"] == "[[Tea#B#Log]]"


def test_a_name_that_leads_links_elsewhere_is_refused() -> None:
    shelf = Shelf.of({"Tea.md": "# Log\n\n# Pot\n", "Cup.md": "[[Tea#Pot]]"})

    with pytest.raises(EditRefused, match="lead elsewhere"):
        renamed(shelf, "Pot", "log")


def test_a_twin_that_no_link_leads_to_is_only_told() -> None:
    shelf = Shelf.of({"Tea.md": "# Log\n\n# Pot\n"})

    assert renamed(shelf, "Pot", "Log") == {"Tea.md": "# Log\n\n# Log\n"}


def test_a_draft_counts_what_was_rewritten() -> None:
    shelf = Shelf.of({"Tea.md": "# Pot\n", "Cup.md": "[[Tea#Pot]] ![[Tea#Pot]]"})

    draft = plan_rename_heading(shelf.harness, TEA, "Pot", "Can")

    assert draft.verb == "rename-heading"
    assert draft.title == "rename the heading Pot of Tea.md to Can"
    assert draft.rewritten == (2, 1)


def test_what_is_no_note_or_has_that_name_is_refused() -> None:
    drawing = "---\nexcalidraw-plugin: parsed\n---\n# Pot\n"

    with pytest.raises(NotEditable):
        renamed(Shelf.of({"Tea.md": drawing}), "Pot", "Can")
    with pytest.raises(NoteNotFound):
        renamed(Shelf.of({}), "Pot", "Can")
    with pytest.raises(BadEdit):
        renamed(Shelf.of({"Tea.md": "# Pot\n"}), "Pot", "Pot")
