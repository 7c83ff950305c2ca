"""Telling what is stated from what is asked for."""

FEWEST_WORDS = 4
"""Words of a sentence that states something; fewer, with a full stop, are a name."""

REQUESTS = frozenset(
    word
    for line in (
        "are can compare could describe did do does explain fetch find gather get give",
        "has have how is list load look please pull recall remind search should show",
        "summarise summarize tell was were what what's when where which who who's whom",
        "whose why will would",
    )
    for word in line.split()
)
"""What a sentence begins with that asks, or tells to look, whatever it ends with. Such
models read English, so no other language is here."""


def is_statement(text: str) -> bool:
    """Whether a text is a whole sentence that states something.

    It begins as a sentence does and ends with a full stop: an ellipsis ends none.
    """
    said = text.strip()
    words = said.split(None, FEWEST_WORDS - 1)
    if len(words) < FEWEST_WORDS or words[0].lower().rstrip(",") in REQUESTS:
        return False
    begins = said[0].isupper() or said[0].isdigit()
    return begins and said.endswith(".") and not said.endswith("..")
