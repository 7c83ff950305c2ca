"""Edits of a text: its ends, its lines, its encoding, and lists of edits."""

import codecs

import pytest
from edit_text_harness import PATH, after, tried, unchanged

from glassmind.edit.page import EditedPage
from glassmind.errors import BadEdit, EditRefused, NoMatch, NotEditable
from glassmind.model import NotePath
from glassmind.model.edits import (
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    Prepend,
    Replace,
    SetTask,
    Splice,
    TextEdit,
)

HEAD = "---\ntags: [tea] # mine\n---\n"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "oolong"),
        ("green", "green\noolong"),
        ("green\n", "green\noolong\n"),
        ("green\n\n", "green\n\noolong\n"),
        ("green\r\n", "green\r\noolong\r\n"),
        ("a\r\nb\r\nc", "a\r\nb\r\nc\r\noolong"),
        (HEAD, HEAD + "oolong\n"),
        ("---\na: b\n---", "---\na: b\n---\noolong"),
    ],
)
def test_appending_ends_the_last_line_and_keeps_how_the_note_ended(
    text: str, result: str
) -> None:
    assert after(text, Append("oolong")) == result


def test_text_takes_the_newline_of_the_note() -> None:
    assert after("a\r\nb\r\n", Append("c\nd\r\ne\n")) == "a\r\nb\r\nc\r\nd\r\ne\r\n"
    assert after("a\nb\n", Append("c\r\nd\re\n")) == "a\nb\nc\nd\ne\n"
    assert after("a\r\nb\nc\n", Append("d\r\n")) == "a\r\nb\nc\nd\n"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "oolong"),
        ("green\n", "oolong\ngreen\n"),
        ("green", "oolong\ngreen"),
        (HEAD + "\ngreen\n", HEAD + "oolong\n\ngreen\n"),
        (HEAD, HEAD + "oolong\n"),
        ("---\na: b\n---", "---\na: b\n---\noolong"),
        ("---\r\na: b\r\n---\r\ngreen", "---\r\na: b\r\n---\r\noolong\r\ngreen"),
    ],
)
def test_prepending_goes_behind_the_properties(text: str, result: str) -> None:
    assert after(text, Prepend("oolong")) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("- a\n", "- a\n\noolong\n"),
        ("- a\n\n", "- a\n\noolong\n"),
        ("> a", "> a\n\noolong"),
        ("|a|\n|-|\n", "|a|\n|-|\n\noolong\n"),
        ("<div>\r\n", "<div>\r\n\r\noolong\r\n"),
        ("a ^id\n", "a ^id\n\noolong\n"),
        ("# A\n", "# A\noolong\n"),
    ],
)
def test_what_is_appended_does_not_become_part_of_a_list_a_table_or_a_block(
    text: str, result: str
) -> None:
    assert after(text, Append("oolong")) == result


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("- a ^id\n", "- b\n"),
        ("- a\n", "  more\n"),
        ("> a\n", "> b\n"),
        ("|a|\n|-|\n", "|b|\n"),
        ("- a\n", "\nb\n"),
        ("a ^id\n", "# B\n"),
    ],
)
def test_what_goes_on_with_the_last_block_is_appended_as_it_is(
    text: str, more: str
) -> None:
    assert after(text, Append(more)) == text + more


@pytest.mark.parametrize(
    ("text", "more", "result"),
    [
        ("A\n===\n", "oolong", "oolong\n\nA\n===\n"),
        ("---\na\n", "oolong", "oolong\n\n---\na\n"),
        ("|a|\n|-|\n", "oolong", "oolong\n\n|a|\n|-|\n"),
        ("a\n", "- oolong", "- oolong\n\na\n"),
        ("- a\n", "- oolong", "- oolong\n- a\n"),
        ("# A\n", "oolong", "oolong\n# A\n"),
        ("[r]: x\n\n[r]\n", "oolong", "oolong\n\n[r]: x\n\n[r]\n"),
    ],
)
def test_what_is_prepended_takes_nothing_in(text: str, more: str, result: str) -> None:
    assert after(text, Prepend(more)) == result


