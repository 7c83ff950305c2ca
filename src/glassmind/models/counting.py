"""Counting tokens of texts by the lines and words they are made of.

A tokenizer that parts words at blanks and signs counts a text as the sum of its words,
and most lines and words of a bundle come again: looked up, they cost a tenth of reading
them. A vocabulary has an end, behind which whole words are one unknown token, and
letters without width are none: other tokenizers read these byte by byte, so an estimate
counts them, rather too many than too few.
"""

import string
from collections.abc import Iterator

from glassmind.models.windows import WindowedTokenizer
from glassmind.obsidian.text import most_tokens

MOST_WORDS = 100_000
"""Words that are remembered: those of a large vault, in some 10 MB."""

MOST_LINES, LONGEST_LINE = 40_000, 1_000
"""Lines that are remembered: those of 250 bundles, in some 10 MB; and the most letters
of one, so that images as text are not kept."""

LONGEST_WORD = 100
"""Letters of more than 100 in a row BERT takes for one unknown token, however many they
are; we count them by the hundred."""

SIGNS = string.punctuation.encode()
SIGN = b"\f"
"""What every sign becomes: it parts words as a blank does, and can be counted."""

_ODD_BLANKS = b"\f\x1c\x1d\x1e\x1f"
_PARTED = bytes.maketrans(SIGNS + _ODD_BLANKS, SIGN * len(SIGNS) + b" " * 5)
_SMALL = _PARTED.translate(
    bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())
)
"""How letters are read before words are looked up; by some models, as small ones."""

_WIDE_BLANKS = {
    blank: most_tokens(blank)
    for blank in "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    + "".join(map(chr, range(0x2000, 0x200B)))
}
"""Blanks of print, which part words, and what they count."""

LINE_ENDS, WIDE_ENDS, TABS = 3, 2, 3
"""What blanks in a row count, which to many tokenizers are tokens: three line ends, two
of two letters each, three tabs. Sixteen spaces are one."""


class TokenCounter:
    """Counts with the tokenizer of a model, called `name`; threads may share it."""

    def __init__(self, tokenizer: WindowedTokenizer, name: str) -> None:
        self.name = name
        self._tokenizer = tokenizer
        # to some, line ends and further blanks are tokens of their own
        plain = len(tokenizer.ids("a b"))
        self._adds_up = all(len(tokenizer.ids(t)) == plain for t in ("a\nb", "a  b"))
        self._lines = _Lines(tokenizer)

    def count(self, text: str, /) -> int:
        """Return how many tokens a text has.

        Where they add up word by word, what the model would not read counts as much
        as another might make of it: a very long word, letters that it does not know,
        rows of blanks.
        """
        if not self._adds_up:
            return len(self._tokenizer.ids(text))
        total = sum(map(self._lines.__getitem__, text.split("\n")))
        if "\n\n\n" in text or "\r" in text:
            total += LINE_ENDS * text.count("\n\n\n")
            total += WIDE_ENDS * text.count("\r\n\r\n")
        return total


class _Lines(dict[str, int]):
    """What lines count; a new one is counted when it is looked up.

    All are forgotten at times: whoever looks some up meanwhile counts them again.
    """

    def __init__(self, tokenizer: WindowedTokenizer) -> None:
        super().__init__()
        self._words = _Words(tokenizer)
        self._parted = _SMALL if tokenizer.folds_case else _PARTED
        signs = {sign: tokenizer.count(sign) for sign in string.punctuation}
        self._dearer = {sign: many - 1 for sign, many in signs.items() if many != 1}

    def __missing__(self, line: str) -> int:
        words = line
        count = TABS * line.count("\t\t\t") + line.count(" " * 16)
        if not line.isascii():
            for blank in [blank for blank in _WIDE_BLANKS if blank in line]:
                count += _WIDE_BLANKS[blank] * line.count(blank)
                words = words.replace(blank, " ")
        parted = words.encode("utf-8", "surrogatepass").translate(self._parted)
        count += parted.count(SIGN) + sum(map(self._words.__getitem__, parted.split()))
        for sign, more in self._dearer.items():
            count += more * line.count(sign)
        if len(line) <= LONGEST_LINE:
            if len(self) > MOST_LINES:
                self.clear()
            self[line] = count
        return count


class _Words(dict[bytes, int]):
    """What words without signs count; a new one is counted when it is looked up."""

    def __init__(self, tokenizer: WindowedTokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, word: bytes) -> int:
        if word.isalnum() and len(word) <= LONGEST_WORD:
            count = self._tokenizer.count(word.decode())
        else:
            text = word.decode("utf-8", "surrogatepass")
            if len(text) > LONGEST_WORD:
                return sum(map(self.__getitem__, _hundreds(text)))
            count = self._tokenizer.count(text)
            # plain ASCII it reads as others do; elsewhere an unknown token may be many
            if not (text.isascii() and text.isprintable()):
                count = max(count, most_tokens(text))
        if len(self) > MOST_WORDS:
            self.clear()
        self[word] = count
        return count


def _hundreds(text: str) -> Iterator[bytes]:
    """Yield a word in parts that are short enough."""
    for start in range(0, len(text), LONGEST_WORD):
        part = text[start : start + LONGEST_WORD]
        yield part.encode("utf-8", "surrogatepass")
