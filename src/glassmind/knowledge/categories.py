"""What sort of thing a note says it is, and what sort a group of notes mostly is."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from glassmind.knowledge.folding import in_singular, key_form
from glassmind.types import NotePath, PropertyValue
from glassmind.types.ontology import Entry

CATEGORY_KEYS = (
    "category", "type", "kind", "class", "note type", "kategorie", "typ", "categoria",
    "tipo", "categorie",
)  # fmt: skip
"""Properties that say what a note is, in the singular, the surest first.

The first four are what plugins and public templates use; the rest say the same in the
languages next to English there.
"""

LEAST_MEMBERS, MOST_SHARE = 4, 0.6
"""When a group has a category of its own: so many members say one, and so large a part
of them the same. A judgement: below it a group is merely mixed."""

_LINK = re.compile(r"!?\[\[([^\]|#]*)[^\]|]*(?:\|[^\]]*)?\]\]")


class GroupCategory(NamedTuple):
    """What the members of a group mostly are; `counted` members say anything."""

    category: str
    share: float
    counted: int


class Misfit(NamedTuple):
    """A note whose category is another than that of its group."""

    path: NotePath
    category: str
    group: int
    expected: GroupCategory


@lru_cache(maxsize=8_192)  # the same few names stand in every note
def _rank(name: str) -> int | None:
    """Return how surely a property says what a note is, 0 most; None if it does not."""
    form = in_singular(key_form(name))
    return CATEGORY_KEYS.index(form) if form in CATEGORY_KEYS else None


def is_category_key(name: str) -> bool:
    """Whether a property of this name says what a note is."""
    return _rank(name) is not None


def named_in(value: PropertyValue) -> Iterator[str]:
    """Yield the names that a value holds, those inside links without the brackets."""
    if isinstance(value, list):
        for item in value:
            yield from named_in(item)
    elif isinstance(value, str):
        linked = _LINK.fullmatch(value.strip())
        name = linked[1].rpartition("/")[2] if linked else value
        if plain := name.strip():
            yield plain
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)


def categories_of(entry: Entry) -> list[tuple[str, str]]:
    """Return what a note says it is, with the property that says so, surest first."""
    said = [
        (rank, name, value)
        for name, value in entry.properties.items()
        if (rank := _rank(name)) is not None
    ]
    said.sort(key=lambda one: one[:2])
    return [(name, label) for _, name, value in said for label in named_in(value)]


def category_of(entry: Entry) -> str | None:
    """Return the first thing a note says it is; None when it says nothing."""
    return next((label for _, label in categories_of(entry)), None)


def group_categories(
    groups: Mapping[int, Sequence[NotePath]], categories: Mapping[NotePath, str]
) -> dict[int, GroupCategory]:
    """Return what each group mostly is; a group without a clear majority has none.

    Spellings count as one category; the most used of them names it.
    """
    found = {}
    for group, members in groups.items():
        said = [categories[path] for path in members if path in categories]
        forms = Counter(in_singular(key_form(name)) for name in said)
        if len(said) < LEAST_MEMBERS:
            continue
        form, count = min(forms.items(), key=lambda one: (-one[1], one[0]))
        if count / len(said) >= MOST_SHARE:
            spelled = Counter(n for n in said if in_singular(key_form(n)) == form)
            name = min(spelled, key=lambda one: (-spelled[one], one))
            found[group] = GroupCategory(name, count / len(said), len(said))
    return found


def misfits(
    groups: Mapping[int, Sequence[NotePath]], entries: Sequence[Entry]
) -> list[Misfit]:
    """Return the notes whose category disagrees with their group's, by path.

    A note of several categories fits if any of them is its group's.
    """
    said = {entry.path: [name for _, name in categories_of(entry)] for entry in entries}
    first = {path: names[0] for path, names in said.items() if names}
    found = []
    for group, expected in group_categories(groups, first).items():
        form = in_singular(key_form(expected.category))
        for path in groups[group]:
            own = said.get(path, [])
            if own and all(in_singular(key_form(name)) != form for name in own):
                found.append(Misfit(path, own[0], group, expected))
    return sorted(found, key=lambda misfit: misfit.path)
