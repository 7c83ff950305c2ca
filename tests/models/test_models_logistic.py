"""The regression behind confidence: it finds the curve that made its examples."""

import numpy as np
import pytest
from logistic import fitted, logistic
from numpy.typing import NDArray

Column = NDArray[np.float64]

MADE = np.array([-12.0, 12.0, 0.3, 0.0])
FREE = np.array([1e-9, 1.0, 1.0, 1.0])


def examples(seed: int, count: int = 20_000) -> tuple[Column, Column]:
    """Return examples whose chance is a curve of two of three features."""
    chance = np.random.default_rng(seed)
    table = chance.normal(size=(count, 3)) * [0.1, 5.0, 1.0] + [0.5, 20.0, 0.0]
    true = logistic(MADE[0] + table @ MADE[1:])
    return table, (chance.random(count) < true).astype(np.float64)


def test_the_curve_that_made_the_examples_is_found_again() -> None:
    table, labels = examples(1)

    found = fitted(table, labels, np.ones(len(labels)), np.zeros(4), FREE)

    assert found[:3] == pytest.approx(list(MADE[:3]), rel=0.1)
    assert abs(found[3]) < 0.1


def test_an_example_that_counts_twice_is_as_good_as_two() -> None:
    table, labels = examples(2, 500)
    twice = np.where(np.arange(500) < 100, 2.0, 1.0)

    counted = fitted(table, labels, twice, np.zeros(4), FREE)
    repeated = fitted(
        np.vstack([table, table[:100]]),
        np.concatenate([labels, labels[:100]]),
        np.ones(600),
        np.zeros(4),
        FREE,
    )

    assert counted == pytest.approx(repeated, abs=1e-6)


def test_without_much_to_say_it_stays_where_it_is_pulled() -> None:
    table, labels = examples(3, 40)
    counts, toward = np.ones(40), np.array([3.0, -2.0, 0.1, 0.5])

    held = fitted(table, labels, counts, toward, np.full(4, 1e9))
    free = fitted(table, labels, counts, toward, np.full(4, 1e-3))

    assert held == pytest.approx(list(toward), abs=1e-3)
    assert np.abs(np.array(free) - toward).max() > 1


def test_a_feature_that_never_changes_or_parts_everything_does_no_harm() -> None:
    table = np.column_stack([np.arange(100.0), np.full(100, 4.0)])
    labels = (np.arange(100) >= 50).astype(np.float64)

    found = fitted(table, labels, np.ones(100), np.zeros(3), np.array([1e-9, 1.0, 1.0]))

    sure = logistic(found[0] + table @ np.array(found[1:]))
    assert np.isfinite(found).all()
    assert sure[0] < 0.1
    assert sure[-1] > 0.9
