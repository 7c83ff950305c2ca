"""Fusion: golden figures of the sources it was taken from, and laws for any votes."""

from collections.abc import Mapping, Sequence
from datetime import date
from math import fsum, inf
from random import Random
from typing import TypeAlias, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassmind.model.search import AdjustmentName, ChannelName, FusionName
from glassmind.search.ranking import (
    COLD,
    FUSIONS,
    RRF_K,
    Ranking,
    Weights,
    adjust,
)
from glassmind.search.ranking import fuse as fuse_scores

Rankings: TypeAlias = Mapping[ChannelName, Sequence[tuple[int, float]]]
"""Keys with the scores that each channel gave them, best first."""

Fused: TypeAlias = list[tuple[int, dict[ChannelName, float]]]


def fuse(fusion: FusionName, rankings: Rankings, weights: Weights) -> Fused:
    """Return every key with its shares, best first."""
    scores = {name: dict(ranking) for name, ranking in rankings.items()}
    ranking = Ranking(fuse_scores(fusion, scores, weights), {}, {})
    return [(key, ranking.shares_of(key)) for key in ranking.keys]


def dict_of(
    fusion: FusionName, rankings: Rankings, weights: Weights
) -> dict[int, dict[ChannelName, float]]:
    return dict(fuse(fusion, rankings, weights))


def total(shares: Mapping[ChannelName, float]) -> float:
    return sum(shares[name] for name in sorted(shares))


WORDS_FIRST: dict[ChannelName, float] = {"lexical": 0.7, "semantic": 0.3}
EVEN: dict[ChannelName, float] = {"lexical": 1.0, "semantic": 1.0}

NAMES: tuple[ChannelName, ...] = get_args(ChannelName)
EVERY_FUSION = pytest.mark.parametrize("fusion", get_args(FusionName))

Asked: TypeAlias = tuple[
    dict[ChannelName, list[tuple[int, float]]], dict[ChannelName, float]
]

# Cosines and shares may be as low as -1; scores of words have no upper end.
SCORES = {
    "lexical": st.floats(0, 60),
    "semantic": st.floats(-1, 1),
}


@st.composite
def votes(draw: st.DrawFn) -> Asked:
    """Return rankings, best first, with the weights of their channels."""
    rankings: dict[ChannelName, list[tuple[int, float]]] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        scores = SCORES.get(name, st.floats(-1, 1))
        keys = draw(st.lists(st.integers(1, 12), unique=True))
        given_ = sorted((draw(scores) for _ in keys), reverse=True)
        rankings[name] = list(zip(keys, given_, strict=True))
    weights = {name: draw(st.floats(0, 2)) for name in NAMES}
    return rankings, weights


def test_scores_are_stretched_from_nothing_to_one() -> None:
    found = dict_of(
        "minmax", {"semantic": [(3, 0.08), (2, 0.05), (1, 0.02)]}, {"semantic": 1.0}
    )

    shares = {key: share["semantic"] for key, share in found.items()}
    assert shares == pytest.approx({1: 0.0, 2: 0.5, 3: 1.0})


@pytest.mark.parametrize("scores", [[0.4], [7.5, 7.5, 7.5], [0.0]])
def test_a_ranking_without_range_scores_one_throughout(scores: list[float]) -> None:
    ranking = list(enumerate(scores))

    found = dict_of("minmax", {"lexical": ranking}, {"lexical": 1.0})

    assert [share["lexical"] for share in found.values()] == [1.0] * len(scores)


def test_a_side_that_does_not_name_a_key_gives_it_nothing() -> None:
    rankings: Rankings = {
        "lexical": [(1, 9.0), (2, 3.0)],
        "semantic": [(2, 0.9), (3, 0.1)],
    }

    found = fuse("minmax", rankings, WORDS_FIRST)

    assert dict(found) == {
        1: {"lexical": 0.7},
        2: {"lexical": 0.0, "semantic": 0.3},
        3: {"semantic": 0.0},
    }
    assert [key for key, _ in found] == [1, 2, 3]


def test_three_tenths_of_words_and_seven_of_meaning_is_the_peers_hybrid() -> None:
    rankings: Rankings = {
        "lexical": [(1, 8.0), (2, 5.0), (3, 2.0)],
        "semantic": [(3, 0.08), (1, 0.05), (4, 0.02)],
    }

    found = fuse("minmax", rankings, {"lexical": 0.3, "semantic": 0.7})

    scores = {key: total(shares) for key, shares in found}
    assert scores == pytest.approx({3: 0.7, 1: 0.3 + 0.35, 2: 0.15, 4: 0.0})
    assert [key for key, _ in found] == [3, 1, 2, 4]


def test_votes_that_mean_something_by_themselves_are_not_stretched() -> None:
    found = dict_of("minmax", {"graph": [(1, 0.3), (2, 0.1)]}, {"graph": 0.8})

    assert found == {1: {"graph": pytest.approx(0.24)}, 2: {"graph": 0.8 * 0.1}}


def test_ranks_count_from_one_behind_sixty() -> None:
    rankings: Rankings = {
        "lexical": [(1, 9.0), (2, 8.9)],
        "semantic": [(2, 0.4), (3, 0.1)],
    }

    found = fuse("rrf", rankings, EVEN)

    assert RRF_K == 60
    assert dict(found) == {
        1: {"lexical": 1 / 61},
        2: {"lexical": 1 / 62, "semantic": 1 / 61},
        3: {"semantic": 1 / 62},
    }
    assert [key for key, _ in found] == [2, 1, 3]


