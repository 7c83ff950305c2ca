"""Random edits of random notes do what a plain model of rows says they do."""

import codecs
from random import Random

from edit_model import Model
from edit_text_harness import tried, unchanged
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FORMS = (
    ("\n", b""),
    ("\n", b""),
    ("\r\n", b""),
    ("\n", codecs.BOM_UTF8),
)


def follows_the_model(chance: Random) -> None:
    model = Model(chance)
    newline, mark = chance.choice(FORMS)
    raw = mark + model.text(newline).encode()
    first, edits = raw, []
    for _ in range(chance.randint(1, 8)):
        before = model.text(newline)
        edit = model.step()
        edits.append(edit)
        if "\n" not in before:
            newline = "\n"  # a note of one line has none of its own

        result = tried(raw, edit)

        expected = mark + model.text(newline).encode()
        assert result.raw == expected, f"{before!r}\n{edit}"
        unchanged(raw, result)
        raw = result.raw
    together = tried(first, *edits)
    assert together.raw == raw
    unchanged(first, together)


@settings(suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_sequences_of_edits_end_as_the_model_does(chance: Random) -> None:
    follows_the_model(chance)
