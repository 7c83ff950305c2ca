"""Confidence is a probability that holds, learned from answers there and taken away."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from glassmind.evaluation.answerable import confidence_quality, posed
from glassmind.evaluation.calibrate import (
    Example,
    across_groups,
    auroc,
    fit,
    quality,
    reliability,
)
from glassmind.evaluation.gold import GoldQuery, plain
from glassmind.evaluation.strangers import STRANGERS


def examples(seed: int, count: int = 2000, group: str = "") -> list[Example]:
    """Return examples whose chance is a logistic curve of two of three features."""
    chance = np.random.default_rng(seed)
    table = chance.normal(size=(count, 3)) * [0.1, 5.0, 1.0] + [0.5, 20.0, 0.0]
    true = 1 / (1 + np.exp(-(12 * (table[:, 0] - 0.5) + 0.3 * (table[:, 1] - 20))))
    labels = chance.random(count) < true
    names = ("cosine", "words", "noise")
    return [
        Example(dict(zip(names, map(float, row), strict=True)), bool(label), group)
        for row, label in zip(table, labels, strict=True)
    ]


def test_the_curve_that_made_the_examples_is_found_again() -> None:
    found = fit(examples(1, 20_000))

    weights = dict(zip(found.names, found.weights, strict=True))
    assert weights["cosine"] == pytest.approx(12, rel=0.1)
    assert weights["words"] == pytest.approx(0.3, rel=0.1)
    assert abs(weights["noise"]) < 0.1
    assert found.bias == pytest.approx(-12, rel=0.1)


def test_probabilities_hold_on_examples_that_were_not_seen() -> None:
    made = fit(examples(1))
    unseen = examples(2)

    sure = [made.probability(one.features) for one in unseen]
    found = quality(sure, [one.answerable for one in unseen])

    assert found.ece <= 0.05
    assert found.auroc >= 0.8
    assert len(found.bins) == 15
    assert sum(one.examples for one in found.bins) == found.examples == 2000


def test_every_group_is_judged_by_what_the_others_taught() -> None:
    mixed = [one for n in range(3) for one in examples(n, 800, f"vault {n}")]

    found = across_groups(mixed)

    assert list(found) == ["vault 0", "vault 1", "vault 2"]
    assert all(one.ece <= 0.06 and one.auroc >= 0.8 for one in found.values())


def test_the_same_examples_give_the_same_weights() -> None:
    assert fit(examples(3)) == fit(examples(3))


def test_features_that_never_change_or_part_everything_do_no_harm() -> None:
    parted = [Example({"x": float(n), "same": 4.0}, n >= 50) for n in range(100)]

    found = fit(parted)

    assert found.probability({"x": 0.0, "same": 4.0}) < 0.1
    assert found.probability({"x": 99.0, "same": 4.0}) > 0.9
    assert 0 < found.probability({}) < 1


def test_examples_of_one_kind_teach_nothing() -> None:
    with pytest.raises(ValueError, match="both kinds"):
        fit([Example({"x": 1.0}, True)])


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
