"""Reads what a model says, and checks it: its quote is in a source, and supports it.

A quote is compared with a note word by word: case, blanks, punctuation and Markdown do
not count, nor does what a reader of the note does not see. A quote never runs from one
paragraph, item or row into the next: the words of two rows are nobody's sentence.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

from glassmind.context.note_lines import Block, blocks_of
from glassmind.context.question_words import SAY_LITTLE
from glassmind.context.values import MONTHS, Value, figures_in, word_set
from glassmind.model import Span
from glassmind.model.context import Citation, Source, Statement
from glassmind.obsidian.hidden_text import INVISIBLE, comment_spans, visible_text
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import sentence_spans

# --- what a model writes --------------------------------------------------------

LONGEST = 4_000
"""Characters of one object: small models may repeat themselves until stopped."""

_OBJECT = re.compile(r'\{(?:[^{}"]++|"(?:[^"\\]|\\.)*+")*+\}', re.DOTALL)
_THINKING = re.compile("<think(?:ing)?>", re.IGNORECASE)
_THINKING_END = re.compile("</think(?:ing)?>", re.IGNORECASE)
_LONGEST_TAG = len("</thinking>")
_SOURCE_MARK = re.compile(r" ?(?<![\w\[])\[\d{1,2}\](?=(\w?))")
_SOURCE_NUMBER = re.compile(r"(?<![0-9.-])[0-9]{1,6}(?![0-9])")


class ModelStatement(NamedTuple):
    """A statement of a model, before it is checked."""

    source: int | None
    quote: str
    text: str


class ThinkingDone(NamedTuple):
    """Everything before this was the model thinking aloud."""


class AnswerReader:
    """Reads the statements of a model while it writes.

    A model is to write one JSON object, and many write more: words or a fence around
    it. So every object counts that has a `text` and no object inside. What is between
    `<think>` and `</think>` is not part of the answer.
    """

    def __init__(self) -> None:
        self.says_nothing = False
        """Whether the list of statements came, and was empty."""
        self.is_endless = False
        """Whether an object is longer than it has to be."""
        self._rest = ""

    def feed(self, piece: str) -> Iterator[ModelStatement | ThinkingDone]:
        self._rest += piece
        ends = list(_THINKING_END.finditer(self._rest))
        if ends:
            self._rest = self._rest[ends[-1].end() :]
            self.says_nothing = self.is_endless = False
            yield ThinkingDone()
        if (begun := _THINKING.search(self._rest)) is not None:
            self._rest = begun[0] + self._rest[begun.end() :][-_LONGEST_TAG:]
            return
        if "}" in piece:
            at = 0
            for match in _OBJECT.finditer(self._rest):
                at = match.end()
                with suppress(ValueError):
                    yield from self._statement(json.loads(match[0], strict=False))
            self._rest = self._rest[at:]
        if "{" not in self._rest:
            self._rest = self._rest[-_LONGEST_TAG:]
        self.is_endless |= len(self._rest) > LONGEST

    def _statement(self, found: dict[str, Any]) -> Iterator[ModelStatement]:
        self.says_nothing |= found.get("statements") == []
        number = _SOURCE_NUMBER.search(str(found.get("source", "")))
        text = " ".join(_whole(found.get("text", "")).split())
        text = _SOURCE_MARK.sub(lambda mark: " " if mark[1] else "", text).strip()
        if text:
            source = int(number[0]) if number else None
            yield ModelStatement(source, _whole(found.get("quote", "")), text)


def _whole(text: object) -> str:
    units = str(text or "").encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")


# --- words --------------------------------------------------------------------------

_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Thai, Lao, Tibetan, Burmese, Khmer, kana and Chinese: each letter is a word."""

_UNREAD = re.compile(
    r"(?<=\[\[)[^\[\]|\n]*+\||\]\([^()\s]*+(?:[ \t]\"[^\"\n]*+\")?\)"
    r"|</?[A-Za-z][^<>\n]*+>|\[\^[^\[\]\s]++\]|\[![\w-]++\][+-]?|\[[ xX/-]\]"
    r"|^[ \t>#]*+\d{1,9}[.)](?=[ \t]|$)|(?<![^\s])\^[A-Za-z0-9-]++[ \t\r]*$",
    re.MULTILINE,
)
"""Where a link leads, a tag of HTML, a footnote, a callout, a box, the number of an
item, and the id of a block."""

