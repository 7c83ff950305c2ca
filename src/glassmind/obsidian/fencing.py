"""A word that a text does not hold, for marks that the text can then not close.

It is chosen after reading the text, and stands in it in no case or width of letters,
also not with blanks or letters that nobody sees between them.
"""

import re
import unicodedata
from hashlib import sha256

_APART = re.compile(r"[\W_]+")
"""What may stand between the letters of a word that reads as one all the same."""

MARK_CHARS = 8
"""Letters of the word; it is made longer where a text should hold it."""


def absent_word(text: str) -> str:
    """Return a word that does not stand in the text; the same text has the same."""
    folded = _APART.sub("", unicodedata.normalize("NFKC", text).casefold())
    seed = text.encode("utf-8", "surrogatepass")
    while True:
        found = sha256(seed).hexdigest()
        for length in range(MARK_CHARS, len(found) + 1):
            if found[:length] not in folded:
                return found[:length]
        seed = found.encode()
