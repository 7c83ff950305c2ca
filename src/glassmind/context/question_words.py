"""The words of a question: which of them count, how much, and where a text has them.

A word is found where it stands whole, or with another ending of those that English and
German put to a word; several forms of one word count once.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from glassmind.model.context import Item
from glassmind.model.search import Hit

MOST_PLACES = 20
"""Places of one word that are looked at in a passage."""

SHORT_STEM = 4
"""Letters that tell a word from others that begin so; a shorter one has no endings."""

LITTLE = 0.05
"""What a word counts that stands in every passage; more than none at all."""

_WORD = re.compile(r"\w+")
_FILTER = re.compile(
    r"-?(?:tag|path|file|before|after):(?:\"[^\"]*\"|\S+)|-?\[[^\]]*\]"
    r"|(?<!\S)-\S+",
    re.IGNORECASE,
)
"""What of a query says where to look, or what not to find."""

_CUT_OFF = re.compile(r"(?:n['\u2019]t|(?<=\w)['\u2019](?:s|m|d|re|ve|ll))\b")
"""What an apostrophe parts from an English word: `Ferrin's`, `isn't`, `you're`."""

SAY_LITTLE = frozenset((
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "being",
    "but", "by", "can", "could", "did", "do", "does", "for", "from", "get", "gets",
    "got", "had", "happen", "happened", "happens", "has", "have", "he", "her", "his",
    "how", "i", "if", "in", "into", "is", "it", "its", "me", "many", "much", "must",
    "my", "not", "of", "on", "one", "or", "our", "right", "she", "should", "so",
    "some", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "to", "us", "use", "used", "uses", "using", "was", "we", "were", "what",
    "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would",
    "you", "your", "aber", "als", "am", "auch", "auf", "aus", "bei", "bis", "das",
    "dass", "dem", "den", "der", "des", "die", "ein", "eine", "einen", "er", "es",
    "für", "hat", "ich", "im", "ist", "mit", "nach", "nicht", "oder", "sich", "sie",
    "sind", "soll", "über", "und", "uns", "viel", "viele", "von", "wann", "war",
    "warum", "was", "welche", "wer", "werden", "wie", "wir", "wird", "wo", "zu",
    "zum", "zur", "combien", "comment", "dans", "doit", "elle", "est", "et", "faut",
    "il", "la", "le", "les", "pour", "que", "qui", "quel", "quelle", "sur", "un",
    "une", "con", "cuando", "cuándo", "cuánto", "cómo", "de", "dónde", "el", "en",
    "los", "las", "para", "por", "qué", "se", "una",
))  # fmt: skip
"""Words of English and German, and the most frequent of French and Spanish, that most
sentences hold, whatever they are about."""

_HOW = frozenset(("how", "wie"))
_MEASURES = frozenset((
    "big", "deep", "far", "fast", "heavy", "high", "late", "long", "often", "old",
    "soon", "tall", "wide", "alt", "breit", "groß", "hoch", "lang", "lange", "oft",
    "schnell", "schwer", "spät", "teuer", "tief", "weit",
))  # fmt: skip
"""Words behind `how` that ask for a number."""

_VERBAL = frozenset(("ed", "ing", "ings", "en"))
_WHOLE = _VERBAL | {"", "s", "es", "d", "n"}
_OPEN = _WHOLE | {"e"}
_E = _VERBAL | {"e", "es"}
_Y = frozenset(("y", "ies", "ied"))
_ENDINGS = (
    ("ing", _OPEN), ("ies", _Y), ("ied", _Y), ("ed", _OPEN), ("es", _OPEN),
    ("s", _WHOLE), ("y", _Y), ("e", _E),
)  # fmt: skip
"""Endings that a word may lose, and what the rest of it may be followed by instead."""

_NO_ENDINGS = frozenset(("evening", "news", "series", "species"))
"""Words that would be others without what looks like one."""

_KIN = tuple(
    map(
        frozenset,
        (
            ("decid", "decision"),
            ("choos", "chose", "chosen", "choice"),
            ("entscheid", "entscheidung", "entschied", "beschluss", "beschloss"),
        ),
    )
)
"""Words that are forms of one though they begin otherwise; notes keep their decisions
under the noun, and people ask with the verb."""

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]"
)
"""Letters of scripts that put no blank between words."""


class SearchTerm(NamedTuple):
    """What is looked for in a text, what may follow it, and the word it stands for."""

    text: str
    tails: frozenset[str] | None
    word: str


class QuestionTerms(NamedTuple):
    """The words of a question as they are looked for; `typed` are its own."""

    needles: tuple[SearchTerm, ...] = ()
    typed: tuple[str, ...] = ()


class Lookup:
    """The words of a question in many texts, each of which is looked through once.

    `weights` say how much a word counts: the fewer of the first texts hold it, the
    more, and nothing where none does.
    """

    def __init__(self, terms: QuestionTerms, texts: Sequence[str]) -> None:
        self.typed = frozenset(terms.typed)
        self._terms = terms
        self._known: dict[str, list[tuple[int, str]]] = {}
        self.weights = self._weighed(texts) if terms.needles else {}

    def places(self, text: str) -> list[tuple[int, str]]:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = occurrences(text, self._terms)
        return known

    def words(self, text: str) -> set[str]:
        return {word for _, word in self.places(text)}

    def _weighed(self, texts: Sequence[str]) -> dict[str, float]:
        held: dict[str, int] = {}
        for text in texts:
            for word in self.words(text):
                held[word] = held.get(word, 0) + 1
        total = max(1, len(texts))
        return {
            word: math.log((1 + total / count) / 2) + LITTLE
            for word, count in sorted(held.items())
        }


def question_words(query: str, hits: Iterable[Hit]) -> QuestionTerms:
    said = _WORD.findall(_CUT_OFF.sub("", _FILTER.sub(" ", query).lower()))
    said = [word for at, word in enumerate(said) if not _measures(said, at)]
    words = dict.fromkeys(word for word in said if word not in SAY_LITTLE)
    words = words or dict.fromkeys(said)
    marked = sorted({form for hit in hits for form in _marked(hit)})
    needles: dict[str, SearchTerm] = {}
    typed: dict[str, None] = {}
    for word in words:
        parts = [form for form in marked if form in word] if _unspaced(word) else []
        if parts and 2 * sum(map(len, parts)) < len(word):
            typed[word] = None  # most of it stands nowhere
        for part in parts or [word]:
            term = _needle(part)
            needles.setdefault(term.text, term)
            typed[term.word] = None
            for kin in _kin(term.text):
                needles.setdefault(kin, SearchTerm(kin, _OPEN, term.word))
    return QuestionTerms(tuple(needles.values()), tuple(typed))


def _measures(said: Sequence[str], at: int) -> bool:
    if not 0 < at < len(said) - 1 or said[at - 1] not in _HOW:
        return False
    return said[at] in _MEASURES and said[at + 1] in SAY_LITTLE


def occurrences(
    text: str, terms: QuestionTerms, most: int = MOST_PLACES
) -> list[tuple[int, str]]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter that is two when it is small
        lowered = text
    places = []
    for sought, tails, word in terms.needles:
        at, size, left = lowered.find(sought), len(sought), most
        while at >= 0 and left:
            if tails is None or _stands_whole(lowered, at, at + size, tails):
                places.append((at, word))
                left -= 1
            at = lowered.find(sought, at + size)
    places.sort()
    return places


def in_link(text: str, place: int) -> bool:
    """Whether a word is one of the name of another note, which may say more."""
    opened = text.rfind("[[", max(0, place - LONGEST_LINK), place)
    return opened >= 0 and text.rfind("]]", opened, place) < 0


LONGEST_LINK = 200
"""Characters of a link that are looked back at."""


def _stands_whole(text: str, start: int, end: int, tails: frozenset[str]) -> bool:
    if start and text[start - 1].isalnum():
        return False
    if not text[end : end + 1].isalnum():  # the usual case
        return "" in tails
    over = end
    while text[over : over + 1].isalnum():
        over += 1
        if over - end > LONGEST_TAIL:
            return False
    return text[end:over] in tails


LONGEST_TAIL = 4
"""Letters of the longest ending."""


def _needle(word: str) -> SearchTerm:
    if _unspaced(word):
        return SearchTerm(word, None, word)
    if word.isalpha() and word not in _NO_ENDINGS:
        for ending, tails in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= SHORT_STEM:
                stem = word[: -len(ending)]
                return SearchTerm(stem, tails, stem)
    tails = _WHOLE if len(word) >= SHORT_STEM and word.isalpha() else frozenset(("",))
    return SearchTerm(word, tails, word)


def _kin(stem: str) -> Iterator[str]:
    for family in _KIN:
        if stem in family:
            yield from sorted(family - {stem})


def _marked(hit: Hit) -> Iterator[str]:
    for snippet in (hit.snippet, *(passage.snippet for passage in hit.more)):
        for start, end in snippet.marks:
            yield snippet.text[start:end].lower()


def _unspaced(word: str) -> bool:
    return not word.isascii() and _UNSPACED.search(word) is not None


KINDS = frozenset((
    "decid", "decision", "decisions", "agre", "question", "task", "open", "todo",
    "overdu", "due", "aufgab", "aufgaben",
))  # fmt: skip
"""Words that ask for a section, and not for anything in it."""

_ASKS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
        for name, words in {
            "tasks": (
                r"tasks?|to-?dos?|(?<!how )to do|overdue|due(?! to\b)|aufgaben?"
                r"|überfällig\w*|fällig\w*|zu tun"
            ),
            "questions": r"(?:open|unanswered) questions?|offenen? fragen?",
            "decisions": (
                r"decisions?|decided?|agreed?|entscheidung(?:en)?|entschieden"
                r"|beschl(?:uss|üsse|ossen)|vereinbart"
            ),
        }.items()
    }
)
"""What a question says that asks for a section, the first that it has."""


_DUE = re.compile(
    r"\b(?:overdue|due(?! to\b)|überfällig\w*|fällig\w*)\b", re.IGNORECASE
)


def asks_for_due(query: str) -> bool:
    return _DUE.search(query) is not None


@lru_cache(maxsize=8)
def section_asked(query: str) -> str:
    return next((name for name, words in _ASKS.items() if words.search(query)), "")


def most_relevant(items: Iterable[Item], query: str) -> list[Item]:
    """Return items by how many words of the question they hold; others as they are."""
    found, terms = [*items], asked_terms(query)
    if terms is not None and len(found) > 1:
        found.sort(key=lambda item: -shared(item, terms))
    return found


@lru_cache(maxsize=8)  # the sections of a bundle ask one after the other
def asked_terms(query: str) -> QuestionTerms | None:
    """Return what is looked for in items; None if the question has no such words."""
    terms = question_words(query, ())
    needles = tuple(term for term in terms.needles if term.word not in KINDS)
    return terms._replace(needles=needles) if needles else None


def shared(item: Item, terms: QuestionTerms) -> int:
    """Return how many words of a question an item, its title and headings hold."""
    return words_shared((item.text, item.title, *item.heading_path), terms)


def words_shared(texts: Iterable[str], terms: QuestionTerms) -> int:
    return len({word for _, word in occurrences("\n".join(texts), terms, 1)})
