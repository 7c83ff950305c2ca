"""How much items have to do with the question, by the words that they share with it."""

from collections.abc import Iterable
from functools import lru_cache

from glassmind.context.asking import Terms, occurrences, question_words
from glassmind.types.context import Item

KINDS = frozenset(
    ("decid", "decision", "decisions", "question", "task", "open", "todo")
)
"""Words that ask for a section, and not for anything in it."""


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
