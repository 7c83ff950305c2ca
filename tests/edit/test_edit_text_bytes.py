"""What holds for every edit of every note: the bytes outside of it are equal."""

import codecs
from functools import partial

import pytest
from edit_text_harness import PATH, kept, texts_of, tried, unchanged
from hypothesis import given
from hypothesis import strategies as st

from glassmind.edit.page import EditedPage
from glassmind.errors import EditRefused
from glassmind.model.edits import (
    WHERE,
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    ChangeProperty,
    Prepend,
    Replace,
    SetTask,
    TextEdit,
)

PIECES = [
    "# A\n", "## B\n", "A\n===\n", "B\n---\n", "# A ^id\n", "- [ ] a\n", "  - [x] b\n",
    "1. [/] c ^id\n", "- a ^id\n", "> - a ^id2\n", "> a\n", "> b ^id\n", "> [!tip] T\n",
    "a ^id\n", "b\n", "^id\n", "\n", "\r\n", "\n\n", "\r", "~~~\n", "```\n", "````\n",
    "%%\n", "%%c%%", "$$\n", "<!--\n", "-->\n", "<div>\n", "|a\\|b|c|\n|-|-|\n",
    "|d|[[e\\|f]]|\n", "[^1]: note ^id\n", "[ref]: x\n", "---\n", "***\n", "    code\n",
    "\t# A\n", "    - [ ] a\n", "é", "\u8336", "\U0001f375", " ", "A", "B", "\ufeff",
    "\u2028", "a\r\n", "a: b\n", "tags: [x]\n", "- a\n\n  b ^id\n", "==A==\n",
]  # fmt: skip

HEADS = [
    "",
    "",
    "---\na: b # c\ntags:\n  - x\n---\n",
    "---\r\na: b\r\n---\r\n",
    "---\n",
]
FORMS = [
    (b"", "utf-8"),
    (b"", "utf-8"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (b"", "cp1252"),
]

pieces = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
texts = st.one_of(
    st.sampled_from(
        ["new", "n\nm", "- x\n- y", "```\nx", "# N\n\nn\n", "", "é", "\n", "%%"]
    ),
    pieces,
)
where = st.sampled_from(WHERE)
names = st.sampled_from(["A", "B", "A#B", "## B", "N"])
lines = st.integers(0, 12)
maybe = partial(st.one_of, st.none())

edits: st.SearchStrategy[TextEdit] = st.one_of(
    st.builds(Append, texts),
    st.builds(Prepend, texts),
    st.builds(Replace, pieces, texts, maybe(st.floats(0.3, 1))),
    st.builds(
        AtHeading,
        names,
        texts,
        where,
        st.sampled_from(["section", "body"]),
        maybe(st.integers(0, 2)),
    ),
    st.builds(AtBlock, st.sampled_from(["id", "^id2"]), texts, where),
    st.builds(AtLine, lines, texts, where, maybe(lines)),
    st.builds(
        SetTask,
        st.sampled_from(["toggle", "x", "é", " "]),
        maybe(lines),
        st.sampled_from(["", "a", "b"]),
    ),
    st.builds(AddLink, st.just("Tea"), st.sampled_from(["See", "- {link}!"]), names),
    st.builds(AddLink, st.just("Tea"), st.sampled_from(["See", "- {link}!"])),
    st.builds(
        ChangeProperty,
        st.sampled_from(["a", "tags", "new"]),
        st.sampled_from(["set", "unset", "add", "remove"]),
        st.sampled_from(["x", "y", 1, None]),
    ),
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    text = draw(st.sampled_from(HEADS)) + draw(pieces)
    mark, encoding = draw(st.sampled_from(FORMS))
    return mark + text.encode(encoding, errors="ignore")


@given(files(), st.lists(edits, min_size=1, max_size=3))
def test_bytes_outside_of_what_is_reported_are_equal(
    raw: bytes, wanted: list[TextEdit]
) -> None:
    try:
        result = tried(raw, *wanted)
    except EditRefused:
        return

    unchanged(raw, result)
    EditedPage.of(PATH, result.raw)


@given(files(), texts, st.sampled_from(["before", "after"]))
def test_what_is_put_beside_a_heading_takes_nothing_away(
    raw: bytes, text: str, beside: str
) -> None:
    edit = AtHeading("A", text, "before" if beside == "before" else "after", index=0)
    try:
        result = tried(raw, edit)
    except EditRefused:
        return

    text, after = texts_of(raw, result)
    assert kept(text, after) == len(text)


@given(files(), st.sampled_from(["id", "id2"]), texts)
def test_the_id_of_a_block_that_is_replaced_is_read_again(
    raw: bytes, name: str, text: str
) -> None:
    try:
        result = tried(raw, AtBlock(name, text))
    except EditRefused:
        return

    ids = [id_.name for id_ in EditedPage.of(PATH, result.raw).note.block_ids]
    assert name in ids


def test_one_small_edit_touches_few_bytes() -> None:
    raw = b"# A\n\n" + b"line of text\n" * 1000 + b"- [ ] task\n"

    after = tried(raw, SetTask(find="task")).raw

    assert sum(a != b for a, b in zip(raw, after, strict=True)) == 1


@pytest.mark.parametrize(
    "text", ["", "\n", "---\n", "---\na: b\n---", "```\n", "\ufeff"]
)
@pytest.mark.parametrize(
    "edit",
    [
        Append("x"), Prepend("x"), AtLine(1, "x"), AtLine(1, "x", "after"),
        AddLink("Tea", "See"), AtLine(1, ""),
    ],
)  # fmt: skip
def test_the_smallest_notes_can_be_edited(text: str, edit: TextEdit) -> None:
    raw = text.encode()

    unchanged(raw, tried(raw, edit))
