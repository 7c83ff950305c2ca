"""Text cut into what a model can read at once.

A chunk that is longer than a model's window is embedded in several windows of equal
size, each with the chunk's context before it; so no sentence is lost at the end of a
long chunk, and no window is a mere rest.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.errors import ModelAbsent, ModelDamaged
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import ModelCard
from glassmind.models.vectors import space_of
from glassmind.obsidian.text import most_tokens

if TYPE_CHECKING:
    from glassmind.model.vectors import Matrix, Vector

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
        marks = self._tokenizer.encode("").ids
        self.first, self.last = (marks[0], marks[-1]) if len(marks) > 1 else (-1, -1)

    def ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def count(self, word: str) -> int:
        given = [word.encode("utf-8", "replace").decode()]
        encoded = self._tokenizer.encode(
            given, is_pretokenized=True, add_special_tokens=False
        )
        return len(encoded)

    def framed(self, ids: Sequence[int]) -> list[int]:
        return [*ids] if self.first < 0 else [self.first, *ids, self.last]

    def query(self, text: str, max_tokens: int) -> list[int]:
        """Return the tokens of a question, cut after `max_tokens` with the marks."""
        return self.framed(self.first_ids(text, max_tokens - 2))

    def first_ids(self, text: str, tokens: int) -> list[int]:
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
    if not file.is_file():
        raise ModelAbsent(card.id)
    try:
        return WindowedTokenizer(file)
    except Exception as error:
        raise ModelDamaged(card.id, file.name) from error


MOST_WORDS = 100_000
"""Words whose counts are cached: those of a large vault, in some 10 MB."""

LONGEST_WORD = 100  # a BERT tokenizer takes more letters in a row for one unknown token
_PIECES = re.compile(rf"[^\W_]{{1,{LONGEST_WORD}}}|.", re.DOTALL)
_BLANKS = re.compile(r"\s{3,}|[^\S\x00-\x7f]+")
_ROWS = {"\n\n\n": 3, "\r\n\r\n": 2, "\t\t\t": 3, " " * 16: 1}
"""Blanks in a row that are tokens to some tokenizers, as are those outside of ASCII."""


class TokenCounter:
    """Counts with the tokenizer of a model, called `name`; threads may share it.

    What the model would not read counts as much as another might make of it: very long
    words, letters that it does not know, rows of blanks.
    """

    def __init__(self, tokenizer: WindowedTokenizer, name: str) -> None:
        self.name = name
        self._tokenizer, self._words = tokenizer, _Words(tokenizer)
        # to some, line ends and further blanks are tokens of their own
        plain = len(tokenizer.ids("a b"))
        self._adds_up = all(len(tokenizer.ids(t)) == plain for t in ("a\nb", "a  b"))

    def count(self, text: str, /) -> int:
        if not self._adds_up:
            return len(self._tokenizer.ids(text))
        total = sum(map(self._words.__getitem__, text.split()))
        for blanks in _BLANKS.findall(text):
            if blanks.isascii():
                total += sum(cost * blanks.count(row) for row, cost in _ROWS.items())
            else:
                total += most_tokens(blanks)
        return total


class _Words(dict[str, int]):
    def __init__(self, tokenizer: WindowedTokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, word: str) -> int:
        if len(word) > LONGEST_WORD:
            return sum(map(self.__getitem__, _PIECES.findall(word)))
        count = self._tokenizer.count(word)
        if not (word.isascii() and word.isprintable()):
            count = max(count, most_tokens(word))
        if len(self) > MOST_WORDS:
            self.clear()
        self[word] = count
        return count


ASCII_CHARS = 3
"""Characters of a token in plain text, on the safe side of the usual four."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // ASCII_CHARS) + len(text) - plain


def first_tokens(text: str, tokens: int) -> str:
    text = text[: tokens * ASCII_CHARS]
    while estimated_tokens(text) > tokens:
        text = text[: len(text) * 3 // 4]
    return text


def text_windows(part: Embeddable, prefix: str, window: int) -> list[str]:
    """Return the text of each window of a part, with its context; at least one."""
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


class FileEmbedder:
    """What is common to models whose files are in a folder."""

    def __init__(self, card: ModelCard, folder: Path) -> None:
        self._card, self._folder = card, folder
        self.space, self.width = space_of(card, card.weights.sha256), card.width

    def query(self, text: str, /) -> "Vector":
        asked = self._card.asked(text)
        return self._vector(self._tokenizer.query(asked, self._card.max_tokens))

    @cached_property
    def counter(self) -> TokenCounter:
        return TokenCounter(self._tokenizer, self._card.id)

    @cached_property
    def _tokenizer(self) -> WindowedTokenizer:
        return tokenizer_of(self._card, self._folder / "tokenizer.json")

    def _matrix(self, part: Embeddable) -> "Matrix":
        import numpy as np  # noqa: PLC0415 - not to list models

        card = self._card
        windows = self._tokenizer.windows(part, card.passage_prefix, card.window)
        return np.stack([self._vector(ids) for ids in windows])

    def _vector(self, ids: Sequence[int]) -> "Vector":
        raise NotImplementedError
