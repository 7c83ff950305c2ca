"""The blocks of a note: headings, tasks, callouts, block ids, footnotes, regions."""

import pytest
from markdown_harness import read, source_of

from glassmind.model import Span
from glassmind.model.notes import Note, Region


def lines(note: Note, region: Region) -> Span:
    source = note.text.encode()
    first = source.count(b"\n", 0, region.start) + 1
    return Span(first, first + source.count(b"\n", region.start, region.end))


def kinds(regions: tuple[Region, ...]) -> list[str]:
    return [region.kind for region in regions]


def test_headings_lose_their_marks_and_keep_their_words() -> None:
    note = read(
        "# One *two* `three` ==four== ##\n\n"
        "Five [[a|six]] [seven](x.md)\n===\n\n"
        "###### $x$ & &amp; #tag\r\n"
        "#no heading\n"
    )

    assert [(item.level, item.text, item.line) for item in note.headings] == [
        (1, "One two three four", 1),
        (1, "Five six seven", 3),
        (6, "x & & #tag", 6),
    ]
    assert source_of(note, note.headings[1]) == "Five [[a|six]] [seven](x.md)\n==="


@pytest.mark.parametrize(
    "text",
    [
        "```\n# a\n```",
        "    # a",
        "<div>\n# a\n</div>",
        "%%\n# a\n%%",
        "---\n# a\n---\n",
        "> # a",
        "- # a",
        r"\# a",
        "$$\n# a\n$$",
    ],
)
def test_only_the_outline_of_the_note_gives_headings(text: str) -> None:
    assert read(text).headings == ()


def test_tasks_have_any_status_their_own_text_and_their_parent() -> None:
    note = read(
        "- [ ] open\n"
        "  goes on\n"
        "  - [/] half ^id\n"
        "    1. [x] done\n"
        "- plain\n"
        "  * [-] dropped\n"
        "\n"
        "> + [é] quoted\n"
        ">   - below\n"
        "- [?] last\n"
        "\n"
        "  second paragraph\n"
    )

    assert [
        (task.status, task.text, task.line, task.depth, task.parent_line, task.done)
        for task in note.tasks
    ] == [
        (" ", "open\ngoes on", 1, 0, None, False),
        ("/", "half ^id", 3, 1, 1, True),
        ("x", "done", 4, 2, 3, True),
        ("-", "dropped", 6, 1, 5, True),
        ("é", "quoted", 8, 0, None, True),
        ("?", "last", 10, 0, None, True),
    ]
    assert source_of(note, note.tasks[0]) == "- [ ] open\n  goes on"
    assert source_of(note, note.tasks[4]) == "+ [é] quoted"


@pytest.mark.parametrize(
    ("text", "line", "start"),
    [
        ("- [ ] o\n\t- [ ] inner\n", 2, 9),
        ("- [ ] o\n    - [ ] inner\n", 2, 12),
        ("- o\n\n    - [ ] inner\n", 3, 9),
        ("- o\r\n\t* [ ] inner\r\n", 2, 6),
        ("> - o\n>     - [ ] inner\n", 2, 12),
        ("1. o\n\t1. [ ] inner\n", 2, 6),
    ],
)
def test_an_item_may_be_indented_by_more_than_it_needs(
    text: str, line: int, start: int
) -> None:
    *_, inner = read(text).tasks

    assert (inner.text, inner.line, inner.start) == ("inner", line, start)
    assert (inner.depth, inner.parent_line) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "- [] a",
        "- [xx] a",
        "- [x]a",
        "[ ] a",
        "- [[x]] a",
        "```\n- [ ] a\n```",
        "%%\n- [ ] a\n%%",
        "- [x](y.md)",
    ],
)
def test_what_only_looks_like_a_task_is_none(text: str) -> None:
    assert read(text).tasks == ()


def test_callouts_have_kind_fold_and_title_and_may_be_nested() -> None:
    note = read(
        "> [!NOTE]- The *title*\n> text\n>> [!my-kind]\n>> more\n\n"
        ">[!tip|wide]+\n\n> [ !no]\n> plain\n"
    )

    assert [
        (item.kind, item.fold, item.title, item.span) for item in note.callouts
    ] == [
        ("note", "-", "The *title*", Span(1, 4)),
        ("my-kind", "", "My Kind", Span(3, 4)),
        ("tip", "+", "Tip", Span(6, 6)),
    ]
    assert [(block.kind, block.language) for block in note.blocks] == [
        ("quote", "note"),
        ("quote", "tip"),
        ("quote", ""),
    ]


def test_block_ids_close_the_block_they_name() -> None:
    note = read(
        "text ^one\n\n"
        "- item ^two\n  - nested ^Three-3\n\n"
        "|a|\n|-|\n|b|\n\n^four\n\n"
        "> quote ^five\n\n"
        "# Heading ^six\n"
        "last ^seven  "
    )

    assert [(item.name, item.line) for item in note.block_ids] == [
        ("one", 1),
        ("two", 3),
        ("Three-3", 4),
        ("four", 10),
        ("five", 12),
        ("six", 14),
        ("seven", 15),
    ]
    assert source_of(note, note.block_ids[0]) == "^one"


