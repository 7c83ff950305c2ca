"""Receipts as text: one word that says where lines stood, and can be pasted."""

import shlex
from unicodedata import normalize

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyromark import events_with_range

from glassmind.model import NotePath, Span
from glassmind.model.context import Receipt
from glassmind.obsidian.receipts import (
    DIGEST_CHARS,
    HEADING_CHARS,
    digest_of_lines,
    parse_receipt,
    receipt_of,
    receipt_text,
)
from glassmind.obsidian.structure import OPTIONS
from glassmind.obsidian.yaml_text import load

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="/\0")
ODD = st.sampled_from(
    [*"#%:@ -~_'\"`$!&;,[]{}()*?|\\<>=+", "~~", "==", "__", "%20", ":12-3@ab", "決"]
)
PARTS = st.lists(LETTERS | ODD, min_size=1, max_size=12).map("".join)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
HEADINGS = st.lists(LETTERS | ODD, max_size=15).map("".join)
LINES = st.integers(1, 999_999_999)


@st.composite
def receipts(draw: st.DrawFn) -> Receipt:
    path = normalize("NFC", draw(PATHS))
    assume(not path.startswith("./"))
    heading = " ".join(draw(HEADINGS).split())[:HEADING_CHARS].rstrip()
    start, more = draw(LINES), draw(st.integers(0, 5000))
    span = Span(start, min(start + more, 999_999_999))
    digest = draw(st.text("0123456789abcdef", min_size=8, max_size=64))
    return Receipt(NotePath(path), heading, span, digest)


@given(receipts())
def test_a_receipt_is_read_as_it_was_written(receipt: Receipt) -> None:
    assert parse_receipt(receipt_text(receipt)) == receipt


@given(receipts())
def test_a_receipt_is_one_word_to_a_shell(receipt: Receipt) -> None:
    text = receipt_text(receipt)

    assert shlex.split(text) == [text]
    assert not text.startswith(("-", "~", "="))
    assert not set(text) & set("\"'`$\\!&;,<>|*?()[]{}^")
    assert text.isprintable()


@given(receipts())
def test_a_receipt_is_read_in_markdown_as_it_is_written(receipt: Receipt) -> None:
    text = receipt_text(receipt)

    for written in (text, f"see {text} there", f"- {text}", f"`{text}`", f"*{text}*"):
        said = [event for event, _ in events_with_range(written, options=OPTIONS)]
        shown = "".join(
            str(event.get("Text", event.get("Code", "")))
            for event in said
            if isinstance(event, dict)
        )
        assert text in shown


@given(receipts())
def test_a_receipt_is_itself_in_properties(receipt: Receipt) -> None:
    text = receipt_text(receipt)

    listed = load(f"sources:\n  - {text}\n  - second\n")
    in_line = load(f"sources: [{text}, second]\n")
    assert listed.value == in_line.value == {"sources": [text, "second"]}


@given(st.text(max_size=60))
def test_any_text_is_a_receipt_or_none(text: str) -> None:
    found = parse_receipt(text)

    if found is not None:
        assert parse_receipt(receipt_text(found)) is not None


def test_a_receipt_reads_as_it_says() -> None:
    made = receipt_of("Tea/Oolong.md", "Brewing times", Span(3, 7), "twice\n")

    assert made == f"Tea/Oolong.md#Brewing%20times:3-7@{digest_of_lines('twice')}"
    assert receipt_of("Tea.md", "", Span(3, 3), "").startswith("Tea.md:3@")


@pytest.mark.parametrize("around", ["{}", "`{}`", '"{}"', "'{}'", "<{}>", "  {}\n"])
def test_what_a_receipt_was_wrapped_in_is_left_out(around: str) -> None:
    found = parse_receipt(around.format("Tea/Oolong.md#Brewing times:3-7@0F1E2D3C"))

    expected = Receipt(
        NotePath("Tea/Oolong.md"), "Brewing times", Span(3, 7), "0f1e2d3c"
    )
    assert found == expected


def test_a_path_that_holds_a_percent_sign_is_no_other_path() -> None:
    for path in ("100%.md", "a%20b.md", "%2e%2e/x.md", "C#.md", "%.md", "%%41.md"):
        receipt = Receipt(NotePath(path), "", Span(1, 1), "0f1e2d3c")
        assert parse_receipt(receipt_text(receipt)) == receipt


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Tea.md",
        "Tea.md:3-7",
        "Tea.md:3-7@xyz",
        "Tea.md:3-7@0f1e2d3",  # too short to tell
        "Tea.md:0@0f1e2d3c",
        "Tea.md:7-3@0f1e2d3c",
        "Tea.md:٣@0f1e2d3c",
        ":3@0f1e2d3c",
        "#Heading:3@0f1e2d3c",
        "./:3@0f1e2d3c",
        "a" * 30_000 + ":3@0f1e2d3c",
    ],
)
def test_what_is_no_receipt_is_none(text: str) -> None:
    assert parse_receipt(text) is None


def test_the_beginning_of_a_long_heading_is_enough() -> None:
    made = receipt_of("Tea.md", "very " * 100, Span(1, 1), "text")

    found = parse_receipt(made)
    assert found is not None
    assert 0 < len(found.heading) <= HEADING_CHARS


@given(st.lists(st.text(st.characters(exclude_characters="\r\n")), min_size=1))
def test_lines_have_one_digest_however_they_end(lines: list[str]) -> None:
    found = {digest_of_lines(end.join(lines)) for end in ("\n", "\r\n", "\r")}
    found |= {digest_of_lines(end.join(lines) + end) for end in ("\n", "\r\n")}

    assert len(found) == 1
    assert all(len(digest) == DIGEST_CHARS for digest in found)
