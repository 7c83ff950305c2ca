"""The words of a text, whatever marks stand around them, and where each stands.

A quote is held against a note word by word: case, blanks, quotation marks, dashes and
the marks of Markdown do not count, nor does what nobody sees who reads the note. A
figure is one word with its points and its sign, and signs that change what it means,
such as `%` and `€`, are words. Where a script has no blanks, each letter is one.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from glassmind.obsidian.hidden_text import INVISIBLE, comment_spans

UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Thai, Lao, Tibetan, Burmese, Khmer, kana and Chinese."""

_UNSEEN = re.compile(f"[{INVISIBLE}]+")
_ADDRESS = r"\((?:<[^<>\n]*+>|(?:[^\s()]|\([^\s()]*+\))*+)(?:[ \t]+\"[^\"\n]*+\")?"
_SCAN = re.compile(
    r"!?\[\[(?P<target>[^\[\]\n|]++)(?:\|(?P<alias>[^\[\]\n]*+))?\]\]"
    r"|!?\[(?P<label>[^\[\]\n]*+)\]"
    rf"{_ADDRESS}\)"
    # the end of a link whose beginning was cut off or stands on another line
    rf"|\]{_ADDRESS}(?:\)|\Z)"
    # a footnote, the head of a callout, a box to tick, a tag of HTML
    r"|\[\^[^\[\]\s]++\]|\[![\w-]++\][+-]?|\[[ xX/-]\]"
    r"|</?[A-Za-z][A-Za-z0-9-]*+(?:[ \t][^<>\n]*+)?>"
    r"|(?P<word>\d{4}-\d\d-\d\d(?!\d)"
    r"|(?<![^\s(|*_`\"'])[-\u2212\u2013]?\d++(?:[.,:]\d++)*+"
    r"|\d++(?:[.,:]\d++)*+"
    f"|[{UNSPACED}]"
    f"|(?:[^\\W\\d_{UNSPACED}]|[\u0300-\u036f{INVISIBLE}])++(?:\\+\\+|#(?!\\w))?"
    r"|[%‰°€£¥₹≤≥≠≈±√∞¬]|\$(?=\d)|(?<=\d)\$|(?<=\d )\$)"
)
_ITEM = re.compile(r"^[ \t>]*(\d{1,9})[.)](?=[ \t]|$)", re.MULTILINE)
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t]))\^[A-Za-z0-9-]+[ \t\r]*$", re.MULTILINE)
_MINUS = str.maketrans("\u2212\u2013", "--")
_LETTER = re.compile(f"[{UNSPACED}]")
_APART = "\x1f"


class Word(NamedTuple):
    """A word in its one form, and the characters that it was read from.

    The first and the last word that a link shows have its brackets too. `is_item`
    where it is the number of an item in a list.
    """

    key: str
    start: int
    end: int
    is_item: bool = False

    @property
    def is_letter(self) -> bool:
        """Whether it is one letter of a script without blanks."""
        return _LETTER.match(self.key) is not None


def words_of(text: str) -> list[Word]:
    """Return the words that are seen of a text, in order."""
    shown = _masked(text)
    items = {match.start(1) for match in _ITEM.finditer(shown)}
    return list(_words(shown, 0, len(shown), items))


def in_a_row(words: Iterable[Word]) -> str:
    """Return words as a text in which no other words in a row are found."""
    return "".join(f"{_APART}{word.key}" for word in words) + _APART


def _masked(text: str) -> str:
    """Return a text of the same length with blanks for what is not seen of it."""
    parts, at = [], 0
    stretches = comment_spans(text) if "<!--" in text or "%%" in text else []
    for start, end in stretches:
        blank = re.sub(r"[^\n]", " ", text[start:end])
        parts += [text[at:start], blank]
        at = end
    shown = "".join([*parts, text[at:]])
    return _BLOCK_ID.sub(lambda found: " " * len(found[0]), shown)


def _words(text: str, at: int, end: int, items: set[int]) -> Iterator[Word]:
    for found in _SCAN.finditer(text, at, end):
        group = found.lastgroup
        if group == "word":
            start, until = found.span()
            for key in _keys(found[0]):
                yield Word(key, start, until, start in items)
        elif group is not None:
            yield from _linked(text, found, found.span(group))


def _linked(text: str, link: re.Match[str], shown: tuple[int, int]) -> Iterator[Word]:
    """Yield the words that a link shows."""
    inside = list(_words(text, *shown, set()))
    if inside:
        inside[0] = inside[0]._replace(start=link.start())
        inside[-1] = inside[-1]._replace(end=link.end())
    yield from inside


_PARTS = re.compile(r"\d{4}-\d\d-\d\d|-?\d+(?:[.,:]\d+)*|[^\d\s]+")


@lru_cache(maxsize=20_000)
def _keys(word: str) -> tuple[str, ...]:
    """Return the one form of a word; few are more than one in it, such as `m²`."""
    plain = normalize("NFKC", _UNSEEN.sub("", word)).casefold().translate(_MINUS)
    return tuple(_PARTS.findall(normalize("NFKC", plain)))
