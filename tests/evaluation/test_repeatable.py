"""Property tests generate the same examples in every fast run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers


def examples(profile: str) -> list[list[int]]:
    """Return the examples that a property test generates with a profile."""
    seen: list[list[int]] = []

    @settings(settings.get_profile(profile), database=None, max_examples=20)
    @given(st.lists(st.integers()))
    def holds(numbers: list[int]) -> None:
        seen.append(numbers)

    holds()
    return seen


def test_the_fast_profile_repeats_its_examples() -> None:
    assert examples("repeatable") == examples("repeatable")


def test_the_exploring_profile_generates_new_examples() -> None:
    assert examples("explore") != examples("explore")


def test_the_fast_profile_draws_no_constants_from_imported_modules(
    request: pytest.FixtureRequest,
) -> None:
    if request.config.getoption("--hypothesis-profile"):
        pytest.skip("only the fast profile has to repeat its examples")

    assert not len(providers._get_local_constants())


def test_the_fast_profile_is_the_default(request: pytest.FixtureRequest) -> None:
    chosen = request.config.getoption("--hypothesis-profile") or "repeatable"

    assert settings().derandomize == (chosen == "repeatable")
    assert (settings().database is None) == (chosen == "repeatable")