@pytest.mark.parametrize(
    "text", ["a `b`\n", "```\ncode\n```\n", "$$\nx\n$$\n", "%%x%%\n", "- ~~~\n  x\n"]
)
def test_what_is_closed_is_no_risk(text: str) -> None:
    assert tried(text.encode(), Append("oolong")).risks == ()


def test_properties_that_cannot_be_read_any_more_are_told() -> None:
    broken = tried(HEAD.encode(), Replace("[tea]", "[tea"))
    opened = tried(HEAD.encode(), AtLine(1, "--"))

    assert broken.risks[0].startswith("the properties cannot be read any more")
    assert "the properties are not read as such any more" in opened.risks


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        (AtLine(2, "new"), "a\nnew\nc\n"),
        (AtLine(2, "new\n"), "a\nnew\nc\n"),
        (AtLine(2, "n\nm"), "a\nn\nm\nc\n"),
        (AtLine(2, "\n"), "a\n\nc\n"),
        (AtLine(2, ""), "a\nc\n"),
        (AtLine(1, "new", last=3), "new\n"),
        (AtLine(1, "", last=3), ""),
        (AtLine(2, "new", "before"), "a\nnew\nb\nc\n"),
        (AtLine(2, "new", "after"), "a\nb\nnew\nc\n"),
        (AtLine(3, "new\n", "after"), "a\nb\nc\nnew\n"),
        (AtLine(1, "new", "after", last=2), "a\nb\nnew\nc\n"),
    ],
)
def test_lines_are_changed_by_number(edit: AtLine, result: str) -> None:
    assert after("a\nb\nc\n", edit) == result


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("a\nb", AtLine(2, "new"), "a\nnew"),
        ("a\nb", AtLine(2, ""), "a"),
        ("a\nb", AtLine(2, "new", "after"), "a\nb\nnew"),
        ("a\r\nb\r\n", AtLine(1, "new"), "new\r\nb\r\n"),
        ("a\r\nb\nc\n", AtLine(1, "new"), "new\r\nb\nc\n"),
        ("", AtLine(1, "new"), "new"),
        ("", AtLine(1, "new", "before"), "new"),
        ("", AtLine(1, "new", "after"), "new"),
        (HEAD + "a\n", AtLine(2, "tags: []"), "---\ntags: []\n---\na\n"),
    ],
)
def test_every_line_keeps_its_end(text: str, edit: AtLine, result: str) -> None:
    assert after(text, edit) == result


@pytest.mark.parametrize(
    ("line", "last"), [(0, None), (-1, None), (4, None), (2, 1), (1, 4)]
)
def test_lines_that_are_none_are_refused(line: int, last: int | None) -> None:
    with pytest.raises(BadEdit, match=r"has no line .*: it has 3 lines"):
        after("a\nb\nc\n", AtLine(line, "x", last=last))


@pytest.mark.parametrize(
    "edit", [Append(""), Prepend(""), Replace("", "x"), AtLine(1, "", "before")]
)
def test_an_edit_that_means_nothing_is_refused(edit: TextEdit) -> None:
    with pytest.raises(BadEdit):
        after("a\n", edit)


def test_no_edits_at_all_are_refused() -> None:
    with pytest.raises(BadEdit, match="nothing to edit"):
        tried(b"a\n")


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_text_that_no_file_holds_is_refused(text: str) -> None:
    with pytest.raises(BadEdit, match="the text holds"):
        after("a\n", Append(text))


def test_a_byte_order_mark_stays_and_none_is_added() -> None:
    raw = codecs.BOM_UTF8 + b"# A\n\nb\n"

    result = tried(raw, Prepend("\ufefftop"), Append("end"))

    assert result.raw == codecs.BOM_UTF8 + b"top\n# A\n\nb\nend\n"
    unchanged(raw, result)


def test_two_byte_order_marks_stay() -> None:
    raw = codecs.BOM_UTF8 * 2 + b"---\na: b\n---\nc\n"

    result = tried(raw, Prepend("top"))

    assert result.raw == codecs.BOM_UTF8 * 2 + b"---\na: b\n---\ntop\nc\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF16_LE, "utf-16-le"), (b"", "cp1252")],
)
def test_a_file_that_is_not_utf8_is_not_edited(mark: bytes, encoding: str) -> None:
    raw = mark + "# Café\r\n\r\nnaïve thé\r\n".encode(encoding)

    with pytest.raises(NotEditable, match="save it as UTF-8"):
        tried(raw, Append("señor"))


