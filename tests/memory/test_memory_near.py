"""How nearly two memos say the same."""

import re
from fractions import Fraction
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from glassmind.memory.near import LEAST, SHOWN, SimilarMemoryIndex
from glassmind.model import NotePath
from glassmind.model.memory import MemoryItem

MEMO = MemoryItem(
    path=NotePath(".agent/decisions/a.md"),
    kind="decision",
    title="a",
    text="",
    project="",
    created="2026-03-01T08:00:00+00:00",
    client="cli",
    status="current",
    place="kept",
)
TEXTS = st.lists(
    st.sampled_from(["tea", "cup", "pot", "leaf", "水", "茶", "é", "ok"]), max_size=8
).map(" ".join)


def memos(*texts: str) -> list[MemoryItem]:
    return [
        replace(MEMO, path=NotePath(f".agent/decisions/{number:03}.md"), text=text)
        for number, text in enumerate(texts)
    ]


def shared(one: set[object], other: set[object]) -> Fraction:
    return Fraction(len(one & other), len(one | other) or 1)


def likeness(text: str, other: str) -> float:
    """Return the mean of the shares of words and of pairs that two texts share."""
    plain = (normalize("NFKC", said).casefold() for said in (text, other))
    one, two = (re.findall("[\u3040-\u9fff]|\\w+", said) for said in plain)
    if not one or not two:
        return 0.0
    pairs = [set(zip(["", *said], [*said, ""], strict=True)) for said in (one, two)]
    words = shared({*one}, {*two})
    return round(float((words + shared({*pairs[0]}, {*pairs[1]})) / 2), 4)


def found(text: str, other: str) -> float:
    """Return how like two memos are told to be; 0 where they are not near."""
    memo, known = memos(text, other)
    return next((one.similarity for one in SimilarMemoryIndex([known]).to(memo)), 0.0)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Use Postgres for the queue", "We use Postgres for the queue"),
        ("Use Postgres for the queue", "use postgres for the queue!"),
        (
            "Ship the roof on Friday, not on Monday",
            "Ship the roof on Friday not Monday",
        ),
        ("屋根は銅にする", "屋根は銅板にする"),
        ("Écrire la note", "Écrire la note"),
    ],
)
def test_what_says_nearly_the_same_is_near(text: str, other: str) -> None:
    assert found(text, other) >= LEAST


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Use Postgres for the queue", "Use Redis for the cache"),
        ("Paint the shed green", "Paint the boat red tomorrow"),
        ("", ""),
        ("...", "!!!"),
    ],
)
def test_what_says_something_else_is_not(text: str, other: str) -> None:
    assert found(text, other) == 0


@given(TEXTS, TEXTS)
def test_likeness_is_the_same_both_ways_and_one_for_the_same_words(
    text: str, other: str
) -> None:
    assert found(text, other) == found(other, text)
    assert 0 <= found(text, other) <= 1
    assert found(text, text.upper()) == (1.0 if text else 0.0)


@given(st.lists(TEXTS, max_size=12), TEXTS)
def test_what_is_found_is_what_comparing_all_would_find(
    texts: list[str], asked: str
) -> None:
    memo = replace(MEMO, path=NotePath(".agent/inbox/asked.md"), text=asked)
    others = memos(*texts)

    near = SimilarMemoryIndex(others).to(memo)

    known = [(-likeness(asked, other.text), other.path) for other in others]
    best = sorted(pair for pair in known if -pair[0] >= LEAST)[:SHOWN]
    assert [(-one.similarity, one.path) for one in near] == best


def test_itself_and_other_kinds_are_never_near() -> None:
    (memo,) = memos("Use Postgres for the queue")
    task = replace(memo, path=NotePath(".agent/tasks/a.md"), kind="task")

    assert SimilarMemoryIndex([memo, task]).to(memo) == ()
