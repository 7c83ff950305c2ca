"""How text becomes terms.

Words of alphabets are split at everything that is no letter or digit, folded to lower
case and plain letters, and stemmed as English in the fields where that helps. Chinese,
Japanese, Korean and Thai write no spaces that we could split at: their runs become
pairs of neighbouring characters, so that any stretch of a run is found as a phrase of
pairs.
"""

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache, lru_cache
from unicodedata import normalize

import tantivy

EXACT, STEMMED, SINGLES = "gm_exact", "gm_stemmed", "gm_singles"

LONGEST_WORD = 80
"""Bytes; what is longer is a hash or an address, which nobody types."""

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b"  # radicals, marks
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U0001b000-\U0001b16f\U00020000-\U0003134f"
)


@lru_cache(maxsize=1)
def _unspaced_run() -> re.Pattern[str]:
    """Return the pattern of a run; two milliseconds that plain ASCII need not pay."""
    return re.compile(f"[{_UNSPACED}]+")


def _analyzer(*, stem: bool, asked: bool = True) -> tantivy.TextAnalyzer:
    """Return what makes terms of what is `asked`, or else of what is indexed."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    if asked:
        builder = builder.filter(tantivy.Filter.remove_long(LONGEST_WORD))
    builder = builder.filter(tantivy.Filter.lowercase())
    if asked:
        builder = builder.filter(tantivy.Filter.ascii_fold())
    if stem:
        builder = builder.filter(tantivy.Filter.stemmer("english"))
    return builder.build()


exact = _analyzer(stem=False)
stemmed = _analyzer(stem=True)


def register(index: tantivy.Index) -> None:
    """Teach an opened index the analyzers; needed before the first add or search.

    What is indexed went through `prepared`: folding every letter once more would be a
    tenth of the work of a first run. Nor is each word measured: nobody can ask for one
    that is too long, and those over 64 KB tantivy leaves out by itself.
    """
    index.register_tokenizer(EXACT, _analyzer(stem=False, asked=False))
    index.register_tokenizer(STEMMED, _analyzer(stem=True, asked=False))
    singles = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    lowered = singles.filter(tantivy.Filter.lowercase()).build()
    index.register_tokenizer(SINGLES, lowered)


_PLAIN_WORDS = bytes(
    code if chr(code).isalnum() else 32 for code in range(128)
).lower().ljust(256)  # fmt: skip


def folded(text: str) -> str:
    """Return the words of a text as they are looked up, a blank between them."""
    if text.isascii() and len(text) <= LONGEST_WORD:
        return b" ".join(text.encode().translate(_PLAIN_WORDS).split()).decode()
    return " ".join(exact.analyze(prepared(text)))


class StemFinder:
    """Finds some stems in texts; remembers the words it has seen."""

    def __init__(self, wanted: AbstractSet[str]) -> None:
        self._wanted = wanted
        self._initials = {ord(stem[0]) for stem in wanted}
        self._seen: set[bytes] = set()
        self._matching: dict[bytes, str] = {}

    def stems_in(self, text: str) -> AbstractSet[str]:
        """Return which of the wanted stems the words of a text have.

        No stem begins with another letter than its word, so few words of plain text
        need to be stemmed.
        """
        if not text.isascii():
            return self._wanted & set(stemmed.analyze(prepared(text)))
        words = set(text.encode().translate(_PLAIN_WORDS).split())
        for word in words - self._seen:
            if word[0] in self._initials and (stem := _stem(word)) in self._wanted:
                self._matching[word] = stem
        self._seen |= words
        return {self._matching[word] for word in words & self._matching.keys()}


@lru_cache(maxsize=10_000)
def _stem(word: bytes) -> str:
    """Return the stem of one plain word; nothing of one that is too long."""
    return "".join(stemmed.analyze(word.decode()))


def has_unspaced(text: str) -> bool:
    """Whether any of the text is in a script without spaces."""
    return not text.isascii() and _unspaced_run().search(text) is not None


def runs_of(text: str) -> list[str]:
    """Return the stretches of a text that are written without spaces, in order."""
    return [] if text.isascii() else _unspaced_run().findall(text)


def spaced_part(text: str) -> str:
    """Return the text with a blank in place of each run without spaces."""
    return text if text.isascii() else _unspaced_run().sub(" ", text)


def blanked(text: str) -> str:
    if text.isascii():
        return text
    return _unspaced_run().sub(lambda match: " " * len(match[0]), text)


def pairs_of(run: str) -> list[str]:
    """Return the overlapping pairs of a run; a run of one character has none."""
    return [run[i : i + 2] for i in range(len(run) - 1)]


def prepared(text: str) -> str:
    """Return the text as it is indexed and as it is looked up.

    Letters lose their accents, however these are written, and a run becomes its pairs,
    as words in its place; one of a single character stays as it is.
    """
    if text.isascii():
        return text
    text = normalize("NFC", text)
    for letter in set(text):
        if letter > "\x7f" and (plain := _plain_letter(letter)) != letter:
            text = text.replace(letter, plain)
    return _unspaced_run().sub(
        lambda match: f" {' '.join(pairs_of(match[0]) or [match[0]])} ", text
    )


@cache
def _plain_letter(letter: str) -> str:
    """Return a letter or sign as ASCII writes it, where it can.

    Of some letters only the small one has such a form.
    """
    for form in (letter, letter.lower()):
        plain = str(_folder().analyze(form)[0])
        if plain != form:
            return plain
    return letter


@lru_cache(maxsize=1)
def _folder() -> tantivy.TextAnalyzer:
    whole = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
    return whole.filter(tantivy.Filter.ascii_fold()).build()


def singles_text(text: str) -> str:
    """Return the single characters of every run, each once."""
    return " ".join(dict.fromkeys("".join(runs_of(text))))


_SHORTEST_START = 2
"""Letters of a word that its inflected forms surely share."""

_SIGNS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
)
"""Accents, points and vowel signs, which belong to the letter before them."""


@dataclass(slots=True)
class IndexTerms:
    """The terms of a query as the index knows them.

    `guessed` has, for each word that was guessed, the one that was typed.
    """

    exact: set[str] = field(default_factory=set)
    stems: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    guessed: dict[str, str] = field(default_factory=dict)


class Marks:
    """The matching words of one query; remembers what it decided."""

    def __init__(self, terms: IndexTerms) -> None:
        self._terms = terms
        self._prefixes = tuple(terms.prefixes)
        starts = {_start(word) for word in terms.exact | terms.stems} | terms.prefixes
        self._starts = _shortest(starts)
        self._decided: dict[str, bool] = {}

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return half-open ranges of characters, in order, none overlapping."""
        plain = _plain(blanked(text))
        found = {span for start in self._starts for span in self._words(plain, start)}
        return sorted([*found, *self._runs(text)])

    def places(self, text: str) -> list[int]:
        """Return where each term is first met, in order: enough to choose a stretch."""
        plain = _plain(text)
        words = (next(self._words(plain, start), None) for start in self._starts)
        runs = (text.find(run) for run in self._terms.runs)
        found = [span[0] for span in words if span is not None]
        return sorted([*found, *(at for at in runs if at >= 0)])

    def _words(self, text: str, start: str) -> Iterator[tuple[int, int]]:
        """Yield the matching words that begin so."""
        at = text.find(start)
        while at >= 0:
            end = _word_end(text, at)
            if (at == 0 or not text[at - 1].isalnum()) and self._is_match(text[at:end]):
                yield at, end
            at = text.find(start, at + len(start))

    def _runs(self, text: str) -> list[tuple[int, int]]:
        longest_first = sorted(self._terms.runs, key=lambda run: (-len(run), run))
        if not longest_first or text.isascii():
            return []
        pattern = "|".join(re.escape(run) for run in longest_first)
        return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]

    def _is_match(self, word: str) -> bool:
        known = self._decided.get(word)
        if known is None:
            known = self._decided[word] = self._decide(word)
        return known

    def _decide(self, word: str) -> bool:
        forms = exact.analyze(word)
        if not forms:
            return False
        return (
            forms[0] in self._terms.exact
            or stemmed.analyze(word)[0] in self._terms.stems
            or forms[0].startswith(self._prefixes)
        )


def _plain(text: str) -> str:
    """Return a text in small letters without accents, each in its place."""
    lowered = text.lower()
    if text.isascii():
        return lowered
    return (lowered if len(lowered) == len(text) else text).translate(_plain_letters())


_REST = re.compile(rf"(?:[^\W_]|[{_SIGNS}])*")


def _word_end(text: str, at: int) -> int:
    match = _REST.match(text, at)
    return match.end() if match else at


def _shortest(starts: Iterable[str]) -> list[str]:
    """Return the beginnings without those that begin like a shorter one."""
    kept: list[str] = []
    for start in sorted(starts):
        if not kept or not start.startswith(kept[-1]):
            kept.append(start)
    return kept


def _start(word: str) -> str:
    """Return how every form begins: English changes the last letter, "ß" is "ss"."""
    sharp = word.find("ss", _SHORTEST_START)
    return word[: max(len(word) - 1 if sharp < 0 else sharp, _SHORTEST_START)]


@lru_cache(maxsize=1)
def _plain_letters() -> dict[int, str]:
    """Return letters with the one small letter that the index folds each to."""
    table = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        forms = exact.analyze(chr(code))
        if forms and len(forms[0]) == 1 and forms[0].isascii():
            table[code] = forms[0]
    return table
