"""Answers of a model, read in whatever pieces they come."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from glassmind.context.proof import AnswerReader, ModelStatement, ThinkingDone

WORDS = st.text(
    st.characters(codec="utf-8") | st.sampled_from('"\\/{}[]:,é😀\n\t '), max_size=30
)
STATEMENTS = st.lists(
    st.builds(ModelStatement, st.integers(1, 9), WORDS, WORDS), max_size=4
)
AROUND = st.sampled_from(
    ["", "Here it is:\n```json\n", "{the} [1] answer: ", "\n```\n", 'He said "so". ']
)


def cut(text: str, places: Sequence[int]) -> list[str]:
    """Return a text in pieces, cut at some places."""
    ends = sorted({place % (len(text) + 1) for place in places} | {len(text)})
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def read(*pieces: str) -> list[ModelStatement | ThinkingDone]:
    """Return all events of an answer."""
    reader = AnswerReader()
    return [event for piece in pieces for event in reader.feed(piece)]


def claims(text: str) -> list[ModelStatement]:
    """Return the whole statements of an answer."""
    return [event for event in read(text) if isinstance(event, ModelStatement)]


@given(STATEMENTS, st.booleans(), AROUND, AROUND, st.lists(st.integers(0), max_size=9))
@example([ModelStatement(1, "", "😀")], True, "", "", list(range(90)))
def test_pieces_say_what_the_whole_says(
    statements: list[ModelStatement],
    escapes: bool,
    before: str,
    after: str,
    places: list[int],
) -> None:
    assume(
        not any("[" in statement.text for statement in statements)
    )  # see the marks below
    made = {"statements": [statement._asdict() for statement in statements]}
    said = json.dumps(made, ensure_ascii=escapes)

    events = read(*cut(f"{before}{said}{after}", places))

    texts = [(statement, " ".join(statement.text.split())) for statement in statements]
    wanted = [one._replace(text=text) for one, text in texts if text]
    assert events == wanted


@given(
    st.text('{}[]":,\\ustatemenxq01 \n\ud83d', max_size=80), st.lists(st.integers(0))
)
def test_whatever_comes_is_read_alike_in_pieces(text: str, places: list[int]) -> None:
    assert read(*cut(text, places)) == read(text)


WHOLE = '{"statements": [{"source": 2, "quote": "a b c", "text": "So it is."}]}'
CLAIM = ModelStatement(2, "a b c", "So it is.")


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"Sure! Here is the JSON you asked for:\n```json\n{WHOLE}\n```\nAnything else?",
        '[{"source": 2, "quote": "a b c", "text": "So it is."}]',
        '{"source": 2, "quote": "a b c", "text": "So it is."}',
        '{"source": "2", "quote": "a b c", "text": "So it is."}',
        '{"source": "[2]", "quote": "a b c", "text": "So it is."}',
        (
            '{"y": [1, null], "source": 2, "quote": "a b c", "z": true,'
            '"text": " So\\n it  is. ", "more": [[]]}'
        ),
        '{oh {"source": 2, "quote": "a b c", "text": "So it is."}',
        '{"text": "So it is.", "quote": "a b c", "source": 2}',
        '{"quote": "a b c", "text": "So it is.", "source": 2}',
        f'<think>{{"quote": "d e f", "text": "Or not."}} {{"a</think>\n{WHOLE}',
        f"<Thinking>{{</Thinking>{WHOLE}",
    ],
)
def test_a_statement_is_found_whatever_stands_around_it(text: str) -> None:
    assert claims(text) == [CLAIM]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It is so [1].", "It is so."),
        ("It is so. [1] [12]", "It is so."),
        ("[2] It is so", "It is so"),
        ("so [1] it is", "so it is"),
        ("so [1]it is", "so it is"),
        ("so [1", "so [1"),
        ("so [ 1]", "so [ 1]"),
        ("so [1[2]", "so [1[2]"),
        ("so [[2]]", "so [[2]]"),
        ("so [123] []", "so [123] []"),
        ("of a[1] and [x]", "of a[1] and [x]"),
        ("[1]", ""),
    ],
)
def test_numbers_of_sources_are_no_part_of_a_statement(text: str, told: str) -> None:
    said = json.dumps({"source": 1, "quote": "a", "text": text})

    assert [claim.text for claim in claims(said)] == ([told] if told else [])


@pytest.mark.parametrize(
    "text",
    [
        f'<think>{WHOLE}</think>{{"statements": []}}',
        f'{WHOLE}</think>{{"statements": []}}',
        f"<think>{WHOLE}",
    ],
)
def test_what_is_thought_aloud_is_no_answer(text: str) -> None:
    events = read(*text)

    thought = [at for at, event in enumerate(events) if isinstance(event, ThinkingDone)]
    rest = events[thought[-1] :] if thought else events
    assert [event for event in rest if isinstance(event, ModelStatement)] == []


def test_what_is_cut_counts_as_far_as_it_is_whole() -> None:
    text = f'{WHOLE[:-2]}, {{"source": 1, "quote": "d e f", "text": "Or is'

    assert read(text) == [CLAIM]


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ('{"statements": []}', True),
        ('```{"statements" : [ ] }```', True),
        (WHOLE, False),
        ("[]", False),
        ('{"statements": {}}', False),
        ("", False),
    ],
)
def test_an_empty_list_says_that_there_is_no_answer(text: str, nothing: bool) -> None:
    reader = AnswerReader()
    list(reader.feed(text))

    assert reader.says_nothing is nothing


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"\ud83d\ude00!", "😀!"),
        (r"\ud83d!", "\ufffd!"),
        (r"\ude00!", "\ufffd!"),
        (r"\ud83d\ud83d\ude00", "\ufffd😀"),
        (r"\ud83d", "\ufffd"),
        (r"\u00e9\/\"", 'é/"'),
    ],
)
def test_letters_in_code_are_read_as_far_as_they_are_letters(
    written: str, text: str
) -> None:
    said = f'{{"source": 1, "quote": "a", "text": "{written}"}}'

    assert claims(said) == [ModelStatement(1, "a", text)]
    assert read(*said) == [ModelStatement(1, "a", text)]


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 50_000,
        "{" * 200_000,
        '{"a":[' * 30_000,
        '{"text": "' + "x" * 300_000,
        '{"quote": "' + "\\u0041" * 60_000,
        '{"quote": "' + " " * 300_000,
    ],
)
def test_an_answer_without_end_is_read_to_its_end(text: str) -> None:
    assert claims(text) == []
