"""Which sentences of passages are told, in which order, and how likely they answer."""

from collections.abc import Callable, Iterator, Sequence
from math import inf, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.context.extract import (
    MOST_TOLD,
    READ,
    READ_S,
    SURE,
    Extract,
    NumberedPassage,
    extract,
)
from glassmind.context.passages import LineRange
from glassmind.context.question_words import Lookup, question_words
from glassmind.errors import ModelFailed
from glassmind.models.protocols import Reranker

QUESTION = "How often does the skiff leak?"


class Reader:
    """Reads by a script: what it says of a text, and what happens before each."""

    def __init__(
        self, verdict: Callable[[str], float], before: Callable[[], None] = lambda: None
    ) -> None:
        self._verdict, self._before = verdict, before
        self.texts: list[str] = []

    def scores(self, _: str, passages: Sequence[str], /) -> Iterator[float]:
        for text in passages:
            self._before()
            self.texts.append(text)
            yield self._verdict(text)


class Clock:
    """A time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


def absent() -> Reranker:
    raise ModelFailed("reranker", "it is not on this machine")


def passage(number: int, text: str, fit: float = 1.0) -> NumberedPassage:
    stretch = LineRange(text, 1, (0, len(text)), ((0, ()),), ends=True)
    return NumberedPassage(number, stretch, fit)


def extracted(
    *passages: NumberedPassage,
    question: str = QUESTION,
    reader: Reader | None = None,
    confidence: float | None = None,
    clock: Clock | None = None,
) -> Extract:
    words = Lookup(question_words(question, ()), [one.stretch.text for one in passages])
    reranker = absent if reader is None else lambda: reader
    now = clock or Clock()
    return extract(
        question, passages, words, reranker, confidence, clock=lambda: now.now
    )


def told(made: Extract) -> list[str]:
    return [piece.piece.text for piece in made.pieces]


LEAKS = "The skiff leaks twice a year.\n\nBeans grow along the wall of the 3 gardens.\n"


def test_without_a_model_the_words_of_the_question_decide() -> None:
    made = extracted(passage(0, LEAKS), passage(1, "Kettles boil 4 times.\n", 0.1))

    assert told(made) == ["The skiff leaks twice a year."]
    assert made.is_sure


def test_with_a_model_that_reads_its_verdict_decides() -> None:
    reader = Reader(lambda text: 0.99 if "Beans" in text else 0.01)

    made = extracted(passage(0, LEAKS), reader=reader)

    assert told(made) == ["Beans grow along the wall of the 3 gardens."]
    assert not made.lacks


@pytest.mark.parametrize("after", [0, 1])
def test_a_model_that_fails_leaves_it_to_the_words(after: int) -> None:
    left = [after]

    def fail() -> None:
        if not left[0]:
            raise ModelFailed("reranker", "out of memory")
        left[0] -= 1

    made = extracted(passage(0, LEAKS), reader=Reader(lambda _: 0.5, fail))

    assert made._replace(lacks="") == extracted(passage(0, LEAKS))._replace(lacks="")
    assert "out of memory" in made.lacks


def test_what_a_slow_model_has_not_read_in_time_is_not_told() -> None:
    clock = Clock()
    text = "".join(f"The skiff leaks {at} times in year {at}.\n\n" for at in range(9))
    reader = Reader(lambda _: 0.9, lambda: clock.pass_by(READ_S * 0.6))

    made = extracted(passage(0, text), reader=reader, clock=clock)

    # the first is not counted: a model may have to be loaded
    assert len(reader.texts) == 3
    assert set(told(made)) <= set(reader.texts)
    assert not made.lacks


def test_no_more_is_read_than_there_is_patience_for() -> None:
    reader = Reader(lambda _: 0.2)
    text = "".join(f"The skiff leaks {at} times in {at}.\n\n" for at in range(99))

    extracted(passage(0, text), reader=reader)

    assert len(reader.texts) == READ


def test_a_verdict_that_is_no_number_is_the_worst() -> None:
    reader = Reader(lambda text: nan if "skiff" in text else 0.4)

    made = extracted(passage(0, LEAKS), reader=reader)

    assert told(made) == ["Beans grow along the wall of the 3 gardens."]


def test_where_nothing_can_be_read_no_model_is_asked_for() -> None:
    def never() -> Reranker:
        raise AssertionError("a model was asked for")

    for passages in ([], [passage(0, "# Skiff\n\n```\nleak()\n```\n")]):
        words = Lookup(question_words(QUESTION, ()), [])
        made = extract(QUESTION, passages, words, never, 0.9)
        assert made == Extract((), None, is_sure=False)


def test_the_best_is_first_and_what_stands_together_is_told_together() -> None:
    scores = {
        "The skiff leaks 2 times.": 0.5,
        "The mast is of 1931.": 0.9,
        "It leaks 5 times.": 0.8,
        "Her keel has 7 holes.": 0.7,
    }
    reader = Reader(scores.__getitem__)
    first = "The skiff leaks 2 times.\n\nThe mast is of 1931.\n"
    second = "It leaks 5 times.\n\nHer keel has 7 holes.\n"

    made = extracted(passage(0, second), passage(1, first), reader=reader)

    assert told(made) == [
        "The skiff leaks 2 times.",
        "The mast is of 1931.",
        "It leaks 5 times.",
        "Her keel has 7 holes.",
    ]
    assert [piece.number for piece in made.pieces] == [1, 1, 0, 0]


def test_what_is_far_behind_the_best_is_not_told() -> None:
    reader = Reader(lambda text: 0.9999 if "skiff" in text else 0.001)

    assert len(told(extracted(passage(0, LEAKS), reader=reader))) == 1


def test_no_more_than_a_few_are_told() -> None:
    text = "".join(f"The skiff leaks {at} times.\n\n" for at in range(9))

    assert len(told(extracted(passage(0, text)))) == MOST_TOLD


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("The skiff leaks 2 times.", "The skiff leaks 2 times.", False),
        ("The skiff leaks 2 times.", "the skiff leaks 2 times. Often", False),
        ("The skiff leaks 2 times a year.", "The skiff leaks 9 times a year.", True),
        ("The skiff leaks 2 times.", "The skiff never leaks 2 times.", True),
        ("The skiff leaks 2 times.", "2 holes let water into the skiff.", True),
    ],
)
def test_what_says_the_same_is_told_once(one: str, other: str, both: bool) -> None:
    reader = Reader(lambda _: 0.9)

    made = extracted(passage(0, f"{one}\n"), passage(1, f"{other}\n"), reader=reader)

    assert len(made.pieces) == 1 + both
    assert made.pieces[0].number == 0


def test_a_sentence_without_the_kind_asked_for_comes_behind() -> None:
    text = "The skiff leaks at the bow.\n\nThe skiff leaks twice.\n"
    reader = Reader(lambda _: 0.5)

    for made in (
        extracted(passage(0, text)),
        extracted(passage(0, text), reader=reader),
    ):
        best = max(made.pieces, key=lambda piece: piece.score)
        assert best.piece.text == "The skiff leaks twice."


def test_without_any_of_the_kind_asked_for_no_answer_is_likely() -> None:
    text = "The skiff leaks at the bow.\n"
    reader = Reader(lambda _: 0.999)

    made = extracted(passage(0, text), reader=reader, confidence=0.5)

    assert made.likelihood is not None
    assert made.likelihood < SURE


NUMBERS = st.one_of(st.floats(), st.sampled_from([nan, inf, -inf, 0, 1, -1, 2]))


@given(
    st.text(max_size=60),
    st.lists(st.text(max_size=120), max_size=4),
    st.lists(NUMBERS, min_size=1, max_size=5),
    st.none() | NUMBERS,
    st.booleans(),
)
def test_a_likelihood_is_one_whatever_comes(
    question: str,
    texts: list[str],
    verdicts: list[float],
    confidence: float | None,
    reads: bool,
) -> None:
    said = iter(verdicts)
    reader = Reader(lambda _: next(said, 0.5)) if reads else None
    passages = [passage(at, text, 0.5) for at, text in enumerate(texts)]

    made = extracted(*passages, question=question, reader=reader, confidence=confidence)

    assert made.likelihood is None or 0 <= made.likelihood <= 1
    assert (made.likelihood is None) == (not made.pieces)
    assert len(made.pieces) <= MOST_TOLD
    assert all(not isnan(piece.score) for piece in made.pieces)
