"""What holds for every note, whatever its text."""

import json
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from markdown_harness import Placed, read, source_of

from glassmind.model.notes import Note

PIECES = [
    "[[", "]]", "![[", "[", "](", ")", "|", "\\", "#", "#tag", "^id", "^[", "[^1]",
    "[^1]: ", "%%", "$", "$$", "`", "```", "~~~", "<b>", "</b>", "<!--", "-->", "<div>",
    "::", "key:: v", "[k:: v]", "> ", "> [!note]- ", "- ", "- [ ] ", "1. ", "* [/] ",
    "\n", "\n\n", "\r\n", "\r", "---", "---\n", "===", "***", "_", "==", "~~", "    ",
    "\t", " ", "a", "b c", "ü", "日本", "\U0001f600", "\u00a0", "\u3000", "\ufeff",
    "\0", "\ud800", "a: ", "tags: [x, '#y']\n", "up: '[[z]]'\n", "{", "}", "&x ", "*x",
    "|a|b|\n", "|-|-|\n", "a.md", "%20", "https://x.org", "\U0001f4c5 2026-01-02",
    "&amp;",
]  # fmt: skip

notes = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=20).map(
        lambda pieces: "---\n" + "".join(pieces) + "\n---\n"
    ),
    st.text(max_size=200),
)


def pieces_of(note: Note) -> Iterator[Placed]:
    yield from note.headings
    yield from note.links
    yield from note.tags
    yield from note.tasks
    yield from note.block_ids
    yield from note.callouts
    yield from note.fields
    yield from note.footnotes
    yield from note.blocks
    yield from note.regions


@given(notes)
def test_every_piece_lies_within_the_note_on_whole_characters(text: str) -> None:
    note = read(text)

    for piece in pieces_of(note):
        assert 0 <= piece.start <= piece.end <= len(note.text.encode())
        source_of(note, piece)


@given(notes)
def test_lines_agree_with_offsets(text: str) -> None:
    note = read(text)
    source = note.text.encode()

    for piece in pieces_of(note):
        line = source.count(b"\n", 0, piece.start) + 1
        span = getattr(piece, "span", None)
        assert (span.start if span else getattr(piece, "line", line)) == line
        if span and piece.end > piece.start:
            assert span.end == source.count(b"\n", 0, piece.end - 1) + 1


@given(notes)
def test_what_a_wikilink_spans_is_its_source(text: str) -> None:
    note = read(text)

    for link in note.links:
        written = source_of(note, link)
        if link.kind == "wikilink":
            assert written.startswith("![[" if link.embed else "[[")
            assert written.endswith("]]")
            assert written.count("]]") == 1
            assert link.target in written
        elif link.kind == "markdown":
            assert written.startswith("![" if link.embed else "[")


@given(notes)
def test_what_a_tag_spans_is_its_name(text: str) -> None:
    note = read(text)

    for tag in note.tags:
        if not tag.in_properties:
            assert source_of(note, tag) == f"#{tag.name}"


@given(notes)
def test_pieces_come_in_the_order_of_the_text(text: str) -> None:
    note = read(text)

    for found in (note.headings, note.tasks, note.block_ids, note.callouts, note.fields,
                  note.footnotes, note.blocks, note.regions):  # fmt: skip
        starts = [piece.start for piece in found]
        assert starts == sorted(starts)


@given(notes)
def test_root_blocks_do_not_overlap(text: str) -> None:
    blocks = read(text).blocks

    for before, after in pairwise(blocks):
        assert before.end <= after.start


@given(notes)
def test_the_properties_are_plain_values(text: str) -> None:
    front = read(text).frontmatter

    assert json.loads(json.dumps(dict(front.properties), allow_nan=False)) == dict(
        front.properties
    )
    assert front.error is None or not front.properties


@given(notes)
def test_the_same_text_gives_an_equal_note(text: str) -> None:
    assert read(text) == read(text)


@given(st.text(alphabet=st.characters(exclude_characters="\r"), max_size=200))
def test_line_endings_change_nothing_but_offsets(text: str) -> None:
    unix, dos = read(text), read(text.replace("\n", "\r\n"))

    assert [(link.target, link.line) for link in unix.links] == [
        (link.target, link.line) for link in dos.links
    ]
    assert [(tag.name, tag.line) for tag in unix.tags] == [
        (tag.name, tag.line) for tag in dos.tags
    ]
    assert [item.text for item in unix.headings] == [item.text for item in dos.headings]