_WORD = re.compile(
    r"\d{4}-\d\d-\d\d(?!\d)"
    r"|(?<![^\s(|*_`\"'])[-\u2212\u2013]?\d++(?:[.,:]\d++)*+|\d++(?:[.,:]\d++)*+"
    f"|[{_UNSPACED}]|(?:[^\\W\\d_{_UNSPACED}]|[\u0300-\u036f{INVISIBLE}])++"
    r"(?:\+\+|#(?!\w))?|[%‰°€£¥₹≤≥≠≈±√∞¬]|\$(?=\d)|(?<=\d)\$|(?<=\d )\$"
)
_LETTER = re.compile(f"[{_UNSPACED}]")
_UNSEEN = re.compile(f"[{INVISIBLE}]+")
_MINUS = str.maketrans("\u2212\u2013", "--")

_CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch "
    "donnerstag freitag samstag sonntag am pm"
).union(MONTHS)
_GERMAN = word_set("der die das den dem des ein eine einen ist sind und im wurde wird")
_DENIES = re.compile(
    r"(?<![^\W_])(?:not|no(?!\.?\s?\d)|never|cannot|none|nobody|nothing|neither|nor"
    r"|nicht|kein(?:e|em|en|er|es)?|nie|niemals|niemand|nichts|ne|pas|jamais|nunca"
    r"|não|non(?!-)|niet|geen)(?![^\W_])|n['\u2019]t(?![^\W_])|[不没沒]",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_BEGINS = re.compile(r"(?:^|[.!?:]\s+)[\s\"'(\u201c\u2018\u201e\u00ab*_-]*\Z")
"""What is before the first word of a sentence, which has a capital anyway."""

FEWEST = 3
"""Words that a quote needs to prove something by itself; letters of a script without
blanks count a quarter."""

MOST_PLACES = 12
"""Places of a source that are looked at where a quote is at many."""

ALIKE = 4
"""Letters that two forms of a word have in common: sells and selling."""

TOO_SHORT = "the quote is too short to support it"
SAYS_NOTHING = "it shares no word with what it cites"
LEFT_OUT = "the sentence says not"


class Word(NamedTuple):
    """A word in its one form, and the characters that it was read from."""

    key: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    shown = _read(text)
    return [
        Word(_key(match[0]), match.start(), match.end())
        for match in _WORD.finditer(shown)
    ]


def _read(text: str) -> str:
    parts, at = [], 0
    for start, end in comment_spans(text) if "<!--" in text or "%%" in text else ():
        parts += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    shown = "".join([*parts, text[at:]])
    return _UNREAD.sub(lambda match: " " * len(match[0]), shown)


@lru_cache(maxsize=20_000)
def _key(word: str) -> str:
    plain = normalize("NFKC", _UNSEEN.sub("", word)).casefold().translate(_MINUS)
    return normalize("NFKC", plain)


def _keys(text: str) -> list[str]:
    return [word.key for word in words_of(text)]


def _says(key: str) -> bool:
    return key not in SAY_LITTLE and len(key) > 1 and key.isalpha()


def _content(text: str) -> set[str]:
    """Return the words that say something; in scripts without blanks, pairs of them."""
    words = words_of(text)
    pairs = {
        one.key + other.key
        for one, other in pairwise(words)
        if one.end == other.start
        and _LETTER.match(one.key)
        and _LETTER.match(other.key)
    }
    return pairs | {word.key for word in words if _says(word.key)}


def _shared(some: Iterable[str], others: Iterable[str]) -> bool:
    known = set(others)
    known |= {word[:ALIKE] for word in known if len(word) >= ALIKE}
    return any(word in known or word[:ALIKE] in known for word in some)


def holds(text: str, quote: str) -> bool:
    keys = _keys(quote)
    return next(_starts(_keys(text), keys), None) is not None


def _starts(keys: Sequence[str], sought: Sequence[str]) -> Iterator[int]:
    size = len(sought)
    for at in range(len(keys) - size + 1 if size else 0):
        if keys[at] == sought[0] and keys[at : at + size] == sought:
            yield at


# --- sources ------------------------------------------------------------------------


class _Cited(NamedTuple):
    """The sentence of a source that a quote is of, with what is around the two.

    `rest` is what the sentence, or the cell, says beside the quote; `near` what is
    close enough to take figures and names from.
    """

    citation: Citation
    sentence: str
    rest: str
    near: tuple[str, ...]


class SourceText:
    """A source as quotes are looked for in it.

    `text` are its lines with nothing in them that must not leave the machine; `shown`
    is what is seen of that.
    """

    def __init__(self, source: Source, text: str) -> None:
        self.source, self.text, self.shown = source, text, visible_text(text)
        words = words_of(text)
        starts = [word.start for word in words]
        self._blocks: list[tuple[Block, list[Word]]] = []
        for block in blocks_of(text):
            first, last = (bisect_left(starts, at) for at in (block.start, block.end))
            if first < last:
                self._blocks.append((block, words[first:last]))

    def find(self, quote: str) -> Iterator[_Cited]:
        sought = _keys(quote)
        places = (
            (block, words[at].start, words[at + len(sought) - 1].end)
            for block, words in self._blocks
            for at in _starts([word.key for word in words], sought)
        )
        for place in islice(places, MOST_PLACES):
            yield self._cited(*place)

    def _cited(self, block: Block, start: int, end: int) -> _Cited:
        text, source = self.text, self.source
        first, last = _around(text, block, start, end)
        left, right = first, last
        if block.kind == "row":
            left = text.rfind("|", block.start, start) + 1 or block.start
            over = text.find("|", end, block.end)
            right = block.end if over < 0 else over
        near = (visible_text(text[block.start : block.end]), block.head)
        return _Cited(
            self._citation(first, last),
            visible_text(text[first:last]),
            visible_text(f"{text[left:start]} {text[end:right]}"),
            (*near, source.title, *source.heading_path),
        )

    def _citation(self, start: int, end: int) -> Citation:
        """Return the note's own words, with the receipt of their lines."""
        source, quote = self.source, self.text[start:end]
        start += len(quote) - len(quote.lstrip())
        quote, receipt = quote.strip(), source.receipt
        if receipt and source.lines.start != source.lines.end:
            first = self.text.count("\n", 0, start)
            last = first + quote.count("\n")
            lines = "\n".join(source.text.split("\n")[first : last + 1])
            span = Span(source.lines.start + first, source.lines.start + last)
            heading = source.heading_path[-1] if source.heading_path else ""
            receipt = receipt_of(source.path, heading, span, lines)
        return Citation(source.number, quote, receipt)


def _around(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
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


class SourceTexts:
    """The sources of an answer, by their numbers."""

    def __init__(self, pages: Sequence[SourceText]) -> None:
        self._pages = {page.source.number: page for page in pages}

    def judged(self, claim: ModelStatement, question: str) -> Statement:
        """Return a statement, by the best of the places where its quote is.

        Those in the source that it names come first, but models miscount: what counts
        is where the words are.
        """
        text, quote = claim.text, claim.quote
        if not words_of(quote):
            return Statement(text, "unsupported", problem="no quote supports it")
        named = self._pages.get(claim.source) if claim.source is not None else None
        texts = [page for page in self._pages.values() if page is not named]
        failed: Statement | None = None
        for page in [named, *texts] if named else texts:
            for cited in page.find(quote):
                problem = problem_of(text, quote, question, cited)
                if not problem:
                    return Statement(text, "quoted", (cited.citation,))
                failed = failed or Statement(
                    text, "unsupported", (cited.citation,), problem
                )
        nowhere = "the quote is in no source"
        if named is not None:
            nowhere = f"the quote is not in source {claim.source}"
        return failed or Statement(text, "unsupported", problem=nowhere)


# --- statements ---------------------------------------------------------------------


def problem_of(text: str, quote: str, question: str, cited: _Cited) -> str:
    return (
        _strange(text, question, cited)
        or _unnamed(text, question, cited)
        or _apart(text, quote, question, cited)
        or _denied(text, cited)
    )


def _strange(text: str, question: str, cited: _Cited) -> str:
    """Look for figures that are neither near the quote nor in the question.

    One of the question may be said again, beside a figure or a name of the sentence.
    """
    strange = strange_figures(text, "\n".join(cited.near))
    unasked = [one for one in strange if one in strange_figures(text, question)]
    if not unasked and (
        not strange
        or len(strange) < len(figures_in(_read(text)))
        or any(
            _has_name(name, [cited.sentence]) and not _has_name(name, [question])
            for name in _names(text)
        )
    ):
        return ""
    return f"{(unasked or strange)[0]} is not in what it cites"


def strange_figures(text: str, source: str) -> list[str]:
    known = figures_in(_read(source), in_words=True)
    return [
        figure.text.rstrip(".")
        for figure in figures_in(_read(text))
        if not any(_agree(figure, other) for other in known)
    ]


def _agree(said: Value, known: Value) -> bool:
    """Return true if a figure may be said of one that is known.

    A date gives its day and its year, a time its hour; and a time without `am` or `pm`
    may be of either half of the day.
    """
    if said.kind == known.kind == "date":
        pairs = zip(said.parts, known.parts, strict=True)
        return all(x == y for x, y in pairs if x)
    if said.kind == known.kind == "time":
        is_bare = said.low < 13 * 60 and said.text[-1].isdigit()
        return said.low == known.low or (is_bare and said.low % 720 == known.low % 720)
    if said.kind != "number":
        return False
    if known.kind == "date":
        return said.low in {known.parts[0], known.parts[2]}
    return said.low == (known.low / 60 if known.kind == "time" else known.low)


def _unnamed(text: str, question: str, cited: _Cited) -> str:
    """Look for the names of a statement; in German, every noun has a capital."""
    if not _GERMAN.isdisjoint(_keys(text)):
        return ""
    names = _names(text)
    missing = [name for name in names if not _has_name(name, (*cited.near, question))]
    if not missing or 2 * len(missing) < len(names):
        return ""
    return f"{missing[0]} is not in what it cites"


def _names(text: str) -> list[str]:
    shown = _read(text)
    return [
        match[0]
        for match in _NAME.finditer(shown)
        if match[0][0].isupper()
        and match[0].casefold() not in SAY_LITTLE | _CALENDAR
        and not _BEGINS.search(shown[: match.start()][-40:])
    ]


def _has_name(name: str, texts: Iterable[str]) -> bool:
    there = {key for text in texts for key in _keys(text)}
    return all(_shared({part}, there) for part in _content(name))


def _apart(text: str, quote: str, question: str, cited: _Cited) -> str:
    """Look for a word, or a figure, that a statement and its sentence share.

    A quote of a word or two has to be said, with another word of its sentence.
    """
    words = words_of(quote)
    size = sum(0.25 if _LETTER.match(word.key) else 1 for word in words)
    around = " ".join((cited.sentence, *cited.near[1:]))
    if size < FEWEST and words_of(cited.rest):
        own = _content(quote)
        said = _content(text) - own or _content(question) - own
        fits = holds(text, quote) and _shared(said, _content(around) - own)
        return "" if fits else TOO_SHORT
    if holds(quote, text) or _shared(_content(text), _content(around)):
        return ""
    figures = figures_in(_read(text))
    strange = strange_figures(text, cited.sentence)
    return "" if len(strange) < len(figures) else SAYS_NOTHING


def _denied(text: str, cited: _Cited) -> str:
    """Look for a `not` that a statement lacks, beside its quote or of its words."""
    if _DENIES.search(text):
        return ""
    if _DENIES.search(cited.rest):
        return LEFT_OUT
    said = _content(text)
    for denial in _DENIES.finditer(cited.sentence):
        following = filter(_says, _keys(cited.sentence[denial.end() :]))
        if _shared([next(following, "")], said):
            return LEFT_OUT
    return ""