def test_ranks_alone_know_no_weights_but_who_takes_part() -> None:
    rankings: Rankings = {"lexical": [(1, 9.0)], "semantic": [(2, 0.4)]}

    assert dict_of("rrf", rankings, WORDS_FIRST) == dict_of("rrf", rankings, EVEN)
    assert dict_of("rrf", rankings, {"lexical": 0.1, "semantic": 0.0}) == {
        1: {"lexical": 1 / 61}
    }


def test_ranks_by_weight() -> None:
    rankings: Rankings = {"lexical": [(1, 9.0), (2, 8.9)], "semantic": [(2, 0.4)]}

    found = dict_of("weighted_rrf", rankings, WORDS_FIRST)

    assert found == {
        1: {"lexical": 0.7 / 61},
        2: {"lexical": 0.7 / 62, "semantic": 0.3 / 61},
    }


def test_a_sum_takes_cosines_as_they_are_and_words_against_the_best() -> None:
    rankings: Rankings = {
        "lexical": [(1, 8.0), (2, 2.0)],
        "semantic": [(2, 0.6), (1, -0.2)],
    }

    found = dict_of("weighted_sum", rankings, {"lexical": 0.5, "semantic": 0.5})

    assert found == {
        1: {"lexical": 0.5, "semantic": 0.0},
        2: {"lexical": 0.125, "semantic": 0.3},
    }


def test_the_worked_example_of_the_design_adds_up() -> None:
    """0.52 of meaning, 0.18 of words, 0.07 of time, 0.05 of tags and of links: 0.87."""
    rankings: Rankings = {
        "semantic": [(1, 0.945)],
        "lexical": [(2, 12.5), (1, 9.0)],
        "graph": [(1, 1.0)],
    }
    weights: Weights = {"semantic": 0.55, "lexical": 0.25, "graph": 0.05}
    thirteen_days_ago = 13 * 86_400 * 10**9

    shares = dict(fuse("weighted_sum", rankings, weights))[1]
    lifts: dict[AdjustmentName, float] = {"recency": 0.10, "tag": 0.05}
    made = adjust(
        (thirteen_days_ago, ["pump"]), COLD, "a pump", lifts, date(1970, 1, 27)
    )

    shown = {str(name): share for name, share in shares.items()}
    shown |= {one.name: one.share for one in made}
    assert {name: round(share, 2) for name, share in shown.items()} == {
        "semantic": 0.52,
        "lexical": 0.18,
        "recency": 0.07,
        "tag": 0.05,
        "graph": 0.05,
    }
    assert round(fsum(shown.values()), 2) == 0.87


@pytest.mark.parametrize("rankings", [{}, {"lexical": []}])
@EVERY_FUSION
def test_without_votes_there_is_nothing(
    fusion: FusionName, rankings: dict[ChannelName, list[tuple[int, float]]]
) -> None:
    assert fuse(fusion, rankings, EVEN) == []


@EVERY_FUSION
def test_ties_break_on_the_key(fusion: FusionName) -> None:
    rankings: Rankings = {
        "lexical": [(7, 1.0)],
        "graph": [(3, 1.0)],
        "memory": [(5, 1.0)],
    }
    weights: Weights = dict.fromkeys(rankings, 1.0)

    assert [key for key, _ in fuse(fusion, rankings, weights)] == [3, 5, 7]


@settings(deadline=None)
@given(votes())
@EVERY_FUSION
def test_every_key_named_by_a_channel_that_counts_is_there_once(
    fusion: FusionName, asked: Asked
) -> None:
    rankings, weights = asked

    found = fuse(fusion, rankings, weights)

    named = {key for n, r in rankings.items() if weights[n] for key, _ in r}
    assert sorted(key for key, _ in found) == sorted(named)
    for key, shares in found:
        assert shares.keys() == {
            name
            for name, ranking in rankings.items()
            if weights[name] and key in dict(ranking)
        }


@settings(deadline=None)
@given(votes())
@EVERY_FUSION
def test_the_best_come_first_and_ties_go_by_key(
    fusion: FusionName, asked: Asked
) -> None:
    order = [(-total(shares), key) for key, shares in fuse(fusion, *asked)]

    assert order == sorted(order)


@settings(deadline=None)
@given(votes(), st.randoms(use_true_random=False))
@EVERY_FUSION
def test_the_order_in_which_channels_answer_changes_nothing(
    fusion: FusionName, asked: Asked, chance: Random
) -> None:
    rankings, weights = asked
    names = list(rankings)
    chance.shuffle(names)

    again = fuse(fusion, {name: rankings[name] for name in names}, weights)

    assert again == fuse(fusion, rankings, weights)


@settings(deadline=None)
@given(votes())
@EVERY_FUSION
def test_no_vote_takes_anything_away(fusion: FusionName, asked: Asked) -> None:
    rankings, weights = asked
    scores = {key: total(shares) for key, shares in fuse(fusion, rankings, weights)}

    for name in rankings:
        rest = {other: r for other, r in rankings.items() if other != name}
        without = {key: total(shares) for key, shares in fuse(fusion, rest, weights)}
        for key, score in without.items():
            assert score <= scores.get(key, -inf) + 1e-12


@settings(deadline=None)
@given(votes())
def test_no_share_is_more_than_its_channel_weighs(asked: Asked) -> None:
    rankings, weights = asked

    for fusion in FUSIONS.keys() - {"rrf"}:
        for _, shares in fuse(fusion, rankings, weights):
            for name, share in shares.items():
                assert 0 <= share <= weights[name] + 1e-12
