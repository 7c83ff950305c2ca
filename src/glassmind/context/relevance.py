"""How much items have to do with the question, by the words that they share with it."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType

from glassmind.context.asking import Terms, occurrences, question_words
from glassmind.model.context import Item
from glassmind.model.sections import APART

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
    """Whether a question is about what is due, before all else."""
    return _DUE.search(query) is not None


@lru_cache(maxsize=8)
def section_asked(query: str) -> str:
    """Return the section that a question asks for; empty where it names none."""
    return next((name for name, words in _ASKS.items() if words.search(query)), "")


def most_relevant(items: Iterable[Item], query: str) -> list[Item]:
    """Return items by how many words of the question they hold; others as they are."""
    found = [*items]
    terms = _terms(query) if len(found) > 1 else None
    if terms is not None:
        found.sort(key=lambda item: -shared(item, terms))
    return found


def asked_terms(query: str) -> Terms | None:
    """Return what is looked for in items; None where the question has no such words."""
    return _terms(query)


@lru_cache(maxsize=8)  # the sections of a bundle ask one after the other
def _terms(query: str) -> Terms | None:
    found = question_words(query, ())
    needles = tuple(one for one in found.needles if one.word not in KINDS)
    return found._replace(needles=needles) if needles else None


def shared(item: Item, terms: Terms) -> int:
    """Return how many words of a question stand in an item, its title or its heads."""
    said = "\n".join((item.text, item.title, *item.heading_path))
    return len({word for _, word in occurrences(said, terms, 1)})


def closeness(query: str, texts: Sequence[tuple[str, ...]], section: str) -> list[int]:
    """Return how many words of a question stand in the texts of each of some things.

    Where the question asks for a section as such, one word is as good as many: what it
    is about is known, and what it wants is the order of the section.
    """
    terms = _terms(query)
    if terms is None:
        return [0] * len(texts)
    known = _words_of({text for many in texts for text in many}, terms)
    most = 1 if section_asked(query) == section else len(query)
    found = []
    for many in texts:
        held = [known[text] for text in many if text in known]
        found.append(min(len(frozenset().union(*held)), most) if held else 0)
    return found


def _words_of(texts: Collection[str], terms: Terms) -> dict[str, set[str]]:
    """Return the words that each text has which has some.

    All are looked through in one go, since most have none.
    """
    each = [*texts]
    joined = APART.join(each)
    if len(joined) != len(joined.lower()):  # a letter that is two when it is small
        found = {text: {word for _, word in occurrences(text, terms)} for text in each}
        return {text: words for text, words in found.items() if words}
    ends = list(accumulate([len(text) + 1 for text in each]))
    known: dict[str, set[str]] = {}
    for place, word in occurrences(joined, terms, len(joined)):
        known.setdefault(each[bisect_right(ends, place)], set()).add(word)
    return known
