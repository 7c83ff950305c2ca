"""Cursors: what one says comes back, and nothing that was made up is believed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import BadArgument
from glassmind.serve.mcp.toolsets import read_cursor, write_cursor

CALLS = st.dictionaries(
    st.sampled_from(["query", "limit", "tag"]), st.text() | st.integers()
)


@given(CALLS, st.integers(0, 999_999_999))
def test_a_cursor_comes_back_as_it_was(call: dict[str, Any], offset: int) -> None:
    made = write_cursor("tool", call, offset)

    assert len(made) < 200
    assert made.isascii()
    assert read_cursor("tool", call | {"cursor": made}) == offset


@given(CALLS)
def test_a_call_without_a_cursor_begins_at_the_beginning(call: dict[str, Any]) -> None:
    assert read_cursor("tool", call) == 0
    assert read_cursor("tool", call | {"cursor": ""}) == 0


@given(st.text(min_size=1))
def test_text_that_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="without"):
        read_cursor("tool", {"cursor": text})


@pytest.mark.parametrize(
    "offset", ["-1", "1e999", "1e30", "9" * 60, "null", '"x"', "[]", "NaN", "{}"]
)
def test_a_place_that_cannot_be_is_refused(offset: str) -> None:
    good = write_cursor("tool", {}, 7)
    bad = good.replace("7-", f"{offset}-", 1)

    with pytest.raises(BadArgument, match="no such cursor"):
        read_cursor("tool", {"cursor": bad})


def test_a_cursor_is_for_its_own_tool_and_arguments_alone() -> None:
    made = write_cursor("tool", {"query": "tea"}, 7)

    with pytest.raises(BadArgument, match="other arguments"):
        read_cursor("tool", {"query": "coffee", "cursor": made})
    with pytest.raises(BadArgument, match="other arguments"):
        read_cursor("other", {"query": "tea", "cursor": made})
