"""Cutting text into what a model reads at once, and work kept in order."""

import json
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from glassmind.errors import ModelAbsent, ModelDamaged
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import MINILM
from glassmind.models.tokens import (
    WindowedTokenizer,
    balanced,
    estimated_tokens,
    first_tokens,
    text_windows,
    tokenizer_of,
)
from glassmind.models.vectors import in_order, usable_cores

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "title", *(f"w{n}" for n in range(1000))]
CLS, SEP = 1, 2


@pytest.fixture
def tokenizer(tmp_path: Path) -> WindowedTokenizer:
    """A tokenizer whose file cuts after 128 tokens and fills up to 128."""
    known = {word: n for n, word in enumerate(WORDS)}
    made = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))  # noqa: S106 - a token
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.add_special_tokens(["[CLS]", "[SEP]", "[PAD]"])
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    made.enable_truncation(128)
    made.enable_padding(length=128)
    file = tmp_path / "tokenizer.json"
    made.save(str(file))
    assert json.loads(file.read_text())["truncation"]["max_length"] == 128
    return WindowedTokenizer(file)


def words(count: int) -> str:
    return " ".join(f"w{n}" for n in range(count))


def test_a_file_that_cuts_and_fills_up_is_overridden(
    tokenizer: WindowedTokenizer,
) -> None:
    assert len(tokenizer.query(words(400), 512)) == 402
    assert len(tokenizer.query("w1 w2", 512)) == 4
    assert len(tokenizer.query(words(900), 512)) == 512


def test_a_chunk_that_fits_is_one_window_with_its_context_before_it(
    tokenizer: WindowedTokenizer,
) -> None:
    (only,) = tokenizer.windows(Embeddable("title", "w1 w2"), "", 16)

    title, one = WORDS.index("title"), WORDS.index("w1")
    assert only == [CLS, title, one, one + 1, SEP]


def test_a_longer_chunk_is_cut_into_equal_windows_each_with_the_context(
    tokenizer: WindowedTokenizer,
) -> None:
    made = tokenizer.windows(Embeddable("title", words(500)), "", 256)

    assert [len(window) for window in made] == [253, 253]
    assert all(window[1] == WORDS.index("title") for window in made)
    body = [token for window in made for token in window[2:-1]]
    assert body == list(range(5, 505))


def test_a_long_context_leaves_three_quarters_to_the_text(
    tokenizer: WindowedTokenizer,
) -> None:
    made = tokenizer.windows(Embeddable(words(200), words(10)), "title", 64)

    assert [len(window) for window in made] == [2 + 1 + 16 + 10]


def test_an_empty_text_is_one_window(tokenizer: WindowedTokenizer) -> None:
    assert tokenizer.windows(Embeddable("", ""), "", 64) == [[CLS, SEP]]


def test_the_name_of_a_mark_in_a_note_is_no_mark(tokenizer: WindowedTokenizer) -> None:
    assert tokenizer.ids("w1[SEP]w2") == [WORDS.index("[UNK]")]


def test_a_file_that_is_no_tokenizer_is_told_as_damaged(tmp_path: Path) -> None:
    with pytest.raises(ModelAbsent):
        tokenizer_of(MINILM, tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelDamaged, match=r"tokenizer\.json"):
        tokenizer_of(MINILM, tmp_path / "tokenizer.json")


@given(st.integers(0, 5000), st.integers(1, 600))
def test_equal_parts_cover_a_length_and_fit_the_room(length: int, room: int) -> None:
    parts = balanced(length, room)

    sizes = [end - start for start, end in parts]
    assert sum(sizes) == length
    assert max(sizes) <= room
    assert parts[0][0] == 0
    assert all(a[1] == b[0] for a, b in pairwise(parts))


@given(st.text(max_size=3000), st.text(max_size=400), st.integers(8, 600))
def test_text_cut_by_characters_is_all_there(
    text: str, context: str, window: int
) -> None:
    made = text_windows(Embeddable(context, text), "passage: ", window)

    cut = first_tokens(context, window // 4)
    before = f"passage: {cut}\n" if cut else "passage: "
    assert all(one.startswith(before) for one in made)
    assert "".join(one[len(before) :] for one in made) == text


def test_text_is_cut_between_words() -> None:
    text = "some plain words " * 200

    made = text_windows(Embeddable("", text), "", 100)

    assert all(estimated_tokens(one) <= 130 for one in made)
    assert all(one[0] == " " for one in made[1:])


def test_a_letter_of_a_script_without_spaces_counts_as_a_token() -> None:
    assert estimated_tokens("茄子の味噌") == 5
    assert estimated_tokens("eggplant ") == 3


def test_results_come_in_order_and_not_before_they_are_wanted() -> None:
    begun: list[int] = []

    def slow(n: int) -> int:
        begun.append(n)
        return n * n

    made = in_order(slow, range(1000), threads=2)
    assert begun == []

    assert [next(made) for _ in range(3)] == [0, 1, 4]
    assert len(begun) <= 8
    made.close()  # type: ignore[attr-defined]
    assert len(begun) < 20


def test_several_are_worked_on_at_once() -> None:
    both = threading.Barrier(2, timeout=30)

    def meet(n: int) -> int:
        both.wait()
        return n

    assert list(in_order(meet, range(4), threads=2)) == [0, 1, 2, 3]


def test_an_error_stands_where_its_result_would() -> None:
    def odd(n: int) -> int:
        if n == 2:
            raise ValueError(n)
        return n

    made: Iterator[int] = in_order(odd, range(5), threads=2)

    assert [next(made), next(made)] == [0, 1]
    with pytest.raises(ValueError, match="2"):
        next(made)


def test_there_is_a_core_to_use() -> None:
    assert usable_cores() >= 1
