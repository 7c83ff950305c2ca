"""Properties changed where they stand, and nothing beside them."""

import pytest

from glassmind.errors import BadEdit, NotEditable
from glassmind.model import NotePath, PropertyValue
from glassmind.model.edits import ChangeProperty, PropertyAct
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.property_edits import changed_property, with_property

NOTE = NotePath("Note.md")


def changed(
    text: str,
    name: str,
    value: PropertyValue = None,
    act: PropertyAct = "set",
    newline: str = "\n",
) -> str:
    return with_property(NOTE, text, ChangeProperty(name, act, value), newline)


def lines(*properties: str) -> str:
    return "\n".join(("---", *properties, "---", "body", ""))


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("a: old", "new", "a: new"),
        ("a: old # why", "new", "a: new # why"),
        ("a:   old   # why", "new", "a: new   # why"),
        ("a: 'old'", "new", "a: 'new'"),
        ("a: 'old'", "it's", "a: 'it''s'"),
        ('a: "old"', "new", 'a: "new"'),
        ('a: "old" # why', "new", 'a: "new" # why'),
        ("a: 'old'", "two\nlines", 'a: "two\\x0alines"'),
        ("a: old", "yes", 'a: "yes"'),
        ("a: old", "- x: [y] # z", 'a: "- x: [y] # z"'),
        ("a: old", 3, "a: 3"),
        ("a: 'old'", 3, "a: 3"),
        ("a: old", 2.5, "a: 2.5"),
        ("a: 1", True, "a: true"),
        ("a: 1", False, "a: false"),
        ("a: old", "2026-11-16", "a: 2026-11-16"),
        ("a: old # why", None, "a: # why"),
        ("a: old", None, "a:"),
        ("a:", "new", "a: new"),
        ("a: # why", "new", "a: new # why"),
        ("a: ~", "new", "a: new"),
        ("a : old", "new", "a : new"),
        ("'a': old", "new", "'a': new"),
        ("A: old", "new", "A: new"),
        ("a: [x, y] # why", "new", "a: new # why"),
        ("a: old", [], "a: []"),
        ("a: old # why", ["x", "w"], "a: # why\n  - x\n  - w"),
        ("a: [x, y] # why", ["x", "z"], "a: [x, z] # why"),
        ("a: ['x', 'y']", ["x", "z"], "a: ['x', 'z']"),
        ("a: old", {"b": 1, "c d": "e: f"}, 'a: {b: 1, c d: "e: f"}'),
        ("a: old", [{"b": 1}, "x"], "a:\n  - {b: 1}\n  - x"),
        ("a: |\n  one\n  two", "three", "a: three"),
        ("a: |\n  one\n  two", "three\nfour\n", 'a: "three\\x0afour\\x0a"'),
        ("a: | # why\n  one\n  two", 3, "a: 3 # why"),
        ("a: >-\n    one\n    two", "three", "a: three"),
        ("a: one\n  two\n  three", "four", "a: four"),
        ("a: 'one\n  two'", "four", "a: 'four'"),
        ("a:\n  one", "two", "a: two"),
        ("a:\n  # first\n  b: 1\n  c: 2", "two", "a: two\n  # first"),
        ("a:\n- x\n- y", "two", "a: two"),
        ("a: # why\n- x\n- y", "two", "a: two # why"),
        ("a: &z old", "new", "a: new"),
        ("a: !!str 12", "new", "a: new"),
        ("a: {x: 1,\n  y: 2} # why", 3, "a: 3 # why"),
    ],
)
def test_a_value_is_replaced_where_it_stands(
    before: str, value: PropertyValue, after: str
) -> None:
    others = "# head\nb: 'x'  # other\n{}\n# foot\nz: |\n  text\n\n  more"

    got = changed(lines(others.format(before)), "a", value)

    assert got == lines(others.format(after))


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("- x\n- y", ["x", "y", "z"], "- x\n- y\n- z"),
        ("- x # 1\n- y # 2", ["y"], "- y # 2"),
        ("  - x # 1\n  # own\n  - y", ["x", "w"], "  - x # 1\n  # own\n  - w"),
        ("    -   'x'\n    -   'y'", ["w", "x"], "    -   'w'\n    -   'x'"),
        ("  - x\n  - y\n  - z", ["z", "x"], "  - z\n  - x"),
    ],
)
def test_items_that_stay_in_a_list_keep_their_lines(
    before: str, value: PropertyValue, after: str
) -> None:
    got = changed(lines("a:", before, "b: 1"), "a", value)

    assert got == lines("a:", after, "b: 1")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: [x, y] # why", "a: [x, y, new] # why"),
        ("a: [ x, y ]", "a: [ x, y, new ]"),
        ("a: ['x', 'y']", "a: ['x', 'y', 'new']"),
        ('a: ["x"]', 'a: ["x", "new"]'),
        ("a: []", "a: [new]"),
        ("a: [ ]", "a: [new]"),
        ("a: [x,]", "a: [x, new,]"),
        ("a: [\n  x,\n  y\n  ]", "a: [\n  x,\n  y,\n  new\n  ]"),
        ("a: [\n  x,\n  y # two\n  ]", None),
        ("a: [\n  x]", "a: [\n  x,\n  new]"),
        ("a:\n- x # one\n- y # two", "a:\n- x # one\n- y # two\n- new"),
        ("a:\n  - x\n\n  # end", "a:\n  - x\n  - new\n\n  # end"),
        ("a:\n    -   'x'", "a:\n    -   'x'\n    -   'new'"),
        ("a:\n  - |\n    x\n    y", "a:\n  - |\n    x\n    y\n  - new"),
        ("a:\n  - x: 1\n    y: 2", "a:\n  - x: 1\n    y: 2\n  - new"),
        ("a: x", "a:\n  - x\n  - new"),
        ("a: 'x' # why", "a: # why\n  - 'x'\n  - new"),
        ("a: 12", "a:\n  - 12\n  - new"),
        ("a:", "a:\n  - new"),
        ("a: # why", "a: # why\n  - new"),
        ('a: ""', "a:\n  - new"),
        ("a: null", "a:\n  - new"),
        ("a: |\n  x\n  y", 'a:\n  - "x\\x0ay\\x0a"\n  - new'),
        ("a: &z x\nc: *z", "a:\n  - &z x\n  - new\nc: *z"),
        ("a: &z\n  - x\nc: *z", None),
        ("a: &z [x]", "a: &z [x, new]"),
    ],
)
def test_an_item_is_added_as_the_others_are_written(
    before: str, after: str | None
) -> None:
    text = lines("b: 1", before, "# foot")

    if after is None:
        with pytest.raises(NotEditable):
            changed(text, "a", "new", "add")
    else:
        assert changed(text, "a", "new", "add") == lines("b: 1", after, "# foot")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: [x, y, z] # why", "a: [y, z] # why"),
        ("a: [y, x, z]", "a: [y, z]"),
        ("a: [y, z, x]", "a: [y, z]"),
        ("a: [x, y, x, x]", "a: [y]"),
        ("a: [x]", "a: []"),
        ("a: [ 'x' ]", "a: []"),
        ("a: [y, x,]", "a: [y,]"),
        ("a: [\n  y,\n  x\n  ]", "a: [\n  y\n  ]"),
        ("a:\n- x # one\n- y # two", "a:\n- y # two"),
        ("a:\n  # on x\n  - x\n  # on y\n  - y", "a:\n  # on x\n  # on y\n  - y"),
        ("a:\n  - y\n  - x\n  - z", "a:\n  - y\n  - z"),
        ("a:\n  - x", "a: []"),
        ("a: # why\n  - x # one", "a: [] # why"),
        ("a: x # why", "a: [] # why"),
        ("a: y", "a: y"),
        ("a: [y]", "a: [y]"),
        ("a:", "a:"),
        ("c: 1", "c: 1"),
    ],
)  # fmt: skip
def test_an_item_is_taken_away_with_its_line(before: str, after: str) -> None:
    got = changed(lines("b: 1", before, "# foot"), "a", "x", "remove")

    assert got == lines("b: 1", after, "# foot")


