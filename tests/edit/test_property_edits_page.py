"""Properties of whole files: marks, encodings and line ends stay as they are."""

from codecs import BOM_UTF8

import pytest

from glassmind.edit.page import EditedPage
from glassmind.edit.text_edits import edited
from glassmind.errors import EditRefused, NotEditable
from glassmind.model import NotePath
from glassmind.model.edits import ChangeProperty

NOTE = NotePath("Note.md")


def link(target: str, page: EditedPage) -> str:
    del page
    return f"[[{target}]]"


def after(raw: bytes, *changes: ChangeProperty) -> bytes:
    return edited(NOTE, raw, changes, link).raw


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (BOM_UTF8, "utf-8")],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_file_stays_in_its_encoding(mark: bytes, encoding: str, newline: str) -> None:
    def written(*lines: str) -> bytes:
        return mark + newline.join(lines).encode(encoding)

    raw = written("---", "größe: 'ä' # é", "---", "Fuß", "")

    got = after(
        raw,
        ChangeProperty("größe", "set", "ö"),
        ChangeProperty("größe", "add", "ü"),
        ChangeProperty("neu", "set", 1),
    )

    lines = ["größe: # é", "  - 'ö'", "  - ü", "neu: 1"]
    assert got == written("---", *lines, "---", "Fuß", "")


def test_a_block_is_made_behind_a_byte_order_mark() -> None:
    got = after(BOM_UTF8 + b"a\r\nb\r\n", ChangeProperty("p", "set", "x"))

    assert got == BOM_UTF8 + b"---\r\np: x\r\n---\r\na\r\nb\r\n"


def test_a_file_that_is_not_utf_8_is_refused() -> None:
    raw = "---\na: ä\n---\n".encode("cp1252")

    with pytest.raises(NotEditable):
        after(raw, ChangeProperty("a", "set", "b"))


def test_of_several_changes_one_that_cannot_be_made_is_named() -> None:
    changes = ChangeProperty("a", "set", 1), ChangeProperty("", "set", 1)

    with pytest.raises(EditRefused) as refused:
        after(b"text", *changes)

    assert refused.value.place == "edits[1]"
