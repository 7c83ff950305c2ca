"""Values that people write: amounts, dates, times, versions, statuses.

Each has a kind, by its form; which of them cannot both be right, `differing` tells.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.conflicts.claim_words import (
    BOUNDS,
    FILLERS,
    MEASURES,
    MONEY,
    MONTHS,
    NO_UNITS,
    PERIODS,
    ROUGHLY,
    SCALES,
    SPELLED,
    STATUS_OF,
    WEEKDAYS,
)

ValueKind: TypeAlias = Literal[
    "number", "date", "time", "version", "address", "weekday", "status", "text"
]

ROUGH = 0.1
"""How far off a number may be that someone calls rough: a tenth."""

LOCAL_DIGITS = 7
"""Digits of a phone number that are the same however it is written: behind them stand
the codes of a country and a town."""

THOUSAND = 1000.0
"""By what a number is wrong whose point was read as the other kind of point."""

_NUMBER = r"\d+(?:[.,'\u2019]\d+)*"
_FACTOR = r"(?:\s?(?:k|K|mio\.?|Mio\.?|million|millionen|M)(?![\w°]))?"
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"(?P<y1>\d{{4}})-(?P<m1>\d{{2}})(?:-(?P<d1>\d{{2}}))?(?![\d-])"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?P<m2>{_MONTH})\b\.?(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|(?P<m3>{_MONTH})\b\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,?\s+(?P<y3>\d{{4}}))?"
    rf"|(?P<m4>{_MONTH})\b\.?\s+(?P<y4>\d{{4}})"
    rf"|(?P<d5>\d{{1,2}})\.(?P<m5>\d{{1,2}})\.(?P<y5>\d{{4}})",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?P<h>\d{1,2})(?::(?P<m>\d{2})(?!\d)|(?=\s?[ap]\.?m\b)|(?:\.(?P<m2>\d{2}))?(?=\s?Uhr))"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?|\s?Uhr)?",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"v\d+(?:\.\d+)*\b|\d+(?:\.\d+){2,}\b|v?\d+\.\d+(?:-\w+|[a-z]\d*)\b"
)
_ADDRESS = re.compile(
    r"(?P<ip>\d{1,3}(?:\.\d{1,3}){3})(?![\d.]*\d)"
    r"|(?P<phone>\+\d[\d ()/-]{5,}\d|\(?0\d{1,5}\)?[ /-]\d[\d /-]{3,}\d"
    r"|(?:\d{3}[- ]){2}\d{4}(?![\d-])|\d{3}[- ]0\d{3}(?![\d-])"
    r"|\d{3}-\d{4}(?=\s*(?:[.,;)]|$)))"
    r"|(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
)
"""What a thing or somebody is reached by, which its form tells."""
_WEEKDAY = re.compile(
    r"(?P<days>(?:{0})(?:(?:,| and| und| &|, and) (?:{0}))*)\b".format(
        "|".join(WEEKDAYS)
    )
    + r"|(?:every|each|jeden) (?P<one>(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"(?:\s?(?:/|(?:a|an|per|each|every|im|pro|je|in der)\s)\s?|\s)"
    rf"(?P<period>{'|'.join(PERIODS)})\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"(?P<sign>[€$£])?\s?(?P<low>-?{_NUMBER})(?P<f1>{_FACTOR})"
    rf"(?:\s?(?:-|–|to|bis)\s?(?P<high>{_NUMBER})(?P<f2>{_FACTOR}))?"  # noqa: RUF001
    r"\s?(?P<unit>[€$£%]|°[CF]|[^\W\d_]+[²³]?)?(?P<per>/\w+)?"
)
_FILLER = re.compile(
    "(?:" + "|".join(sorted(map(re.escape, FILLERS), key=len, reverse=True)) + r")\s+",
    re.IGNORECASE,
)
_ROUGHLY = re.compile(
    "[~≈]\\s*|(?:" + "|".join(sorted(map(re.escape, ROUGHLY), key=len)) + r")\s+",
    re.IGNORECASE,
)
_BOUND = re.compile(rf"(?:{'|'.join(BOUNDS)})\s", re.IGNORECASE)
_STATUS = re.compile(
    "(?:" + "|".join(sorted(map(re.escape, STATUS_OF), key=len, reverse=True)) + r")\b",
    re.IGNORECASE,
)
TELLING = (
    "is", "are", "been", "was", "were", "be", "has", "takes", "lasts", "remains", "ist",
    "sind", "wurde", "war", "dauert", "beträgt",
)  # fmt: skip
"""Verbs before how far a thing is."""
STATUS_TOLD = re.compile(
    f" (?:{'|'.join(TELLING)}) (?:[a-zäöü]+ )?(?:"
    + "|".join(map(re.escape, (*STATUS_OF, "owned by", "led by", *SPELLED)))
    + ")"
)
"""Finds, in small letters, where it may be told how far a thing is, whose, or how many
in words."""
_SPELLED = re.compile(
    "(" + "|".join(sorted(SPELLED, key=len, reverse=True)) + r")(?=\s+[^\W\d])",
    re.IGNORECASE,
)
_PRODUCT = re.compile(
    r"(?P<name>[A-Z][\w+#-]*(?: [A-Z][\w+#-]*)?),? (?:version )?"
    r"v?(?P<number>\d+(?:\.\d+)*)\b"
)
_NAME = (
    r"(?:\[\[[^\]]+\]\]|(?!(?:The|Our|My|Der|Die|Das|\w+day|\w+tag|Mittwoch|Next|Last|Regen"
    r"|Nacht|Licht|Wind|Schnee|Hitze|Kälte"
    rf"|(?i:{_MONTH}))\b)[A-ZÄÖÜ][\w-]*"
    r"(?: [A-ZÄÖÜ][\w-]*){0,3})"
)
_SOMEBODY = re.compile(rf"{_NAME}(?:(?:,| and| und| &) {_NAME})*")
_CLAUSE_END = re.compile(r"\s*(?:[.,;!)]|$|now\b|and\b|since\b|until\b|again\b)")
_CODE = re.compile(r"`?(?=[A-Z0-9-]*[A-Z])(?=[A-Z-]*\d)[A-Z0-9][A-Z0-9/-]{2,}\b")
_WORD = re.compile(r"\s*([^\W\d_]+)")
_MARKS = re.compile(r"[*_`=]+|\[\[|\]\]|\"|'")


class Value(NamedTuple):
    """What something is said to be.

    `text` is as it was written, `after` how many characters of the text it took, and
    `measure` a word behind it such as `wide`. Of a date or a version `parts` are the
    numbers, 0 where one is left open; else `low` and `high` bound it.
    """

    kind: ValueKind
    text: str
    after: int
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    parts: tuple[int, ...] = ()
    name: str = ""
    measure: str = ""


def read_value(text: str) -> Value | None:
    """Return the value that a text begins with, words such as `now` before it aside."""
    at, rough = 0, False
    while (more := _FILLER.match(text, at)) and not _STATUS.match(text, at):
        if _BOUND.match(text, at):
            return None
        at = more.end()
    if _BOUND.match(text, at):
        return None
    if more := _ROUGHLY.match(text, at):
        at, rough = more.end(), True
    while text[at : at + 1] in ("*", "_", "`", "="):
        at += 1
    return (
        _date(text, at)
        or _time(text, at)
        or _address(text, at)
        or _version(text, at)
        or _amount(text, at, rough=rough)
        or _spelled(text, at, rough=rough)
        or _status(text, at)
        or _weekday(text, at)
    )


def _date(text: str, at: int) -> Value | None:
    found = _DATE.match(text, at)
    if found is None:
        return None
    said = {key[0]: part for key, part in found.groupdict().items() if part}
    month = said["m"].lower()
    parts = (
        int(said.get("y", 0)),
        int(month) if month.isdigit() else MONTHS[month],
        int(said.get("d", 0)),
    )
    return Value("date", found[0], found.end(), parts=parts)


def _time(text: str, at: int) -> Value | None:
    found = _TIME.match(text, at)
    if found is None:
        return None
    hour = int(found["h"]) % 12 if found["half"] else int(found["h"])
    late = 12 * (found["half"] or "").lower().count("p")
    minutes = float((hour + late) * 60 + int(found["m"] or found["m2"] or 0))
    return Value("time", found[0], found.end(), low=minutes, high=minutes)


def _address(text: str, at: int) -> Value | None:
    found = _ADDRESS.match(text, at)
    if found is None:
        return None
    unit = found.lastgroup or ""
    name = found[0].casefold()
    if unit == "phone":  # with or without the code of a country
        name = re.sub(r"\D", "", name)[-LOCAL_DIGITS:]
    return Value("address", found[0], found.end(), unit=unit, name=name)


def _weekday(text: str, at: int) -> Value | None:
    found = _WEEKDAY.match(text, at)
    if found is None:
        return None
    named = (found["days"] or f"{found['one']}s").lower()
    parts = tuple(WEEKDAYS[day] for day in re.findall(r"[a-z]{4,}", named))
    return Value("weekday", found[0], found.end(), parts=parts)


def _version(text: str, at: int) -> Value | None:
    found = _VERSION.match(text, at)
    if found is None:
        return None
    parts = tuple(int(part) for part in re.findall(r"\d+", found[0]))
    return Value("version", found[0], found.end(), parts=parts)


def _amount(text: str, at: int, *, rough: bool) -> Value | None:
    found = _AMOUNT.match(text, at)
    if found is None:
        return None
    word = (found["sign"] or found["unit"] or "").lower()
    end = found.end()
    if not found["sign"] and (word in NO_UNITS or word in MEASURES):
        word, end = "", found.start("unit")
    unit, scale = _unit(word)
    joined = found["unit"] and text[found.start("unit") - 1] not in " \u00a0"
    if joined and word and word not in SCALES:  # `6ADA` and `28th` count nothing
        return None
    money = unit in MONEY
    low = _number(found["low"], money=money) * _factor(found["f1"]) * scale
    high = low
    if found["high"]:
        high = _number(found["high"], money=money) * scale
        high *= _factor(found["f2"] or "")
    low, high = min(low, high), max(low, high)
    if rough:
        low, high = low - abs(low) * ROUGH, high + abs(high) * ROUGH
    behind = _WORD.match(text, end)
    measure = behind[1].lower() if behind and behind[1].lower() in MEASURES else ""
    per = (found["per"] or "").lower() if end == found.end() else ""
    if money and (period := _PERIOD.match(text, found.start("per") if per else end)):
        per, end = "/" + PERIODS[period["period"].lower()], period.end()
    written = text[at:end].strip()
    return Value("number", written, end, unit + per, low, high, measure=measure)


def _spelled(text: str, at: int, *, rough: bool) -> Value | None:
    """Return a number in words, which counts something: `three months`."""
    found = _SPELLED.match(text, at)
    if found is None:
        return None
    digits = str(SPELLED[found[0].lower()])
    value = _amount(digits + text[found.end() :], 0, rough=rough)
    if value is None or not value.unit:
        return None
    end = found.end() + value.after - len(digits)
    return value._replace(text=text[at:end].strip(), after=end)


def product_value(text: str) -> Value | None:
    """Return the version of what is named at the beginning of a text: `Debian 12`."""
    found = _PRODUCT.match(text)
    if found is None:
        return None
    parts = tuple(map(int, found["number"].split(".")))
    name = found["name"].casefold()
    return Value("version", found[0], found.end(), parts=parts, name=name)


def somebody(text: str) -> Value | None:
    """Return whose name a text begins with."""
    found = _SOMEBODY.match(text)
    return property_value(found[0])._replace(after=found.end()) if found else None


def whole_name(text: str) -> Value | None:
    """Return the name that a clause consists of: `Solaris`, not `REST based`."""
    found = _SOMEBODY.match(text, 4 if text.startswith("The ") else 0)
    if found is None or not _CLAUSE_END.match(text, found.end()):
        return None
    return property_value(found[0])._replace(after=found.end())


def code_value(text: str) -> Value | None:
    """Return the letters and digits that a text begins with: `WM-88120`."""
    found = _CODE.match(text)
    return property_value(found[0])._replace(after=found.end()) if found else None


def _status(text: str, at: int) -> Value | None:
    found = _STATUS.match(text, at)
    if found is None:
        return None
    return Value("status", found[0], found.end(), name=STATUS_OF[found[0].lower()])


def _unit(word: str) -> tuple[str, float]:
    one = word[:-1] if word.endswith("s") and len(word) > 2 else word  # noqa: PLR2004
    return SCALES.get(word) or SCALES.get(one) or (one, 1.0)


def _number(text: str, *, money: bool) -> float:
    """Return a number, however its thousands are set apart."""
    plain = text.replace("'", "").replace("\u2019", "")
    if "." in plain and "," in plain:
        point = "." if plain.rindex(".") > plain.rindex(",") else ","
        other = "," if point == "." else "."
        return _float(plain.replace(other, "").replace(point, "."))
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+", plain):
        return float(plain.replace(",", ""))
    grouped = re.fullmatch(r"-?\d{1,3}(\.\d{3})+", plain)
    if grouped and (money or plain.count(".") > 1):
        return float(plain.replace(".", ""))
    return _float(plain.replace(",", "."))


def _float(text: str) -> float:
    whole, _, rest = text.partition(".")
    return float(f"{whole}.{rest.replace('.', '')}") if rest else float(whole)


def _factor(text: str) -> float:
    word = text.strip().lower()
    return 1.0 if not word else THOUSAND if word == "k" else THOUSAND**2


@lru_cache(maxsize=2048)
def property_value(text: str) -> Value:
    """Return what a property says, whatever it is; a text is its own value."""
    plain = " ".join(_MARKS.sub(" ", text).split())
    found = read_value(plain)
    whole = found is not None and not plain[found.after :].strip(" .")
    if found is not None and whole:
        return found
    return Value("text", text, len(text), name=plain.casefold())
