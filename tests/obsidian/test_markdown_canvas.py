"""A canvas is read as one text: cards in order, groups as headings, edges as lines."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.model import NotePath
from glassmind.model.index import SplitRules
from glassmind.model.notes import Note
from glassmind.obsidian.notes import parse_canvas
from glassmind.obsidian.split import split

PATH = NotePath("Plans/Tea.canvas")


def card(identity: str, text: str, x: int = 0, y: int = 0) -> dict[str, Any]:
    return {"id": identity, "type": "text", "text": text, **box(x, y, 10, 10)}


def group(identity: str, label: str, *place: int) -> dict[str, Any]:
    return {"id": identity, "type": "group", "label": label, **box(*place)}


def box(x: int, y: int, width: int, height: int) -> dict[str, int]:
    return {"x": x, "y": y, "width": width, "height": height}


def canvas(*nodes: Any, edges: Any = ()) -> Note:
    return parse_canvas(PATH, json.dumps({"nodes": nodes, "edges": edges}))


def marked(note: Note, thing: Any) -> str:
    return note.text.encode()[thing.start : thing.end].decode()


def test_cards_are_read_top_to_bottom_then_left_to_right_then_by_id() -> None:
    note = canvas(
        card("d", "fourth", 0, 9),
        card("c", "third", 5, 1),
        card("b", "second", 0, 1),
        card("a", "first", 0, 1),
    )

    assert note.text == "first\n\nsecond\n\nthird\n\nfourth\n"
    assert (note.kind, note.title) == ("canvas", "Tea")


def test_the_markdown_of_a_card_is_read_and_found_in_the_rendering() -> None:
    note = canvas(
        card("a", "Grüß #tee"),
        card("b", "# Brew\n\n- [ ] boil [[Water|water]] ^kettle\n  - [x] pour", 0, 5),
    )

    assert [(tag.name, tag.line) for tag in note.tags] == [("tee", 1)]
    assert [(link.target, link.line) for link in note.links] == [("Water", 5)]
    assert marked(note, note.links[0]) == "[[Water|water]]"
    assert [(h.text, h.line) for h in note.headings] == [("Brew", 3)]
    assert [task.line for task in note.tasks] == [5, 6]
    assert note.tasks[1].parent_line == 5
    assert [block_id.name for block_id in note.block_ids] == ["kettle"]


def test_a_file_card_is_an_embedding_link_with_its_subpath() -> None:
    file = {"id": "f", "type": "file", "file": "Teas/Oolong.md", "subpath": "#Brew"}

    note = canvas({**file, **box(0, 0, 1, 1)})

    (link,) = note.links
    assert (link.kind, link.embed) == ("canvas", True)
    assert (link.target, link.subpath) == ("Teas/Oolong.md", "#Brew")
    assert marked(note, link) == "![[Teas/Oolong.md#Brew]]"


def test_addresses_and_labels_can_be_searched() -> None:
    note = canvas(
        {"id": "u", "type": "link", "url": "https://tea.example/", **box(5, 5, 1, 1)},
        group("g", "Sources", 0, 0, 100, 100),
    )

    assert note.text == "# Sources\n\nhttps://tea.example/\n"
    assert [(h.level, h.text) for h in note.headings] == [(1, "Sources")]


def test_cards_stand_under_the_smallest_group_around_them() -> None:
    note = canvas(
        card("in", "inner card", 20, 20),
        card("out", "outer card", 200, 200),
        card("free", "free card", 5000, 5000),
        group("small", "Inner", 10, 10, 50, 50),
        group("large", "Outer", 0, 0, 500, 500),
    )

    assert note.text.split("\n\n") == [
        "free card",
        "# Outer",
        "outer card",
        "## Inner",
        "inner card\n",
    ]


def test_headings_of_a_card_rank_below_its_group() -> None:
    note = canvas(card("a", "# Card", 5, 5), group("g", "Group", 0, 0, 99, 99))

    (chunk,) = split(note, SplitRules(min_chars=1000)).chunks
    chunks = split(note, SplitRules(min_chars=0)).chunks

    assert chunk.heading_path == ("Group",)
    assert chunks[-1].heading_path == ("Group", "Card")


def test_a_card_after_one_with_headings_stands_under_their_group() -> None:
    note = canvas(
        card("a", "# Card\n\ntext", 5, 5),
        card("b", "plain", 5, 50),
        group("g", "Group", 0, 0, 99, 99),
    )

    chunks = split(note, SplitRules(min_chars=0)).chunks

    assert chunks[-1].heading_path == ("Group",)
    assert chunks[-1].text == "# Group\n\nplain\n"


def test_a_free_card_after_one_with_headings_stands_under_the_title() -> None:
    note = canvas(card("a", "# Card\n\ntext"), card("b", "plain", 0, 50))

    assert split(note, SplitRules(min_chars=0)).chunks[-1].heading_path == ("Tea",)


def test_a_group_without_a_label_adds_no_heading() -> None:
    note = canvas(card("a", "plain", 5, 5), group("g", " ", 0, 0, 99, 99))

    assert note.text == "plain\n"


def test_labelled_edges_are_lines_between_the_names_of_their_cards() -> None:
    cards = [
        card("a", "# Leaves\n\nmore"),
        {"id": "b", "type": "file", "file": "x/Cup.md", **box(0, 9, 1, 1)},
    ]
    edges = [
        {"id": "1", "fromNode": "a", "toNode": "b", "label": "steep\nin"},
        {"id": "2", "fromNode": "a", "toNode": "b", "label": "l", "fromEnd": "arrow"},
        {"id": "3", "fromNode": "a", "toNode": "b", "label": "m", "toEnd": "none"},
        {"id": "4", "fromNode": "a", "toNode": "gone", "label": "n"},
        {"id": "5", "fromNode": "a", "toNode": "b"},
    ]

    note = canvas(*cards, edges=edges)

    assert note.text.partition("# Connections\n\n")[2] == (
        "Leaves -> Cup: steep in\nLeaves <-> Cup: l\nLeaves -- Cup: m\nLeaves -> ?: n\n"
    )
    assert [link.kind for link in note.links] == ["canvas"]


def test_an_unclosed_fence_stays_within_its_card() -> None:
    note = canvas(card("a", "```\ncode"), card("b", "[[Oolong]] %% c", 0, 5))

    assert [link.target for link in note.links] == ["Oolong"]


def test_three_dashes_at_the_head_of_a_card_are_no_frontmatter() -> None:
    note = canvas(card("a", "---\ntags: [x]\n---\n#y"))

    assert [tag.name for tag in note.tags] == ["y"]
    assert note.frontmatter.end == 0


@pytest.mark.parametrize("text", ["", " \n", "{}", '{"nodes": [], "edges": []}'])
def test_an_empty_canvas_is_an_empty_note_without_complaint(text: str) -> None:
    note = parse_canvas(PATH, text)

    assert (note.text, note.warnings) == ("", ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expecting property name"),
        ("[" * 200_000, "nested too deeply"),
        ("[]", "not a JSON object"),
        ("\x00", "not valid JSON"),
        ('{"nodes": [' + "9" * 5000 + "]}", "bad number"),
    ],
    ids=range(5),
)
def test_an_unreadable_canvas_is_an_empty_note_with_a_warning(
    text: str, reason: str
) -> None:
    note = parse_canvas(PATH, text)

    assert note.text == ""
    (warning,) = note.warnings
    assert reason in warning


def test_wrong_types_are_passed_over() -> None:
    odd: dict[str, Any] = {
        "id": [1],
        "type": {},
        "text": "kept",
        "x": "1",
        "y": None,
        "width": True,
    }

    note = canvas(odd, 3, None, card("a", "card"), {"type": "file", "file": 7}, edges=5)

    assert sorted(note.text.split()) == ["card", "kept"]


def test_numbers_without_bounds_are_no_obstacle() -> None:
    text = (
        '{"nodes": [{"type": "text", "text": "a", "x": 1e999, "y": NaN},'
        '{"type": "group", "label": "g", "width": 1' + "0" * 400 + "}]}"
    )

    assert set(parse_canvas(PATH, text).text.split()) == {"a", "#", "g"}


def test_half_a_surrogate_pair_is_replaced() -> None:
    note = parse_canvas(PATH, '{"nodes": [{"type": "text", "text": "a\\ud800b"}]}')

    assert note.text == "a\ufffdb\n"


def test_a_canvas_of_too_many_cards_is_read_in_part_with_a_warning() -> None:
    note = canvas(*({"type": "link", "url": "u"} for _ in range(20_001)))

    assert note.text.count("u\n") == 20_000
    assert len(note.warnings) == 1


def test_groups_in_groups_without_end_are_no_obstacle() -> None:
    note = canvas(*(group(str(n), f"g{n}", n, n, 900 - n, 900 - n) for n in range(400)))

    assert note.text.count("# g") == 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "type", "text", "file", "x", "label", "fromNode"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
NODES = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["text", "file", "link", "group"]),
        "text": st.text("a#[]*`\n-|>$% ", max_size=30),
        "file": st.text("ab/", max_size=5),
        "url": st.just("u"),
        "label": st.text("ab ", max_size=3),
    },
    optional={key: st.integers(-9, 9) for key in ("id", "x", "y", "width", "height")},
)


@given(st.lists(NODES | JSON, max_size=8), st.lists(JSON, max_size=3))
def test_whatever_stands_on_a_canvas_is_read_and_split(
    nodes: list[Any], edges: list[Any]
) -> None:
    note = canvas(*nodes, edges=edges)

    size = len(note.text.encode())
    things: tuple[Any, ...] = (
        *note.blocks,
        *note.headings,
        *note.links,
        *note.tasks,
        *note.regions,
    )
    for thing in things:
        assert 0 <= thing.start <= thing.end <= size
    starts = [block.start for block in note.blocks]
    assert starts == sorted(starts)
    chunks = split(note, SplitRules()).chunks
    assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == note.text


@given(JSON)
def test_whatever_json_a_canvas_holds_it_is_read(value: Any) -> None:
    parse_canvas(PATH, json.dumps(value))
    parse_canvas(PATH, json.dumps({"nodes": value, "edges": value}))


@given(st.text(max_size=50))
def test_whatever_text_a_canvas_holds_it_is_read(text: str) -> None:
    assert parse_canvas(PATH, text).kind == "canvas"
