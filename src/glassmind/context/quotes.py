"""The blocks of a text that a quote may be of: paragraphs, items, rows, properties.

A quote never runs from one into the next, since what stands in two rows of a table is
nobody's sentence. Headings and the heads of tables are no blocks: they say what is
spoken of, and nothing about it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from glassmind.context.note_lines import Block, blocks_of
from glassmind.context.proof import TOO_SHORT, CitedText, Word, in_a_row, words_of
from glassmind.model import Span
from glassmind.model.context import Citation, Source
from glassmind.obsidian.hidden_text import visible_text
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import sentence_spans


def around(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
    """Return the whole sentences, lines of code, or row that hold characters."""
    if block.kind == "code":
        first = text.rfind("\n", block.start, start) + 1 or block.start
        last = text.find("\n", end, block.end)
        return first, block.end if last < 0 else last
    if block.kind != "prose":
        return block.start, block.end
    spans = sentence_spans(text[block.start : block.end])
    moved = [(block.start + one, block.start + over) for one, over in spans]
    touched = [(one, over) for one, over in moved if over > start and one < end]
    if not touched:
        return start, end
    return min(start, touched[0][0]), max(end, touched[-1][1])


def cell_around(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
    """Return the cells of a row that hold characters; of any other block, all of it."""
    if block.kind != "row":
        return block.start, block.end
    first = text.rfind("|", block.start, start) + 1 or block.start
    last = text.find("|", end, block.end)
    return first, block.end if last < 0 else last


ENOUGH = 12
"""What a quote must weigh to prove something: a word is 4, a letter of a script without
blanks 1. Two words stand in too many places."""

MOST_PLACES = 12
"""Places of a source that are looked at where a quote stands at many."""

_WORD = 4
_ELLIPSIS = re.compile(r"\.{3,}|…|\. \. \.|\n")
"""Where parts of a quote may stand apart; its lines may be items or rows."""
_NAMELESS = re.compile(r"(?:^|[.!?]\s+|\n)[\s>*_#\d.)\[\]-]*\Z")
"""What stands before a word that has a capital for where it stands: no name by that."""


class QuotePlace(NamedTuple):
    """Characters of a block that a quote, or a part of one, is of."""

    start: int
    end: int
    block: Block


class Evidence(NamedTuple):
    """What bears a quote out: the sentences of one source, or why there are none.

    A quote `is_short` that proves something only as the answer itself: then what is
    made of it has to hold it.
    """

    citations: tuple[Citation, ...] = ()
    problem: str = ""
    is_short: bool = False
    ground: CitedText | None = None


class SourceText:
    """A source as quotes are looked for in it.

    `text` are its lines with nothing in them that must not leave; `shown` is what is
    seen of that.
    """

    def __init__(self, source: Source, text: str) -> None:
        self.source, self.text, self.shown = source, text, visible_text(text)
        # the number of an item says nothing of it
        words = [word for word in words_of(text) if not word.is_item]
        starts = [word.start for word in words]
        self._rows: list[_Row] = []
        for block in blocks_of(text):
            first, last = (bisect_left(starts, at) for at in (block.start, block.end))
            if first < last:
                self._rows.append(_Row(block, words[first:last]))

    def found(self, quote: str) -> Iterator[tuple[QuotePlace, ...]]:
        """Yield the places that a quote is of, each in one part or more."""
        words = [word for word in words_of(quote) if not word.is_item]
        is_whole = False
        for place in self._places(words):
            is_whole = True
            yield (place,)
        if not is_whole and (apart := self._apart(quote)):
            yield apart

    def _apart(self, quote: str) -> tuple[QuotePlace, ...]:
        """Return where the parts of a quote stand, in their order."""
        cut = (words_of(part) for part in _ELLIPSIS.split(quote))
        parts = [[word for word in part if not word.is_item] for part in cut]
        parts = [part for part in parts if part]
        if len(parts) < 2 or any(weight(part) < ENOUGH for part in parts):  # noqa: PLR2004
            return ()
        places: list[QuotePlace] = []
        for part in parts:
            after = places[-1].end if places else 0
            place = next(self._places(part, after), None)
            if place is None:
                return ()
            places.append(place)
        return tuple(places)

    def _places(self, words: Sequence[Word], after: int = 0) -> Iterator[QuotePlace]:
        sought = in_a_row(words)
        for row in self._rows:
            if words and row.block.end > after:
                yield from row.find(sought, len(words), after)

    def borne(self, places: Sequence[QuotePlace], *, is_short: bool) -> Evidence:
        """Return the sentences that hold some places, and all that is around them."""
        spans = [around(self.text, one.block, one.start, one.end) for one in places]
        return Evidence(
            tuple(self._citation(*span) for span in dict.fromkeys(spans)),
            "",
            is_short,
            self._ground(places, spans),
        )

    def _ground(
        self, places: Sequence[QuotePlace], spans: Sequence[tuple[int, int]]
    ) -> CitedText:
        blocks = dict.fromkeys(place.block for place in places)
        rest = []
        for place, (start, end) in zip(places, spans, strict=True):
            first, last = cell_around(self.text, place.block, place.start, place.end)
            first, last = max(start, first), min(end, last)
            rest += [self.text[first : place.start], self.text[place.end : last]]
        source = self.source
        return CitedText(
            source.number,
            cited=" ".join(visible_text(self.text[start:end]) for start, end in spans),
            rest=" ".join(map(visible_text, rest)),
            block="\n".join(
                visible_text(self.text[one.start : one.end]) for one in blocks
            ),
            whole=self.shown,
            named=" ".join(dict.fromkeys(one.head for one in blocks)),
            about=(source.title, *source.heading_path),
        )

    def _citation(self, start: int, end: int) -> Citation:
        """Return the note's own words at a place, with the receipt of their lines."""
        quote = self.text[start:end]
        start += len(quote) - len(quote.lstrip())
        quote = quote.strip()
        receipt = self._receipt(start, start + len(quote))
        return Citation(self.source.number, quote, receipt)

    def _receipt(self, start: int, end: int) -> str:
        source = self.source
        if not source.receipt or source.lines.start == source.lines.end:
            return source.receipt  # one line, of which not all need be here
        first, last = self.text.count("\n", 0, start), self.text.count("\n", 0, end)
        lines = "\n".join(source.text.split("\n")[first : last + 1])
        span = Span(source.lines.start + first, source.lines.start + last)
        heading = source.heading_path[-1] if source.heading_path else ""
        return receipt_of(source.path, heading, span, lines)

    def is_name(self, place: QuotePlace) -> bool:
        """Whether a figure or a name stands at a place, by how it is written."""
        start, end, _ = place
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
    """The words of a block in a row, made to be looked through."""

    def __init__(self, block: Block, words: Sequence[Word]) -> None:
        self.block, self._words = block, words
        self._starts: list[int] = []
        at = 0
        for word in words:
            self._starts.append(at)
            at += 1 + len(word.key)
        self._row = in_a_row(words)

    def find(self, sought: str, count: int, after: int) -> Iterator[QuotePlace]:
        """Yield the characters from `after` on that are so many words in a row."""
        at = -1
        while (at := self._row.find(sought, at + 1)) >= 0:
            first = bisect_right(self._starts, at) - 1
            start = self._words[first].start
            if start >= after:
                yield QuotePlace(start, self._words[first + count - 1].end, self.block)


