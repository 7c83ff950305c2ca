"""The properties of a note: what YAML 1.2 says, and what is done about other text."""

import json

import pytest
from markdown_harness import read

from glassmind.model import PropertyValue
from glassmind.obsidian.frontmatter import MAX_BYTES
from glassmind.obsidian.yaml_text import MAX_DEPTH


def properties(block: str) -> dict[str, PropertyValue]:
    front = read(f"---\n{block}\n---\nbody").frontmatter
    assert front.error is None
    return dict(front.properties)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None),
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"),
        ("2020-08-21", "2020-08-21"), ("2020-08-21T10:30:00", "2020-08-21T10:30:00"),
        ("12:30:45", "12:30:45"), ("12:30", "12:30"), ("1_000", "1_000"),
        ("42", 42), ("-7", -7), ("0123", 123), ("0o17", 15), ("0x1F", 31),
        ("0b1", "0b1"),
        ("1.5", 1.5), (".5", 0.5), ("1e3", 1000.0), ("1.", 1.0), (".", "."),
        (".nan", ".nan"), (".inf", ".inf"), ("-.inf", "-.inf"), ("1e999", "1e999"),
        ("9" * 30, "9" * 30), ("'42'", "42"), ('"true"', "true"), ("!!str 42", "42"),
        ("!!int 42", 42), ("[1, a]", [1, "a"]), ("{b: 1}", {"b": 1}), ("<<", "<<"),
        ("|\n  x\n  y", "x\ny\n"), (">-\n  x\n  y", "x y"),
    ],
)  # fmt: skip
def test_values_follow_the_core_schema(written: str, meant: PropertyValue) -> None:
    found = properties(f"a: {written}")["a"]

    assert found == meant
    assert type(found) is type(meant)


def test_names_that_are_not_text_become_text_as_written() -> None:
    assert properties("1: a\ntrue: b\nnull: c\n2020-01-01: d\n1.50: e") == {
        "1": "a",
        "true": "b",
        "null": "c",
        "2020-01-01": "d",
        "1.50": "e",
    }


def test_properties_keep_their_order_and_case() -> None:
    assert list(properties("b: 1\nA: 2\na: 3")) == ["b", "A", "a"]


@pytest.mark.parametrize(
    "block",
    ['{\n\t"a": [1, "x"]\n}', '{"a": [1, "x"]}', "{a: [1, x]}", "a:\n  - 1\n  - x"],
)
def test_json_is_read_as_well_as_yaml(block: str) -> None:
    assert properties(block) == {"a": [1, "x"]}


@pytest.mark.parametrize(
    ("text", "end", "lines"),
    [
        ("---\n---\n", 8, 2),
        ("---\n---", 7, 2),
        ("---\na: 1\n---   \nbody", 16, 3),
        ("---\r\na: 1\r\n---\r\nbody", 16, 3),
        ("---\na: ü\n---\nbody", 14, 3),
        ("\ufeff---\na: 1\n---\nbody", 13, 3),
        ("---\n# a comment\n---\n", 20, 3),
    ],
)
def test_a_block_is_found_with_its_length(text: str, end: int, lines: int) -> None:
    front = read(text).frontmatter

    assert (front.end, front.lines, front.error) == (end, lines, None)


@pytest.mark.parametrize(
    "text",
    [
        "\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "text\n---\na: 1\n---\n",
        "---\na: 1\n",
        "---\na: 1\n...\n",
        "---\na: 1\n----\n",
        "----\na: 1\n---\n",
        "---",
        "",
    ],
)
def test_no_frontmatter_is_seen_where_obsidian_sees_none(text: str) -> None:
    note = read(text)

    assert (note.frontmatter.end, note.frontmatter.properties) == (0, {})
    assert note.frontmatter.error is None


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("a: b: c", 2),
        ("ok: 1\na: {{date}}", 3),
        ("a: [1", 3),
        ("a: 'x", 3),
        ("a:\n\t- x", 3),
        ("a: !!python/object:os.system x", 2),
        ("a: !!python/object/apply:os.system [x]", 2),
        ("a: !!timestamp 2020-01-01", 2),
        ("a: !local x", 2),
        ("a: *nothing", 2),
        ("a: &x [*x]", 2),
        ("a: 1\n--- b", 3),
        ("- a\n- b", 2),
        ("only words", 2),
        ("a: \x01", 2),
        ("a: " + "[" * (MAX_DEPTH + 1), 2),
        ("a: " + "[" * 20_000, 2),
        ("- " * 20_000, 2),
        ("? [a]\n: b", 2),
    ],
)
def test_invalid_yaml_costs_the_properties_but_not_the_body(
    block: str, line: int
) -> None:
    note = read(f"---\n{block}\n---\n[[link]] #tag")

    assert note.frontmatter.properties == {}
    assert note.frontmatter.error is not None
    assert note.frontmatter.error.endswith(f"(line {line}).")
    assert "\n" not in note.frontmatter.error
    assert [link.target for link in note.links] == ["link"]
    assert [tag.name for tag in note.tags] == ["tag"]


def test_a_block_too_large_is_refused_and_the_body_still_read() -> None:
    note = read("---\na: " + "x" * MAX_BYTES + "\n---\n# Body")

    assert note.frontmatter.error == (
        "The frontmatter is larger than 64 KB and was not read."
    )
    assert [heading.text for heading in note.headings] == ["Body"]


def test_of_a_property_given_twice_the_first_value_counts_with_a_warning() -> None:
    note = read("---\ntags: [a]\ntags: [b]\n---\n")

    assert note.frontmatter.properties == {"tags": ["a"]}
    assert [tag.name for tag in note.tags] == ["a"]
    assert note.warnings == (
        "The property tags is given twice; the first value counts.",
    )


def test_an_alias_repeats_what_its_anchor_holds() -> None:
    note = read("---\nx: &x [a, '[[L]]']\ntags: *x\n---\n")

    assert note.frontmatter.properties["tags"] == ["a", "[[L]]"]
    assert [tag.name for tag in note.tags] == ["a"]
    assert [link.property for link in note.links] == ["x", "tags"]


def test_an_alias_bomb_is_refused() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [
        f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 9)
    ]

    front = read("---\n" + "\n".join(rows) + "\n---\n").frontmatter

    assert front.properties == {}
    assert front.error is not None
    assert "aliases" in front.error


def test_aliases_cannot_build_depth_without_bound() -> None:
    rows = ["a0: &a0 [x]"]
    rows += [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 2 * MAX_DEPTH)]

    front = read("---\n" + "\n".join(rows) + "\n---\n").frontmatter

    assert front.error is not None
    assert "deep" in front.error


def test_what_was_read_can_be_written_as_json() -> None:
    found = properties(
        "a: .nan\nb: -.inf\nc: 1e400\nd: 2020-01-01\ne: [.inf]\n? f\n: 1"
    )

    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("aliases: [x, 'y z', 7]", ("x", "y z", "7")),
        ("aliases: ['', null, ' x ']", ("x",)),
        ("Aliases: [x]", ("x",)),
        ("aliases: x", ()),
        ("alias: [x]", ()),
        ("aliases: {a: b}", ()),
        ("aliases: [true, [x]]", ()),
    ],
)
def test_only_a_list_under_that_name_gives_aliases(
    block: str, expected: tuple[str, ...]
) -> None:
    assert read(f"---\n{block}\n---\n").aliases == expected
