"""Proposed edits are exact: made, each is one link more, to the note that is meant."""

import json

import pytest
from edit_harness import FILES, HERE, TARGET, ends, made, page_on
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassmind.files.names import LinkWriter, Names
from glassmind.graph.link_edits import (
    LinkedPage,
    edit_for_mention,
    edit_for_property,
    edit_for_relation,
    page_from,
)
from glassmind.graph.names import mentions_in, name_table, pieces_of
from glassmind.graph.reciprocal import missing_answers
from glassmind.model import NotePath
from glassmind.model.suggestions import Mention


def mention_of(page: LinkedPage, name: str = "Deep Work") -> Mention | None:
    spot = mentions_in(page.note, name_table({1: [pieces_of(name)]})).get(1)
    if spot is None:
        return None
    return Mention(spot.text, spot.line, (spot.start, spot.end), spot.sentence)


WORDS = ["deep work", "Deep Work", "deep", "x", "é", "深", "[[Other]]", "[a](Other.md)"]
MARKS = [
    " ", " ", "\n", "\n\n", "*", "**", "`", "[[", "]]", "[", "]", "$", "%%", "#", ". ",
    "> ", "- ", "1. ", "| ", "|\n|---|---|\n|", "<b>", "</b>", "(", ")", "\\", "\r\n",
    "```\n", "---\n", "a: b\n", "## Related\n", "    ", "==", "~~", "^id", "!", "://",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS + MARKS), max_size=30).map("".join)


@given(TEXTS, st.booleans(), st.booleans())
def test_a_link_put_around_a_name_leads_to_its_note(
    text: str,
    mark: bool,
    markdown: bool,
) -> None:
    page = page_on(text, mark=mark)
    mention = mention_of(page)
    if mention is None:
        return

    edit = edit_for_mention(page, mention, TARGET, LinkWriter(FILES, markdown))

    if edit is not None:
        after = made(page, edit)
        assert sorted(map(str, ends(after))) == sorted(
            map(str, [*ends(page.note), TARGET])
        )
        assert after.frontmatter == page.note.frontmatter


@given(TEXTS, st.booleans())
def test_a_link_on_a_line_of_its_own_leads_to_its_note(
    text: str,
    mark: bool,
) -> None:
    page = page_on(text, mark=mark)

    edit = edit_for_relation(page, TARGET, LinkWriter(FILES))

    if edit is not None:
        after = made(page, edit)
        assert sorted(map(str, ends(after))) == sorted(
            map(str, [*ends(page.note), TARGET])
        )
        assert edit.before == ""


HEADS = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "", "related:", "related: []", "Related: x", 'related: "[[Other]]"',
            "related:\n  - x", 'related:\n- "[[Other]]"', "related: [x, y]",
            'related: ["[[Other]]"]', "related:\n  a: b", "tags: [a]", "a: [b",
            "related: >\n  x\n  y", "# a comment", 'related: "a\\"b"', "related: 5",
            "related:\n    - x # why", '{"a": 1}', "related: null", "related: 'it''s'",
        ]
    ),
)  # fmt: skip


@given(HEADS, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_a_property_that_is_given_a_link_has_it_and_keeps_what_it_had(
    head: str | None,
    end: str,
    mark: bool,
    many: bool,
) -> None:
    block = "" if head is None else f"---\n{head}\n---\n"
    page = page_on((block + "Text\n").replace("\n", end), mark=mark)

    edit = edit_for_property(page, "related", TARGET, LinkWriter(FILES), many=many)

    if edit is None:
        assert head is not None
        return
    after = made(page, edit)
    link = next(link for link in after.links if link.target == "Deep Work")
    assert (link.kind, (link.property or "").lower()) == ("property", "related")
    assert after.frontmatter.error is None
    assert ends(page.note) == [one for one in ends(after) if one != TARGET]
    before = dict(page.note.frontmatter.properties)
    kept = {k: v for k, v in before.items() if k.lower() != "related"}
    assert kept.items() <= dict(after.frontmatter.properties).items()
    assert after.text.endswith(f"Text{end}")
    said = json.dumps(list(before.values()))
    for word in ("x", "y", "[[Other]]"):
        if f'"{word}"' in said:
            assert word in json.dumps(list(after.frontmatter.properties.values()))


@pytest.mark.parametrize(
    ("head", "after"),
    [
        (None, '---\nup: "[[Deep Work]]"\n---\n'),
        ("tags: [a]", 'up: "[[Deep Work]]"\n'),
        ("up:", ' "[[Deep Work]]"'),
        ("up: []", ' "[[Deep Work]]"'),
        ('up: ["[[Other]]"]', '"[[Other]]", "[[Deep Work]]"'),
        ('up:\n  - "[[Other]]"', '\n  - "[[Deep Work]]"'),
    ],
)
def test_a_property_is_written_as_its_note_writes_it(
    head: str | None, after: str
) -> None:
    page = page_on("Text\n" if head is None else f"---\n{head}\n---\nText\n")

    edit = edit_for_property(page, "up", TARGET, LinkWriter(FILES), many=False)

    assert edit is not None
    assert edit.after == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Some text.\n", "\n\nSee also: [[Deep Work]]"),
        ("A.\n\nSee also: [[Other]]\n", ", [[Deep Work]]"),
        ("A.\n\n## See also\n\n- [[Other]]\n\n## More\n\nB\n", "\n- [[Deep Work]]"),
        ("A.\n\n## Related\n", "\n\n- [[Deep Work]]"),
        ("", "See also: [[Deep Work]]"),
    ],
)
def test_a_related_note_is_listed_where_others_are(text: str, after: str) -> None:
    page = page_on(text)

    edit = edit_for_relation(page, TARGET, LinkWriter(FILES))

    assert edit is not None
    assert edit.after == after


