"""Models run in this process: exact, alike alone and in company, whole to the end."""

import threading
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from model_harness import minilm, real_models, settings

from glassmind.errors import ModelDamaged, ModelFailed
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import (
    BGE_SMALL,
    E5_SMALL,
    MINILM,
    RERANKER,
    WORDLLAMA,
    ModelCard,
)
from glassmind.models.embedders import (
    ChosenEmbedder,
    embedder_for,
    embedder_of,
    reranker_of,
    self_test,
)
from glassmind.models.onnx import OnnxEmbedder
from glassmind.models.protocols import Embedder
from glassmind.models.static import only_tensor
from glassmind.models.tokens import tokenizer_of

if TYPE_CHECKING:
    from glassmind.model.vectors import Matrix, Vector

FILLER = (
    "The committee met again in the town hall and went through the minutes of the "
    "last meeting, line by line, before anyone was allowed to speak about the budget. "
)
ANSWER = "The spare key of the boat house hangs behind the third beam of the barn."
QUESTION = "Where is the spare key of the boat house?"


def chunk_of(tokens: int, last: str) -> str:
    """Return a text of about so many tokens that ends with a sentence."""
    words = tokenizer_of(MINILM, real_models(MINILM) / MINILM.id / "tokenizer.json")
    room = tokens - len(words.ids(last))
    filler = FILLER * (room // len(words.ids(FILLER)))
    return filler + last


def test_the_tokenizer_that_cuts_at_128_reads_the_whole_chunk() -> None:
    file = real_models(MINILM) / MINILM.id / "tokenizer.json"
    text = chunk_of(500, ANSWER)

    words = tokenizer_of(MINILM, file)

    windows = words.windows(Embeddable("Notes", text), "", MINILM.window)
    assert len(words.ids(text)) > 450
    assert sum(len(window) for window in windows) > 450
    assert all(len(window) <= MINILM.window for window in windows)
    assert len(words.query("a short one", 512)) == 5


def test_an_answer_in_the_last_sentence_of_a_long_chunk_is_near_its_question() -> None:
    embedder = minilm()
    with_answer = Embeddable("Minutes", chunk_of(500, ANSWER))
    without = Embeddable("Minutes", chunk_of(500, FILLER))

    asked = embedder.query(QUESTION)
    found, other = embedder.passages([with_answer, without])

    assert len(found) > 1
    assert float((found @ asked).max()) > float((other @ asked).max()) + 0.2
    assert int((found @ asked).argmax()) == len(found) - 1


def test_a_vector_is_the_same_alone_and_among_others() -> None:
    embedder = minilm()
    parts = [Embeddable("T", f"{FILLER * (n % 7)} number {n}") for n in range(24)]

    together = list(embedder.passages(parts))
    alone = [next(embedder.passages([part])) for part in parts]

    assert all(np.array_equal(a, b) for a, b in zip(together, alone, strict=True))


def test_a_vector_does_not_depend_on_how_many_threads_there_are() -> None:
    parts = [Embeddable("T", f"{FILLER} {n}") for n in range(6)]
    one = embedder_of(MINILM, real_models(MINILM), 1)

    assert all(
        np.array_equal(a, b)
        for a, b in zip(one.passages(parts), minilm().passages(parts), strict=True)
    )


@pytest.mark.parametrize(
    "card", [MINILM, BGE_SMALL, WORDLLAMA], ids=lambda card: card.id
)
def test_every_model_passes_its_test_and_gives_unit_rows(card: ModelCard) -> None:
    embedder = embedder_of(card, real_models(card))

    self_test(embedder, card.id)

    rows = next(embedder.passages([Embeddable("A / B", FILLER * 20)]))
    assert rows.shape[1] == embedder.width == card.width
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@cache
def loaded(card: ModelCard) -> Embedder:
    """Return the model of a card, loaded once for all tests."""
    return embedder_of(card, real_models(card))


@pytest.mark.parametrize(
    "card", [MINILM, BGE_SMALL, WORDLLAMA], ids=lambda card: card.id
)
@pytest.mark.parametrize("text", ["", " ", "\n\n", "\x00", "🪴", "x" * 20_000])
def test_odd_texts_have_vectors_too(card: ModelCard, text: str) -> None:
    embedder = loaded(card)

    asked = embedder.query(text)
    (rows,) = embedder.passages([Embeddable("", text)])

    assert np.isfinite(asked).all()
    assert np.isfinite(rows).all()
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "alike"),
    [
        ("The spare key hangs behind the third beam.", True),
        ("5% of the boats in the harbour are for sale.\n", True),
        ("where the spare key of the boat house hangs", False),
        ("Where does the spare key of the boat house hang?", False),
        ("Find everything about the boat house.", False),
        ("What is the plan for the boat house.", False),
        ("Please, show what hangs behind the beam.", False),
        ("and the spare key hangs behind the third beam.", False),
        ("What hangs behind the third beam ...", False),
        ("Boat House Inc.", False),
        ("", False),
    ],
)
def test_what_states_something_is_embedded_without_the_words_for_asking(
    text: str, *, alike: bool
) -> None:
    embedder = loaded(BGE_SMALL)
    bare = loaded(BGE_SMALL._replace(query_prefix=""))

    same = np.array_equal(embedder.query(text), bare.query(text))

    assert same is alike


