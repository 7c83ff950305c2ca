"""Settings change only where that is better beyond noise."""

import numpy as np
import pytest

from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.metrics import ndcg
from glassmind.evaluation.tune import FOLDS, TuneChoice, choose, folds_of

QUERIES, NOTES = 200, 80


def notes_asked(seed: int) -> list[GoldQuery]:
    targets = np.random.default_rng(seed).choice(NOTES, QUERIES)
    return [
        GoldQuery(str(n), f"question {n}", {f"{target}.md": 1.0})
        for n, target in enumerate(targets)
    ]


def searched(queries: list[GoldQuery], skill: float, seed: int) -> list[list[str]]:
    """Return rankings by noise, with some skill."""
    scores = np.random.default_rng(seed).normal(size=(len(queries), NOTES))
    for row, query in zip(scores, queries, strict=True):
        (target,) = query.grades
        row[int(target.removesuffix(".md"))] += skill
    return [[f"{at}.md" for at in np.argsort(-row)[:10]] for row in scores]


def chosen(
    tried: list[list[list[str]]], queries: list[GoldQuery], seed: int = 0
) -> TuneChoice:
    values = [
        [
            ndcg(ranked, query.grades)
            for ranked, query in zip(rows, queries, strict=True)
        ]
        for rows in tried
    ]
    return choose(np.array(values), [query.group for query in queries], seed=seed)


def test_folds_hold_whole_groups_and_are_even() -> None:
    groups = [f"note {n % 37}" for n in range(185)]

    folds = folds_of(groups, FOLDS, 1)

    assert len({(group, fold) for group, fold in zip(groups, folds, strict=True)}) == 37
    sizes = np.bincount(folds, minlength=FOLDS)
    assert sizes.max() - sizes.min() <= 5
    assert list(folds) == list(folds_of(groups, FOLDS, 1))


def test_settings_that_are_truly_better_are_taken_with_figures() -> None:
    queries = notes_asked(1)
    tried = [searched(queries, 1.5, 2), searched(queries, 2.5, 3)]

    found = chosen(tried, queries)

    assert found.accepted
    assert found.best == 1
    assert found.agreeing == FOLDS
    assert found.held_out.interval.low > 0.05
    assert found.after - found.before == pytest.approx(found.held_out.mean)
    assert chosen(tried, queries) == found


def test_before_and_after_are_the_means_that_the_metric_gives() -> None:
    queries = notes_asked(5)
    tried = [searched(queries, 1.0, 6), searched(queries, 3.0, 7)]

    found = chosen(tried, queries)

    means = [
        np.mean([ndcg(r, q.grades) for r, q in zip(rows, queries, strict=True)])
        for rows in tried
    ]
    assert found.before == pytest.approx(means[0])
    assert found.after == pytest.approx(means[1])


def test_the_best_are_left_alone() -> None:
    queries = notes_asked(1)
    tried = [searched(queries, 2.5, 2), searched(queries, 1.0, 3)]

    found = chosen(tried, queries)

    assert not found.accepted
    assert "in force are the best" in found.reason


def test_notes_asked_for_often_do_not_pass_for_many_questions() -> None:
    # One note gains in all its questions: a fluke of one note, not of eighty questions.
    queries = [GoldQuery(str(n), "", {f"{min(n, 40)}.md": 1.0}) for n in range(120)]
    now = [["x.md"] * 1 for _ in queries]
    other = [["40.md"] if n >= 40 else ["x.md"] for n in range(120)]

    found = chosen([now, other], queries)

    assert not found.accepted
