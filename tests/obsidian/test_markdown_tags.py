"""Tags in the text of a note and in its properties."""

import pytest
from markdown_harness import read, source_of


def names(text: str) -> list[str]:
    return [tag.name for tag in read(text).tags]


@pytest.mark.parametrize(
    "text",
    [
        "(#a)", '"#a"', "'#a'", ".#a", "x—#a", "-#a", "/#a", "@#a", "=#a", "%#a",
        "a#b", "\U0001f600#a", "日本#a", r"\#a", "#", "##a", "#1984", "#(a)", "#/",
        "`#a`", "```\n#a\n```", "~~~\n#a\n~~~", "    #a", "$#a$", "$$\n#a\n$$",
        "<div>\n#a\n</div>", "x <b>#a</b>", "x <i class='y'>y #a</i>", "<!-- #a -->",
        "x <!-- #a -->", "[[note#head]]", "[[n|see #x]]", "![[#x]]", "[t](#a)",
        "[t](x#a)", "https://x.org/#a", "https://x.org/wiki/X_#a", "[t]: /x#a",
        "&amp;#a",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_tag_is_none(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#a", ["a"]),
        ("x #a", ["a"]),
        ("x\u00a0#a", ["a"]),
        ("x\u3000#a", ["a"]),
        ("x\u2003#a", ["a"]),
        ("x\t#a\r\n#b", ["a", "b"]),
        ("#a#b", ["a", "b"]),
        ("**#a** *#b* ~~#c~~ ==#d==", ["a", "b", "c", "d"]),
        ("_#a_ __#b__", ["a", "b"]),
        ("> #a\n>#b", ["a", "b"]),
        ("- [ ] #a\n1. #b", ["a", "b"]),
        ("# Heading #a", ["a"]),
        ("x <br>#a", ["a"]),
        ("use <name> #a", ["a"]),
        ("[t #a](x.md) [u #b][nowhere]", ["a", "b"]),
        ("[t #a][ref]\n\n[ref]: x#c", ["a"]),
        ("|h|\n|-|\n|#a|", ["a"]),
        ("%% #a %%\n%%#b%%", ["a", "b"]),
        ("[^1]\n\n[^1]: #a", ["a"]),
        ("a $5 #a $6", ["a"]),
        (
            "#a/b/c #a-b_c #1990s #y1984 #123-",
            ["a/b/c", "a-b_c", "1990s", "y1984", "123-"],
        ),
        ("#café #日本語 #\U0001f389", ["café", "日本語", "\U0001f389"]),
        ("#a.b #c,d #e:f #g's #h! #i…", ["a", "c", "e", "g", "h", "i"]),
        ("#a\u200bb #c—d", ["a", "c"]),
        ("#Case #case", ["Case", "case"]),
    ],
)
def test_tags_are_found_in_order_and_in_the_case_written(
    text: str, expected: list[str]
) -> None:
    assert names(text) == expected


def test_a_tag_knows_its_bytes_and_its_line() -> None:
    note = read("日本語\nund #große/ü.")

    [tag] = note.tags

    assert (tag.name, tag.line, source_of(note, tag)) == ("große/ü", 2, "#große/ü")
    assert not tag.in_properties


def test_tags_of_the_properties_come_first_and_say_so() -> None:
    note = read("---\ntags:\n  - '#a'\n  - b/ü\n---\n#c")

    assert [(tag.name, tag.in_properties, tag.line) for tag in note.tags] == [
        ("a", True, 3),
        ("b/ü", True, 4),
        ("c", False, 6),
    ]
    assert [source_of(note, tag) for tag in note.tags] == ["a", "b/ü", "#c"]


@pytest.mark.parametrize(
    "block",
    [
        "tags: a",
        "tags: a, b",
        "tag: [a]",
        "tags: [1984]",
        "tags: [two words]",
        "tags: ['']",
        "tags: [null, true]",
        "tags: [[a]]",
        "tags: {a: b}",
        "x: {tags: [a]}",
    ],
)
def test_only_a_list_of_valid_tags_under_that_name_gives_tags(block: str) -> None:
    assert names(f"---\n{block}\n---\n") == []


def test_the_name_of_the_tags_property_may_be_in_any_case() -> None:
    assert names("---\nTags: [a]\n---\n") == ["a"]
