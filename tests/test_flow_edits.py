"""Items taken out of brackets over several lines: what is said of others stays."""

import pytest

from glassmind.model import NotePath
from glassmind.model.editing import ChangeProperty
from glassmind.obsidian.property_edits import with_property

PATH = NotePath("Tea.md")

LINES = "[\n  a, # ca\n  b, # cb\n  c # cc\n]"


def without(flow: str, item: str, newline: str = "\n") -> str:
    text = f"---\nx: {flow}\ny: 1\n---\n".replace("\n", newline)
    after = with_property(PATH, text, ChangeProperty("x", "remove", item), newline)
    start, end = after.index("x: ") + 3, after.index(f"{newline}y: 1")
    return after[start:end].replace(newline, "\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("flow", "item", "left"),
    [
        (LINES, "a", "[\n  b, # cb\n  c # cc\n]"),
        (LINES, "b", "[\n  a, # ca\n  c # cc\n]"),
        (LINES, "c", "[\n  a, # ca\n  b # cb\n]"),
        ("[\n  a, # ca\n  b, # cb\n]", "b", "[\n  a, # ca\n]"),
        ("[\n  a, # ca\n  b]", "b", "[\n  a # ca\n  ]"),
        ("[\n  a, # ca\n  # on b\n  b, # cb\n]", "a", "[\n  # on b\n  b, # cb\n]"),
        ("[\n  a, # ca\n  # on b\n  b # cb\n]", "b", "[\n  a # ca\n]"),
        ("[\n  a, b, # both\n  c\n]", "b", "[\n  a, # both\n  c\n]"),
        ("[\n  a, b # both\n]", "b", "[\n  a # both\n]"),
        ("[\n  a # ca\n  , b # cb\n]", "b", "[\n  a # ca\n]"),
        (
            "[\n  a,\n  b, # cb\n  c # cc\n  # end\n]",
            "c",
            "[\n  a,\n  b # cb\n  # end\n]",
        ),
        ("[a, b, c]", "c", "[a, b]"),
        ("[a, b, c]", "a", "[b, c]"),
        ("[\n  a,\n  b\n]", "b", "[\n  a\n]"),
        ("[\n  a,\n  b,\n]", "b", "[\n  a,\n]"),
    ],
)
def test_comments_of_items_that_stay_stay(
    flow: str, item: str, left: str, newline: str
) -> None:
    assert without(flow, item, newline) == left


def test_of_properties_in_braces_comments_stay_too() -> None:
    text = "---\n{\n  a: 1, # ca\n  b: 2, # cb\n  c: 3 # cc\n}\n---\n"

    after = with_property(PATH, text, ChangeProperty("c", "unset"), "\n")

    assert after == "---\n{\n  a: 1, # ca\n  b: 2 # cb\n}\n---\n"
