"""Confidence: how likely it is that the vault holds an answer."""

import json
from pathlib import Path

import pytest
from meaning_desk import MeaningDesk
from vault_desk import VaultDesk

from glassmind.evaluation.calibrate import auroc
from glassmind.retrieval.confidence import WEIGHTS, Signals, probability

GOLD = Path(__file__).parent / "gold" / "not-there.jsonl"

Asked = list[tuple[dict[str, object], float]]


@pytest.fixture(scope="module")
def asked(real: VaultDesk) -> Asked:
    """Every question of the set with the confidence of its answer."""
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    found = []
    for row in rows:
        sure = real.ask(row["query"]).confidence
        assert sure is not None
        found.append((row, sure))
    return found


def test_questions_with_an_answer_are_told_from_those_without(asked: Asked) -> None:
    area = auroc([p for _, p in asked], [bool(row["answered"]) for row, _ in asked])

    assert area >= 0.80


def test_what_is_far_from_the_vault_is_doubtful_and_what_it_answers_is_not(
    asked: Asked, real: VaultDesk
) -> None:
    far = [row["query"] for row, _ in asked if row.get("distance") == "far"]
    answered = [row["query"] for row, _ in asked if row["answered"]]

    def doubtful(queries: list[object]) -> float:
        replies = [real.ask(str(query)) for query in queries]
        return sum(reply.is_doubtful for reply in replies) / len(replies)

    assert doubtful(far) >= 0.80
    assert doubtful(answered) <= 0.10


def test_confidence_means_on_average_what_it_says(asked: Asked) -> None:
    said = sum(p for _, p in asked) / len(asked)
    true = sum(bool(row["answered"]) for row, _ in asked) / len(asked)

    assert said == pytest.approx(true, abs=0.08)


def test_every_signal_has_its_weight_and_a_nearer_passage_is_surer() -> None:
    signals = Signals(0.3, 0.1, 0.5, 0.4, 0.0, 1.0)

    assert set(WEIGHTS) == set(Signals._fields)
    assert probability(signals._replace(cosine=0.6)) > probability(signals)
    assert 0 < probability(signals) < 1


def test_words_alone_give_no_confidence(sample: VaultDesk) -> None:
    reply = sample.ask("flood")

    assert reply.confidence is None
    assert not reply.is_doubtful


def test_another_model_gives_no_confidence_that_nobody_fitted(
    meaning: MeaningDesk,
) -> None:
    meaning.indexed({"Tea.md": "A pot of oolong."})

    assert meaning.ask("oolong").confidence is None
