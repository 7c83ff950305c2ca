"""What a note names in its prose without a link: found by letters, no model asked.

Capital letters make a name where they stand inside a sentence, or where several words
have them. Scripts without capitals name by quotes, by an address such as `san`, and, in
Japanese, by katakana. A language that writes every noun large, such as German, shows it
by how many words do: there one word alone is no name.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from glassmind.graph.mentions import COMMON_WORDS
from glassmind.graph.openings import LOOKED_AT, UNSEEN, opens
from glassmind.model.notes import Note
from glassmind.obsidian.positions import line_starts
from glassmind.obsidian.prose import prose

LARGE_NOUNS = 0.2
"""The share of words inside sentences that begin large from which nouns do: English
prose has about one in twelve, German one in four."""

LEAST_WORDS = 40
"""Words that a note has to have for that share to say anything."""

LEAST_TIMES = 2
"""How often one word alone has to stand there to be taken for a name."""

TERM_TIMES, TERM_WORDS = 3, (3, 2)
"""How often a term in small letters has to stand there, and of how many words it is."""

LEAST_TERM_LETTERS = 4
"""Letters of every word of a term; shorter ones hold sentences together."""

MOST_WORDS = 6
"""Words of a name; what is longer is a heading or a shout."""

WHOLE_NAME = 2
"""Words of a name that is a person's in full."""

INSIDE_NAMES = frozenset(
    [
        "of", "the", "de", "la", "le", "du", "des", "von", "van", "der", "den", "del",
        "di", "da", "dos", "zu", "af", "y", "for", "and",
    ]
)  # fmt: skip
"""Small words that a name may hold between its large ones."""

OPENERS = INSIDE_NAMES | frozenset(
    [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        "january", "february", "march", "april", "may", "june", "july", "august",
        "september", "october", "november", "december", "christmas", "easter",
        "monsieur", "madame", "mr", "mrs", "ms", "dr", "i", "ok", "yes", "no", "it",
        "he", "she", "we", "they", "you", "his", "her", "my", "if", "in", "on", "at",
        "as", "to", "so", "an", "a", "is", "or", "by", "up", "us", "let", "ask", "both",
        "read", "met", "saw", "call", "ring", "tell", "write", "see", "add", "buy",
        "although", "though", "however", "therefore", "nevertheless", "moreover",
        "furthermore", "meanwhile", "instead", "unless", "whether", "besides", "thus",
        "despite", "during", "either", "neither", "perhaps", "maybe", "please", "hence",
        "remember", "sometimes", "finally", "usually", "currently", "recently", "once",
        "then", "using", "try", "keep", "check", "set", "run", "open", "install",
    ]
)  # fmt: skip
"""Words that are large by rule, or because they open sentences, and name nothing."""

UNTELLING = COMMON_WORDS | OPENERS
"""Words that name nothing by themselves."""

_SAID = re.compile(
    r"i(?:['\u2019]\w+)?|.*(?:n['\u2019]t|['\u2019](?:re|ve|ll|d|m))", re.IGNORECASE
)
"""What English writes large by rule, or shortens: `I`, `I've`, `Don't`."""

JOINS = frozenset(["and", "y", "und", "et"])
"""Words between two names rather than inside one, where both sides are whole names."""

_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019&]|[-.](?=\w))*")
_AT = re.compile(r"(?<![\w.@])@([^\W\d_][\w-]*(?: (?=[A-Z])[^\W\d_][\w-]*)?)")
_TITLED = re.compile("[『《]([^『』《》\n]{2,20})[』》]")
_QUOTED = re.compile("「([^「」\n]{2,10})」")
_ADDRESSED = re.compile(
    "([\u4e00-\u9fff々]{2,4}|[ァ-ヴー]{2,8})(?:さん|先生|氏|様|ちゃん|女士|老师)"
    "|([가-힣]{2,4}) ?(?:씨|님|선생님)"
)
_KATAKANA = re.compile("[ァ-ヴー]{3,}(?:・[ァ-ヴー]{2,})*")


class Phrase(NamedTuple):
    """A stretch of prose that seems to name something.

    `sure` says that no chance of letters made it one: `@name`, a title in its brackets,
    or several large words where nouns are small. `rest` is what is left without a word
    that may be large only because it opens a sentence.
    """

    text: str
    line: int
    source: str
    sure: bool = False
    rest: str = ""


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    opens: bool

    @property
    def large(self) -> bool:
        return self.text[0].isupper() and not _SAID.fullmatch(self.text)


def phrases_in(note: Note) -> list[Phrase]:
    """Return every naming stretch of a note's prose, in order."""
    source = note.text.encode()
    starts = line_starts(source)
    stretches = []
    for start, end in prose(note.text, note.frontmatter.end):
        line = bisect_right(starts, start)
        before = _ahead(source, starts[line - 1], start)
        stretches.append((line, before, source[start:end].decode(errors="replace")))
    tokens = [(line, text, _tokens(before, text)) for line, before, text in stretches]
    found = [*_marked(stretches), *_capitals(tokens), *_terms(tokens)]
    order = {"name": 0, "phrase": 1, "term": 2}
    return sorted(found, key=lambda one: (one.line, order[one.source], one.text))


def _ahead(source: bytes, line: int, start: int) -> str:
    """Return what stands in a line before a stretch, as far as that is looked at."""
    cut = max(line, start - LOOKED_AT)
    before = source[cut:start].decode(errors="replace")
    return UNSEEN + before if cut > line else before


def _tokens(before: str, text: str) -> list[_Token]:
    """Return the words of a stretch, and of each whether it opens a sentence."""
    tokens = []
    for match in _WORD.finditer(text):
        cut = match.start() - LOOKED_AT
        far = before if cut <= 0 else UNSEEN
        ahead = far + text[max(0, cut) : match.start()]
        word = match[0].removesuffix("'s").removesuffix("\u2019s")
        end = match.start() + len(word)
        tokens.append(_Token(word, match.start(), end, opens(ahead)))
    return tokens


