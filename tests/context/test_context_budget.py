"""A budget is a ceiling that nothing exceeds, whoever counts."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_harness import tokenizer
from vault_harness import VaultHarness

from glassmind.context.budget import Estimate
from glassmind.context.excerpts import parted, run
from glassmind.context.markdown import bundle_as_markdown
from glassmind.context.question_words import question_words
from glassmind.errors import BudgetTooSmall
from glassmind.models.cards import MINILM

letters = st.text(
    st.one_of(
        st.sampled_from("kiln glaze fire. \n#`-[]|>:äß中文字🔥\u200b\x1b\r"),
        st.characters(codec="utf-8", exclude_categories=["Cs"]),
    ),
    max_size=1_500,
)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    notes=st.lists(letters, min_size=1, max_size=6),
    budget=st.integers(200, 4_000),
    title=st.text("abc XYZ-1", min_size=1, max_size=60),
)
def test_no_bundle_of_any_vault_exceeds_its_budget(
    notes: list[str], budget: int, title: str
) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        harness = VaultHarness(Path(folder))
        name = title.strip() or "a"
        harness.indexed({f"{name} {n}.md": f"kiln {t}" for n, t in enumerate(notes)})
        try:
            made = harness.engine.bundles.pack("kiln glaze", budget_tokens=budget)
        except BudgetTooSmall:
            return
        finally:
            harness.close()

    markdown = bundle_as_markdown(made)
    assert made.tokens == Estimate().count(markdown) <= budget
    for note in made.notes:
        assert all(excerpt.text for excerpt in note.excerpts)


@pytest.mark.parametrize("budget", [200, 400, 1_000, 3_000, 6_000, 50_000])
def test_a_real_tokenizer_agrees_that_a_bundle_is_within_its_budget(
    real: VaultHarness, budget: int
) -> None:
    made = real.engine.bundles.pack("why lithium batteries", budget_tokens=budget)

    counted = len(tokenizer(MINILM).ids(bundle_as_markdown(made)))
    assert made.tokenizer == MINILM.id
    assert counted <= made.tokens <= budget
    assert made.notes


def test_most_of_a_budget_is_used(real: VaultHarness) -> None:
    for budget in (1_000, 3_000, 6_000):
        made = real.engine.bundles.pack(
            "how are the stations kept", budget_tokens=budget
        )

        assert made.tokens > 0.75 * budget


@given(letters)
def test_the_parts_of_a_text_are_its_lines_and_sentences(text: str) -> None:
    parts = parted(text, 0, len(text))

    assert parts == sorted(parts)
    assert "".join("".join(text[a:b].split()) for a, b in parts) == "".join(
        text.split()
    )
    assert all("\n" not in text[start:end] for start, end in parts)


@given(
    st.lists(
        st.tuples(st.integers(1, 50), st.sampled_from([0.0, 0.0, 1.0, 2.5]))
    ).filter(bool),
    st.integers(1, 200),
)
def test_a_run_fits_its_room_and_no_other_scores_more(
    units: list[tuple[int, float]], room: int
) -> None:
    weights, scores = [unit[0] for unit in units], [unit[1] for unit in units]

    first, last = run(weights, scores, 0, room)

    assert 0 <= first <= last < len(units)
    assert first == last or sum(weights[first : last + 1]) <= room
    best = max(
        sum(scores[a : b + 1])
        for a in range(len(units))
        for b in range(a, len(units))
        if a == b or sum(weights[a : b + 1]) <= room
    )
    assert sum(scores[first : last + 1]) == pytest.approx(best)


def test_filters_and_little_words_are_no_words_of_a_question() -> None:
    asked = 'what is the kiln -path:"Old Kilns.md" tag:pottery [status:open] -glaze'

    assert question_words(asked, []).typed == ("kiln",)
    assert question_words("what is this", []).typed == ("what", "is", "this")
