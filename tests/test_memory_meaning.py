"""What a model makes of memos: near ones are recalled, and junk is not."""

import pytest
from model_desk import real_models
from vault_desk import VaultDesk

from glassmind.models.cards import MINILM

SAID = (
    "The ford gets no radio of its own; Millbrook relays for it.",
    "We ship the release on Friday, after the review.",
    "The battery of the heron node lasts for eleven weeks in winter.",
)


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with memos and their vectors."""
    models = real_models(MINILM)
    vault.open(embeddings__backend="onnx", embeddings__models_folder=str(models))
    vault.indexed({"Diary.md": "Boats at sea.\n"})
    for text in SAID:
        vault.engine.memory.capture("memory", text)
    return vault


def uses(desk: VaultDesk) -> int:
    return sum(
        "retrieved" in " ".join(note.reasons)
        for note in desk.engine.memory.temperatures().notes
    )


def test_nonsense_recalls_nothing_and_is_no_use(desk: VaultDesk) -> None:
    for query in ("zebra quantum flux", "asdf qwerty", "what is the capital of France"):
        found = desk.engine.memory.recall(query)

        assert (found.memos, found.total) == ((), 0)
        assert found.confidence is not None
    assert uses(desk) == 0


def test_what_comes_near_is_recalled_without_what_does_not(desk: VaultDesk) -> None:
    found = desk.engine.memory.recall("when do we ship")

    assert [one.memo.text for one in found.memos] == [SAID[1]]
    assert not found.is_doubtful
    assert uses(desk) == 1


def test_what_says_it_in_other_words_is_recalled_in_doubt_and_is_no_use(
    desk: VaultDesk,
) -> None:
    found = desk.engine.memory.recall("how long do cells survive the cold")

    assert [one.memo.text for one in found.memos] == [SAID[2]]
    assert found.is_doubtful
    assert uses(desk) == 0