def test_a_prefix_that_every_query_needs_stands_before_statements_too() -> None:
    stated = "The spare key hangs behind the third beam."

    assert E5_SMALL.asked(stated) == f"query: {stated}"


def test_the_space_names_what_the_vectors_depend_on() -> None:
    space = minilm().space

    assert MINILM.id in space
    assert MINILM.weights.sha256[:16] in space
    other = MINILM._replace(query_prefix="query: ")
    changed = OnnxEmbedder(other, Path())
    assert changed.space != space


def test_many_threads_may_ask_at_once() -> None:
    embedder = embedder_of(MINILM, real_models(MINILM))
    wanted = embedder.query("tea")
    same: list[bool] = []

    threads = [
        threading.Thread(
            target=lambda: same.append(np.array_equal(embedder.query("tea"), wanted))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert same == [True] * 8


def test_a_folder_of_the_users_is_known_by_its_weights(tmp_path: Path) -> None:
    folder = real_models(BGE_SMALL) / BGE_SMALL.id

    named = embedder_for(settings(tmp_path, model=str(folder)))

    assert named is not None
    assert named.space == embedder_of(BGE_SMALL, folder.parent).space


def test_weights_that_are_none_are_told_as_damaged(tmp_path: Path) -> None:
    home = real_models(MINILM)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    tokenizer = (home / MINILM.id / "tokenizer.json").read_bytes()
    (tmp_path / "tokenizer.json").write_bytes(tokenizer)
    embedder = OnnxEmbedder(MINILM, tmp_path)

    with pytest.raises(ModelDamaged, match=r"model\.onnx"):
        embedder.query("tea")


@pytest.mark.parametrize(
    "content", [b"", b"\x05", b"\xff" * 64, b"\x02\0\0\0\0\0\0\0{}"]
)
def test_a_table_that_is_none_is_told_apart(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "weights.safetensors"
    file.write_bytes(content)

    with pytest.raises(ValueError, match=r".+"):
        only_tensor(file)


class Muddled:
    """An embedder that gives every text the same vector."""

    space, width = "muddled", 4

    def passages(self, parts: Sequence[Embeddable], /) -> "Iterator[Matrix]":
        for _ in parts:
            yield np.array([[1, 0, 0, 0]], dtype=np.float32)

    def query(self, _text: str, /) -> "Vector":
        return np.array([1, 0, 0, 0], dtype=np.float32)


def test_a_model_that_knows_no_pair_is_refused_before_it_embeds() -> None:
    embedder = ChosenEmbedder(Muddled(), "muddled")

    with pytest.raises(ModelFailed, match="no nearer"):
        next(embedder.passages([Embeddable("", "text")]))


def test_a_model_of_another_width_than_it_says_is_refused() -> None:
    wide = Muddled()
    wide.width = 5

    with pytest.raises(ModelFailed, match="4 numbers in place of 5"):
        self_test(wide, "wide")


class Pooled(Muddled):
    """A model whose rows are pooled already, so that pooling leaves one number."""

    def query(self, text: str, /) -> "Vector":
        return np.asarray(super().query(text).mean())


def test_a_model_that_gives_one_number_is_refused() -> None:
    with pytest.raises(ModelFailed, match="1 numbers in place of 4"):
        self_test(Pooled(), "pooled")


def test_the_reranker_tells_an_answer_from_other_text() -> None:
    reranker = reranker_of(real_models(RERANKER))

    answer, other = reranker.scores(QUESTION, [ANSWER, FILLER])

    assert 0 <= other < 0.1
    assert 0.5 < answer <= 1


def test_the_reranker_reads_a_passage_no_further_than_it_says() -> None:
    reranker = reranker_of(real_models(RERANKER))
    long = FILLER * 8

    (first,) = reranker.scores(QUESTION, [long])
    (longer,) = reranker.scores(QUESTION, [long + ANSWER])

    assert first == longer


def test_scores_come_one_by_one_and_alike_in_any_company() -> None:
    reranker = reranker_of(real_models(RERANKER))
    passages = [f"{FILLER} {n}" for n in range(6)]

    some = reranker.scores(QUESTION, passages)
    first = next(some)
    some.close()  # type: ignore[attr-defined]

    assert [first] == list(reranker.scores(QUESTION, passages[:1]))
