"""How many tokens a text takes at most, without asking a model.

Held against the tokenizers of two families on real notes, and on text in two dozen
scripts: both stay below.
"""

import re

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
_SINGLE = bytes(set(range(128)) - set(_LETTERS))
_NO_LEADS = bytes(range(0xF0))
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_FLAT = bytes(ord("a" if bytes([one]).isalnum() else " ") for one in range(256))
_DENSE = b"a" * 16
"""What is no word, all of its letters and digits being alike: a digest, a key, an image
as text. It takes a token for each letter or two."""

_BARE = re.compile(
    "[\u0700-\u08ff\u0a00-\u0b7f\u0c00-\u0cff\u0d80-\u0dff\u0e80-\u0eff"
    "\u1200-\u1dff\u3400-\u4dbf\ua000-\uabff\ud800-\uf8ff]+"
)
"""Scripts of which small vocabularies hold no letter: Gujarati, Telugu, Lao, Amharic
and many more are read byte by byte."""

TWELFTHS = 12
LETTER, SIGN, BYTE, LEAD, DENSE = 4, 12, 9, 16, 6
"""Twelfths of a token: three letters or blanks are one, and every digit, sign and line
end is; a byte of another script is three quarters of one, since that is what a small
vocabulary makes of Korean. Emoji cost a token more, letters that are no word half of
one."""

BLANK, BARE = 8, 13
"""What a blank before a digit costs more, since it is no part of a word, and what a
letter of a script that no vocabulary holds does: all of its bytes are tokens, and so
is the blank behind its word."""


def most_tokens(text: str) -> int:
    """Return how many tokens a text has at most, save for odd ones."""
    raw = text.encode("utf-8", "surrogatepass")
    rest = raw.translate(None, _SINGLE)
    others = rest.translate(None, _LETTERS)
    total = SIGN * (len(raw) - len(rest)) + LETTER * (len(rest) - len(others))
    if others:
        total += BYTE * len(others)
        total += LEAD * len(others.translate(None, _NO_LEADS))
        # the expression is slow, so it is shown the letters that are not ASCII only
        bare = _BARE.findall(others.decode("utf-8", "surrogatepass"))
        total += BARE * sum(map(len, bare))
    total += DENSE * _dense(raw)
    total += BLANK * raw.translate(_ZEROS).count(b" 0")
    return -(-total // TWELFTHS)


def _dense(raw: bytes) -> int:
    """Return how many letters stand in what is no word."""
    flat = raw.translate(_FLAT) + b" "
    letters, start = 0, flat.find(_DENSE)
    while start >= 0:
        end = flat.index(b" ", start)
        letters += end - start
        start = flat.find(_DENSE, end)
    return letters
