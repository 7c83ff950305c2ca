"""Guessing which known word an unknown one was meant to be.

Only a word the vault does not hold is guessed at, so a rare name is never "corrected".
"""

import tantivy

from glassmind.store.lexical import words

SHORTEST, LONG = 4, 8
"""Letters: shorter words resemble too many others; longer ones may hold two slips."""

MOST = 8
"""Most guesses for one word, the most frequent first."""


def guesses(word: str, searcher: tantivy.Searcher) -> list[str]:
    """Return known words one slip away from `word`, the most frequent first.

    A slip is a letter too many, too few, wrong, or swapped with its neighbour. A slip
    in the first letter is found when the second is right.
    """
    if len(word) < SHORTEST:
        return []
    found: dict[str, int] = {}
    stem = words.stemmed.analyze(word)[0]
    for field, wanted in (("body", word), ("title", stem), ("headings", stem)):
        for first in dict.fromkeys(wanted[:2]):
            for term, count in searcher.terms_with_prefix(field, first):
                if one_slip(wanted, term):
                    found[term] = max(count, found.get(term, 0))
    return sorted(found, key=lambda term: (-found[term], term))[:MOST]


def one_slip(a: str, b: str) -> bool:
    """Whether the words differ by exactly one insertion, loss, change or swap."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = 0
    shorter = min(len(a), len(b))
    while start < shorter and a[start] == b[start]:
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    if len(a) == len(b):
        changed = rest_a[1:] == rest_b[1:]
        swapped = rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]
        return changed or swapped
    longer, other = (rest_a, rest_b) if len(a) > len(b) else (rest_b, rest_a)
    return longer[1:] == other
