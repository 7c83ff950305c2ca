"""Text replaced: what stands there exactly once, or what is most like it."""

import json
import time
from itertools import pairwise

import pytest
from edit_text_harness import after, tried
from hypothesis import given
from hypothesis import strategies as st

from glassmind.edit.page import nearest, similarity
from glassmind.errors import BadEdit, NoMatch, SeveralMatches
from glassmind.model.edits import FUZZY, Replace

TEXT = "Tea is a drink.\n\nThe quick brown fox jumps over the lazy dog.\n"


@pytest.mark.parametrize(
    ("text", "find", "new", "result"),
    [
        (TEXT, "brown fox", "red hen", TEXT.replace("brown fox", "red hen")),
        (TEXT, "drink.\n\nThe", "x", "Tea is a x" + TEXT[20:]),
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"),
        ("a\nb\r\nc\n", "b\nc", "", "a\n\n"),
        ("a\r\n\r\nb", "\n\nb", "", "a"),
        ("|a \\| b|\n|-|\n", "a \\| b", "c", "|c|\n|-|\n"),
        ("```\ncode\n```\n", "code", "more", "```\nmore\n```\n"),
        ("a.b", ".", "$", "a$b"),
    ],
)
def test_a_text_that_stands_there_once_is_replaced(
    text: str, find: str, new: str, result: str
) -> None:
    assert after(text, Replace(find, new)) == result


@pytest.mark.parametrize("text", ["a b\nc a b\n", "x\naaa\n"])
def test_a_text_that_stands_there_several_times_is_refused_with_its_lines(
    text: str,
) -> None:
    find = "a b" if "b" in text else "aa"

    with pytest.raises(SeveralMatches, match="occurs 2 times") as refused:
        after(text, Replace(find, "x"))

    assert refused.value.lines == ((1, 2) if "b" in text else (2, 2))


def test_where_nothing_matches_the_nearest_three_are_named() -> None:
    text = "---\na: b\n---\none green tea\n\ntwo green teas\n\none grey sea\n\nblack\n"

    with pytest.raises(NoMatch) as refused:
        after(text, Replace("one grean tea", "x"))

    lines = [line for line, _, _ in refused.value.nearest]
    assert lines == [4, 8, 6]
    assert refused.value.nearest[0] == (4, "one green tea", 0.9231)
    assert "line 4 (0.92): 'one green tea'" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "find", "shown"),
    [
        ("a  b\n", "a b", "'a  b'"),
        ("a\u00a0b\tc\n", "a b c", r"'a\u00a0b\tc'"),
        ("a\u200ab\n", "a b", r"'a\u200ab'"),
        ("it's a\r\nb\r\n", "it's a b", '"it\'s a\\nb"'),
        (f"one {'x' * 90} two  end\n", f"one {'x' * 90} two end", "two  end'"),
    ],
)
def test_the_nearest_are_shown_as_they_stand_so_that_they_match(
    text: str, find: str, shown: str
) -> None:
    with pytest.raises(NoMatch) as refused:
        after(text, Replace(find, "x"))

    _, _, named = str(refused.value).partition("nearest are line 1 (1.00): ")
    assert named.endswith(shown)
    copied = json.loads(f'"{named[1:-1]}"')
    assert after(text, Replace(copied, "x")).strip() == "x"


def test_a_text_that_does_not_match_is_shown_as_it_was_given() -> None:
    with pytest.raises(NoMatch, match=r"^'a  b' does not stand .*: 'a b'$"):
        after("a b\n", Replace("a  b", "x"))


