"""Telling what is stated from what is asked for."""

FEWEST_WORDS = 4
"""Words of a sentence that states something; fewer, with a full stop, are a name."""


def is_statement(text: str) -> bool:
    """Whether a text is a whole sentence that states something.

    It begins as a sentence does and ends with a full stop: an ellipsis ends none.
    """
    said = text.strip()
    begins = said[:1].isupper() or said[:1].isdigit()
    ends = said.endswith(".") and not said.endswith("..")
    return begins and ends and len(said.split(None, FEWEST_WORDS - 1)) == FEWEST_WORDS
