"""Questions as words alone, and what two of them are compared by."""

import re

from glassmind.files.resolve import fold

_FILTERS = re.compile(r"\b(tag|path|file|before|after):", re.IGNORECASE)
_DASHES = re.compile(r"(?:^|(?<=\s))-+(?=\S)")
_SIGNS = str.maketrans(dict.fromkeys('"“”[]*', " "))
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORDS = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")


def plain(text: str) -> str:
    """Return a question as words alone: what it quotes or names is not an operator."""
    bare = _FILTERS.sub(r"\1 ", text.translate(_SIGNS))
    return " ".join(_DASHES.sub("", " ".join(bare.split())).split())


def key_of(text: str) -> str:
    """Return what two queries, or a query and a name, are compared by."""
    return " ".join(_WORDS.findall(fold(text)))


def size_of(text: str) -> int:
    """Return how many words a text has; a Chinese, Japanese or Korean letter is one."""
    return len(_WORDS.findall(text))
