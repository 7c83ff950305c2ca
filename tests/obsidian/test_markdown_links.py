"""Links in a note: which ones count, their parts, and where they stand."""

import pytest
from markdown_harness import read, source_of

from glassmind.model import NotePath
from glassmind.model.notes import Link
from glassmind.obsidian.links import decode, split_wikilink


def targets(text: str) -> list[str]:
    return [link.target for link in read(text).links]


@pytest.mark.parametrize(
    "text",
    [
        "[[ ]]",
        "[[]]",
        "[[|shown]]",
        "[[a\nb]]",
        "[[a]b]]",
        r"\[[a]]",
        "`[[a]]`",
        "```\n[[a]]\n```",
        "~~~~\n~~~\n[[a]]\n~~~~",
        "    [[a]]",
        "$[[a]]$",
        "$$\n[[a]]\n$$",
        "<!-- [[a]] -->",
        "x <!-- [[a]] -->",
        "<div>\n[[a]]\n</div>",
        "|a|b|\n|-|-|\n|[[x|y]]|z|",
        "[t](https://x.org)",
        "[t](mailto:a@b.c)",
        "[t](//x.org/a)",
        "[t]()",
        "[t](a b.md)",
        "[t][nowhere]",
        "<https://x.org>",
    ],
)
def test_what_only_looks_like_a_link_is_none(text: str) -> None:
    assert read(text).links == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%% [[a]] %%", ["a"]),
        ("%%\n\n[[a]]\n\n%%", ["a"]),
        ("|h|\n|-|\n|[[a\\|b]]|", ["a"]),
        ("# [[a]]", ["a"]),
        ("> - **[[a]]**", ["a"]),
        ("==[[a]]==", ["a"]),
        ("[[a]][[b]]", ["a", "b"]),
        ("[[[a]]]", ["a"]),
        ("[[a [[b]]", ["b"]),
        (r"\\[[a]]", ["a"]),
        ("[[cost$a]] and [[cost$b]]", ["cost$a", "cost$b"]),
        ("^[see [[a]]]", ["a"]),
        ("[^1]\n\n[^1]: [[a]]", ["a"]),
        ("<b>[[a]]</b>", ["a"]),
        ("[t](<a b.md>)", ["a b.md"]),
        ("[t](caf%C3%A9.md)", ["café.md"]),
        ("[t](a.md 'the title')", ["a.md"]),
        ("[t](a.md '[[not a link]]')", ["a.md"]),
        ("[t](../b/a.md)", ["../b/a.md"]),
        ("[a]\n\n[a]: b.md", ["b.md"]),
        ("[![x](i.png)](a.md)", ["a.md", "i.png"]),
        ("[[#heading]]", [""]),
        ("[t](#heading)", [""]),
    ],
)
def test_links_are_found_in_order(text: str, expected: list[str]) -> None:
    assert targets(text) == expected


def test_a_link_knows_its_bytes_and_its_line_behind_other_scripts() -> None:
    note = read("---\nname: ü\n---\n日本語 ![[图.png|100]]\r\nüber [t](a%20b.md#c%20d)")

    picture, page = note.links

    assert picture == Link(
        "wikilink", "图.png", None, "100", embed=True, line=4, start=27, end=43
    )
    assert source_of(note, picture) == "![[图.png|100]]"
    assert (page.target, page.subpath, page.display) == ("a b.md", "#c d", "t")
    assert (page.line, source_of(note, page)) == (5, "[t](a%20b.md#c%20d)")


def test_an_escaped_mark_makes_an_embed_a_link() -> None:
    [link] = read(r"\![[a]]").links

    assert not link.embed


def test_the_label_of_a_link_is_kept_as_written() -> None:
    [link] = read("[some **bold** `code`](a.md)").links

    assert link.display == "some **bold** `code`"


def test_links_in_properties_name_their_property() -> None:
    note = read(
        "---\n"
        "up: '[[A|shown]]'\n"
        "related:\n"
        "  - '[[B#h]]'\n"
        "  - see [C](c%20d.md) and ![[E]]\n"
        "deep:\n"
        "  inner: '[[D]]'\n"
        "site: '[x](https://x.org)'\n"
        "bare: [[F]]\n"
        "---\n"
        "[[G]]\n"
    )

    assert [(link.kind, link.property, link.target) for link in note.links] == [
        ("property", "up", "A"),
        ("property", "related", "B"),
        ("property", "related", "c d.md"),
        ("property", "related", "E"),
        ("property", "deep.inner", "D"),
        ("wikilink", None, "G"),
    ]
    assert [source_of(note, link) for link in note.links] == [
        "[[A|shown]]",
        "[[B#h]]",
        "[C](c%20d.md)",
        "![[E]]",
        "[[D]]",
        "[[G]]",
    ]
    assert [link.line for link in note.links] == [2, 4, 5, 5, 7, 11]


def test_a_property_link_that_yaml_escapes_stands_where_its_value_stands() -> None:
    note = read('---\nup: "[[\\u00e9]]"\n---\n')

    [link] = note.links

    assert link.target == "é"
    assert source_of(note, link) == '"[[\\u00e9]]"'


@pytest.mark.parametrize(
    ("escaped", "expected"),
    [
        ("a%20b", "a b"),
        ("a%26b%2cc%23d%2F", "a%26b%2cc%23d%2F"),
        ("%28x%29%25", "(x)%"),
        ("%E9", "%E9"),
        ("100%", "100%"),
    ],
)
def test_escapes_are_decoded_except_those_of_reserved_characters(
    escaped: str, expected: str
) -> None:
    assert decode(escaped) == expected


def test_the_parts_of_a_wikilink_are_trimmed() -> None:
    target = split_wikilink(" a b # c d | e ")

    assert target is not None
    assert (target.path, target.subpath, target.display) == ("a b", "#c d", "e")


def test_a_note_is_called_by_its_file_name() -> None:
    note = read("---\ntitle: Other\n---\n# Heading")

    assert note.title == "Note"
    assert note.path == NotePath("Folder/Note.md")
