"""Folded names in tables, one for each way of looking, kept as names come and go.

A table is made when it is first asked, and carried over from one state to the next by
what came and went, so that a change to one note costs nothing like a look at all.
Lists in tables are in order, so that both ways give equal tables.
"""

import math
import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cached_property, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from glassmind.files.ignore import is_attachment
from glassmind.files.names import NOTE_SUFFIX, Names, link_text, name_key
from glassmind.graph.words import folded, in_singular, slips_between
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, GhostName, HeadingName, NameKind
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.text import fold

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


TITLE_KEYS = ("title", "name", "id")
"""Properties that hold what a note is called."""

HEADED_SO = 2
"""Notes whose first heading is the same from above which it is no name of theirs: 165
notes of one wiki begin with `Installation`."""

_UNLINKABLE = frozenset("[]|#^")
"""Characters that no wikilink can hold in its target."""

_PLAIN = re.compile(
    r"\[\[/?\w[\w /.,'()&+-]*(?:#\w[\w /.,'()&+-]*)?(?:\|\w[\w /.,'()&+-]*)?\]\]"
    r"|\[\w[\w /.,'()&+-]*\]\((?:[\w/.+-]|%20)+\.md(?:#(?:[\w/.+-]|%20)+)?\)"
)
"""Links with nothing in them that could be read as something else: most of them, and
reading a note for each candidate takes its time."""


class NameSources(NamedTuple):
    """What names are told from.

    All `entries` are known by their paths, those `named` by all their names, and by
    their `headings`. `markdown` says that the vault writes its links as Markdown does.
    """

    entries: Sequence[Entry]
    named: Sequence[Entry]
    ghosts: Sequence[GhostName]
    headings: Mapping[NotePath, Sequence[HeadingName]]
    files: Sequence[NotePath]
    markdown: bool = False


class _Told(NamedTuple):
    """The names of one thing, and what they were told from."""

    entry: Entry | GhostName
    first: str
    names: tuple[Name, ...]


class _Places(NamedTuple):
    """Where links lead, and the files that one name may mean."""

    files: Names
    namesakes: Mapping[str, Sequence[NotePath]]

    @classmethod
    def of(cls, files: Sequence[NotePath]) -> "_Places":
        namesakes: dict[str, list[NotePath]] = {}
        for path in files:
            namesakes.setdefault(name_key(path), []).append(path)
        return cls(Names.of(files), namesakes)


