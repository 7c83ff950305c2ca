"""Readings of the ledger added up, by client or by note."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from glassmind.types.ledger import Reading, Sum, SumBy


class _Count:
    """What was counted of one client, or of one note."""

    def __init__(self, last: datetime) -> None:
        self.answers = self.named = 0
        self.others: set[str] = set()
        self.last = last


def summed(readings: Iterable[Reading], by: SumBy) -> list[Sum]:
    """Return a sum for each client or each note, those with most answers first.

    `readings` are the newest first. What is kept of them is a count for each client and
    note, however many they are.
    """
    counts: dict[str, _Count] = {}
    for reading in readings:
        given = {one.path for one in reading.passages}
        for of, other, has_text in _pairs(reading, given, by):
            count = counts.setdefault(of, _Count(reading.at))
            count.last = max(count.last, reading.at)
            if has_text and other:
                count.others |= other
            count.answers += has_text
            count.named += not has_text
    made = [
        Sum(of, one.answers, one.named, len(one.others), one.last)
        for of, one in counts.items()
    ]
    return sorted(made, key=lambda one: (-one.answers, -one.named, one.of))


def _pairs(
    reading: Reading, given: set[str], by: SumBy
) -> Iterator[tuple[str, set[str], bool]]:
    """Yield whom an answer counts for, with whom, and whether it had text."""
    if by == "client":
        yield reading.client, given, bool(given)
        return
    for path in given:
        yield path, {reading.client}, True
    for path in reading.named:
        yield path, set(), False
