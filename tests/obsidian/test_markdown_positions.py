"""Byte offsets and lines, and masks over stretches of a note."""

from hypothesis import given
from hypothesis import strategies as st

from glassmind.model import Span
from glassmind.obsidian.structure import Mask, line_at, line_starts, span_at

texts = st.text(alphabet="a\n\r\x0b\x0c\u0085\u2028ü", max_size=60)


@given(texts)
def test_a_line_begins_after_each_line_feed_and_nowhere_else(text: str) -> None:
    source = text.encode()

    starts = line_starts(source)

    assert starts == [0] + [at + 1 for at, byte in enumerate(source) if byte == 10]


@given(texts, st.integers(0, 60), st.integers(0, 60))
def test_a_span_holds_the_first_and_last_byte(text: str, one: int, other: int) -> None:
    source = text.encode()
    start, end = sorted((min(one, len(source)), min(other, len(source))))
    starts = line_starts(source)

    span = span_at(starts, start, end)

    last = max(start, end - 1)
    assert span == Span(line_at(starts, start), line_at(starts, last))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=8))
def test_a_mask_covers_what_any_of_its_stretches_covers(
    pairs: list[tuple[int, int]],
) -> None:
    stretches = [(start, start + size) for start, size in pairs]

    mask = Mask.of(stretches)

    for offset in range(45):
        covered = any(start <= offset < end for start, end in stretches)
        assert mask.covers(offset) is covered
        assert (mask.end_at(offset) is not None) is covered
