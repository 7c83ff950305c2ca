"""Quotes of a model, looked for in the sources it was given.

What is promised of a quote that is found: its words stand in the source in that order,
all of them, with none left out but where the quote itself says `...`. What is cited is
then the note's own stretch, to the letter, under the receipt of its lines. It is not
promised that what a model makes of the quote follows from it.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from glassmind.answers.words import Word, words_of
from glassmind.markdown.receipts import receipt_of
from glassmind.markdown.unseen import seen
from glassmind.types import Span
from glassmind.types.answers import Citation, Source

ENOUGH = 12
"""What a quote must weigh to prove something: a word is 4, a letter of a script without
blanks 1. Two words stand in too many places."""

_WORD = 4
_APART = "\x1f"
_ELLIPSIS = re.compile(r"\.{3,}|…|\. \. \.")
_OPENS = "*_`=~\"'“‘«„"  # noqa: RUF001 - quotation marks as people write them
_CLOSES = "*_`=~\"'”’».,;:!?…"  # noqa: RUF001
_NAMELESS = re.compile(r"(?:^|[.!?]\s+|\n)[\s>*_#\d.)\[\]-]*\Z")
"""What stands before a word that has a capital for where it stands: no name by that."""


class Borne(NamedTuple):
    """What bears a quote out: the stretches of one source, or why there are none.

    A quote `is_short` that proves something only as the answer itself: then what is
    made of it has to hold it.
    """

    citations: tuple[Citation, ...] = ()
    problem: str = ""
    is_short: bool = False


class Page:
    """A source as quotes are looked for in it.

    `text` are its lines with nothing in them that must not leave; `shown` is what is
    seen of that.
    """

    def __init__(self, source: Source, text: str) -> None:
        self.source, self.text, self.shown = source, text, seen(text)
        self.words = words_of(text)
        bare = [word for word in self.words if not word.is_item]
        self._rows = [_Row(self.words)]
        if len(bare) < len(self.words):
            self._rows.append(_Row(bare))

    def found(self, quote: str) -> tuple[tuple[int, int], ...]:
        """Return the characters that a quote is of, in one part or more."""
        words = words_of(quote)
        whole = self._place(words, 0)
        if whole is not None:
            return (whole,)
        parts = [words_of(part) for part in _ELLIPSIS.split(quote)]
        parts = [part for part in parts if part]
        if len(parts) < 2 or any(weight(part) < ENOUGH for part in parts):  # noqa: PLR2004
            return ()
        places: list[tuple[int, int]] = []
        for part in parts:
            place = self._place(part, places[-1][1] if places else 0)
            if place is None:
                return ()
            places.append(place)
        return tuple(places)

    def _place(self, words: Sequence[Word], after: int) -> tuple[int, int] | None:
        """Return where words stand in a row; numbers of items may be left out."""
        bare = [word for word in words if not word.is_item]
        wanted = [words] if len(bare) in (0, len(words)) else [words, bare]
        for sought in wanted:
            for row in self._rows:
                place = row.find(sought, after)
                if place is not None:
                    return place
        return None

    def citation(self, place: tuple[int, int]) -> Citation:
        """Return the note's own words at a place, with the receipt of their lines."""
        start, end = self._widened(*place)
        source = self.source
        return Citation(source.number, self.text[start:end], self._receipt(start, end))

    def _receipt(self, start: int, end: int) -> str:
        source = self.source
        if not source.receipt or source.span.start == source.span.end:
            return source.receipt  # one line, of which not all need be here
        first, last = self.text.count("\n", 0, start), self.text.count("\n", 0, end)
        lines = "\n".join(source.text.split("\n")[first : last + 1])
        span = Span(source.span.start + first, source.span.start + last)
        heading = source.heading_path[-1] if source.heading_path else ""
        return receipt_of(source.path, heading, span, lines)

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        """Return a place with the marks that touch it."""
        while start and self.text[start - 1] in _OPENS:
            start -= 1
        while end < len(self.text) and self.text[end] in _CLOSES:
            end += 1
        return start, end

    def is_name(self, place: tuple[int, int]) -> bool:
        """Whether a figure or a name stands at a place, by how it is written."""
        start, end = place
        shown = self.text[start:end]
        if any(letter.isdigit() for letter in shown):
            return True
        words = re.findall(r"[^\W_]+", shown)
        if not words:
            return False
        if all(word.lower() == word.upper() for word in words):  # no such letters
            return sum(map(len, words)) > 1
        if any(word[0].islower() for word in words):
            return False
        return len(words) > 1 or not _NAMELESS.search(self.text[:start][-80:])


class _Row:
    """Words in a row, made to be looked through."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._starts: list[int] = []
        at = 0
        for word in words:
            self._starts.append(at)
            at += 1 + len(word.key)
        self._joined = _joined(words)

    def find(self, words: Sequence[Word], after: int) -> tuple[int, int] | None:
        """Return the first characters from `after` on that are such words."""
        if not words:
            return None
        sought, at = _joined(words), -1
        while (at := self._joined.find(sought, at + 1)) >= 0:
            first = bisect_right(self._starts, at) - 1
            start = self._words[first].start
            if start >= after:
                return start, self._words[first + len(words) - 1].end
        return None


def _joined(words: Sequence[Word]) -> str:
    return "".join(f"{_APART}{word.key}" for word in words) + _APART


def weight(words: Sequence[Word]) -> int:
    """Return what a quote weighs."""
    return sum(1 if word.is_letter else _WORD for word in words)


class Pages:
    """The sources of an answer, by their numbers."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = {page.source.number: page for page in pages}

    def page(self, number: int) -> Page:
        """Return the source that is cited by a number."""
        return self._pages[number]

    def borne(self, number: int | None, quote: str) -> Borne:
        """Return what bears a quote out: in the source it names, or else in another.

        Models miscount; what counts is where the words stand.
        """
        words = words_of(quote)
        if not words:
            return Borne(problem="no quote bears it out")
        named = self._pages.get(number) if number is not None else None
        others = [page for page in self._pages.values() if page is not named]
        is_short = weight(words) < ENOUGH
        for page in [named, *others] if named else others:
            places = page.found(quote)
            if places and (not is_short or page.is_name(places[0])):
                return Borne(tuple(map(page.citation, places)), "", is_short)
            if places:
                return Borne(problem="the quote is too short to bear it out")
        if named is None:
            return Borne(problem="the quote stands in no source")
        return Borne(problem=f"the quote does not stand in source {number}")


def holds(text: str, quote: str) -> bool:
    """Whether the words of a quote stand in a row in a text."""
    return _joined(words_of(quote)) in _joined(words_of(text))