def _marked(stretches: Iterable[tuple[int, str, str]]) -> Iterator[Phrase]:
    """Yield what a mark or an address makes a name."""
    katakana: list[Phrase] = []
    for line, _, text in stretches:
        for match in _AT.finditer(text):
            yield Phrase(match[1], line, "name", sure=True)
        for match in _TITLED.finditer(text):
            if any(map(str.isalnum, match[1])):
                yield Phrase(" ".join(match[1].split()), line, "phrase", sure=True)
        for match in _QUOTED.finditer(text):
            if any(map(str.isalnum, match[1])):
                yield Phrase(" ".join(match[1].split()), line, "phrase")
        for match in _ADDRESSED.finditer(text):
            yield Phrase(match[1] or match[2], line, "name", sure=True)
        found = _KATAKANA.findall(text)
        katakana.extend(Phrase(name, line, "phrase") for name in found)
    times = Counter(phrase.text for phrase in katakana)
    yield from (one for one in katakana if times[one.text] >= LEAST_TIMES)


def _capitals(lines: list[tuple[int, str, list[_Token]]]) -> Iterator[Phrase]:
    inside = [token for _, _, tokens in lines for token in tokens if not token.opens]
    large = sum(1 for token in inside if token.large)
    nouns = len(inside) >= LEAST_WORDS and large / len(inside) > LARGE_NOUNS
    small = {token.text for token in inside if not token.large}
    rows = [
        (line, run)
        for line, text, tokens in lines
        for run in _runs(text, tokens, None if nouns else small)
    ]
    within = {_text(run) for _, run in rows if not run[0].opens}
    found = [(line, run, _text(run), _text(run[1:])) for line, run in rows]
    times = Counter(_without(text, rest, within) for _, _, text, rest in found)
    for line, run, text, rest in found:
        name = _without(text, rest, within)
        if len(run) == 1 and (nouns or name not in within or times[name] < LEAST_TIMES):
            continue
        tail = rest if run[0].opens and " " in name else ""
        sure = " " in name and not nouns and not _is_chance(run, name, within)
        yield Phrase(name, line, "phrase", sure, tail)


def _is_chance(run: Sequence[_Token], name: str, within: Collection[str]) -> bool:
    """Whether its first word may be large only since it opens a sentence.

    As in `Packed for Spain`, where a small word ties it to the rest; what stands so
    inside a sentence, too, is a name.
    """
    return run[0].opens and not run[1].large and name not in within


def _text(run: Sequence[_Token]) -> str:
    return " ".join(token.text for token in run)


def _without(text: str, rest: str, within: Collection[str]) -> str:
    """Return a name, or what is left of it without the word that opens the sentence.

    That is where the rest stands elsewhere by itself.
    """
    return rest if text not in within and rest in within else text


def _runs(
    text: str, tokens: list[_Token], small: Collection[str] | None
) -> Iterator[list[_Token]]:
    """Yield the rows of large words, small ones between them, nothing at the ends.

    `small` are words that the note writes small too; None where every word that opens
    a sentence may be one.
    """
    run: list[_Token] = []
    for token in tokens:
        joined = bool(run) and text[run[-1].end : token.start] == " "
        starts = token.large and not run
        goes_on = joined and not token.opens
        if starts or (goes_on and (token.large or token.text in INSIDE_NAMES)):
            run.append(token)
        else:
            yield from _named(run, small)
            run = [token] if token.large else []
    yield from _named(run, small)


def _named(run: list[_Token], small: Collection[str] | None) -> Iterator[list[_Token]]:
    """Yield a row without what does not belong to a name, if any is left."""
    while run and not run[-1].large:
        run = run[:-1]
    if run and run[0].opens:
        first = run[0].text.lower()
        if small is None or first in small or first in UNTELLING:
            run = run[1:]
    while run and not run[0].large:
        run = run[1:]
    for name in _apart(run):
        telling = [t for t in name if t.text.lower() not in UNTELLING]
        if telling and len(name) <= MOST_WORDS and len(name[0].text) > 1:
            yield name


def _apart(run: list[_Token]) -> Iterator[list[_Token]]:
    """Yield the names of a row: two where each side of an `and` is a whole one."""
    for at, token in enumerate(run):
        before, behind = run[:at], run[at + 1 :]
        if token.text in JOINS and min(len(before), len(behind)) >= WHOLE_NAME:
            yield before
            yield from _apart(behind)
            return
    yield run


def _terms(lines: list[tuple[int, str, list[_Token]]]) -> Iterator[Phrase]:
    """Yield terms of small words that come again and again, the longer ones first."""
    taken: list[str] = []
    for size in TERM_WORDS:
        found = [
            (line, " ".join(token.text.lower() for token in row))
            for line, text, tokens in lines
            for row in zip(*(tokens[at:] for at in range(size)), strict=False)
            if _is_term(text, row)
        ]
        times = Counter(term for _, term in found)
        often = {
            term
            for term, count in times.items()
            if count >= TERM_TIMES and not any(term in longer for longer in taken)
        }
        taken += sorted(often)
        yield from (Phrase(term, line, "term") for line, term in found if term in often)


def _is_term(text: str, row: tuple[_Token, ...]) -> bool:
    if any(text[a.end : b.start] != " " for a, b in pairwise(row)):
        return False
    words = [token.text for token in row]
    if not all(word.isascii() and word.isalpha() for word in words):
        return False
    return all(
        len(word) >= LEAST_TERM_LETTERS and word.lower() not in UNTELLING
        for word in words
    )
