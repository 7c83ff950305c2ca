"""What libraries log, as a server tells it."""

import json
import logging

import pytest

from glassmind.serve.log import PlainRecords


@pytest.mark.parametrize(
    ("words", "values", "said"),
    [
        ("Cancel %s running task(s)", (1,), "Cancel %s running task(s)"),
        ("got %s of %d", ("a note", 2), "got %s of %d"),
        ("heard %(words)s", ({"words": "a note"},), "heard %(words)s"),
        ("100 % of it", (), "-"),
    ],
)
def test_a_line_has_the_message_of_a_library_and_none_of_its_values(
    words: str,
    values: tuple[object, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = logging.LogRecord("web", logging.ERROR, "", 1, words, values, None)

    PlainRecords().emit(record)

    line = json.loads(capsys.readouterr().err)
    assert line["said"] == said
    assert "a note" not in str(line)
