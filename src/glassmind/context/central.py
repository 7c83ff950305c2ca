"""The sentences that stand for many: those nearest to the centre of all.

A sentence is the words it holds, each weighed by how few sentences hold it. The centre
is the sum of all of them, and a sentence counts by its cosine to it, as in the
centroid method of Radev, Jing, Styś and Tam (2004). No model is needed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum, log, sqrt

SAME = 0.6
"""Share of the words of the shorter from which two sentences say the same."""

_WORD = re.compile(r"[^\W_]+")
_SHORT = 2
"""Letters of words that say nothing, such as `of`; in other scripts two say much."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a sentence that may say what it is about."""
    found = _WORD.findall(text.lower())
    return frozenset([w for w in found if len(w) > _SHORT or not w.isascii()])


def centrality(sentences: Sequence[frozenset[str]]) -> list[float]:
    """Return how near each sentence is to the centre of all, from 0 to 1."""
    held = Counter(word for words in sentences for word in sorted(words))
    total = len(sentences)
    weights = {word: log((1 + total) / count) for word, count in sorted(held.items())}
    lengths = [sqrt(fsum(weights[w] ** 2 for w in words)) for words in sentences]
    parts: dict[str, list[float]] = {word: [] for word in weights}
    for words, length in zip(sentences, lengths, strict=True):
        for word in words:
            parts[word].append(weights[word] / length)
    centre = {word: fsum(shares) for word, shares in parts.items()}
    far = sqrt(fsum(value**2 for value in centre.values())) or 1.0
    return [
        fsum(centre[w] * weights[w] for w in words) / (length * far) if words else 0.0
        for words, length in zip(sentences, lengths, strict=True)
    ]


def is_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two sentences say the same."""
    return len(words & others) >= SAME * max(1, min(len(words), len(others)))
