"""Sections made notes of their own, and the links to what is in them."""

import json
from time import process_time

import pytest
from parts_harness import Shelf

from glassmind.edit.restructuring import plan_split
from glassmind.errors import BadEdit, EditRefused, GlassmindError
from glassmind.files.settings import ObsidianSettings
from glassmind.model import NotePath
from glassmind.model.edits import Draft

TEA = NotePath("x/Tea.md")
TEXT = "---\nup: '[[Home]]'\n---\nTop ^top\n\n## Pot\n\npot ^id\n\n### Lid\n\n## End\n"


def split(
    shelf: Shelf,
    heading: str = "",
    level: int | None = None,
    folder: str | None = None,
) -> tuple[Draft, Shelf]:
    draft = plan_split(shelf.harness, TEA, heading, level, folder)
    return draft, shelf.after(draft)


def test_a_section_becomes_a_note_and_a_link_stands_in_its_place() -> None:
    draft, after = split(Shelf.of({TEA: TEXT}), "Pot")

    assert after.text("x/Pot.md") == "## Pot\n\npot ^id\n\n### Lid\n"
    assert after.text(TEA) == TEXT.replace(after.text("x/Pot.md"), "[[Pot]]\n")
    assert draft.verb == "split"
    assert draft.title == "split x/Pot.md from x/Tea.md"
    assert draft.facts["notes"] == ["x/Pot.md"]


def test_all_sections_of_a_level_become_notes_in_a_folder() -> None:
    draft, after = split(Shelf.of({TEA: TEXT}), level=2, folder="new/place")

    assert after.text("new/place/End.md") == "## End\n"
    assert after.text(TEA).endswith("Top ^top\n\n[[Pot]]\n\n[[End]]\n")
    assert draft.title == "split x/Tea.md into 2 notes more"


@pytest.mark.parametrize(
    ("link", "then"),
    [
        ("[[Tea#Pot]]", "[[Pot#Pot]]"),
        ("[[Tea#Pot#Lid|x]]", "[[Pot#Pot#Lid|x]]"),
        ("![[Tea#^id]]", "![[Pot#^id]]"),
        ("[x](x/Tea.md#Lid)", "[x](x/Pot.md#Lid)"),
        ("---\nup: '[[Tea#Lid]]'\n---\n", "---\nup: '[[Pot#Lid]]'\n---\n"),
        ("[[Tea]] [[Tea#End]] [[Tea#^top]]", "[[Tea]] [[Tea#End]] [[Tea#^top]]"),
    ],
)
def test_links_follow_what_went(link: str, then: str) -> None:
    _, after = split(Shelf.of({TEA: TEXT, "C.md": link}), "Pot")

    assert after.text("C.md") == then


def test_links_across_the_cut_lead_between_the_notes() -> None:
    text = "[[#Pot]] [[#End]]\n\n## Pot\n\n[[#Pot]] [[#End]] [[Tea]]\n\n## End\n"
    _, after = split(Shelf.of({TEA: text}), "Pot")

    assert after.text(TEA) == "[[Pot#Pot]] [[#End]]\n\n[[Pot]]\n\n## End\n"
    assert after.text("x/Pot.md") == "## Pot\n\n[[#Pot]] [[Tea#End]] [[Tea]]\n"


def test_links_of_a_section_lead_where_they_led_from_another_folder() -> None:
    text = "## Pot\n\n[[./Jar]] [[Cup]]\n"
    shelf = Shelf.of({TEA: text, "x/Jar.md": "", "x/Cup.md": "", "y/Cup.md": ""})

    _, after = split(shelf, "Pot", folder="y")

    assert after.text("y/Pot.md") == "## Pot\n\n[[../x/Jar]] [[x/Cup]]\n"


def test_a_card_of_a_canvas_follows() -> None:
    nodes = [{"id": "1", "type": "file", "file": TEA, "subpath": "#Pot"}]
    shelf = Shelf.of({TEA: TEXT, "B.canvas": json.dumps({"nodes": nodes})})

    _, after = split(shelf, "Pot")

    card = json.loads(after.text("B.canvas"))["nodes"][0]
    assert (card["file"], card["subpath"]) == ("x/Pot.md", "#Pot")


def test_a_name_that_is_taken_gets_a_number_and_no_link_goes_astray() -> None:
    shelf = Shelf.of({TEA: TEXT, "x/pot.md": "", "y/z/End.md": "", "C.md": "[[End]]"})

    draft, after = split(shelf, level=2)

    assert draft.facts["notes"] == ["x/Pot 1.md", "x/End.md"]
    assert after.text("C.md") == "[[y/z/End]]"
    assert after.text(TEA).endswith("[[Pot 1]]\n\n[[x/End]]\n")


def test_links_that_led_nowhere_are_adopted() -> None:
    draft, after = split(Shelf.of({TEA: TEXT, "C.md": "[[Pot]]"}), "Pot")

    assert after.text("C.md") == "[[Pot]]"
    assert draft.adopted == 1


def test_a_heading_becomes_a_name_that_files_can_have() -> None:
    shelf = Shelf.of({TEA: "## What: a/b? [[Pot|x]]\n"})

    draft, _ = split(shelf, level=2)

    assert draft.facts["notes"] == ["x/What a b x.md"]


def test_links_are_markdown_where_the_vault_has_them_so() -> None:
    shelf = Shelf.of({TEA: "## My Pot\n"})
    shelf.settings = ObsidianSettings({}, (), markdown_links=True)

    _, after = split(shelf, "My Pot")

    assert after.text(TEA) == "[My Pot](My%20Pot.md)\n"


def test_a_definition_that_reaches_over_the_cut_is_refused() -> None:
    text = "## Pot\n\n[a][r]\n\n## End\n\n[r]: Cup.md\n"

    with pytest.raises(EditRefused, match="was not split"):
        split(Shelf.of({TEA: text}), "Pot")


@pytest.mark.parametrize("folder", ["../out", "/etc/../..", "a/../../b"])
def test_a_folder_outside_of_the_vault_is_refused(folder: str) -> None:
    with pytest.raises(GlassmindError):
        split(Shelf.of({TEA: TEXT}), "Pot", folder=folder)


def test_it_must_be_said_what_to_split_by() -> None:
    with pytest.raises(BadEdit):
        split(Shelf.of({TEA: TEXT}))


def test_more_notes_than_anybody_looks_through_are_not_made_at_once() -> None:
    with pytest.raises(BadEdit, match=r"4,000 headings .* at most 500 notes"):
        split(Shelf.of({TEA: "# a\n" * 4_000}), level=1)


def test_many_sections_of_one_name_with_footnotes_are_cut_in_their_own_time() -> None:
    part = "## b\n\n[[Tea]] ^{0}-{1}\n\n[^{0}-{1}]\n\n[^{0}-{1}]: foot\n\n"
    parts = ["".join(part.format(n, m) for m in range(10)) for n in range(200)]
    begun = process_time()

    draft, _ = split(
        Shelf.of({TEA: "".join(f"# a\n\n{one}" for one in parts)}), level=1
    )

    # about 1 s; what looks at all of it for each section takes half a minute
    assert process_time() - begun < 15
    assert draft.steps[-1].to == "x/a 199.md"
