"""The words of a text, whatever marks stand around them, and where each stands.

A quote is held against a note word by word: case, blanks, quotation marks, dashes and
the marks of Markdown do not count, nor does what nobody sees who reads the note. A
figure is one word with its points and its sign, and signs that change what it means,
such as `%` and `€`, are words. Where a script has no blanks, each letter is one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias
from unicodedata import name, normalize

from glassmind.context.values import MONTHS, word_set, word_table
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


STOPS: Mapping[str, frozenset[str]] = {
    "en": word_set(
        "a about after all also am an and any are as at be because been before being "
        "both but by can cannot could did do does doing done each few for from get "
        "gets got had has have having he her here hers him his how i if in into is it "
        "its just may me might more most much must my no nor not of off on one only or "
        "other our out over own s same shall she should so some such t than that the "
        "their them then there these they this those to too under until up us very was "
        "we were what when where which while who whom whose why will with would yes "
        "you your"
    ),
    "de": word_set(
        "aber alle als also am an auch auf aus bei beim bin bis da das dass dein dem "
        "den denn der des dich die dies diese dieser dieses dir doch du durch ein eine "
        "einem einen einer eines er es etwas für hat hatte haben ich ihm ihn ihr ihre "
        "im in ins ist ja kann kein keine man mein mich mir mit nach nein nicht noch "
        "nur ob oder ohne sehr sein seine seit sich sie sind so soll über um und uns "
        "unser vom von vor war waren was weil wenn wer wie wir wird wo wurde wurden zu "
        "zum zur"
    ),
}
"""The commonest words of a language: sentences that share only these share nothing."""

EVERY_STOP = frozenset[str]().union(*STOPS.values())

CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch "
    "donnerstag freitag samstag sonntag am pm"
).union(MONTHS)
"""Names of what figures can say as well."""

_DENIES = re.compile(
    r"(?<![^\W_])(?:not|no(?!\.?\s?\d)|never|cannot|none|nobody|nothing|neither|nor"
    r"|nicht|kein(?:e|em|en|er|es)?|nie|niemals|niemand|nichts|ne|pas|jamais|nunca"
    r"|não|non(?!-)|niet|geen)(?![^\W_])|n['\u2019]t(?![^\W_])|[不没沒]",
    re.IGNORECASE,
)


def denials(text: str) -> list[tuple[int, int]]:
    """Return where a text has a word such as `not`, in order."""
    return [found.span() for found in _DENIES.finditer(text)]


def are_foreign(some: Iterable[str], others: Iterable[str]) -> bool:
    """Return true if words are of other languages than others, or of other letters."""
    one, other = list(some), list(others)
    letters = _scripts(one), _scripts(other)
    if all(letters) and not letters[0] & letters[1]:
        return True
    languages = languages_of(one), languages_of(other)
    return all(languages) and not languages[0] & languages[1]


def languages_of(words: Iterable[str]) -> frozenset[str]:
    """Return the languages that words are most likely of: none where none is known."""
    known = list(words)
    counts = {
        name: sum(word in stops for word in known) for name, stops in STOPS.items()
    }
    best = max(counts.values())
    return frozenset(name for name, count in counts.items() if best and count == best)


def _scripts(words: Iterable[str]) -> set[str]:
    letters = {letter for word in words for letter in word if letter.isalpha()}
    return {name(letter, "").partition(" ")[0] for letter in letters}


# --- figures ------------------------------------------------------------------------

NUMBER_WORDS = word_table(
    "0 zero null;1 one once first ein eine einen eins;2 two twice second zwei;"
    "3 three third drei;4 four fourth vier;5 five fifth fünf;6 six sechs;"
    "7 seven sieben;8 eight acht;9 nine neun;10 ten zehn;"
    "11 eleven elf;12 twelve dozen zwölf;13 thirteen;14 fourteen;15 fifteen;"
    "16 sixteen;17 seventeen;18 eighteen;19 nineteen;20 twenty zwanzig;30 thirty;"
    "40 forty;50 fifty;60 sixty;70 seventy;80 eighty;90 ninety;"
    "100 hundred hundert;1000 thousand tausend;0.5 half"
)
"""Numbers in words, as far as notes often have them."""

_MONTH = "|".join(sorted((name.capitalize() for name in MONTHS), key=len, reverse=True))
_FIGURE = re.compile(
    r"(?P<date>(?<!\d)(?P<y1>\d{4})-(?P<m1>\d{1,2})-(?P<d1>\d{1,2})(?!\d)"
    r"|(?<!\d)(?P<d2>\d{1,2})(?P<sign>[./])(?P<m2>\d{1,2})(?P=sign)(?P<y2>\d{4})(?!\d)"
    rf"|(?<!\d)(?P<d3>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? (?P<m3>{_MONTH})\b\.?"
    r"(?:,? (?P<y3>\d{4}))?(?!\d)"
    rf"|\b(?P<m4>{_MONTH})\.? (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)"
    r"(?:,? (?P<y4>\d{4})(?!\d))?)"
    r"|(?P<time>(?<![\d:.,])(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d)(?![\d:])"
    r"(?:\s?(?P<h1>[AaPp])\.?[Mm]\b)?|\s?(?P<h2>[AaPp])\.?[Mm]\b))"
    r"|(?:(?<![^\s(|*_\"'])[-\u2212\u2013]|\b[Mm]inus\s)?"
    r"(?P<number>\d++(?:[.,'\u2019:]\d++)*+)"
    r"(?:[ \u00a0\u202f]?(?P<scale>[Tt]housand|[Tt]ausend|k|[Mm]illion(?:en|s)?|[Mm]io"
    r"|[Bb]illions?|[Mm]illiarden?|[Mm]rd)\b)?"
)
_SCALES = {"k": 1e3, "thousa": 1e3, "tausen": 1e3, "millio": 1e6, "mio": 1e6}

_ITEM_FIGURES = re.compile(
    rf"^[ \t>#]*\d{{1,9}}[.)](?=[ \t](?!(?:{_MONTH})\b)|$)", re.MULTILINE
)
"""The number of an item or of a heading, which is no figure of it."""

_GROUPED = re.compile(r"\d{1,3}([.,'\u2019])\d{3}(?:\1\d{3})*")
_GROUPED_POINT = re.compile(r"(\d{1,3}(?:([.,'\u2019])\d{3})(?:\2\d{3})*)[.,](\d+)")
_DECIMAL = re.compile(r"(\d+)[.,](\d+)")
_CITED = re.compile(r"\[[0-9]{1,2}\](?!\()")
"""The number of a source, which some models write behind a statement."""

_LETTERS = re.compile(r"[^\W\d_]+")
_NOON = 12
_LEAP = "2000"
"""A year that has all days, for one that is not named."""


class _Figure(NamedTuple):
    """A figure as it is written: one of its readings has to be known.

    What it `gives` is known where it is in a source.
    """

    shown: str
    readings: frozenset[str]
    gives: frozenset[str] = frozenset()


Known: TypeAlias = frozenset[str]
"""All that the figures of some texts may be read as."""


def known_figures(texts: Iterable[str]) -> Known:
    """Return all that the figures of some texts may be read as."""
    known: set[str] = set()
    for text in texts:
        for figure in _figures(_ITEM_FIGURES.sub(" ", text)):
            known |= figure.readings | figure.gives
        words = {word.lower() for word in _LETTERS.findall(text)}
        known |= {NUMBER_WORDS[word] for word in words & NUMBER_WORDS.keys()}
    return frozenset(known)


def strange_figures(text: str, known: Known) -> list[str]:
    """Return the figures of a text that are not among those known, in order."""
    return [one.shown for one in _figures_said(text) if not one.readings & known]


def familiar_figures(text: str, known: Known) -> list[str]:
    """Return the figures of a text that are among those known, in order."""
    return [one.shown for one in _figures_said(text) if one.readings & known]


def _figures_said(text: str) -> "list[_Figure]":
    return _figures(_ITEM_FIGURES.sub(" ", _CITED.sub(" ", text)))


def _figures(text: str) -> list[_Figure]:
    """Return the figures of a text in order; each digit is of one of them."""
    found = []
    for match in _FIGURE.finditer(normalize("NFKC", text)):
        read = _date if match["date"] else _time if match["time"] else _number
        found.append(read(match))
    return found


def _date(match: re.Match[str]) -> _Figure:
    """Return the figure of a day; there are two where month and day may be either."""
    groups = {key: text for key, text in match.groupdict().items() if text}
    part = {key[0]: text for key, text in groups.items() if key[1:].isdigit()}
    year, day = part.get("y"), int(part["d"])
    month = int(MONTHS.get(part["m"].lower(), part["m"]))
    days = [(month, day), (day, month)] if "sign" in groups else [(month, day)]
    readings, gives = set[str](), set[str]()
    for one, other in days:
        with suppress(ValueError):  # there is no such day
            made = date(int(year or _LEAP), one, other)
            within = f"{made.month}/{made.day}"
            readings.add(made.isoformat() if year else within)
            gives.update((within, str(made.day), str(made.year) if year else within))
    return _Figure(match[0], frozenset(readings or {match[0]}), frozenset(gives))


def _time(match: re.Match[str]) -> _Figure:
    """Return the figure of a time: of the whole day, or of a half that is not named."""
    hour, minute = int(match["hour"]), match["minute"] or "00"
    half = (match["h1"] or match["h2"] or "").lower()
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    of_day, of_half = f"{hour}:{minute} h", f"{hour % _NOON or _NOON}:{minute}"
    is_bare = not half and 0 < hour <= _NOON
    whole = {str(hour), str(hour % _NOON or _NOON)} if minute == "00" else set()
    readings = frozenset({of_half if is_bare else of_day})
    return _Figure(match[0], readings, frozenset({of_day, of_half, *whole}))


def _number(match: re.Match[str]) -> _Figure:
    sign = "-" if match.start("number") > match.start() else ""
    readings = _readings(match["number"])
    if scale := match["scale"]:
        factor = _SCALES.get(scale[:6].lower(), 1e9)
        plain = [one for one in readings if one.replace(".", "", 1).isdigit()]
        readings = {_normal(f"{float(one) * factor:.6f}") for one in plain}
    known = frozenset(sign + one for one in readings or (match[0],))
    return _Figure(match[0], known)


def _readings(digits: str) -> set[str]:
    """Return what digits may be read as, by what is between them."""
    readings = set()
    if _GROUPED.fullmatch(digits):
        readings.add(_normal(re.sub(r"\D", "", digits)))
    if found := _DECIMAL.fullmatch(digits):
        readings.add(_normal(f"{found[1]}.{found[2]}"))
    if found := _GROUPED_POINT.fullmatch(digits):
        readings.add(_normal(re.sub(r"\D", "", found[1]) + f".{found[3]}"))
    return readings or {_normal(digits)}


def _normal(number: str) -> str:
    """Return a number without zeros that say nothing."""
    if number.count(".") == 1:
        number = number.rstrip("0").rstrip(".")
    return number.lstrip("0") or "0" if not number.startswith("0.") else number


# --- what a statement is checked against --------------------------------------------

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


class CitedText(NamedTuple):
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
    text: str, quote: str, question: str, ground: CitedText, *, is_short: bool
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


def _too_short(text: str, quote: str, question: str, ground: CitedText) -> str:
    """Hold a name or figure that is quoted alone against more of its sentence."""
    if not holds(text, quote):
        return TOO_SHORT
    own = content_of(quote)
    said = content_of(text) - own or content_of(question) - own
    around = content_of(" ".join((ground.cited, ground.named, *ground.about))) - own
    return "" if shared(said, around) else TOO_SHORT


def _strange(text: str, question: str, ground: CitedText) -> str:
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


def _unnamed(text: str, question: str, ground: CitedText) -> str:
    """Look for the names of a statement; in German, every noun has a capital."""
    if "de" in languages_of(_keys_of(text)):
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
    there = {key for text in texts for key in _keys_of(text)}
    return all(shared({part}, there) for part in parts)


def _unshared(text: str, ground: CitedText) -> str:
    cited = f"{ground.cited} {ground.named}"
    if shared(content_of(text), content_of(cited)):
        return ""
    if are_foreign(_keys_of(text), _keys_of(cited)):
        # no word need be alike in two languages, but figures are
        known = known_figures([cited])
        return "" if familiar_figures(text, known) else SAYS_NOTHING
    return SAYS_NOTHING


def _denied(text: str, ground: CitedText) -> str:
    """Look for a `not` that a statement has not, beside its quote or of its words."""
    if denials(text):
        return ""
    if denials(ground.rest):
        return LEFT_OUT
    said = content_of(text)
    for _, end in denials(ground.cited):
        following = [key for key in _keys_of(ground.cited[end:]) if _says(key)]
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


def _keys_of(text: str) -> list[str]:
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
