"""Figures of a statement are those of its source, however they are written."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.context.proof import strange_figures


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("It has none.", "Whatever."),
        ("1200 pictures", "1,200 pictures"),
        ("1,200 pictures", "1200 pictures"),
        ("1.200 Bilder", "1200 Bilder"),
        ("1,234.50 €", "1234.5 €"),
        ("1.234,5 €", "1,234.50 €"),
        ("3.5 V", "3,50 V"),
        ("007", "7"),
        ("50 %", "50%"),
        ("12V", "a 12 V supply"),
        ("3 to 5 days", "3-5 days"),
        ("the 3rd", "the third one, 3"),
        ("5 sessions", "Five sessions"),
        ("3 Tage", "drei Tage"),
        ("version 2.0.1", "v2.0.1"),
        ("on 2026-03-01", "on 1 March 2026"),
        ("on 2026-03-01", "on March 1st, 2026"),
        ("on 2026-03-01", "am 1. März 2026"),
        ("on 1 March 2026", "2026-03-01"),
        ("on 1 March", "2026-03-01"),
        ("in 2026", "2026-03-01"),
        ("on 01.03.2026", "2026-03-01"),
        ("at 14:00", "at 2 pm"),
        ("at 2 pm", "at 14:00"),
        ("at 2:30 pm", "at 14:30"),
        ("at 2:30", "at 14:30"),
        ("at 9", "at 09:00"),
        ("at 12 am", "at 0:00"),
        ("at 8 am", "at 8:00"),
        ("-5 °C", "\u22125 °C"),
        ("minus 5 °C", "-5 °C"),
        ("3 to 5", "3\u20135"),
    ],
)
def test_a_figure_is_known_however_it_is_written(text: str, source: str) -> None:
    assert strange_figures(text, source) == []


@pytest.mark.parametrize(
    ("text", "source", "strange"),
    [
        ("5 V", "3.5 V", "5"),
        ("3 V", "3.5 V", "3"),
        ("120 pictures", "1,200 pictures", "120"),
        ("on 2026-03-02", "2026-03-01", "2026-03-02"),
        ("on 2 April 2026", "2026-03-01 and 2026-04-09", "2 April 2026"),
        ("on 1 April", "2026-03-01 and 2026-04-09", "1 April"),
        ("at 2 am", "at 14:00", "2 am"),
        ("at 14:30", "at 14:00", "14:30"),
        ("version 2.1", "v2.0.1", "2.1"),
        ("It is 40 W and 7 A.", "40 W", "7"),
        ("3 of 4", "none", "3"),
        ("at 20:00", "at 8:00", "20:00"),
        ("-5 °C", "5 °C", "-5"),
        ("5 °C", "it was -5 °C", "5"),
        ("5 °C", "it was minus 5 °C", "5"),
        ("1 child", "1. Buy milk", "1"),
        ("3 results", "## 3. Results", "3"),
        ("3 boats", "2026-03-01", "3"),
        ("on 2025-05-03", "3. It was May 2025", "2025-05-03"),
        ("on 2025-05-03", "in May 2025 we had 3", "2025-05-03"),
        ("１２ of them", "none", "12"),  # noqa: RUF001 - wide digits are digits
    ],
)
def test_a_figure_that_the_source_has_not_is_named(
    text: str, source: str, strange: str
) -> None:
    assert strange_figures(text, source)[:1] == [strange]


@given(st.text("0123456789.,:-/' MarchApril\u00a0pm", max_size=40))
def test_what_a_text_says_it_says_itself(text: str) -> None:
    assert strange_figures(text, text) == []


@pytest.mark.parametrize(
    "piece", ["1", "1,", "1 ", "111 111 ", "1:", "1 March ", "2026-", "12:30 ", "1.1."]
)
def test_figures_without_end_are_read_at_once(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    began = time.process_time()

    strange_figures(text, text)

    assert time.process_time() - began < 10  # seconds of work, whoever else is at it
