"""Rankings are judged as the literature judges them, and means with their doubt."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.evaluation.metrics import (
    confidence,
    difference,
    ndcg,
    recall,
    reciprocal_rank,
    scores,
)
from glassmind.evaluation.report import METRICS

PATHS = [f"{letter}.md" for letter in "abcdefghijklmnop"]
rankings = st.lists(st.sampled_from(PATHS), max_size=20)
judged = st.dictionaries(st.sampled_from(PATHS), st.integers(0, 3), max_size=8)


def test_binary_gains_are_discounted_by_the_logarithm_of_their_place() -> None:
    got = ndcg(["x", "a", "y", "b"], {"a": 1, "b": 1})

    best = 1 + 1 / math.log2(3)
    assert got == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best)


def test_graded_gains_give_the_figures_of_the_worked_example() -> None:
    # Grades 3, 2, 3, 0, 1, 2 in this order: DCG 6.861, at best 7.141 with all judged.
    grades = dict(zip("abcdef", [3, 2, 3, 0, 1, 2], strict=True))

    assert ndcg("abcdef", grades, 6) == pytest.approx(0.9608, abs=1e-4)


def test_the_first_relevant_note_gives_the_reciprocal_rank() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a": 1, "b": 1}) == 1 / 3
    assert reciprocal_rank(["x"], {"a": 1}) == 0


def test_hits_and_recall_look_no_deeper_than_they_say() -> None:
    ranked = [f"{n}.md" for n in range(120)]

    found = scores(ranked, {"0.md": 1, "5.md": 1, "50.md": 1, "110.md": 1})

    assert found["hit@1"] == found["hit@5"] == found["hit@10"] == 1
    assert found["recall@10"] == 0.5
    assert found["recall@100"] == 0.75


def test_a_note_named_twice_counts_once() -> None:
    assert scores(["a", "a"], {"a": 1}) == scores(["a"], {"a": 1})
    assert recall(["a", "a"], {"a": 1, "b": 1}, 10) == 0.5


def test_a_note_judged_irrelevant_is_no_hit() -> None:
    assert set(scores(["a"], {"a": 0}).values()) == {0.0}


@given(rankings, judged)
def test_every_metric_lies_between_nothing_and_all(
    ranked: list[str], grades: dict[str, float]
) -> None:
    found = scores(ranked, grades)

    assert tuple(found) == METRICS
    assert all(0 <= value <= 1 + 1e-12 for value in found.values())


@given(judged)
def test_the_best_order_scores_one(grades: dict[str, float]) -> None:
    ranked = sorted(grades, key=lambda path: -grades[path])

    relevant = [path for path in grades if grades[path] > 0]
    expected = 1.0 if relevant else 0.0
    found = scores(ranked, grades)
    assert all(found[name] == pytest.approx(expected) for name in METRICS)


@given(rankings, judged, st.randoms(use_true_random=False))
def test_the_order_of_the_judgments_does_not_matter(
    ranked: list[str], grades: dict[str, float], chance: random.Random
) -> None:
    shuffled = list(grades.items())
    chance.shuffle(shuffled)

    assert scores(ranked, dict(shuffled)) == scores(ranked, grades)


@given(rankings, judged)
def test_recall_does_not_depend_on_the_order_of_what_was_found(
    ranked: list[str], grades: dict[str, float]
) -> None:
    assert recall(ranked[:10][::-1], grades, 10) == recall(ranked[:10], grades, 10)


def test_an_interval_is_the_same_each_time_and_holds_the_mean() -> None:
    values = [0.0, 0.2, 0.4, 1.0] * 25

    first, again = confidence(values, seed=3), confidence(values, seed=3)

    assert first == again
    assert first.low < 0.4 < first.high
    assert first.high - first.low == pytest.approx(4 * 0.0374, abs=0.02)
    assert confidence(values, seed=4) != first


def test_an_interval_of_equal_values_is_that_value() -> None:
    assert confidence([0.25] * 40, seed=0) == pytest.approx((0.25, 0.25))
    assert confidence([], seed=0) == (0, 0)


def test_alike_queries_give_a_wider_interval_when_they_are_known_to_be_alike() -> None:
    values = [value for value in (0.0, 1.0, 0.2, 0.7, 0.4) for _ in range(20)]
    groups = [str(n // 20) for n in range(100)]

    apart, together = confidence(values, seed=1), confidence(values, seed=1,
                                                             groups=groups)  # fmt: skip

    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_a_small_steady_gain_is_told_from_none_by_pairs() -> None:
    theirs = [n / 100 for n in range(100)]
    ours = [value + 0.01 for value in theirs]

    found = difference(ours, theirs, seed=0)

    assert found.mean == pytest.approx(0.01)
    assert found.interval.low > 0
    assert difference(theirs, theirs, seed=0).interval == (0, 0)