def test_inside_a_table_the_pipe_of_a_link_is_hidden_from_it() -> None:
    page = page_on("| a | b |\n|---|---|\n| deep work | x |\n")
    mention = mention_of(page)
    assert mention is not None

    edit = edit_for_mention(page, mention, TARGET, LinkWriter(FILES))

    assert edit is not None
    assert edit.after == "[[Deep Work\\|deep work]]"


PARTS = st.sampled_from(["x", "Deep Work", "Other", "a.b", "ä", "n.md"])
PATHS = st.lists(PARTS, min_size=1, max_size=3).map(
    lambda parts: "/".join(parts) + ".md"
)


@given(st.sets(PATHS, min_size=2, max_size=8), st.booleans(), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_the_shortest_name_that_leads_to_a_note_is_written(
    paths: set[str],
    markdown: bool,
    chosen: st.DataObject,
) -> None:
    files = Names.of(paths)
    source, target = chosen.draw(st.permutations(sorted(paths)))[:2]
    page = page_on("Some Deep Work here.\n", NotePath(source))
    mention = mention_of(page)
    assert mention is not None

    edit = edit_for_mention(
        page, mention, NotePath(target), LinkWriter(files, markdown)
    )

    assert edit is not None  # every name of these can be written
    assert ends(made(page, edit), files) == [target]


@pytest.mark.parametrize("name", ["a#b", "a|b", "[a]", "a^b"])
def test_a_name_that_no_link_can_hold_gets_no_edit_that_leads_elsewhere(
    name: str,
) -> None:
    target = NotePath(f"{name}.md")
    files = Names.of([HERE, target])
    page = page_on("Text\n")

    edit = edit_for_relation(page, target, LinkWriter(files))

    assert edit is None or ends(made(page, edit), files) == [target]


def test_only_markdown_in_utf_8_is_edited() -> None:
    pages = {
        name: page_from(NotePath(name), raw)
        for name, raw in {
            "utf16.md": "deep work".encode("utf-16"),
            "latin.md": b"caf\xe9 deep work",
            "board.canvas": b"{}",
            "plain.md": b"deep work",
        }.items()
    }

    assert [name for name, page in pages.items() if page is not None] == ["plain.md"]


def test_properties_that_most_notes_answer_are_learnt_from_the_vault() -> None:
    links = [(n, 100 + n, "mentor") for n in range(8)]
    links += [(100 + n, n, "mentee") for n in range(7)]

    missing = missing_answers(links)

    assert [(m.source, m.target, m.answer) for m in missing] == [(7, 107, "mentee")]


@pytest.mark.parametrize(
    "links",
    [
        [(1, 2, "author"), (3, 2, "author")],
        [(1, 2, "parent")],  # nobody here writes children
        [(1, 2, "next"), (2, 3, "prev"), (3, 4, "x")],  # 2 comes after another
        [(1, 9, "next"), (2, 9, "next"), (3, 4, "prev")],  # which is before 9?
    ],
)
def test_a_property_that_nothing_answers_here_asks_for_nothing(
    links: list[tuple[int, int, str]],
) -> None:
    assert [m for m in missing_answers(links) if m.target in {2, 9}] == []
