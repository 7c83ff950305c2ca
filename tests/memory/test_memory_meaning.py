"""What a model makes of memos: near ones are recalled, and junk is not."""

import pytest
from model_harness import real_models
from vault_harness import VaultHarness

from glassmind.memory.recall import LEAST_COSINES, UNMEASURED, least_cosine
from glassmind.models.cards import BGE_SMALL, MINILM, WORDLLAMA, ModelCard

SAID = (
    "The ford gets no radio of its own; Millbrook relays for it.",
    "We ship the release on Friday, after the review.",
    "The battery of the heron node lasts for eleven weeks in winter.",
)


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with memos and their vectors."""
    models = real_models(MINILM)
    vault.open(embeddings__backend="onnx", embeddings__models_folder=str(models))
    vault.indexed({"Diary.md": "Boats at sea.\n"})
    for text in SAID:
        vault.engine.memory.capture("memory", text)
    return vault


def uses(harness: VaultHarness) -> int:
    return sum(
        "retrieved" in " ".join(note.reasons)
        for note in harness.engine.memory.temperatures().notes
    )


def test_nonsense_recalls_nothing_and_is_no_use(harness: VaultHarness) -> None:
    for query in ("zebra quantum flux", "asdf qwerty", "what is the capital of France"):
        found = harness.engine.memory.recall(query)

        assert (found.memories, found.total) == ((), 0)
        assert found.confidence is not None
    assert uses(harness) == 0


def test_what_comes_near_is_recalled_without_what_does_not(
    harness: VaultHarness,
) -> None:
    found = harness.engine.memory.recall("when do we ship")

    assert [memory.text for memory in found.memories] == [SAID[1]]
    assert not found.doubtful
    assert uses(harness) == 1


def test_what_says_it_in_other_words_is_recalled_in_doubt_and_is_no_use(
    harness: VaultHarness,
) -> None:
    found = harness.engine.memory.recall("how long do cells survive the cold")

    assert [memory.text for memory in found.memories] == [SAID[2]]
    assert found.doubtful
    assert uses(harness) == 0


@pytest.mark.parametrize(
    "card",
    [pytest.param(BGE_SMALL, marks=pytest.mark.slow), WORDLLAMA],
    ids=lambda card: card.id,
)
def test_other_models_tell_what_is_near_on_a_scale_of_their_own(
    vault: VaultHarness, card: ModelCard
) -> None:
    models, backend = real_models(card), "static" if card is WORDLLAMA else "onnx"
    vault.open(
        embeddings__backend=backend,
        embeddings__model=card.id,
        embeddings__models_folder=str(models),
    )
    vault.indexed({"Diary.md": "Boats at sea.\n"})
    recall = vault.engine.memory.recall
    for text in SAID:
        vault.engine.memory.capture("memory", text)

    assert recall("what is the capital of France").memories == ()
    assert recall("zebra quantum flux").memories == ()
    found = recall("how long do cells survive the cold").memories
    assert [one.text for one in found] == [SAID[2]]


def test_what_nobody_measured_has_the_highest_level() -> None:
    assert least_cosine("nomic-embed-text@1 768 wide") == UNMEASURED
    assert max(LEAST_COSINES.values()) == UNMEASURED
    assert least_cosine("all-minilm-l6-v2@afdb 384 wide") == 0.25
