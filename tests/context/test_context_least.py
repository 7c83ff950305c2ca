"""A budget that holds nothing is refused with one that does."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.context.budget import made_within
from glassmind.errors import BudgetTooSmall

QUESTIONS = (
    "alarm height Millbrook",
    "why did we change the battery chemistry",
    "Heron network",
    "surveyor's letter of the county flood desk",
    "zebra crossing in Osaka",
    "who",
)

PROJECTS = ("Heron network", "Projects/", "People/")


def asking(harness: VaultHarness) -> dict[str, Callable[[int], object]]:
    """Return what may be asked of a vault, by what makes it of a budget."""
    bundles = harness.engine.bundles
    made: dict[str, Callable[[int], object]] = {
        "hot": lambda budget: bundles.hot(budget_tokens=budget),
        "brief": lambda budget: bundles.brief(budget_tokens=budget, since="2000"),
    }
    for text in QUESTIONS:
        made[text] = lambda budget, text=text: bundles.pack(  # type: ignore[misc]
            text, budget_tokens=budget
        )
    for name in PROJECTS:
        made[f"summary of {name}"] = lambda budget, name=name: bundles.summarize(  # type: ignore[misc]
            name, budget_tokens=budget, save=False
        )
    return made


def refusal(make: Callable[[int], object], budget: int) -> BudgetTooSmall | None:
    try:
        make(budget)
    except BudgetTooSmall as refused:
        return refused
    return None


def is_right(make: Callable[[int], object], budget: int) -> None:
    """See that what a refusal tells to allow is enough, and so is more."""
    if refused := refusal(make, budget):
        assert refused.budget_tokens == budget
        for more in (0, 1, 5, 13, 29, 60, 150):
            make(refused.least + more)


@pytest.mark.parametrize("budget", [1, 210, 250])
def test_what_the_sample_vault_is_refused_with_is_enough(
    sample: VaultHarness, budget: int
) -> None:
    for make in asking(sample).values():
        is_right(make, budget)


@pytest.mark.parametrize("budget", [1, 220])
def test_it_is_enough_where_a_tokenizer_counts(real: VaultHarness, budget: int) -> None:
    for make in asking(real).values():
        is_right(make, budget)


@given(st.integers(1, 50_000), st.integers(1, 40_000), st.integers(1, 60_000))
def test_what_is_told_is_about_the_least(budget: int, need: int, guess: int) -> None:
    def make(tokens: int) -> int:
        if tokens < need:
            raise BudgetTooSmall(tokens, guess)
        return tokens

    refused = refusal(lambda tokens: made_within(tokens, make), budget)

    least = max(200, need)
    assert (refused is None) == (budget >= least)
    if refused:
        assert refused.least >= least


def test_a_vain_question_is_given_more_where_little_holds_nothing(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = "/".join(["a rather long folder name of the user"] * 6)
    vault.indexed({f"{folder}/{n}/Kiln.md": f"The kiln {n} is hot.\n" for n in "ab"})
    monkeypatch.setattr("glassmind.context.bundles.NEAR_MISS_TOKENS", 220)
    monkeypatch.setattr("glassmind.context.bundles.FAR_OFF", 2.0)

    with pytest.raises(BudgetTooSmall) as refused:
        vault.engine.bundles.pack("kiln", budget_tokens=250)

    found = vault.engine.bundles.pack("kiln", budget_tokens=refused.value.least)
    assert found.notes
    assert found.budget_tokens == refused.value.least
