"""How long a text is, in tokens, without asking a model.

The estimate counts quarters of a token: one for a character of an alphabet, four for a
character that tokenizers keep whole (CJK, Hangul, kana, full-width forms, emoji).
English then costs a token for four characters and Chinese a token for each. Quarters
add up, so a text may be measured in parts.
"""

import re

QUARTERS = 4
"""Characters of Latin text in a token: the rule of thumb for subword vocabularies."""

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]+"
)


_ASCII = bytes(range(128))


def weight(text: str) -> int:
    """Return the length of a text in quarters of a token."""
    if text.isascii():
        return len(text)
    # The expression is slow, so it is shown the few letters that are not ASCII only.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    wide = _WIDE.findall(rest.decode("utf-8", "surrogatepass"))
    return len(text) + (QUARTERS - 1) * sum(map(len, wide))


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: 0 for an empty one, else at least 1."""
    return -(-weight(text) // QUARTERS)


def reach(text: str, start: int, end: int, room: int) -> int:
    """Return how far a passage from `start` gets within `room` quarters, at most `end`.

    It always gets one character further, however little room there is.
    """
    far = min(end, start + max(room, 1))
    window = text[start:far]
    if weight(window) <= room:
        return far
    fits, over = 1, len(window)
    while over - fits > 1:
        middle = (fits + over) // 2
        if weight(window[:middle]) <= room:
            fits = middle
        else:
            over = middle
    return start + fits
