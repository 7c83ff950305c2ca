"""A block replaced by a text that brings its id along: the id stands once."""

import pytest
from edit_text_harness import after, tried

from glassmind.errors import BadEdit
from glassmind.model.edits import AtBlock


@pytest.mark.parametrize(
    ("text", "new", "left"),
    [
        ("old ^a\n", "new ^a", "new ^a\n"),
        ("old ^a\n", "new\nmore ^A \n", "new\nmore ^a\n"),
        ("- old ^a\n  - below\n", "new ^a", "- new ^a\n  - below\n"),
        ("- old ^a\n", "- new ^a", "- new ^a\n"),
        ("old ^a\n", "new^a", "new^a ^a\n"),
        ("old ^a\n", "new ^ab", "new ^ab ^a\n"),
    ],
)
def test_a_text_may_end_in_the_id_of_its_block(text: str, new: str, left: str) -> None:
    assert after(text, AtBlock("^a", new)) == left


def test_an_id_alone_is_no_text() -> None:
    with pytest.raises(BadEdit, match="there is no text"):
        tried(b"old ^a\n", AtBlock("^a", " ^a\n"))
