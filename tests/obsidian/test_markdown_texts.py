"""Every text in values of JSON is looked at, wherever it stands."""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from glassmind.obsidian.text import texts_in

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


class Colour(StrEnum):
    RED = "red"


class Pair(NamedTuple):
    first: str
    second: object


def one_by_one(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from one_by_one(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from one_by_one(one)


@given(VALUES)
def test_no_text_is_passed_over_and_none_is_made_up(values: Any) -> None:
    assert Counter(texts_in(values)) == Counter(one_by_one(values))


def test_kinds_that_descend_from_those_of_json_are_looked_into() -> None:
    values = {"pair": Pair("tea", {"oak": [Colour.RED]}), "raw": b"bytes", "n": 3}

    found = texts_in(values)

    assert sorted(found) == ["n", "oak", "pair", "raw", "red", "tea"]