@pytest.mark.parametrize(
    "text",
    ["a^b", "a ^b c", "a ^b\nc", "`a ^b`", "```\n^b\n```", "a ^b_c", "$x\n^b$", "a ^"],
)
def test_what_only_looks_like_a_block_id_is_none(text: str) -> None:
    assert read(text).block_ids == ()


def test_footnotes_come_in_three_forms() -> None:
    note = read(
        "a[^1] b^[in *line* [x]] c\n\n[^1]: text\n    more\n\n`^[no]` \\^[no]\n"
    )

    assert [(item.form, item.name, item.line) for item in note.footnotes] == [
        ("reference", "1", 1),
        ("inline", "in *line* [x]", 1),
        ("definition", "1", 3),
    ]
    assert source_of(note, note.footnotes[2]) == "[^1]: text\n    more"


def test_root_blocks_cover_the_note_in_order() -> None:
    note = read(
        "---\na: 1\n---\n# H\ntext\n\n- a\n\n  b\n\n> q\n\n```py x\n1\n```\n\n"
        "    code\n\n"
        "$$\nx\n$$\n\n|a|\n|-|\n\n<div>\n</div>\n\n***\n%%\n# c\n\nd\n%%\n\n[^1]: f\n"
    )

    assert [(item.kind, item.language, lines(note, item)) for item in note.blocks] == [
        ("frontmatter", "", Span(1, 3)),
        ("heading", "", Span(4, 4)),
        ("paragraph", "", Span(5, 5)),
        ("list", "", Span(7, 9)),
        ("quote", "", Span(11, 11)),
        ("fence", "py", Span(13, 15)),
        ("code", "", Span(17, 17)),
        ("math_block", "", Span(19, 21)),
        ("table", "", Span(23, 24)),
        ("html", "", Span(26, 27)),
        ("rule", "", Span(29, 29)),
        ("comment", "", Span(30, 34)),
        ("footnote", "", Span(36, 36)),
    ]
    assert source_of(note, note.blocks[6]) == "    code"


def test_regions_tell_where_other_rules_hold() -> None:
    note = read(
        "a `code` $m$ %% c %% <b>x <i>y</i></b> <br>\n\n- ~~~ sh\n  x\n  ~~~\n\n"
        "> $$\n> y\n> $$\n"
    )

    assert [(item.kind, item.language) for item in note.regions] == [
        ("code", ""),
        ("math", ""),
        ("comment", ""),
        ("html", ""),
        ("html", ""),
        ("fence", "sh"),
        ("math_block", ""),
    ]
    assert [source_of(note, item) for item in note.regions[:5]] == [
        "`code`",
        "$m$",
        "%% c %%",
        "<b>x <i>y</i></b>",
        "<br>",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%% a %% b %% c %%", ["%% a %%", "%% c %%"]),
        ("%%\na\n\nb", ["%%\na\n\nb"]),
        ("a %% b", []),
        ("a %% b\n\nc %% d", []),
        ("a %% b\nc %% d", ["%% b\nc %%"]),
        ("`%%` a `%%`", []),
        ("> %%\n> a\n> %%", ["%%\n> a\n> %%"]),
    ],
)
def test_comments_end_where_obsidian_ends_them(text: str, expected: list[str]) -> None:
    note = read(text)

    found = [item for item in note.regions if item.kind == "comment"]

    assert [source_of(note, item) for item in found] == expected


def test_an_equation_runs_on_over_lines_that_look_like_blocks() -> None:
    note = read("$$\n# a\n\n- [ ] [[1,2]] #b\n+ c\n$$\n\n$$x$$ [[d]] $$y$$\n")

    assert [(item.kind, lines(note, item)) for item in note.blocks] == [
        ("math_block", Span(1, 6)),
        ("paragraph", Span(8, 8)),
    ]
    assert (note.headings, note.tasks, note.tags) == ((), (), ())
    assert [link.target for link in note.links] == ["d"]


def test_an_equation_that_never_closes_is_text() -> None:
    assert [tag.name for tag in read("$$ #a\n\n# H").tags] == ["a"]


def test_a_comment_that_ends_inside_a_block_leaves_the_blocks_alone() -> None:
    note = read("%%\na\n\n%% b\n\nc")

    assert kinds(note.blocks) == ["paragraph", "paragraph", "paragraph"]


@pytest.mark.parametrize("text", ["", "\n", " ", "a", "\ufeff", "---\na: 1\n---"])
def test_the_smallest_notes_are_read(text: str) -> None:
    note = read(text)

    assert note.text == text.removeprefix("\ufeff")
    assert note.links == ()
