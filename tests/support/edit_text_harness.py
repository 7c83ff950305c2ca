"""Edits of a text, tried: what a note is after some of them."""

from collections.abc import Mapping, Sequence
from typing import cast

from glassmind.edit.page import EditedPage
from glassmind.edit.text_edits import Edited, edited
from glassmind.files.read import Decoded, decode
from glassmind.model import NotePath
from glassmind.model.edits import TextEdit

PATH = NotePath("Notes/Tea.md")


def pen(target: str, _page: EditedPage) -> str:
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
    """Check that no more went and came than is told; the rest stands as it did."""
    old, new = texts_of(before, result)
    gone, come = told_of(result, "removed"), told_of(result, "added")
    assert len(new) == len(old) - gone + come
    assert kept(old, new) >= len(old) - gone


def texts_of(before: bytes, result: Edited) -> tuple[str, str]:
    """Return the text of a file before and after.

    Its byte order mark is there still, and is a part of neither. One that was without
    accents on the way is in UTF-8 from then on.
    """
    found, made = decode(before), decode(result.raw)
    assert isinstance(found, Decoded)
    assert isinstance(made, Decoded)
    text = found.text.removeprefix("\ufeff")
    mark = before[: len(before) - len(text.encode(found.encoding))]
    assert result.raw.startswith(mark)
    return text, made.text.removeprefix("\ufeff")


def told_of(result: Edited, name: str) -> int:
    """Return the sum of what the edits are told to have done."""
    edits = cast("Sequence[Mapping[str, int]]", result.facts["edits"])
    return sum(edit[name] for edit in edits)


def kept(old: str, new: str) -> int:
    """Return how many letters of a text stand in another, in their order.

    The longest common subsequence, a bit for each letter, as Hyyrö (2004) has it.
    """
    places: dict[str, int] = {}
    for at, letter in enumerate(old):
        places[letter] = places.get(letter, 0) | 1 << at
    row = whole = (1 << len(old)) - 1
    for letter in new:
        met = row & places.get(letter, 0)
        row = (row + met | row - met) & whole
    return len(old) - row.bit_count()