@pytest.mark.parametrize(
    "written",
    [
        "a: old",
        "a: old # why",
        "a: [x, y]",
        "a:\n- x\n- y",
        "a:\n  - x # one\n\n  # two\n  - y",
        "a:\n  b:\n    c: 1",
        "a: |\n  text\n\n  more",
        "a: >\n  text",
        "a: 'one\n  two'",
        "a:",
    ],
)
def test_unset_takes_the_lines_of_a_property_and_no_comment_around(
    written: str,
) -> None:
    text = lines("b: 1", "# above", written, "# below", "c: [1, 2]")

    got = changed(text, "a", act="unset")

    assert got == lines("b: 1", "# above", "# below", "c: [1, 2]")


def test_the_last_property_unset_leaves_an_empty_block() -> None:
    assert changed("---\na: 1\n---\nbody", "a", act="unset") == "---\n---\nbody"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "---\nnew: x\n---\n"),
        ("body", "---\nnew: x\n---\nbody"),
        ("\nbody\n", "---\nnew: x\n---\n\nbody\n"),
        ("----\nbody", "---\nnew: x\n---\n----\nbody"),
        ("---\n---\nbody", "---\nnew: x\n---\nbody"),
        ("---\n\n---", "---\n\nnew: x\n---"),
        ("---  \na: 1\n---\t\nbody", "---  \na: 1\nnew: x\n---\t\nbody"),
        ("---\n# only\n---\n", "---\n# only\nnew: x\n---\n"),
        ("---\n  a: 1\n---\n", "---\n  a: 1\n  new: x\n---\n"),
        ("---\na: |\n  text\n---\n", "---\na: |\n  text\nnew: x\n---\n"),
        ("---\na: 1\n# end\n---\n", "---\na: 1\n# end\nnew: x\n---\n"),
    ],
)
def test_a_new_property_stands_at_the_end(before: str, after: str) -> None:
    assert changed(before, "new", "x") == after


