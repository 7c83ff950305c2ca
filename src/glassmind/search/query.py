"""Taking apart what a person typed: words, phrases, exclusions, filters.

Anything can be typed. What looks like an operator but is not complete (a lone quote,
`tag:` with nothing behind it) is read as plain words.
"""

import re
from datetime import UTC, date, datetime, time, timedelta

from glassmind.errors import BadDate
from glassmind.model.search import Filter, WordQuery

LONGEST_QUERY = 10_000
"""Characters that are read; what is longer is a pasted document, not a question."""

_MEANT = frozenset('-[":*')
"""A query without any of these holds nothing but words."""

_PIECE = r"""
    (?P<not>-(?!-))?
    (?:
      \[(?P<property>\s*[^\s\[\]:"][^\[\]:"]*)(?::(?P<value>"[^"]*"|[^\[\]]*))?\](?!\])
      | (?P<filter>tag|path|file|before|after):(?P<argument>"\s*[^\s"][^"]*"|[^\s"]+)
      | "(?P<phrase>[^"]*)"
      | (?P<word>[^\s"]+)
    )
    """
_AGO = r"(\d{1,4})(d|w|m|y)"
_DAYS_IN = {"d": 1, "w": 7, "m": 30, "y": 365}


def parse_query(text: str, today: date) -> WordQuery:
    """Return what is asked for.

    Raises:
        BadDate: `before:` or `after:` stands before something that is not a date.
    """
    # half of a surrogate pair, as a terminal may send it, is a letter of no note
    text = text[:LONGEST_QUERY].encode("utf-8", "replace").decode("utf-8")
    if _MEANT.isdisjoint(text):
        return WordQuery(tuple(text.split()))
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    prefixes: list[str] = []
    filters: list[Filter] = []
    for found in re.finditer(_PIECE, text, re.VERBOSE | re.IGNORECASE):
        negated = found["not"] is not None and _starts_piece(text, found.start())
        if found["property"] is not None:
            filters.append(
                _property(found["property"], found["value"], negated=negated)
            )
        elif found["filter"] is not None:
            kind = found["filter"].lower()
            filters.append(
                _filter(kind, found["argument"].strip('"'), today, negated=negated)
            )
        elif found["phrase"] is not None:
            if _has_letter(found["phrase"]):
                (excluded if negated else phrases).append(found["phrase"])
        elif negated:
            if _has_letter(found["word"]):
                excluded.append(found["word"].rstrip("*"))
        elif found["word"].endswith("*") and _has_letter(found["word"]):
            prefixes.append(found["word"].rstrip("*"))
        else:
            words.append(found["word"])
    return WordQuery(
        tuple(words), tuple(phrases), tuple(excluded), tuple(prefixes), tuple(filters)
    )


def _starts_piece(text: str, at: int) -> bool:
    return at == 0 or text[at - 1].isspace()


def _has_letter(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _property(name: str, value: str | None, *, negated: bool) -> Filter:
    wanted = None if value is None else value.strip().strip('"')
    return Filter("property", wanted or None, name=name.strip(), negated=negated)


def _filter(kind: str, value: str, today: date, *, negated: bool) -> Filter:
    match kind:
        case "tag":
            return Filter("tag", value, negated=negated)
        case "path":
            return Filter("path", value, negated=negated)
        case "file":
            return Filter("file", value, negated=negated)
        case "before":
            day = parse_day(value, today)
            return Filter("before", value, day=day, negated=negated)
        case _:
            day = parse_day(value, today)
            return Filter("after", value, day=day, negated=negated)


def midnight(day: date) -> datetime:
    """Return when a day begins here; in UTC for the first and last days of all."""
    begin = datetime.combine(day, time.min)
    try:
        return begin.astimezone()
    except (OverflowError, ValueError):
        return begin.replace(tzinfo=UTC)


def parse_day(text: str, today: date) -> date:
    """Return the day a person means.

    Raises:
        BadDate: it is not a date.
    """
    named = {"today": 0, "yesterday": 1, "tomorrow": -1}
    if text.lower() in named:
        return today - timedelta(days=named[text.lower()])
    if ago := re.fullmatch(_AGO, text.lower()):
        days = int(ago[1]) * _DAYS_IN[ago[2]]
        if days >= today.toordinal():
            raise BadDate(text)
        return today - timedelta(days=days)
    padded = text + "-01-01"[len(text) - 4 :] if len(text) in (4, 7) else text
    try:
        return date.fromisoformat(padded)
    except ValueError:
        raise BadDate(text) from None
