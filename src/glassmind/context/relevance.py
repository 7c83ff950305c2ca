"""How much items have to do with the question, by the words that they share with it."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from glassmind.context.asking import Terms, occurrences, question_words
from glassmind.types.context import Item

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


class Closeness:
    """How many words of a question stand in texts; each text is looked through once.

    Where the question asks for a section as such, one word is as good as many: what it
    is about is known, and what it wants is the order of the section.
    """

    def __init__(self, query: str, section: str) -> None:
        self._terms = _terms(query)
        self._most = 1 if section_asked(query) == section else len(query)
        self._known: dict[str, set[str]] = {"": set()}

    @property
    def matters(self) -> bool:
        """Whether the question has words that can be shared."""
        return self._terms is not None

    def of(self, *texts: str) -> int:
        """Return how many words stand in some texts together."""
        if self._terms is None:
            return 0
        held: set[str] = set()
        for text in texts:
            held |= self._words(text, self._terms)
        return min(len(held), self._most)

    def _words(self, text: str, terms: Terms) -> set[str]:
        if text not in self._known:
            found = occurrences(text, terms, 1)
            self._known[text] = {word for _, word in found}
        return self._known[text]
