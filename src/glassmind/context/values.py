"""Reads values that people write: amounts with units, dates, times, statuses.

Two values `differ` only where they cannot both be right.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

ValueKind: TypeAlias = Literal["number", "date", "time", "text"]

THOUSAND = 1000.0


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def word_table(rows: str) -> dict[str, str]:
    split = (row.split() for row in rows.split(";"))
    return {word: name for name, *words in split for word in words}


_BASE_UNITS = word_table(
    "m mm cm m metre meter km;g mg g gram kg kilo;l ml l litre liter;b kb mb gb tb;"
    "s s sec second min minute h hour stunde day tag week woche;"
    "month month monat year jahr;eur € eur euro;usd $ usd dollar;gbp £ gbp pound;"
    "% % percent prozent"
)
"""What a unit is converted to. Other units stand for themselves."""

_FACTORS = {
    word: float(factor)
    for word, factor in word_table(
        ".001 mm mg ml;.01 cm;1e3 km kg kilo kb;1e6 mb;1e9 gb;1e12 tb;60 min minute;"
        "3600 h hour stunde;86400 day tag;604800 week woche;12 year jahr"
    ).items()
}
MONTHS = word_table(
    "1 jan january januar;2 feb february februar;3 mar march märz;4 apr april;"
    "5 may mai;6 jun june juni;7 jul july juli;8 aug august;9 sep sept september;"
    "10 oct october okt oktober;11 nov november;12 dec december dez dezember"
)
_STATUSES = {
    "active": ("active", "in progress", "ongoing", "running", "aktiv", "in arbeit"),
    "paused": ("paused", "on hold", "parked", "blocked", "suspended", "pausiert"),
    "done": ("done", "complete", "completed", "finished", "erledigt", "abgeschlossen"),
    "cancelled": ("cancelled", "canceled", "dropped", "abandoned", "abgesagt"),
    "planned": ("planned", "not started", "todo", "geplant"),
}
_STATUS_OF = {word: name for name, words in _STATUSES.items() for word in words}
NUMBER_WORDS = word_table(
    "0 zero null;1 one once first ein eine einen eins;2 two twice second zwei;"
    "3 three third drei;4 four fourth vier;5 five fifth fünf;6 six sechs;"
    "7 seven sieben;8 eight acht;9 nine neun;10 ten zehn;11 eleven elf;"
    "12 twelve dozen zwölf;13 thirteen;14 fourteen;15 fifteen;16 sixteen;"
    "17 seventeen;18 eighteen;19 nineteen;20 twenty zwanzig;30 thirty;40 forty;"
    "50 fifty;60 sixty;70 seventy;80 eighty;90 ninety;100 hundred hundert;"
    "1000 thousand tausend;0.5 half"
)
"""Numbers in words, as far as notes often have them."""

_NAME = rf"(?i:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
_DATE = re.compile(
    r"(?P<y1>\d{4})-(?P<m1>\d{2})(?:-(?P<d1>\d{2}))?(?![\d-])"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?P<m2>{_NAME})(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|(?P<m3>{_NAME})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])"
    rf"(?:,?\s+(?P<y3>\d{{4}}))?|(?P<m4>{_NAME})\s+(?P<y4>\d{{4}})"
    r"|(?P<d5>\d{1,2})\.(?P<m5>\d{1,2})\.(?P<y5>\d{4})"
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?!\d)|(?=\s?[ap]\.?m\b))"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?",
    re.IGNORECASE,
)
_NUMBER = r"\d+(?:[.,'\u2019]\d+)*"
_FIGURE = re.compile(
    rf"(?P<date>(?<!\d)(?:{_DATE.pattern}))"
    rf"|(?P<time>(?<![\d:.,])(?i:{_TIME.pattern}))"
    r"|(?P<minus>(?<![^\s(|*_\"'])[-\u2212\u2013]|(?i:\bminus\s))?"
    rf"(?P<number>{_NUMBER})"
)
_AMOUNT = re.compile(
    rf"(?P<sign>[€$£])?\s?v?(?P<low>-?{_NUMBER})(?P<k>\s?k\b)?"
    rf"(?:\s?(?:-|\u2013|to|bis)\s?(?P<high>{_NUMBER}))?"
    r"\s?(?P<unit>[€$£%]|°[CF]|[^\W\d_]+[²³]?)?"
    r"(?:\s?/\s?(?P<per>\w+)|\s(?:an?|per|each|im|pro)\s(?P<each>\w+))?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:(?:now|only|currently|still|again|already|exactly|due|set|planned|scheduled|on"
    r"|at|in|for|by|to|from|nun|jetzt|nur|noch|am|um|auf|im|ab)\s+)*",
    re.IGNORECASE,
)
"""Words between a verb and its value that do not change it."""

_STATUS = re.compile(
    rf"(?:{'|'.join(sorted(_STATUS_OF, key=len, reverse=True))})\b", re.IGNORECASE
)
_POSSESSIVE = re.compile("['\u2019]s\\b")
_WORD = re.compile(r"[^\W_]+")


class Value(NamedTuple):
    """A value as it was written, and in a form that can be compared.

    `parts` are the numbers of a date, with 0 for what it leaves open.
    A number or a time lies between `low` and `high`, in `unit`. The `unit` of a text is
    the status it means, if any.
    """

    kind: ValueKind
    text: str
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    parts: tuple[int, ...] = ()


def read_value(text: str) -> tuple[Value, int] | None:
    before = _BEFORE.match(text)
    at = before.end() if before else 0
    if status := _STATUS.match(text) or _STATUS.match(text, at):
        word = status[0]
        return Value("text", word, _STATUS_OF[word.lower()]), status.end()
    for pattern, read in _FORMS:
        match = pattern.match(text, at)
        value = read(match) if match else None
        if match and value:
            return value, match.end()
    return None


@lru_cache(maxsize=2048)
def whole_value(text: str) -> Value:
    """Return what all of a text says; a text without a known form is its own value."""
    found = read_value(text)
    if found is not None and not text[found[1] :].strip(" ."):
        return found[0]
    plain = text.strip(" .")
    return Value("text", plain, _STATUS_OF.get(plain.casefold(), ""))


def differ(a: Value, b: Value) -> bool:
    if a.kind != b.kind:
        return False
    if a.kind == "text":
        if a.unit and b.unit:
            return a.unit != b.unit
        some, others = {*words_of(a.text)}, {*words_of(b.text)}
        return bool(some and others) and not (some <= others or others <= some)
    if a.parts:
        pairs = zip(a.parts, b.parts, strict=False)
        return any(x != y for x, y in pairs if x and y)
    if a.unit and b.unit and a.unit != b.unit:
        return False
    slack = 1e-9 * max(abs(a.high), abs(b.high), 1.0)  # units are converted
    return a.low > b.high + slack or b.low > a.high + slack


def _date(found: re.Match[str]) -> Value:
    groups = found.groupdict("").items()
    part = {name[0]: said for name, said in groups if said and name[1:].isdigit()}
    month = part["m"].lower().strip(".")
    parts = (part.get("y", 0), MONTHS.get(month, month), part.get("d", 0))
    return Value("date", found[0], parts=tuple(map(int, parts)))


def _time(found: re.Match[str]) -> Value:
    half = (found["half"] or "").lower()
    hour = int(found["hour"]) % 12 if half else int(found["hour"])
    minutes = float((hour + 12 * (half == "p")) * 60 + int(found["minute"] or 0))
    return Value("time", found[0], low=minutes, high=minutes)


def _amount(found: re.Match[str]) -> Value | None:
    unit = (found["sign"] or found["unit"] or "").lower()
    attached = (
        found["unit"] and found[0][found.start("unit") - found.start() - 1] != " "
    )
    if attached and unit not in _BASE_UNITS:  # `6ADA` and `28th` are not amounts
        return None
    if unit not in _BASE_UNITS and unit.endswith("s"):
        unit = unit[:-1]
    scale = _FACTORS.get(unit, 1.0) * (THOUSAND if found["k"] else 1.0)
    low = _number(found["low"]) * scale
    high = _number(found["high"]) * scale if found["high"] else low
    if high < low:  # a phone number: `555-0142`
        return None
    unit, per = _BASE_UNITS.get(unit, unit), found["per"] or found["each"]
    unit = f"{unit}/{per.lower()}" if per else unit
    return Value("number", found[0].strip(), unit, low, high)


def _number(text: str) -> float:
    plain = re.sub("['\u2019]", "", text)
    point = max(plain.rfind("."), plain.rfind(","))
    grouped = re.fullmatch(r"-?[1-9]\d{0,2}(?:[.,]\d{3})+", plain)
    if point < 0 or grouped:
        return float(re.sub("[.,]", "", plain))
    return float(f"{re.sub('[.,]', '', plain[:point])}.{plain[point + 1 :]}")


def figures_in(text: str, *, in_words: bool = False) -> list[Value]:
    """Return the dates, times and numbers of a text, without units."""
    text, values = normalize("NFKC", text), list[Value]()
    for match in _FIGURE.finditer(text):
        sign = -1 if match["minus"] else 1
        if match["number"]:
            number = sign * _number(match["number"])
            values.append(Value("number", match[0].strip(), low=number))
        else:
            values.append(_date(match) if match["date"] else _time(match))
    words = set(_WORD.findall(text.lower())) if in_words else set()
    for word in words & NUMBER_WORDS.keys():
        values.append(Value("number", word, low=float(NUMBER_WORDS[word])))
    return values


_FORMS = ((_DATE, _date), (_TIME, _time), (_AMOUNT, _amount))


@lru_cache(maxsize=4096)  # the same titles are compared for every question
def words_of(text: str) -> tuple[str, ...]:
    plain = _POSSESSIVE.sub("", text.casefold())
    return tuple(map(_singular, _WORD.findall(plain)))


def _singular(word: str) -> str:
    keep = len(word) < 4 or word.endswith(("ss", "us", "is"))  # noqa: PLR2004
    return word if keep or not word.endswith("s") else word[:-1]