def weight(words: Sequence[Word]) -> int:
    """Return what a quote weighs."""
    return sum(1 if word.is_letter else _WORD for word in words)


class SourceTexts:
    """The sources of an answer, by their numbers."""

    def __init__(self, pages: Sequence[SourceText]) -> None:
        self._pages = {page.source.number: page for page in pages}

    def borne(self, number: int | None, quote: str) -> Evidence:
        """Return what bears a quote out at the first of the places where it stands."""
        return next(self.every(number, quote))

    def every(self, number: int | None, quote: str) -> Iterator[Evidence]:
        """Yield what bears a quote out: in the source it names, and then in others.

        Models miscount; what counts is where the words stand. Where they stand nowhere,
        that is said once.
        """
        words = words_of(quote)
        if not words:
            yield Evidence(problem="no quote bears it out")
            return
        named = self._pages.get(number) if number is not None else None
        others = [page for page in self._pages.values() if page is not named]
        is_short, problem, stands = weight(words) < ENOUGH, "", False
        for page in [named, *others] if named else others:
            for places in islice(page.found(quote), MOST_PLACES):
                if is_short and not page.is_name(places[0]):
                    problem = TOO_SHORT
                else:
                    stands = True
                    yield page.borne(places, is_short=is_short)
        if not stands:
            nowhere = "the quote stands in no source"
            if named is not None:
                nowhere = f"the quote does not stand in source {number}"
            yield Evidence(problem=problem or nowhere)
