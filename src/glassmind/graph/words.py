"""Names with what people vary in them taken away: case, accents, marks, plurals, slips.

Each function takes one kind of difference away, so that whoever compares two names can
say by which of them they differ. English is the only language whose plurals are known.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from glassmind.files.settings import ObsidianSettings, obsidian_settings
from glassmind.obsidian.text import fold

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
    """Return a name without case, accents and marks; a name of marks alone as it is."""
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
    return tuple(folded(text).split())


@lru_cache(maxsize=8_192)  # the same few keys and tags stand in every note
def key_form(text: str) -> str:
    """Return a property's name or a tag's folded, `dueDate` like `due-date`."""
    return folded(_HUMP.sub(" ", text))


@lru_cache(maxsize=65_536)  # the words of a large vault's names
def singular(word: str) -> str:
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
    return " ".join([singular(word) for word in form.split()])


def slips_between(a: str, b: str, most: int) -> int | None:
    """Count letters too many, too few, wrong or swapped; None for more than `most`."""
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


_OPENING = re.compile(
    r"\s*(?:>\s*)*(?:\[![^\]]*\][-+]?|[-+*]|\d+[.)]|#{1,6})?\s*(?:\[.\])?"
    r"[\s*_\"'\u201c(\[]*"
)
"""What may stand in a line before its first word: marks of quotes, callouts, lists,
headings and tasks."""

_FOOTNOTE = re.compile(r"(?:\[\^[^\]]*\])+$")
_BEFORE_WORD = " *_\"'\u201c([\u00ab\u2018"
_ENDS = tuple(".!?:|\u2026")  # what ends a sentence, or a cell of a table

LOOKED_AT = 200
"""Letters ahead of a word that say whether it opens a sentence, and more than enough:
a line may be as long as a note."""

UNSEEN = "x"  # stands for what is not looked at, which is no opening of a line


def opens(ahead: str) -> bool:
    """Return whether a word opens a sentence; `ahead` is its line before it."""
    if _OPENING.fullmatch(ahead):
        return True
    return _FOOTNOTE.sub("", ahead.rstrip(_BEFORE_WORD)).endswith(_ENDS)


TEMPLATE_FOLDERS = frozenset(["templates", "template", "_templates"])
"""Names that people give to such a folder where no setting names it."""

_DAY = re.compile(
    r"\d{4}(?:[-_. ]?(?:\d{2}|[wW]\d{1,2}|[qQ][1-4])(?:[-_. ]?\d{2})?)?"
    r"(?:[-_. ,]+[^\W\d]{2,9})?"
)
"""A year, month, week, quarter or day, maybe with a weekday behind it."""

_PLACEHOLDER = re.compile(r"\{\{|\}\}|<%|%>")


class Habits(NamedTuple):
    """The folders of templates and of days, folded, each with a `/` at its end."""

    templates: tuple[str, ...] = ()
    days: tuple[str, ...] = ()

    def is_template(self, path: str) -> bool:
        folded = fold(path)
        folders = folded.split("/")[:-1]
        return folded.startswith(self.templates) or not TEMPLATE_FOLDERS.isdisjoint(
            folders
        )

    def is_day(self, path: str) -> bool:
        name = path.rpartition("/")[2].removesuffix(".md")
        return is_date(name) or (bool(self.days) and fold(path).startswith(self.days))


def is_date(name: str) -> bool:
    return _DAY.fullmatch(name.strip()) is not None


def is_placeholder(name: str) -> bool:
    return _PLACEHOLDER.search(name) is not None


def habits_of(root: Path) -> Habits:
    """Return the habits of a vault; settings that cannot be read count as absent."""
    return habits_in(obsidian_settings(root))


def habits_in(settings: ObsidianSettings) -> Habits:
    return Habits(
        tuple(f"{fold(folder)}/" for folder in settings.template_folders),
        tuple(f"{fold(folder)}/" for folder in settings.day_folders),
    )
