"""What sort of thing a note says it is."""

import re
from collections.abc import Iterator
from functools import lru_cache

from glassmind.graph.folding import in_singular, key_form
from glassmind.model import PropertyValue
from glassmind.model.ontology import Entry

CATEGORY_KEYS = (
    "category", "type", "kind", "class", "note type", "kategorie", "typ", "categoria",
    "tipo", "categorie",
)  # fmt: skip
"""Properties that say what a note is, in the singular, the surest first.

The first four are what plugins and public templates use; the rest say the same in the
languages next to English there.
"""

_LINK = re.compile(r"!?\[\[([^\]|#]*)[^\]|]*(?:\|[^\]]*)?\]\]")


@lru_cache(maxsize=8_192)  # the same few names stand in every note
def _rank(name: str) -> int | None:
    """Return how surely a property says what a note is, 0 most; None if it does not."""
    form = in_singular(key_form(name))
    return CATEGORY_KEYS.index(form) if form in CATEGORY_KEYS else None


def is_category_key(name: str) -> bool:
    """Whether a property of this name says what a note is."""
    return _rank(name) is not None


def named_in(value: PropertyValue) -> Iterator[str]:
    """Yield the names that a value holds, those inside links without the brackets.

    A link that was written without quotes is a list in a list, and is a name too.
    """
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, list):
            left.extend(reversed(item))
        elif isinstance(item, str):
            linked = _LINK.fullmatch(item.strip())
            name = linked[1].rpartition("/")[2] if linked else item
            if plain := name.strip():
                yield plain
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield str(item)


def categories_of(entry: Entry) -> list[tuple[str, str]]:
    """Return what a note says it is, with the property that says so, surest first."""
    said = [
        (rank, name, value)
        for name, value in entry.properties.items()
        if (rank := _rank(name)) is not None
    ]
    said.sort(key=lambda one: one[:2])
    return [(name, label) for _, name, value in said for label in named_in(value)]
