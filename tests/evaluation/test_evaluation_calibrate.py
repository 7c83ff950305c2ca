"""Confidence is a probability that holds, learned from answers there and taken away."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from answerable import confidence_quality, posed
from calibrate import auroc, quality, reliability
from strange_questions import STRANGERS

from glassmind.evaluation.gold import GoldQuery
from glassmind.search.query import plain


def test_probabilities_that_hold_have_next_to_no_error() -> None:
    chance = np.random.default_rng(2)
    sure = chance.beta(0.5, 0.5, 20_000)
    answerable = chance.random(20_000) < sure

    found = quality(list(sure), list(answerable))

    assert found.ece <= 0.02
    assert found.auroc >= 0.8
    assert len(found.bins) == 15
    assert sum(one.examples for one in found.bins) == found.examples == 20_000
    assert [one.share for one in found.bins] == pytest.approx([1 / 15] * 15, abs=0.01)


def test_each_kind_counts_half_however_many_there_are_of_it() -> None:
    few = quality([0.5] * 100, [True] * 90 + [False] * 10)
    many = quality([0.5] * 100, [True] * 10 + [False] * 90)
    plain = reliability([0.5] * 100, [True] * 90 + [False] * 10, 1)

    assert sum(one.actual * one.share for one in few.bins) == pytest.approx(0.5)
    assert sum(one.actual * one.share for one in many.bins) == pytest.approx(0.5)
    assert plain[0].actual == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("sure", "answerable", "expected"),
    [
        ([0.1, 0.2, 0.8, 0.9], [False, False, True, True], 1.0),
        ([0.9, 0.8, 0.2, 0.1], [False, False, True, True], 0.0),
        ([0.5, 0.5, 0.5, 0.5], [False, True, False, True], 0.5),
        ([0.1, 0.4, 0.35, 0.8], [False, False, True, True], 0.75),
        ([0.1, 0.9], [True, True], 0.5),
    ],
)
def test_the_area_counts_pairs_in_the_right_order(
    sure: list[float], answerable: list[bool], expected: float
) -> None:
    assert auroc(sure, answerable) == pytest.approx(expected)


def test_the_error_is_how_far_the_bins_are_off() -> None:
    sure = [0.2] * 50 + [0.9] * 50
    answerable = [n < 10 for n in range(50)] + [n < 25 for n in range(50)]

    bins = reliability(sure, answerable, 2)

    assert [one.predicted for one in bins] == pytest.approx([0.2, 0.9])
    assert [one.actual for one in bins] == [0.2, 0.5]
    assert quality([1.0, 0.0], [True, False]).ece == 0
    assert quality([], []).ece == 0


def test_each_question_is_put_with_its_answer_and_without() -> None:
    query = GoldQuery("a", "green tea", {"Tea.md": 1.0}, frozenset(["Home.md"]))

    with_answer, without = posed([query], ())

    assert with_answer.text == 'green tea -path:"Home.md"'
    assert without.text == 'green tea -path:"Home.md" -path:"Tea.md"'
    assert (with_answer.answerable, without.answerable) == (True, False)


def test_a_question_without_anything_to_leave_out_has_a_filter_too() -> None:
    first, _, strange = posed([GoldQuery("a", "tea", {"Tea.md": 1.0})], ["xenon"])

    assert first.text == 'tea -path:"no such note"'
    assert strange.text == 'xenon -path:"no such note"'
    assert [first.lacking, strange.lacking] == ["", "strangers"]


def test_what_no_filter_can_name_is_passed_over() -> None:
    odd = GoldQuery("a", "tea", {'a "b".md': 1.0})
    hopeless = GoldQuery("b", "tea", {"a.md": 1.0}, frozenset(["a.md"]))

    assert list(posed([odd, hopeless], ())) == []


def replying(sure: float | None) -> Any:
    """Return an engine that is so sure of what it is asked about tea."""

    def search(text: str, **_wishes: object) -> Any:
        lost = sure is not None and ("Tea.md" in text or text[:4] != "tea ")
        return SimpleNamespace(confidence=0.1 if lost else sure)

    return SimpleNamespace(search=search)


def test_an_engine_is_judged_by_its_own_confidence() -> None:
    queries = [GoldQuery(str(n), "tea", {"Tea.md": 1.0}) for n in range(100)]

    found = confidence_quality(replying(0.9), queries)

    assert list(found) == ["taken away", "strangers"]
    for one in found.values():
        assert (one.auroc, one.examples) == (1.0, 200)
        assert one.ece == pytest.approx(0.1, abs=0.01)
    assert confidence_quality(replying(None), queries) == {}


def test_strange_questions_are_of_a_hundred_kinds() -> None:
    assert len(set(STRANGERS)) == len(STRANGERS) == 100
    assert all(plain(text) == text for text in STRANGERS)
