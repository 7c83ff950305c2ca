"""Whether a statement has to do with what it cites, as far as words can tell.

A true quote proves nothing by standing in a note. So a statement shares a word that
says something with the sentence that it cites; its figures, and most of its names,
stand there or close by; and it does not leave out a `not`. That it follows from the
sentence is not checked.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from glassmind.context.answers.figures import (
    familiar_figures,
    known_figures,
    strange_figures,
)
from glassmind.context.answers.languages import (
    CALENDAR,
    EVERY_STOP,
    are_foreign,
    denials,
    languages_of,
)
from glassmind.context.answers.words import in_a_row, words_of

SHARED = 4
"""Letters that two forms of a word begin with, at least, if neither is in the other."""

ENDING = 3
"""Letters that may differ at the end of such words: sells and selling."""

TOO_SHORT = "the quote is too short to support it"
SAYS_NOTHING = "it shares no word with what it cites"
LEFT_OUT = "the sentence says not"

_NAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_TARGET = re.compile(r"(?<=\[\[)[^\[\]|]*\||(?<=\])\([^()\s]*\)")
"""Where a link leads, which is not read."""
_BEGINS = re.compile(r"(?:^|[.!?:]\s+)[\s\"'(\u201c\u2018\u201e\u00ab*_-]*\Z")
"""What stands before the first word of a sentence, which has a capital anyway."""


class Ground(NamedTuple):
    """What a statement is held against.

    `cited` are the sentences that hold the quote, `named` the columns of their table,
    `block` all of their paragraph, `about` the headings and the title above it. `rest`
    is what they say beside the quote, and `whole` the source.
    """

    number: int
    cited: str
    rest: str
    block: str
    whole: str
    named: str = ""
    about: tuple[str, ...] = ()

    @property
    def near(self) -> tuple[str, ...]:
        """What stands close enough to take figures and names from."""
        return (self.block, self.named, *self.about)


def problem_of(
    text: str, quote: str, question: str, ground: Ground, *, is_short: bool
) -> str:
    """Return why what is cited does not bear a statement out; empty where it does."""
    if is_short and words_of(ground.rest):  # and not all of a sentence
        apart = _too_short(text, quote, question, ground)
    else:
        apart = "" if holds(quote, text) else _unshared(text, ground)
    return (
        _strange(text, question, ground)
        or _unnamed(text, question, ground)
        or apart
        or _denied(text, ground)
    )


def holds(text: str, quote: str) -> bool:
    """Whether the words of a quote stand in a row in a text."""
    return in_a_row(words_of(quote)) in in_a_row(words_of(text))


def _too_short(text: str, quote: str, question: str, ground: Ground) -> str:
    """Hold a name or figure that is quoted alone against more of its sentence."""
    if not holds(text, quote):
        return TOO_SHORT
    own = content_of(quote)
    said = content_of(text) - own or content_of(question) - own
    around = content_of(" ".join((ground.cited, ground.named, *ground.about))) - own
    return "" if shared(said, around) else TOO_SHORT


def _strange(text: str, question: str, ground: Ground) -> str:
    known, asked = known_figures(ground.near), known_figures([question])
    strange = strange_figures(text, known)
    if not strange:
        return ""
    unasked = set(strange_figures(text, asked))
    anchored = unasked & set(familiar_figures(text, known)) or any(
        _stands(name, [ground.cited]) and not _stands(name, [question])
        for name in _names(text)
    )
    if anchored and not unasked & set(strange):
        return ""
    first = next((one for one in strange if one in unasked), strange[0])
    if strange_figures(first, known_figures([ground.whole])):
        return f"{first} does not stand in source {ground.number}"
    return f"{first} stands elsewhere in source {ground.number} than what is cited"


def _unnamed(text: str, question: str, ground: Ground) -> str:
    """Look for the names of a statement; in German, every noun has a capital."""
    if "de" in languages_of(_keys(text)):
        return ""
    names = _names(text)
    places = (*ground.near, question)
    missing = [name for name in names if not _stands(name, places)]
    if 2 * len(missing) < len(names) or not missing:
        return ""
    return f"{missing[0]} does not stand in what it cites"


def _names(text: str) -> list[str]:
    """Return the words of a text that have a capital for what they are."""
    found = []
    text = _TARGET.sub("", text)
    for match in _NAME.finditer(text):
        word, key = match[0], match[0].casefold()
        is_name = word[0].isupper() and key not in EVERY_STOP | CALENDAR
        if is_name and not _BEGINS.search(text[: match.start()][-40:]):
            found.append(word)
    return list(dict.fromkeys(found))


def _stands(name: str, texts: Iterable[str]) -> bool:
    parts = content_of(name)
    there = {key for text in texts for key in _keys(text)}
    return all(shared({part}, there) for part in parts)


def _unshared(text: str, ground: Ground) -> str:
    cited = f"{ground.cited} {ground.named}"
    if shared(content_of(text), content_of(cited)):
        return ""
    if are_foreign(_keys(text), _keys(cited)):
        # no word need be alike in two languages, but figures are
        known = known_figures([cited])
        return "" if familiar_figures(text, known) else SAYS_NOTHING
    return SAYS_NOTHING


def _denied(text: str, ground: Ground) -> str:
    """Look for a `not` that a statement has not, beside its quote or of its words."""
    if denials(text):
        return ""
    if denials(ground.rest):
        return LEFT_OUT
    said = content_of(text)
    for _, end in denials(ground.cited):
        following = [key for key in _keys(ground.cited[end:]) if _says(key)]
        if following and shared({following[0]}, said):
            return LEFT_OUT
    return ""


def content_of(text: str) -> frozenset[str]:
    """Return the words of a text that say something.

    Figures are none of them. Where a script has no blanks, two letters in a row are.
    """
    words = words_of(text)
    found = {word.key for word in words if not word.is_letter and _says(word.key)}
    pairs = pairwise(words)
    found |= {
        one.key + other.key
        for one, other in pairs
        if one.is_letter and other.is_letter and one.end == other.start
    }
    return frozenset(found)


def _says(key: str) -> bool:
    return key not in EVERY_STOP and len(key) > 1 and key.isalpha()


def _keys(text: str) -> list[str]:
    return [word.key for word in words_of(text)]


def shared(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a word of some is one of others, or a form of it."""
    known = set(others)
    return any(one in known or any(_alike(one, two) for two in known) for one in some)


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < SHARED - 1 or len(long) - len(short) > 2 * ENDING:
        return False
    if long.startswith(short):
        return len(short) >= SHARED or len(long) - len(short) < ENDING
    least = max(SHARED, len(short) - ENDING)
    return short[:least] == long[:least]