def test_a_new_list_stands_in_as_far_as_the_others() -> None:
    text = lines("a:", "- x")

    got = changed(text, "b", ["w", "z"])

    assert got == lines("a:", "- x", "b:", "- w", "- z")


def test_lines_end_as_the_others_of_the_note_do() -> None:
    text = "---\r\na: 1 # why\r\nb:\r\n  - x\r\n---\r\nbody"

    for name, value, act in (
        ("a", ["p"], "set"), ("c", "d", "set"), ("b", "w", "add"), ("b", "x", "remove"),
    ):  # fmt: skip
        text = changed(text, name, value, act, "\r\n")  # type: ignore[arg-type]

    assert text == ("---\r\na: # why\r\n  - p\r\nb:\r\n  - w\r\nc: d\r\n---\r\nbody")


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("due date", "due date: x"),
        ("yes", '"yes": x'),
        ("a: b", '"a: b": x'),
        ("2024", '"2024": x'),
        ("größe", "größe: x"),
        ("- z", '"- z": x'),
        ("---", '"---": x'),
    ],
)
def test_a_name_is_quoted_where_it_must_be(name: str, after: str) -> None:
    assert changed(lines("a: 1"), name, "x") == lines("a: 1", after)


def test_a_name_in_its_own_case_goes_before_one_in_another() -> None:
    text = lines("Tags: [a]", "tags: [b]")

    assert changed(text, "tags", "c", "add") == lines("Tags: [a]", "tags: [b, c]")
    with pytest.raises(NotEditable, match="Tags and tags"):
        changed(text, "TAGS", "c", "add")


def test_an_item_that_is_there_is_not_added_again() -> None:
    text = lines("a: [x, 1]", "tags:", "  - '#Work'")

    assert changed(text, "a", "x", "add") == text
    assert changed(text, "a", ["x", 1], "add") == text
    assert changed(text, "a", True, "add") == lines(
        "a: [x, 1, true]", "tags:", "  - '#Work'"
    )
    assert changed(text, "tags", "work", "add") == text
    assert changed(text, "tags", "WORK", "remove") == lines("a: [x, 1]", "tags: []")


@pytest.mark.parametrize(
    ("before", "act", "item", "after"),
    [
        ("tags: a, b", "add", "c", "tags:\n  - a\n  - b\n  - c"),
        ("tags: a b # why", "add", "c", "tags: # why\n  - a\n  - b\n  - c"),
        ("Tags: '#a, #b,'", "add", "c", 'Tags:\n  - "#a"\n  - "#b"\n  - c'),
        ("tag: a,b", "add", "c", "tag:\n  - a\n  - b\n  - c"),
        ("tags: 'a'", "add", "c", "tags:\n  - 'a'\n  - c"),
        ("tags: ','", "add", "c", "tags:\n  - c"),
        ("tags: a, B", "add", "b", "tags: a, B"),
        ("tags: a, b", "remove", "A", "tags:\n  - b"),
        ("tags: a, b", "remove", "a, b", "tags: []"),
        ("tags: a, b", "remove", "c", "tags: a, b"),
        ("tags: [a, 'b, c']", "add", "d", "tags: [a, 'b, c', d]"),
        ("aliases: One, Two words", "add", "c",
         "aliases:\n  - One\n  - Two words\n  - c"),
        ("aliases: a, b", "add", "a, b", "aliases: a, b"),
        ("title: a, b", "add", "c", "title:\n  - a, b\n  - c"),
    ],
)  # fmt: skip
def test_tags_and_aliases_that_are_a_text_become_a_list_of_each(
    before: str, act: PropertyAct, item: str, after: str
) -> None:
    name = before.lstrip("{").partition(":")[0].lower()

    found = changed(lines(before), name, item, act)

    assert read_head(found).frontmatter == read_head(lines(after)).frontmatter
    assert found == lines(after)


