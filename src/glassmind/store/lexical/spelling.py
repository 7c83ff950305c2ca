"""Guessing which known word an unknown one was meant to be.

Only a word the vault does not hold is guessed at, so a rare name is never "corrected".
"""

from glassmind.store.lexical import words
from glassmind.store.lexical.statistics import WordStatistics

SHORTEST, LONG = 4, 8
"""Letters: shorter words resemble too many others; longer ones may hold two slips."""

MOST = 20
"""Most guesses for one word, the most frequent first."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def guesses(word: str, statistics: WordStatistics) -> list[str]:
    """Return visible words one slip away from `word`, the most frequent first.

    A slip is a letter too many, too few, wrong, or swapped with its neighbour. In the
    first letter it is found for the letters of English.
    """
    if not is_guessable(word):
        return []
    found: dict[str, int] = {}
    stem = words.stemmed.analyze(word)[0]
    fields = [("body", word), ("title", stem), ("headings", stem)]
    for field, wanted in fields if len(stem) >= SHORTEST else fields[:1]:
        for start in _starts(wanted):
            for term, _ in statistics.searcher.terms_with_prefix(field, start):
                if one_slip(wanted, term) and (count := statistics.count(field, term)):
                    found[term] = max(count, found.get(term, 0))
    return sorted(found, key=lambda term: (-found[term], term))[:MOST]


def is_guessable(word: str) -> bool:
    """Whether the word may be a slip: long enough, and no number or code."""
    return len(word) >= SHORTEST and not any(letter.isdigit() for letter in word)


def _starts(word: str) -> list[str]:
    """Return how every word one slip away begins; few words begin like the longer ones.

    The first letter stands unless the slip is in it: then it is one too many, swapped,
    lost or wrong.
    """
    lost = (letter + word[:2] for letter in LETTERS)
    wrong = (letter + word[1:3] for letter in LETTERS)
    starts = (word[0], word[1:3], word[1] + word[0], *lost, *wrong)
    longer = (s for s in dict.fromkeys(starts) if s == word[0] or s[0] != word[0])
    return list(longer)


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
