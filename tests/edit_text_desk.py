"""Edits of a text, tried: what a note is after some of them."""

from glassmind.editing.text.apply import Edited, edited
from glassmind.editing.text.page import Page
from glassmind.types import NotePath
from glassmind.types.editing import TextEdit

PATH = NotePath("Notes/Tea.md")


def pen(target: str, _page: Page) -> str:
    return f"[[{target}]]"


def tried(raw: bytes, *edits: TextEdit) -> Edited:
    """Return a file with its edits made."""
    return edited(PATH, raw, edits, pen)


def after(text: str, *edits: TextEdit) -> str:
    """Return a text with its edits made, having checked that the rest is as it was."""
    before = text.encode()
    result = tried(before, *edits)
    unchanged(before, result)
    return result.raw.decode()


def unchanged(before: bytes, result: Edited) -> None:
    """Check that every byte outside of the reported spans is as it was."""
    last = new_last = 0
    for start, end, new_start, new_end in result.spans:
        assert last <= start <= end
        assert new_last <= new_start <= new_end
        assert before[last:start] == result.raw[new_last:new_start]
        last, new_last = end, new_end
    assert before[last:] == result.raw[new_last:]
