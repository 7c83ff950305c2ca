"""Every file becomes honest text or a reason, and never anything in between."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.files.read import Decoded, Unreadable, decode, digest_of


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (b"", "utf-8"),
        ("Grüße\r\n日本\r".encode(), "utf-8"),
        (codecs.BOM_UTF8 + "Grüße\n".encode(), "utf-8"),
        (codecs.BOM_UTF16_LE + "Grüße 🍵".encode("utf-16-le"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + "Grüße 🍵".encode("utf-16-be"), "utf-16-be"),
        (codecs.BOM_UTF32_LE + "Grüße 🍵".encode("utf-32-le"), "utf-32-le"),
    ],
)
def test_unicode_is_read_as_it_stands(raw: bytes, encoding: str) -> None:
    found = decode(raw)

    assert isinstance(found, Decoded)
    assert found.encoding == encoding
    assert not found.flagged
    assert not found.text.startswith("\ufeff")


def test_line_ends_are_left_alone() -> None:
    found = decode(b"a\r\nb\rc\n")

    assert isinstance(found, Decoded)
    assert found.text == "a\r\nb\rc\n"


def test_an_old_windows_encoding_is_read_and_flagged() -> None:
    found = decode("Café “naïve” fin\n".encode("cp1252"))

    assert found == Decoded(
        "Café “naïve” fin\n",
        "cp1252",
        flagged=True,
        reason="it is not UTF-8 and was read as cp1252; save it as UTF-8",
    )


def test_bytes_that_no_windows_encoding_has_are_read_as_latin_1() -> None:
    found = decode(b"caf\xe9 \x81\n" * 3)

    assert isinstance(found, Decoded)
    assert (found.encoding, found.flagged) == ("latin-1", True)


def test_one_bad_byte_does_not_turn_a_utf_8_note_into_another_encoding() -> None:
    found = decode("Grüße aus Zürich\n".encode() + b"\xff")

    assert isinstance(found, Decoded)
    assert found.text == "Grüße aus Zürich\n\ufffd"
    assert found.flagged
    assert found.reason == "1 place is not valid utf-8 and was replaced"
    more = decode("Grüße aus Zürich\n".encode() + b"\xff \xff")
    assert isinstance(more, Decoded)
    assert more.reason == "2 places are not valid utf-8 and were replaced"


def test_a_lone_surrogate_in_utf_16_is_replaced_and_flagged() -> None:
    found = decode(codecs.BOM_UTF16_LE + b"a\x00\x00\xd8b\x00")

    assert isinstance(found, Decoded)
    assert found.flagged
    assert found.text.encode()


@pytest.mark.parametrize(
    "raw",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"text\x00text",
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
        b"\xff\xd8\xff\xe0JFIF",
        bytes(range(1, 256)) * 4,
        codecs.BOM_UTF16_LE + b"a\x00\x00\x00",
        codecs.BOM_UTF16_LE + b"\x00\xd8" * 50,
    ],
)
def test_binary_content_under_a_notes_name_is_refused_with_a_reason(raw: bytes) -> None:
    found = decode(raw)

    assert isinstance(found, Unreadable)
    assert found.reason


@given(st.binary(max_size=200))
def test_whatever_the_bytes_the_text_can_be_written_as_utf_8(raw: bytes) -> None:
    found = decode(raw)

    if isinstance(found, Decoded):
        assert "\0" not in found.text
        assert found.text.encode() or not found.text
        assert found.flagged == bool(found.reason)


@given(st.text().filter(lambda text: "\0" not in text and text[:1] != "\ufeff"))
def test_what_was_written_as_utf_8_is_read_back(text: str) -> None:
    assert decode(text.encode()) == Decoded(text, "utf-8")


def test_a_digest_is_the_same_everywhere() -> None:
    assert digest_of(b"oolong") == digest_of(b"oolong") != digest_of(b"sencha")
    assert digest_of(b"") == "99aa06d3014798d86001c324468d497f"
