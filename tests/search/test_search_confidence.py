"""Confidence: how likely it is that the vault holds an answer."""

import json
from pathlib import Path

import pytest
from calibrate import auroc
from model_harness import cached_vectors
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.search.confidence import USUAL, Signals

GOLD = Path(__file__).parents[1] / "gold" / "not-there.jsonl"

Asked = list[tuple[dict[str, object], float]]


@pytest.fixture(scope="module")
def asked(real: VaultHarness) -> Asked:
    """Every question of the set with the confidence of its answer."""
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    found = []
    with cached_vectors("not-there"):
        for row in rows:
            sure = real.ask(row["query"]).confidence
            assert sure is not None
            found.append((row, sure))
    return found


def test_questions_with_an_answer_are_told_from_those_without(asked: Asked) -> None:
    area = auroc([p for _, p in asked], [bool(row["answered"]) for row, _ in asked])

    assert area >= 0.80


def test_what_is_far_from_the_vault_is_doubtful_and_what_it_answers_is_not(
    asked: Asked, real: VaultHarness
) -> None:
    far = [row["query"] for row, _ in asked if row.get("distance") == "far"]
    answered = [row["query"] for row, _ in asked if row["answered"]]

    def doubtful(queries: list[object]) -> float:
        with cached_vectors("not-there"):
            replies = [real.ask(str(query)) for query in queries]
        return sum(reply.is_doubtful for reply in replies) / len(replies)

    assert doubtful(far) >= 0.80
    assert doubtful(answered) <= 0.10


@pytest.mark.parametrize(
    ("query", "doubtful"),
    [
        ('"lead acid"', False),
        ('"radar head"', False),
        ("gaug*", False),
        ("zzqq*", True),
        ("zzqq* quantum chromodynamics", True),
    ],
)
def test_what_stands_in_a_note_to_the_letter_is_no_near_miss(
    real: VaultHarness, query: str, *, doubtful: bool
) -> None:
    reply = real.engine.search(query)

    assert reply.hits
    assert reply.is_doubtful is doubtful


def test_confidence_means_on_average_what_it_says(asked: Asked) -> None:
    plain = [(row, sure) for row, sure in asked if row.get("distance") != "near"]
    said = sum(sure for _, sure in plain) / len(plain)
    true = sum(bool(row["answered"]) for row, _ in plain) / len(plain)

    assert said == pytest.approx(true, abs=0.08)


def test_what_is_nearer_or_says_more_of_the_question_is_surer() -> None:
    signals = Signals(cosine=0.3, coverage=0.4, length=1.5)
    sure = USUAL.probability(signals)

    assert 0 < sure < 1
    assert USUAL.probability(signals._replace(cosine=0.6)) > sure
    assert USUAL.probability(signals._replace(coverage=0.8)) > sure
    assert USUAL.probability(signals._replace(cosine=1e9)) == 1
    assert USUAL.probability(signals._replace(cosine=-1e9)) == pytest.approx(0)


def test_near_is_told_from_how_near_strangers_come() -> None:
    signals = Signals(cosine=0.5, coverage=0.4, length=1.5)

    crowded = USUAL._replace(far=0.45)

    assert crowded.probability(signals) < USUAL.probability(signals)


def test_words_alone_give_no_confidence(sample: VaultHarness) -> None:
    reply = sample.ask("flood")

    assert reply.confidence is None
    assert not reply.is_doubtful


def test_a_model_that_nobody_knows_gives_no_confidence_before_the_vault_taught_one(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Tea.md": "A pot of oolong."})

    assert meaning.ask("oolong").confidence is None
