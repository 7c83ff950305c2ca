"""Names with what people vary in them taken away: case, accents, marks, plurals, slips.

Each function takes one kind of difference away, so that whoever compares two names can
say by which of them they differ. English is the only language whose plurals are known.
"""

import re
from functools import lru_cache
from unicodedata import normalize

_ACCENTS = re.compile("[\u0300-\u036f]")
"""Marks over Latin, Greek and Cyrillic letters; those of other scripts are letters."""

_SIGNS = ((re.compile(r"(?<=\w)\+"), " plus "), (re.compile(r"(?<=\w)#"), " sharp "))
"""Marks that are part of a name: `C++` and `C#` are not `C`."""

_GAPS = re.compile(r"[\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STATUSES = re.compile(r"[^aeiou]uses$")
"""Plurals of words in `us`: `viruses`, but not `houses`, `causes` or `uses`."""
_APOSTROPHES = str.maketrans("", "", "'\u2019\u02bc")

LEAST_SINGULAR = 3
"""Letters of a singular: `cat` is one for `cats`, `a` is none for `as`."""

SAME_IN_PLURAL = frozenset(
    ["news", "series", "species", "physics", "always", "lens", "does", "goes", "bias"]
)
"""Words that end like a plural and are none, as far as notes are named by them."""


def folded(text: str) -> str:
    """Return a name without case, accents and marks, its words a blank apart.

    A name of marks alone, such as an emoji, is left as it is.
    """
    if text.isascii():
        plain = text.lower()
        if plain.replace(" ", "").isalnum():  # most names: a fifth of the time
            return " ".join(plain.split())
    else:
        apart = normalize("NFKD", text).casefold()
        plain = normalize("NFC", _ACCENTS.sub("", normalize("NFKD", apart)))
    if "+" in plain or "#" in plain:
        for sign, word in _SIGNS:
            plain = sign.sub(word, plain)
    return " ".join(_GAPS.split(plain.translate(_APOSTROPHES))).strip() or plain.strip()


def words_in(text: str) -> tuple[str, ...]:
    """Return the folded words of a name."""
    return tuple(folded(text).split())


@lru_cache(maxsize=8_192)  # the same few keys and tags stand in every note
def key_form(text: str) -> str:
    """Return a property's name or a tag's folded, `dueDate` like `due-date`."""
    return folded(_HUMP.sub(" ", text))


@lru_cache(maxsize=65_536)  # the words of a large vault's names
def singular(word: str) -> str:
    """Return the singular of an English word, or the word as it is."""
    if word in SAME_IN_PLURAL or not word.isascii() or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > LEAST_SINGULAR + 1:  # but `pies`
        return f"{word[:-3]}y"
    for ending in ("sses", "xes", "zzes", "ches", "shes"):
        if word.endswith(ending) and len(word) - 2 >= LEAST_SINGULAR:
            return word[:-2]
    if _STATUSES.search(word):
        return word[:-2]
    return word[:-1] if len(word) > LEAST_SINGULAR else word


def in_singular(form: str) -> str:
    """Return a folded name with each of its words in the singular."""
    return " ".join([singular(word) for word in form.split()])


def slips_between(a: str, b: str, most: int) -> int | None:
    """Return how many slips make one text the other; None for more than `most`.

    A slip is a letter too many, too few, wrong, or swapped with its neighbour.
    """
    if abs(len(a) - len(b)) > most:
        return None
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            swapped = i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other
            row.append(min(cost, older[j - 2] + 1) if swapped else cost)
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None
