"""The score of vault health, and the sketches by which duplicates are found."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from glassmind.graph.health import (
    CHECKS,
    COMMON,
    SKETCH,
    runs_of,
    scored,
    shared_runs,
    similar_sketches,
)

NOTES = [f"{at}.md" for at in range(12)]


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, list[str]]:
    """Return where each check finds things: notes, or things that are no notes."""
    places = st.sampled_from([*NOTES, "elsewhere"])
    return {entry.name: draw(st.lists(places, max_size=6)) for entry in CHECKS}


def score_of(
    found: Mapping[str, Sequence[str]], notes: int, unchecked: Collection[str] = ()
) -> float:
    """Return the score with its fraction, so that no rounding hides a loss."""
    counts = {
        entry.name: len(found[entry.name])
        for entry in CHECKS
        if entry.name not in unchecked
    }
    score, parts = scored(counts, notes)
    exact = 100 - sum(part.lost for part in parts)
    assert 0 <= score <= exact + 1e-9
    return exact


NAMES = st.sampled_from([entry.name for entry in CHECKS])


@settings(deadline=None)
@given(vaults(), st.integers(0, 500), NAMES, st.sets(NAMES))
def test_mending_a_finding_never_costs_a_point_whatever_it_lets_be_checked(
    found: dict[str, list[str]], more: int, check: str, unchecked: set[str]
) -> None:
    found |= {name: [] for name in unchecked - {check}}
    if not found[check]:
        return
    before = score_of(found, len(NOTES) + more, unchecked - {check})

    mended = found | {check: found[check][1:]}

    assert score_of(mended, len(NOTES) + more, unchecked - {check}) > before
    assert score_of(mended, len(NOTES) + more) > before


THEMES = ("one_source", "category_mismatch")


@settings(deadline=None)
@given(vaults(), st.integers(5, 500), st.integers(0, 500))
def test_orphans_that_become_a_theme_cost_more_than_what_is_found_in_it(
    found: dict[str, list[str]], linked: int, rest: int
) -> None:
    found |= {name: [] for name in (*THEMES, "weakly_tied")}
    orphans, notes = ["x"] * (linked + rest), linked + rest + len(NOTES)
    before = score_of(found | {"orphans": orphans}, notes, (*THEMES, "weakly_tied"))

    worst = {
        "orphans": orphans[linked:],
        "one_source": ["x"],
        "category_mismatch": ["x"] * (linked // 4),
        "weakly_tied": ["x"] * (linked // 2),
    }

    assert score_of(found | worst, notes) > before


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_a_vault_without_findings_has_all_points(notes: int) -> None:
    assert score_of({entry.name: [] for entry in CHECKS}, notes) == 100


@settings(deadline=None)
@given(st.integers(1, 100_000), NAMES)
def test_the_more_of_a_vault_is_concerned_the_lower_is_its_score(
    notes: int, check: str
) -> None:
    nothing = {entry.name: list[str]() for entry in CHECKS}
    shares = [0, notes // 4, notes // 2, notes]

    scores = [score_of(nothing | {check: ["x"] * n}, notes) for n in shares]

    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < 75


def test_a_check_that_was_not_made_costs_nothing() -> None:
    assert scored({}, 10) == (100, ())


TEXTS = st.lists(
    st.sampled_from(["tea", "pot", "cup", "leaf", "brew", "steep", "pour"]), max_size=60
)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=COMMON))
def test_every_pair_that_is_alike_is_among_the_candidates(
    texts: Sequence[Sequence[str]],
) -> None:
    made = [runs_of(" ".join(words)) for words in texts]

    sketches = [one[:SKETCH] for one in made]
    candidates = set(similar_sketches(sketches, 0.8)[0])

    for one in range(len(made)):
        for other in range(one + 1, len(made)):
            if shared_runs(made[one], made[other]) >= 0.8:
                assert (one, other) in candidates


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_likeness_is_a_share_and_the_same_both_ways(
    one: Sequence[str], other: Sequence[str]
) -> None:
    a, b = runs_of(" ".join(one)), runs_of(" ".join(other))

    assert 0 <= shared_runs(a, b) <= 1
    assert shared_runs(a, b) == shared_runs(b, a)
    assert shared_runs(a, a) == (1.0 if len(a) else 0.0)
    assert np.array_equal(runs_of(" ".join(one)), a)


def test_long_texts_with_a_few_changes_are_candidates() -> None:
    words = [f"word{at}" for at in range(3_000)]
    changed = [*words[:500], "other", *words[501:2_000], *words[2_020:]]
    made = [runs_of(" ".join(one)) for one in (words, changed, words[::-1])]

    sketches = [one[:SKETCH] for one in made]
    assert similar_sketches(sketches, 0.8)[0] == [(0, 1)]
    assert shared_runs(made[0], made[1]) > 0.95
