"""How warm a note is: a pure function of when it was changed, used, and what it is by.

Each thing that warms a note gives a share from 0 to 1, which falls with time, and the
shares are put together as chances are: two halves make three quarters, never more than
one. A pin makes one. Cold is a level like the others: nothing is forgotten.
"""

from collections.abc import Iterable, Mapping
from math import fsum, log2
from typing import NamedTuple

from glassmind.model.memory import HeatLevel
from glassmind.model.use import alone

HOT, WARM = 0.5, 0.15
"""Where the levels begin: with the usual half-life a note that was edited today is hot
for three days and warm for two weeks, as long as its project is active."""

EDITED, DATED, USED = 0.7, 0.5, 0.9
"""The most that an edit, a day of its own and use give: no one of them is a pin."""

PROJECT = 0.2
"""What a note gets from a project that is active: enough to be warm, and no more."""

LINKED = 0.25
"""The most that a note gets from a hot note it is linked with."""

LINKS_A_PERSON_READS = 10
"""Links of a hot note that warm in full; those of one with more share that."""

LIVES = 6
"""Half-lives that are looked back: what is older gives less than a sixtieth."""

MEANING: Mapping[str, float] = {
    "read": 1.0,
    "context": 0.5,
    "recall": 0.5,
    "search": 0.25,
    "hot": 0.0,
    "brief": 0.0,
}
"""What being handed out says by the verb: who reads a note means it, who searches may
not even look. What is shown because it is warm is not made warmer by that."""

OTHER_VERB = 0.25

FULL_DAY, FULL = 4.0, 4.0
"""Binary logarithms: fifteen reads of a day are as much as a day can give, and that is
all there is to get."""


class Use(NamedTuple):
    """How often a note was handed out by a verb, and how many days ago."""

    verb: str
    days: int
    times: int


def faded(days: float, half_life_days: float) -> float:
    """Return what time leaves of a share: a half after each half-life."""
    return float(2.0 ** (-max(0.0, days) / half_life_days))


def edit_heat(days: int, company: int, half_life_days: float) -> float:
    """Return what an edit gives."""
    return EDITED * alone(company) * faded(days, half_life_days)


def day_heat(days: int, half_life_days: float) -> float:
    """Return what a day of its own, such as that of a daily note, gives."""
    return DATED * faded(days, half_life_days)


def use_heat(uses: Iterable[Use], half_life_days: float) -> float:
    """Return what use gives; each day by the logarithm of what was used on it.

    So a program that asks for one note all day says little more than a person who read
    it in the morning and again at night.
    """
    by_day: dict[int, list[float]] = {}
    for use in uses:
        said = MEANING.get(use.verb, OTHER_VERB) * use.times
        by_day.setdefault(use.days, []).append(said)
    given = fsum(
        min(FULL_DAY, log2(1 + fsum(sorted(said)))) * faded(days, half_life_days)
        for days, said in sorted(by_day.items())
    )
    return USED * min(1.0, given / FULL)


def link_heat(heat: float, degree: int) -> float:
    """Return what a note gets from a hot one that has so many links in all."""
    return LINKED * heat * min(1.0, LINKS_A_PERSON_READS / max(1, degree))


def together(*shares: float) -> float:
    """Return what shares come to, in whatever order they are."""
    given = [share for share in shares if share > 0]
    if len(given) == 1:
        return min(1.0, given[0])
    left = 1.0
    for share in sorted(given):
        left *= 1.0 - min(1.0, share)
    return 1.0 - left


def level_of(heat: float) -> HeatLevel:
    """Return a temperature in a word."""
    if heat >= HOT:
        return "hot"
    return "warm" if heat >= WARM else "cold"
