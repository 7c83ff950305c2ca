"""Folded names in tables, one for each way of looking, kept as names come and go.

A table is made when it is first asked, and carried over from one state to the next by
what came and went, so that a change to one note costs nothing like a look at all.
Lists in tables are in order, so that both ways give equal tables.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from glassmind.graph.folding import folded, in_singular, slips_between
from glassmind.model import NotePath
from glassmind.model.ontology import NameKind

LEAST_INITIALS = 3
"""Words that a name has to have to be known by their first letters."""

SMALL_WORDS = frozenset(
    [
        "a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or",
        "the", "to", "with", "de", "del", "des", "du", "la", "le", "les", "el", "los",
        "las", "un", "une", "und", "der", "die", "das", "den", "dem", "von",
    ]
)  # fmt: skip
"""Words that tell no name from another."""

Way: TypeAlias = Literal["singular", "bag", "initials", "word", "alike"]


class Name(NamedTuple):
    """One name of one thing; `uses` are links to a ghost, or notes of a tag."""

    kind: NameKind
    text: str
    how: str
    path: NotePath | None
    title: str
    uses: int = 0


def bag_of(form: str) -> str:
    """Return the words of a folded name in order of the alphabet, small ones aside."""
    words = in_singular(form).split()
    return " ".join(sorted(set(words) - SMALL_WORDS) or sorted(words))


def initials_of(form: str) -> set[str]:
    """Return the first letters of a folded name, with and without its small words."""
    words = form.split()
    large = [word for word in words if word not in SMALL_WORDS]
    return {
        "".join([word[0] for word in some])
        for some in (words, large)
        if len(some) >= LEAST_INITIALS
    }


def _digits(form: str) -> str:
    return "".join([letter for letter in form if letter.isdigit()])


WAYS: Mapping[Way, Callable[[str], Iterable[Hashable]]] = {
    "singular": lambda form: (in_singular(form),),
    "bag": lambda form: (bag_of(form),) if " " in form else (),
    "initials": initials_of,
    "word": lambda form: dict.fromkeys(in_singular(form).split()),
    "alike": lambda form: ((len(form), _digits(form)),),
}
"""What a folded name is found by in each table."""

_Table: TypeAlias = dict[Hashable, list[str]]


class Forms:
    """The names of everything by their folded forms; a state of them never changes."""

    def __init__(
        self, names: Mapping[str, Sequence[Name]], tables: Mapping[Way, _Table]
    ) -> None:
        self.names = MappingProxyType(dict(names))
        self._tables = dict(tables)

    @classmethod
    def of(cls, names: Iterable[Name]) -> "Forms":
        """Return the forms of these names."""
        return cls({}, {}).renewed((), names)

    def renewed(self, gone: Iterable[Name], came: Iterable[Name]) -> "Forms":
        """Return the forms without some names and with some others."""
        names: dict[str, Sequence[Name]] = dict(self.names)
        touched: dict[str, list[Name]] = {}
        for name in gone:
            form = folded(name.text)
            touched.setdefault(form, list(names.get(form, ()))).remove(name)
        for name in came:
            form = folded(name.text)
            touched.setdefault(form, list(names.get(form, ()))).append(name)
        for form, left in touched.items():
            names[form] = sorted(left, key=_order)
            if not left:
                del names[form]
        lost = [form for form in touched if form in self.names and form not in names]
        new = [form for form in touched if form in names and form not in self.names]
        tables = {
            way: _renewed(table, WAYS[way], lost, new)
            for way, table in dict(self._tables).items()  # others may add to them
        }
        return Forms(names, tables)

    def by(self, way: Way, key: Hashable) -> Sequence[str]:
        """Return the forms that are found so, in order."""
        table = self._tables.get(way)
        if table is None:
            table = self._tables[way] = _renewed({}, WAYS[way], (), self.names)
        return table.get(key, ())

    def slips(self, form: str, most: int) -> list[tuple[str, int]]:
        """Return the forms a few slips away, with how many; the nearest first.

        Digits are no slips: another number is another thing.
        """
        letters, digits = _letters(form), _digits(form)
        # A swap may spoil two pieces; of one more than that, one piece is whole.
        pieces = _cut(form, 2 * most + 1)
        near = [
            (slips, other)
            for length in range(len(form) - most, len(form) + most + 1)
            for other in self.by("alike", (length, digits))
            # a slip changes two letters at most
            if (_letters(other) ^ letters).bit_count() <= 2 * most
            and any(piece in other for piece in pieces)
            and (slips := slips_between(form, other, most))
        ]
        return [(other, slips) for slips, other in sorted(near)]


def _order(name: Name) -> tuple[str, str, str, str]:
    return name.kind, name.path or "", name.how, name.text


def _renewed(
    table: _Table,
    keys_of: Callable[[str], Iterable[Hashable]],
    lost: Collection[str],
    new: Collection[str],
) -> _Table:
    made = dict(table)
    touched: dict[Hashable, set[str]] = {}
    for form in lost:
        for key in keys_of(form):
            touched.setdefault(key, set(made.get(key, ()))).discard(form)
    for form in new:
        for key in keys_of(form):
            touched.setdefault(key, set(made.get(key, ()))).add(form)
    for key, forms in touched.items():
        made[key] = sorted(forms)
        if not forms:
            del made[key]
    return made


def _cut(form: str, count: int) -> list[str]:
    """Return a text in so many pieces of about one length."""
    size, more = divmod(len(form), count)
    ends = [at * size + min(at, more) for at in range(count + 1)]
    return [form[start:end] for start, end in pairwise(ends)]


@lru_cache(maxsize=65_536)  # the names of a large vault
def _letters(form: str) -> int:
    """Return a set of the letters of a name as bits; different letters may share one.

    Not Python's own hash, which is another in every run.
    """
    mask = 0
    for letter in form:
        mask |= 1 << (ord(letter) % 61)
    return mask
