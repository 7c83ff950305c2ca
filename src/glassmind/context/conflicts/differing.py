"""When two values cannot both be right.

A month holds each of its days, a range what lies in it, and about 900 is 890 too.
"""

import re

from glassmind.context.conflicts.claim_words import LASTING, MONEY
from glassmind.context.conflicts.values import THOUSAND, Value

EXACT = 1e-9
"""How far two numbers may be apart that are the same: units are turned into others."""

_PART = re.compile(r"[\s,;-]+")
_POINTED = re.compile(r"\d[.,]\d{3}(?!\d)")
"""A point that may set thousands apart, or be the point of a decimal."""


def differ(a: Value, b: Value) -> bool:
    """Whether two values cannot both be right; such as cannot be compared may."""
    if a.kind != b.kind:
        return False
    if a.kind == "status":
        return a.name != b.name
    if a.kind == "text":
        return _names_differ(a.name, b.name)
    if a.kind == "address":
        # a number may go without the code of its town
        same = a.name.endswith(b.name) or b.name.endswith(a.name)
        return a.unit == b.unit and not same
    return _parts_differ(a, b) if a.parts else _numbers_differ(a, b)


def _names_differ(one: str, other: str) -> bool:
    """Whether neither is a part of the other: Tobias is Tobias Wrenfield."""
    a, b = ({*_PART.split(name)} - {""} for name in (one, other))
    return not (a <= b or b <= a)


def _parts_differ(a: Value, b: Value) -> bool:
    """Whether two dates, versions or days of the week differ."""
    if a.kind == "weekday":
        return {*a.parts}.isdisjoint(b.parts)
    pairs = zip(a.parts, b.parts, strict=False)
    open_ended = a.kind == "date"
    return any(x != y for x, y in pairs if (x and y) or not open_ended)


def _numbers_differ(a: Value, b: Value) -> bool:
    if not _same_unit(a.unit, b.unit) or _meet(a, b, 1.0):
        return False
    doubtful = _POINTED.search(a.text) or _POINTED.search(b.text)
    return not (doubtful and (_meet(a, b, THOUSAND) or _meet(b, a, THOUSAND)))


def _same_unit(one: str, other: str) -> bool:
    """Whether what two units count can be compared; without one it can.

    What is paid may be paid every month, where the other does not say for what.
    """
    if not one or not other or one == other:
        return True
    (unit, _, per), (same, _, each) = one.partition("/"), other.partition("/")
    lasting = per in LASTING if per else each in LASTING
    return unit == same and unit in MONEY and lasting and not (per and each)


def _meet(a: Value, b: Value, factor: float) -> bool:
    """Whether two ranges touch, once the second is so many times as much.

    A thousand times is the same number with its point read otherwise.
    """
    room = EXACT * max(abs(a.high), abs(b.high * factor), 1.0)
    return a.low <= b.high * factor + room and b.low * factor <= a.high + room