def test_several_items_are_added_and_taken_at_once() -> None:
    text = lines("a: [x]", "b:", "- x")

    text = changed(text, "a", ["w", "x", "w", "z"], "add")
    text = changed(text, "b", ["w", "z"], "add")
    text = changed(text, "b", ["x", "z"], "remove")

    assert text == lines("a: [x, w, z]", "b:", "- w")


def test_a_value_that_is_so_already_changes_no_byte() -> None:
    text = lines("a:   'x'  # why", "b: [ 1 , 2 ]")

    assert changed(text, "a", "x") == text
    assert changed(text, "b", [1, 2]) == text
    assert changed(text, "c", act="unset") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\na: [1\n---\nbody", "not valid YAML"),
        ("---\na: 1\nbody", "no line --- ends them"),
        ("---\na: 1\na: 2\n---\n", "given twice"),
        ("---\n- a\n---\n", "does not hold properties"),
        ("---\n? b\n: 1\n? a\n: 2\n---\n", "cannot be changed by itself"),
        ("---\na: &x 1\nb: *x\n---\n", "cannot be changed by itself"),
        ("---\nc: !!binary aGk=\n---\n", "not valid YAML"),
    ],
)
def test_what_cannot_be_changed_safely_is_left_with_the_reason(
    text: str, said: str
) -> None:
    with pytest.raises(NotEditable, match=r"Note\.md was not edited") as refused:
        changed(text, "a", "new")

    assert said in str(refused.value)


def test_a_link_without_quotes_is_no_list_to_add_to() -> None:
    text = lines("up: [[Other]]")

    with pytest.raises(NotEditable, match="without quotes"):
        changed(text, "up", "[[New]]", "add")
    assert changed(text, "up", "[[New]]") == lines('up: "[[New]]"')


def test_an_anchor_that_nothing_repeats_can_go_and_a_repeated_one_cannot() -> None:
    text = lines("a: &x [p]", "b: *x", "c: &y 1")

    assert changed(text, "b", "q") == lines("a: &x [p]", "b: q", "c: &y 1")
    assert changed(text, "c", act="unset") == lines("a: &x [p]", "b: *x")
    for act, value in (("unset", None), ("remove", "p"), ("add", "q")):
        with pytest.raises(NotEditable, match="cannot be changed by itself"):
            changed(text, "a", value, act)  # type: ignore[arg-type]
    with pytest.raises(NotEditable, match="cannot be changed by itself"):
        changed(text, "b", "q", "add")


@pytest.mark.parametrize(
    ("name", "act", "value"),
    [
        ("", "set", "x"),
        (" a", "set", "x"),
        ("a\nb", "set", "x"),
        ("a", "set", float("inf")),
        ("a", "set", 10**30),
        ("a", "set", "\ud800"),
        ("a", "add", None),
        ("a", "add", []),
        ("m", "add", "x"),
    ],
)
def test_a_change_that_means_nothing_is_refused(
    name: str, act: PropertyAct, value: PropertyValue
) -> None:
    with pytest.raises(BadEdit):
        changed(lines("m: {x: 1}"), name, value, act)


def test_places_are_counted_in_bytes() -> None:
    text = lines("ü: 'ö'", "a: old")

    (splice,) = changed_property(NOTE, text, ChangeProperty("a", "set", "neu"), "\n")

    assert text.encode()[splice.start : splice.end] == b" old"
    assert splice.text == b" neu"


def test_a_block_too_large_to_be_read_is_not_made() -> None:
    with pytest.raises(NotEditable):
        changed(lines("a: 1"), "b", "x" * 70_000)
    assert read_head(lines("a: 1")).frontmatter.error is None


def test_properties_in_braces_are_not_edited() -> None:
    with pytest.raises(NotEditable):
        changed('---\n{"a": 1}\n---\n', "a", 2)
