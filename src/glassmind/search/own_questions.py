"""Questions that a vault asks itself: whoever links to a note says what it is about.

The words that a link shows ask for what it leads to, and so does the sentence around it
without it. The note that holds the link is no answer to them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from glassmind.model import NotePath
from glassmind.model.clues import LinkClue
from glassmind.search.plain import key_of, plain, size_of

FEWEST, MOST = 5, 60
"""Words of a sentence that says something; longer ones are no sentence any more."""

PER_TARGET = 3
"""Questions about one note: a hub would outweigh all others."""

_WIKI = re.compile(r"!?\[\[([^\]|\n]*)(?:\|([^\]\n]*))?\]\]")
_INLINE = re.compile(r"!?\[([^\[\]]*)\]\(<?([^()<>]*)>?\)")
_MARKS = str.maketrans(dict.fromkeys("*_`~|<>=…", " "))


class OwnQuestion(NamedTuple):
    """A question that `target` answers, and the note that it was taken from."""

    text: str
    source: NotePath
    target: NotePath


def own_questions(clues: Iterable[LinkClue], most: int) -> list[OwnQuestion]:
    """Return the questions of some links, each once, in the order of these."""
    found: list[OwnQuestion] = []
    known: set[str] = set()
    about: Counter[NotePath] = Counter()
    for clue in clues:
        for text in _texts(clue):
            key = key_of(text)
            if len(found) >= most or about[clue.target] >= PER_TARGET or key in known:
                continue
            known.add(key)
            about[clue.target] += 1
            found.append(OwnQuestion(text, clue.source, clue.target))
    return found


def _texts(clue: LinkClue) -> Iterator[str]:
    """Yield what a link asks: more than the name of what it leads to."""
    name = clue.target.removesuffix(".md").rpartition("/")[2]
    shown = plain(clue.shown)
    key = key_of(shown)
    said = any(letter.isalpha() for letter in key)
    if said and key not in {key_of(clue.title), key_of(name)}:
        yield shown
    around = _without_link(clue)
    if FEWEST <= size_of(around) <= MOST:
        yield around


def _without_link(clue: LinkClue) -> str:
    """Return the sentence around a link as it reads, without what it shows."""
    name = clue.written.rpartition("/")[2].removesuffix(".md")

    def leads_there(written: str) -> bool:
        place = unquote(written.partition("#")[0]).strip()
        return place.rpartition("/")[2].removesuffix(".md") == name

    def wiki(found: re.Match[str]) -> str:
        return " " if leads_there(found[1]) else found[2] or found[1]

    def inline(found: re.Match[str]) -> str:
        return " " if leads_there(found[2]) else found[1]

    text = _INLINE.sub(inline, _WIKI.sub(wiki, clue.sentence))
    return plain(text.translate(_MARKS))
