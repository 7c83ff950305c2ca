"""Where the parts of a link stand, and other ones written there in the same style."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import EditRefused
from glassmind.model import NotePath
from glassmind.obsidian.link_edits import is_plain, link_parts, spelled
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.property_edits import spliced

NOTE = NotePath("Source.md")


def rewritten(
    text: str, path: str | None, subpath: str | None = None, *, careful: bool = False
) -> str:
    """Return a text with its first link given other parts."""
    source = text.encode()
    first = link_parts(parse_note(NOTE, text), source)[0]
    splices = spelled(source, first, path=path, subpath=subpath, careful=careful)
    return spliced(source, splices).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[Tea]]", "[[b/Oat Milk]]"),
        ("![[Tea]]", "![[b/Oat Milk]]"),
        ("[[ Tea ]]", "[[ b/Oat Milk ]]"),
        ("[[Tea|a cup]]", "[[b/Oat Milk|a cup]]"),
        ("[[Tea#Brew]]", "[[b/Oat Milk#Brew]]"),
        ("[[Tea #Brew | x]]", "[[b/Oat Milk #Brew | x]]"),
        ("![[Tea#^id|100x20]]", "![[b/Oat Milk#^id|100x20]]"),
        ("[[#Brew]]", "[[b/Oat Milk#Brew]]"),
        ("é [[Tée|ü]] é", "é [[b/Oat Milk|ü]] é"),
        ("|a|\n|-|\n|[[Tea\\|x]]|\n", "|a|\n|-|\n|[[b/Oat Milk\\|x]]|\n"),
        ("[x](Tea.md)", "[x](b/Oat%20Milk)"),
        ("![x](Tea.png 'a title')", "![x](b/Oat%20Milk 'a title')"),
        ("[x](<Tea.md>)", "[x](<b/Oat Milk>)"),
        ("[x]( <my Tea.md#h> )", "[x]( <b/Oat Milk#h> )"),
        ("[x](my%20Tea.md#h%20i)", "[x](b/Oat%20Milk#h%20i)"),
        ("[x](Tea(1).md)", "[x](b/Oat%20Milk)"),
        ("[x](a\\(b.md)", "[x](b/Oat%20Milk)"),
        ("[x](a&amp;b.md)", "[x](b/Oat%20Milk)"),
        ("[](Tea.md)", "[](b/Oat%20Milk)"),
        ("[![i](Tea.png)](https://x.org)", "[![i](b/Oat%20Milk)](https://x.org)"),
        ("> [a\n> b\n> ](Tea.md)", "> [a\n> b\n> ](b/Oat%20Milk)"),
        ("[`](q)`](Tea.md)", "[`](q)`](b/Oat%20Milk)"),
        ("[x][r]\n\n[r]: Tea.md 'T'\n", "[x][r]\n\n[r]: b/Oat%20Milk 'T'\n"),
        ("[r]\n\n[R]: <Tea.md>\n", "[r]\n\n[R]: <b/Oat Milk>\n"),
        ("[r][]\n\n> [r]:\n>  Tea.md#h\n", "[r][]\n\n> [r]:\n>  b/Oat%20Milk#h\n"),
        (
            "```\n[r]: Tea.md\n```\n[r]\n\n[r]: Tea.md\n",
            "```\n[r]: Tea.md\n```\n[r]\n\n[r]: b/Oat%20Milk\n",
        ),
        ("[r] [z][r]\n\n- [r]: Tea.md", "[r] [z][r]\n\n- [r]: b/Oat%20Milk"),
        ('---\nup: "[[Tea]]"\n---\n', '---\nup: "[[b/Oat Milk]]"\n---\n'),
        ("---\nup: see [[Tea]] # c\n---\n", "---\nup: see [[b/Oat Milk]] # c\n---\n"),
        (
            "---\r\nup: |\r\n  a\r\n  [[Tea]]\r\n---\r\n",
            "---\r\nup: |\r\n  a\r\n  [[b/Oat Milk]]\r\n---\r\n",
        ),
        (
            '---\nl: [&a "[[Tea]]", *a]\n---\n',
            '---\nl: [&a "[[b/Oat Milk]]", *a]\n---\n',
        ),
        ('---\nup: "[x](Tea.md)"\n---\n', '---\nup: "[x](b/Oat%20Milk)"\n---\n'),
        ('---\nup: "[x](<Tea.md>)"\n---\n', '---\nup: "[x](<b/Oat Milk>)"\n---\n'),
        (
            '---\n{\n\t"up": "[[Tea]]"\n}\n---\n',
            '---\n{\n\t"up": "[[b/Oat Milk]]"\n}\n---\n',
        ),
    ],
)
def test_another_path_is_written_in_the_style_of_the_link(
    before: str, after: str
) -> None:
    assert rewritten(before, "b/Oat Milk") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[Tea#Brew|x]]", "[[Tea#How to|x]]"),
        ("[[Tea|x]]", "[[Tea#How to|x]]"),
        ("[[#Brew]]", "[[#How to]]"),
        ("[x](Tea.md)", "[x](Tea.md#How%20to)"),
        ("[x](<Tea.md#a b>)", "[x](<Tea.md#How to>)"),
        ("[x][r]\n\n[r]: #a", "[x][r]\n\n[r]: #How%20to"),
        ("---\nup: '[[Tea#a]]'\n---\n", "---\nup: '[[Tea#How to]]'\n---\n"),
    ],
)
def test_another_subpath_is_written_in_the_style_of_the_link(
    before: str, after: str
) -> None:
    assert rewritten(before, None, "#How to") == after


def test_both_parts_may_change_and_an_empty_one_is_taken_away() -> None:
    assert rewritten("[[Tea #Brew|x]]", "Oat", "#A#B") == "[[Oat #A#B|x]]"
    assert rewritten("[[Tea#Brew|x]]", "Oat", "") == "[[Oat|x]]"
    assert rewritten("[[Tea#Brew|x]]", "", "#B") == "[[#B|x]]"


def test_letters_that_would_end_a_link_are_escaped_where_they_can_be() -> None:
    assert (
        rewritten("[x](a.md)", "50% (é) [b].md") == "[x](50%25%20%28é%29%20%5Bb%5D.md)"
    )
    assert rewritten("[x](<a.md>)", "50% (é).md") == "[x](<50%25 (é).md>)"
    assert rewritten("[x](%C3%A9.md)", "ü.md") == "[x](%C3%BC.md)"
    assert rewritten("$5 [x](a.md)", "$1.md", careful=True) == "$5 [x](\\$1.md)"
    assert rewritten("[x](a.md)", "a&amp;b.md") == "[x](a\\&amp;b.md)"
    assert rewritten("---\nup: '[[a]]'\n---\n", "it's") == "---\nup: '[[it''s]]'\n---\n"
    quoted = rewritten('---\nup: "[[a]]"\n---\n', 'a "b"')
    assert quoted == '---\nup: "[[a \\"b\\"]]"\n---\n'


def test_an_address_of_mail_is_nothing_to_write_in() -> None:
    with pytest.raises(EditRefused):
        rewritten("<a@b.org>", "c")


SCRAPS = st.sampled_from(
    [
        "[[a]]",
        "![[b|c]]",
        "[x](y.md)",
        "[r]",
        "\n[r]: z.md\n",
        "`",
        "```\n",
        "$",
        "$$\n",
        "%%",
        "<!--",
        "-->",
        "---\n",
        "up: '[[p]]'\n",
        "- ",
        "| a |\n| - |\n",
        "\n\n",
        "\r\n",
        " é ",
        "\\",
    ]
)


@given(
    st.lists(SCRAPS, max_size=14).map("".join),
    st.text("aZ9 ./-_é", min_size=1, max_size=8),
)
def test_a_plain_change_is_read_as_it_is_meant(text: str, name: str) -> None:
    source = text.encode()
    note = parse_note(NOTE, text)
    for number, parts in enumerate(link_parts(note, source)):
        if not is_plain(source, parts, name):
            continue
        splices = spelled(source, parts, path=name, subpath=None)
        after = parse_note(NOTE, spliced(source, splices).decode()).links
        said = [link.target for link in note.links]
        said[number] = name
        assert [link.target for link in after] == said
