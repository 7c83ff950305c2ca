"""Text cut into what a model can read at once.

A chunk that is longer than a model's window is embedded in several windows of equal
size, each with the chunk's context before it; so no sentence is lost at the end of a
long chunk, and no window is a mere rest.
"""

import string
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from glassmind.errors import ModelAbsent, ModelDamaged
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import ModelCard
from glassmind.obsidian.text import most_tokens

CONTEXT_SHARE = 4
"""The context may take one part in so many of a window: a long heading path must not
push out the text. Measured with the rest of the default ranking."""


TOKEN_CHARS = 20
"""More than a token has, save for rare ones: what is cut anyway need not be read."""


class WindowedTokenizer:
    """A tokenizer that neither cuts nor fills up, whatever its file says of that.

    Model files carry both (one we use cuts after 128 tokens and fills up to 128): how
    much is read is for the card to say. Names of special tokens in a text are text.
    """

    def __init__(self, file: Path) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

        self._tokenizer = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self._read = self._tokenizer.model.tokenize
        marks = self._tokenizer.encode("").ids
        self.first, self.last = (marks[0], marks[-1]) if len(marks) > 1 else (-1, -1)

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without the marks at its ends."""
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def count(self, word: str) -> int:
        """Return how many tokens a word has.

        A plain word is given to the model of the tokenizer alone, where that tells as
        much: to set up all that surrounds it takes three times as long.
        """
        if self.folds_case and word.isascii() and word.isalnum():
            return len(self._read(word.lower()))
        return len(
            self._tokenizer.encode(
                [word], is_pretokenized=True, add_special_tokens=False
            )
        )

    @cached_property
    def folds_case(self) -> bool:
        """Whether plain words are parts of a vocabulary of small letters."""
        pieces = type(self._tokenizer.model).__name__ == "WordPiece"
        return pieces and self._tokenizer.normalizer.normalize_str("Ab1") == "ab1"

    def framed(self, ids: Sequence[int]) -> list[int]:
        return [*ids] if self.first < 0 else [self.first, *ids, self.last]

    def query(self, text: str, max_tokens: int) -> list[int]:
        """Return the tokens of a question, cut after `max_tokens` with the marks."""
        return self.framed(self.first_ids(text, max_tokens - 2))

    def first_ids(self, text: str, tokens: int) -> list[int]:
        """Return the first tokens of a text, without marks."""
        return self.ids(text[: tokens * TOKEN_CHARS])[:tokens]

    def windows(self, part: Embeddable, prefix: str, window: int) -> list[list[int]]:
        """Return the tokens of each window of a part; at least one."""
        before = self.ids(prefix) if prefix else []
        if part.context:
            before += self.first_ids(part.context, window // CONTEXT_SHARE)
        body = self.ids(part.text)
        return [
            self.framed([*before, *body[start:end]])
            for start, end in balanced(len(body), window - 2 - len(before))
        ]


def balanced(length: int, room: int) -> list[tuple[int, int]]:
    """Return the ends of as few equal parts of a length as fit the room."""
    count = max(1, -(-length // room))
    size = -(-length // count)
    return [(n * size, min((n + 1) * size, length)) for n in range(count)]


def tokenizer_of(card: ModelCard, file: Path) -> WindowedTokenizer:
    """Return the tokenizer of a model.

    Raises:
        ModelAbsent: there is no such file.
        ModelDamaged: it holds no tokenizer.
    """
    if not file.is_file():
        raise ModelAbsent(card.id)
    try:
        return WindowedTokenizer(file)
    except Exception as error:
        raise ModelDamaged(card.id, file.name) from error


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


ASCII_CHARS = 3
"""Characters of a token in plain text, on the safe side of the usual four."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few.

    Letters outside of ASCII count as a token each, as most of those of scripts without
    spaces are.
    """
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // ASCII_CHARS) + len(text) - plain


def first_tokens(text: str, tokens: int) -> str:
    """Return as much of a text as has about so many tokens."""
    text = text[: tokens * ASCII_CHARS]
    while estimated_tokens(text) > tokens:
        text = text[: len(text) * 3 // 4]
    return text


def text_windows(part: Embeddable, prefix: str, window: int) -> list[str]:
    """Return the text of each window of a part, with its context; at least one.

    They are about equally long and cut between words where there are any.
    """
    context = first_tokens(part.context, window // CONTEXT_SHARE)
    before = f"{prefix}{context}\n" if context else prefix
    room = max(1, window - estimated_tokens(before))
    count = len(balanced(estimated_tokens(part.text), room))
    size = -(-len(part.text) // count)
    made, start = [], 0
    for _ in range(count - 1):
        end = _gap(part.text, start, min(start + size, len(part.text)))
        made.append(before + part.text[start:end])
        start = end
    made.append(before + part.text[start:])
    return made


def _gap(text: str, start: int, end: int) -> int:
    """Return the last blank before `end`, or `end` where no blank is near."""
    blank = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
    return blank if blank > start + (end - start) * 3 // 4 else end