@pytest.mark.parametrize(
    ("path", "raw", "why"),
    [
        ("a.md", "Käse größer".encode() + b"\xff", "not valid utf-8"),
        ("a.md", b"a\0b", "NUL"),
        ("a.canvas", b"{}", "canvas"),
        ("a.base", b"views: []", "base"),
        ("a.excalidraw.md", b"---\nexcalidraw-plugin: parsed\n---\n", "drawing"),
    ],
)
def test_what_is_no_plain_note_is_refused(path: str, raw: bytes, why: str) -> None:
    with pytest.raises(NotEditable, match=why):
        EditedPage.of(NotePath(path), raw)


def test_splices_that_overlap_are_refused() -> None:
    page = EditedPage.of(PATH, b"abcdef")

    with pytest.raises(BadEdit):
        page.with_splices([Splice(0, 3, b"x"), Splice(2, 4, b"y")])
    with pytest.raises(BadEdit):
        page.with_splices([Splice(4, 9, b"x")])
    spliced = page.with_splices([Splice(4, 4, b"z"), Splice(0, 3, b"x")])
    assert spliced == b"xdzef"


def test_edits_are_made_in_order_on_what_the_last_one_left() -> None:
    text = after(
        "# A\n\n- [ ] one\n",
        Append("- [ ] two"),
        SetTask(find="two"),
        Replace("two", "three"),
        AtLine(1, "# B"),
        AtHeading("B", "done", "before", "body"),
    )

    assert text == "# B\n\ndone\n\n- [ ] one\n- [x] three\n"


def test_a_refusal_names_which_of_several_edits_it_is_about() -> None:
    with pytest.raises(NoMatch, match=r"^edits\[1\]: 'zzz' does not stand") as refused:
        after("a\n", Append("b"), Replace("zzz", "y"))
    assert refused.value.place == "edits[1]"

    with pytest.raises(EditRefused) as alone:
        after("a\n", Replace("zzz", "y"))
    assert alone.value.place == ""


def test_facts_tell_each_edit() -> None:
    result = tried(b"a\nb\n", Append("c"), Replace("b", "xyz"), AtLine(1, "first"))

    assert result.facts == {
        "edits": [
            {"kind": "append", "line": 3, "removed": 0, "added": 2},
            {
                "kind": "replace", "line": 2, "removed": 1, "added": 3,
                "similarity": 1.0, "found": "b",
            },
            {"kind": "line", "line": 1, "removed": 1, "added": 5},
        ]
    }  # fmt: skip


def test_a_sentence_with_its_link_is_a_paragraph_at_the_end() -> None:
    assert after("a\n", AddLink("Tea", "See also")) == "a\n\nSee also [[Tea]]\n"
    assert after("a", AddLink("Tea", "See {link}, too.")) == "a\n\nSee [[Tea]], too."
    assert after("", AddLink("Tea", "See")) == "See [[Tea]]"
    assert after(HEAD, AddLink("Tea", "See")) == HEAD + "See [[Tea]]\n"
    assert after("- a\n", AddLink("Tea", "- See")) == "- a\n- See [[Tea]]\n"


def test_a_link_goes_to_the_end_of_a_section() -> None:
    text = "# A\n\n- x ^id\n\n# B\n"

    assert (
        after(text, AddLink("Tea", "See", "A"))
        == "# A\n\n- x ^id\n\nSee [[Tea]]\n\n# B\n"
    )
    assert (
        after(text, AddLink("Tea", "- See", "A"))
        == "# A\n\n- x ^id\n- See [[Tea]]\n\n# B\n"
    )