class KnownNames:
    """The names of notes, ghosts, tags and headings, ready to be asked."""

    def __init__(
        self,
        sources: NameSources,
        places: _Places,
        told: Mapping[str, _Told],
        forms: Forms,
    ) -> None:
        self._sources, self._places = sources, places
        self._told, self._forms = told, forms
        self.forms, self.by, self.slips = forms.names, forms.by, forms.slips
        self.paths = {
            fold(entry.path.removesuffix(NOTE_SUFFIX)): entry
            for entry in sources.entries
        }

    @classmethod
    def of(cls, sources: NameSources) -> "KnownNames":
        """Return the names that are told from these."""
        nothing = cls(NameSources((), (), (), {}, ()), _Places.of(()), {}, Forms.of(()))
        return nothing.renewed(sources)

    def renewed(self, sources: NameSources) -> "KnownNames":
        """Return the names that are told from these, looking at what changed alone.

        An entry that is the very same tells the same names.
        """
        same = self._sources.files == sources.files
        places = self._places if same else _Places.of(sources.files)
        told = dict(_told(sources, self._told))
        gone = _names_without(self._told, told)
        came = _names_without(told, self._told)
        return KnownNames(sources, places, told, self._forms.renewed(gone, came))

    @cached_property
    def tags(self) -> dict[str, list[Name]]:
        """The tags in the singular, a nested one by its last level too."""
        found: dict[str, list[Name]] = {}
        for tag in _tags(self._sources.named):
            ends = {tag.text, tag.text.rpartition("/")[2]}
            for form in sorted({in_singular(folded(end)) for end in ends}):
                found.setdefault(form, []).append(tag)
        return found

    @cached_property
    def wanted_paths(self) -> dict[str, GhostName]:
        """The paths that links lead to in vain, folded; a bare name is no path."""
        return {
            fold(ghost.name.removeprefix("./")).removesuffix(NOTE_SUFFIX): ghost
            for ghost in reversed(self._sources.ghosts)  # the most wanted is kept
            if "/" in ghost.name and not is_attachment(ghost.name)
        }

    @cached_property
    def headings(self) -> dict[str, list[HeadingName]]:
        """The headings by themselves folded, in the order of notes."""
        found: dict[str, list[HeadingName]] = {}
        for entry in self._sources.named:
            for heading in self._sources.headings.get(entry.path, ()):
                found.setdefault(folded(heading.text), []).append(heading)
        return found

    def weight(self, word: str) -> float:
        """Return how much a word tells: a rare one more than a common one."""
        return math.log(2 + len(self.forms) / (1 + len(self.by("word", word))))

    def end_of(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        """Return the file that a link of a note leads to, if there is one."""
        return self._places.files.resolve(target, source, markdown=markdown)

    def link_to(self, path: NotePath, shown: str = "", *, heading: str = "") -> str:
        """Return what leads to a note from any other, in the style of the vault.

        `shown` is what it is to show. The shortest end of its path that leads nowhere
        else; in the other style where one cannot hold the name, nothing where no link
        can.
        """
        odd = bool(_UNLINKABLE & set(path))
        markdown = self._sources.markdown or odd
        for style in (markdown, not markdown):
            target = self._target(path, markdown=style)
            display = "" if "]" in shown and not style else shown
            link = link_text(target, display, markdown=style, heading=heading)
            plain = not odd and _PLAIN.fullmatch(link)
            if plain or self._leads(link, path):
                return link
        return ""

    def _target(self, path: NotePath, *, markdown: bool) -> str:
        bare = path.removesuffix(NOTE_SUFFIX)
        parts = bare.split("/")
        ends = ("/".join(parts[at:]) for at in range(len(parts) - 1, -1, -1))
        target = next((end for end in ends if self._leads_only_to(path, end)), "")
        suffix = path.removeprefix(bare) if markdown else ""
        return f"{target or f'/{bare}'}{suffix}"

    def _leads(self, link: str, path: NotePath) -> bool:
        """Whether a note that holds a link leads to another by it, and by it alone."""
        links = read_note(NotePath(""), link).links
        if len(links) != 1 or links[0].end - links[0].start != len(link.encode()):
            return False
        markdown = links[0].kind == "markdown"
        return self.end_of(links[0].target, NotePath(""), markdown=markdown) == path

    def link_to_new(self, name: str) -> str:
        """Return what would lead to a note that is not there, in the same style."""
        if self._sources.markdown and not name.endswith(NOTE_SUFFIX):
            name += NOTE_SUFFIX
        return link_text(name, "", markdown=self._sources.markdown)

    def _leads_only_to(self, path: NotePath, target: str) -> bool:
        """Whether a target means one file, whichever folder it is written in."""
        if self._places.files.resolve(target, NotePath("")) != path:
            return False
        ending = f"/{fold(target)}"
        return not any(
            f"/{fold(other)}".endswith((ending, ending + NOTE_SUFFIX))
            for other in self._places.namesakes.get(name_key(path), ())
            if other != path
        )


def _told(
    sources: NameSources, before: Mapping[str, _Told]
) -> Iterator[tuple[str, _Told]]:
    """Yield the names of each thing, those told before where nothing has changed."""
    firsts = {
        entry.path: next((one.text for one in told if one.level == 1), "")
        for entry in sources.named
        if (told := sources.headings.get(entry.path, ()))
    }
    times = Counter(map(fold, firsts.values()))
    for entry in sources.named:
        first = firsts.get(entry.path, "")
        if times[fold(first)] > HEADED_SO:
            first = ""
        known = before.get(entry.path)
        if known is not None and known.entry is entry and known.first == first:
            yield entry.path, known
        else:
            yield entry.path, _Told(entry, first, tuple(_names_of(entry, first)))
    for ghost in sources.ghosts:
        if not is_attachment(ghost.name):
            yield f"\0{ghost.name}", _Told(ghost, "", (_ghost(ghost),))


def _names_without(
    told: Mapping[str, _Told], others: Mapping[str, _Told]
) -> list[Name]:
    """Return the names of the things that the others do not tell just the same."""
    return [
        name
        for key, one in told.items()
        if (other := others.get(key)) is not one
        and (other is None or other.names != one.names)
        for name in one.names
    ]


def _names_of(entry: Entry, first: str) -> Iterator[Name]:
    """Yield what a note is called by, the surest first, each folded form once."""
    said = [("title", entry.title)]
    said += [("alias", alias) for alias in entry.aliases]
    said += [
        ("property", value)
        for key, value in entry.properties.items()
        if key.lower() in TITLE_KEYS and isinstance(value, str)
    ]
    said.append(("heading", first))
    seen: set[str] = set()
    for how, text in said:
        form = folded(text)
        if form and form not in seen:
            seen.add(form)
            yield Name("note", text.strip(), how, entry.path, entry.title)


def _ghost(ghost: GhostName) -> Name:
    text = ghost.name.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    return Name("ghost", text, "ghost", None, ghost.name, ghost.links)


def _tags(entries: Sequence[Entry]) -> list[Name]:
    counts: dict[str, int] = {}
    shown: dict[str, str] = {}
    for entry in entries:
        for folded_tag, tag in {tag.lower(): tag for tag in entry.tags}.items():
            counts[folded_tag] = counts.get(folded_tag, 0) + 1
            shown.setdefault(folded_tag, tag)
    return [
        Name("tag", shown[tag], "tag", None, f"#{shown[tag]}", count)
        for tag, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    ]