@pytest.mark.parametrize(
    ("find", "likeness"),
    [
        ("QUICK BROWN FOX", 1.0),
        ("quick brown fox", 1.0),
        ("quick borwn fox", 0.9333),
        ("quick  brown\nfox", 1.0),
        ("quick brown foxes", 0.8824),
    ],
)
def test_a_text_that_is_alike_is_replaced_and_how_alike_is_told(
    find: str, likeness: float
) -> None:
    result = tried(TEXT.encode(), Replace(find, "red hen", fuzzy=FUZZY))

    assert result.raw.decode() == TEXT.replace("quick brown fox", "red hen")
    assert result.facts["edits"] == [
        {
            "kind": "replace", "line": 3, "removed": 15, "added": 7,
            "similarity": likeness, "found": "quick brown fox",
        }
    ]  # fmt: skip


def test_what_is_less_alike_than_asked_for_is_left() -> None:
    with pytest.raises(NoMatch):
        after(TEXT, Replace("quiet brawn ox", "x", fuzzy=0.9))


def test_two_places_as_alike_are_refused() -> None:
    text = "buy green tea\n\nbuy green sea\n\nbuy green pea soup\n"

    with pytest.raises(SeveralMatches) as refused:
        after(text, Replace("buy green lea", "x", fuzzy=0.7))

    assert refused.value.lines == (1, 3, 5)
    with pytest.raises(SeveralMatches):
        after("Tea TEA\n", Replace("tea", "x", fuzzy=0.7))


def test_the_more_alike_of_two_is_meant() -> None:
    text = "the weather in spring was mild\n\nthe weather in winter was cold\n"

    result = after(text, Replace("the weather in wintr was cold", "x", fuzzy=0.6))

    assert result == "the weather in spring was mild\n\nx\n"


def test_a_full_stop_is_not_doubled() -> None:
    assert after(TEXT, Replace("the lazi dog", "a cat.", fuzzy=0.7)).endswith(
        "over a cat.\n"
    )
    assert after("Well...\n", Replace("weel", "Oh!", fuzzy=0.7)) == "Oh!...\n"


def test_properties_are_not_replaced_by_similarity() -> None:
    text = "---\ntitle: Green tea leaves\n---\nNothing here.\n"

    with pytest.raises(NoMatch):
        after(text, Replace("green tea leafs", "x", fuzzy=0.7))


def test_text_over_lines_and_in_other_scripts_is_found() -> None:
    wrapped = "Intro.\n\nA long line that was\nwrapped by hand here.\n"
    assert (
        after(wrapped, Replace("line that is wrapped by hand", "x", fuzzy=0.7))
        == "Intro.\n\nA long x here.\n"
    )
    assert after("我喜欢喝绿茶。\n", Replace("喜欢喝红茶", "x", fuzzy=0.7)) == "我x。\n"


@pytest.mark.parametrize("fuzzy", [0.0, -1.0, 1.5])
def test_a_threshold_lies_between_0_and_1(fuzzy: float) -> None:
    with pytest.raises(BadEdit, match="above 0 and at most 1"):
        after("a\n", Replace("zz", "x", fuzzy=fuzzy))


def test_a_text_too_long_is_not_looked_for_loosely() -> None:
    with pytest.raises(BadEdit, match="looked for loosely"):
        after("a\n", Replace("z" * 5000, "x", fuzzy=0.7))


@given(st.text("ab .\n", max_size=30), st.text("ab ", min_size=1, max_size=8))
def test_the_nearest_are_as_alike_as_they_say_and_do_not_overlap(
    text: str, wanted: str
) -> None:
    found = nearest(text, wanted, least=0.4, limit=3)

    for window in found:
        there = text[window.start : window.end]
        assert window.similarity == pytest.approx(similarity(there, wanted))
    places = sorted((window.start, window.end) for window in found)
    assert all(a[1] <= b[0] for a, b in pairwise(places))
    assert [w.similarity for w in found] == sorted(
        (w.similarity for w in found), reverse=True
    )


def test_a_large_note_is_searched_in_seconds() -> None:
    text = "word and others in a line of text that goes on\n\n" * 8_000
    start = time.monotonic()

    with pytest.raises(NoMatch):
        after(text, Replace("Something that is not at all in there, 123", "x"))

    assert time.monotonic() - start < 20  # about one on a free machine