@pytest.mark.parametrize("edit", [AddLink("", "See"), AddLink("Tea", " {link} ")])
def test_a_link_needs_a_note_and_a_sentence(edit: AddLink) -> None:
    with pytest.raises(BadEdit):
        after("a\n", edit)


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        (SetTask(find="one"), "- [x] one\n- [x] two\n  - [/] one more\n"),
        (SetTask(line=2), "- [ ] one\n- [ ] two\n  - [/] one more\n"),
        (SetTask("-", find="MORE"), "- [ ] one\n- [x] two\n  - [-] one more\n"),
        (SetTask(line=3), "- [ ] one\n- [x] two\n  - [ ] one more\n"),
        (SetTask("x", line=2), "- [ ] one\n- [x] two\n  - [/] one more\n"),
        (SetTask("é", line=1), "- [é] one\n- [x] two\n  - [/] one more\n"),
        (SetTask(line=1, find="one"), "- [x] one\n- [x] two\n  - [/] one more\n"),
    ],
)
def test_tasks_are_given_a_status(edit: SetTask, result: str) -> None:
    assert after("- [ ] one\n- [x] two\n  - [/] one more\n", edit) == result


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        (SetTask(line=2), "- o\n\t- [x] in ^id\n\t\t- child\n- p\n"),
        (AtBlock("id", "- [ ] new"), "- o\n\t- [ ] new ^id\n\t\t- child\n- p\n"),
        (
            AtBlock("id", "- b", "after"),
            "- o\n\t- [ ] in ^id\n\t\t- child\n\t- b\n- p\n",
        ),
        (
            AtBlock("id", "- b", "before"),
            "- o\n\t- b\n\t- [ ] in ^id\n\t\t- child\n- p\n",
        ),
    ],
)
def test_items_that_are_indented_by_tabs_are_items(edit: TextEdit, result: str) -> None:
    assert after("- o\n\t- [ ] in ^id\n\t\t- child\n- p\n", edit) == result


def test_only_what_the_parser_takes_for_a_task_is_one() -> None:
    text = "```\n- [ ] code\n```\n\n%%\n- [ ] hidden\n%%\n\n> 1. [ ] quoted\r\n"

    assert after(text, SetTask(find="quoted")).endswith("> 1. [x] quoted\r\n")
    for line in (2, 6):
        with pytest.raises(BadEdit, match=f"no task on line {line}"):
            after(text, SetTask(line=line))
    with pytest.raises(NoMatch, match="nearest are line 9"):
        after(text, SetTask(find="code"))


@pytest.mark.parametrize("status", ["", "xx", "]", "\n", "done"])
def test_a_status_is_one_sign(status: str) -> None:
    with pytest.raises(BadEdit, match="a status is one sign"):
        after("- [ ] a\n", SetTask(status, line=1))


def test_a_task_is_named_by_line_or_text() -> None:
    with pytest.raises(BadEdit, match="name the task"):
        after("- [ ] a\n", SetTask())
    with pytest.raises(EditRefused, match=r"occurs 2 times .* on lines 1, 2"):
        after("- [ ] ab\n- [ ] abc\n", SetTask(find="a"))


def test_a_task_that_stands_on_another_line_is_said_to() -> None:
    with pytest.raises(NoMatch) as refused:
        after("- [ ] one\n- [ ] two\n", SetTask(line=1, find="two"))

    said = str(refused.value)
    assert said.startswith("'two' does not stand on line 1 of Notes/Tea.md; ")
    assert "nearest are line 2 (1.00): 'two'; line 1 (" in said


def test_an_id_that_is_lost_by_the_text_is_refused() -> None:
    with pytest.raises(BadEdit, match=r"\^id would not be read"):
        after("- a ^id\n", AtBlock("id", "```\ncode\n```"))


@pytest.mark.parametrize(
    "edit",
    [
        AtLine(1, "x", "under"),  # type: ignore[arg-type]
        AtBlock("id", "x", ""),  # type: ignore[arg-type]
        AtHeading("A", "x", "top"),  # type: ignore[arg-type]
        AtHeading("A", "x", "after", "all"),  # type: ignore[arg-type]
    ],
)
def test_a_place_that_is_none_is_refused(edit: TextEdit) -> None:
    with pytest.raises(BadEdit, match="is none"):
        after("# A\n\na ^id\n", edit)
