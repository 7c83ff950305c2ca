"""Text cut into what a model can read at once.

A chunk that is longer than a model's window is embedded in several windows of equal
size, each with the chunk's context before it; so no sentence is lost at the end of a
long chunk, and no window is a mere rest.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordPiece

from glassmind.errors import ModelAbsent, ModelDamaged
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import ModelCard

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
        pieces = isinstance(self._tokenizer.model, WordPiece)
        return pieces and self._tokenizer.normalizer.normalize_str("Ab1") == "ab1"

    def framed(self, ids: Sequence[int]) -> list[int]:
        """Return tokens between the marks of the model's ends, if it has any."""
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
