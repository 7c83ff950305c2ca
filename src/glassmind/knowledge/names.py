"""Everything that something in a vault is called by, and who answers to a text.

Each way of looking takes one difference away (see `folding`) and is one look into a
table; only slips compare letter by letter, and only names of about the same length and
letters. So asking costs about the same in a vault of any size.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from glassmind.knowledge.folding import folded, in_singular, slips_between
from glassmind.types import NotePath
from glassmind.types.ontology import Entry, GhostName, HeadingName, NameKind
from glassmind.vault.resolve import NOTE_SUFFIX, Names, fold, name_key

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

TITLE_KEYS = ("title", "name", "id")
"""Properties that hold what a note is called."""

_UNLINKABLE = frozenset("[]|#^")
"""Characters that no wikilink can hold in its target."""


class Name(NamedTuple):
    """One name of one thing; `uses` are links to a ghost, or notes of a tag."""

    kind: NameKind
    text: str
    how: str
    path: NotePath | None
    title: str
    uses: int = 0


class KnownNames:
    """The names of notes, ghosts, tags and headings, ready to be asked.

    All `entries` are known by their paths, those `named` by all their names.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        named: Sequence[Entry],
        ghosts: Iterable[GhostName],
        headings: Iterable[HeadingName],
        files: Iterable[NotePath],
    ) -> None:
        self._headings = list(headings)
        known = list(files)
        self._files = Names.of(known)
        self._namesakes = _grouped((name_key(path), path) for path in known)
        self.paths = {fold(e.path.removesuffix(NOTE_SUFFIX)): e for e in entries}
        firsts = self._first_headings()
        self._names = [
            *(name for e in named for name in _names_of(e, firsts.get(e.path, ""))),
            *_ghosts(ghosts),
        ]
        self._tags = _tags(named)
        self.forms: dict[str, list[Name]] = {}
        for name in self._names:
            if form := folded(name.text):
                self.forms.setdefault(form, []).append(name)

    def _first_headings(self) -> dict[NotePath, str]:
        firsts: dict[NotePath, str] = {}
        for heading in self._headings:
            if heading.level == 1:
                firsts.setdefault(heading.path, heading.text)
        return firsts

    @cached_property
    def singulars(self) -> dict[str, list[str]]:
        """The folded names by themselves in the singular."""
        return _grouped((in_singular(form), form) for form in self.forms)

    @cached_property
    def bags(self) -> dict[str, list[str]]:
        """The folded names by their words in order of the alphabet."""
        return _grouped((bag_of(form), form) for form in self.forms if " " in form)

    @cached_property
    def initials(self) -> dict[str, list[str]]:
        """The folded names by the first letters of their words."""
        return _grouped(
            (letters, form) for form in self.forms for letters in initials_of(form)
        )

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """The folded names by each of their words, in the singular."""
        return _grouped(
            (word, form)
            for form in self.forms
            for word in dict.fromkeys(in_singular(form).split())
        )

    @cached_property
    def tags(self) -> dict[str, list[Name]]:
        """The tags in the singular, a nested one by its last level too."""
        found: dict[str, list[Name]] = {}
        for tag in self._tags:
            ends = {tag.text, tag.text.rpartition("/")[2]}
            for form in sorted({in_singular(folded(end)) for end in ends}):
                found.setdefault(form, []).append(tag)
        return found

    @cached_property
    def headings(self) -> dict[str, list[HeadingName]]:
        """The headings by themselves folded."""
        found: dict[str, list[HeadingName]] = {}
        for heading in self._headings:
            found.setdefault(folded(heading.text), []).append(heading)
        return found

    @cached_property
    def _alike(self) -> dict[tuple[int, str], list[tuple[int, str]]]:
        """The folded names by their length and their digits, with their letters."""
        found: dict[tuple[int, str], list[tuple[int, str]]] = {}
        for form in self.forms:
            key = (len(form), _digits(form))
            found.setdefault(key, []).append((_letters(form), form))
        return found

    def weight(self, word: str) -> float:
        """Return how much a word tells: a rare one more than a common one."""
        return math.log(2 + len(self.forms) / (1 + len(self.words.get(word, ()))))

    def slips(self, form: str, most: int) -> list[tuple[str, int]]:
        """Return the folded names a few slips away, with how many; the nearest first.

        Digits are no slips: another number is another thing.
        """
        letters, digits = _letters(form), _digits(form)
        # A swap may spoil two pieces; of one more than that, one piece is whole.
        pieces = _cut(form, 2 * most + 1)
        near = [
            (slips, other)
            for length in range(len(form) - most, len(form) + most + 1)
            for mask, other in self._alike.get((length, digits), ())
            # a slip changes two letters at most
            if (mask ^ letters).bit_count() <= 2 * most
            and any(piece in other for piece in pieces)
            and (slips := slips_between(form, other, most))
        ]
        return [(other, slips) for slips, other in sorted(near)]

    def end_of(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        """Return the file that a link of a note leads to, if there is one."""
        return self._files.resolve(target, source, markdown=markdown)

    def link_to(self, path: NotePath, shown: str = "") -> str:
        """Return what leads to a note from any other; `shown` is what it is to show.

        The shortest end of its path that leads nowhere else.
        """
        bare = path.removesuffix(NOTE_SUFFIX)
        if _UNLINKABLE & set(bare):
            return f"[{shown or bare.rpartition('/')[2]}](<{path}>)"
        parts = bare.split("/")
        for at in range(len(parts) - 1, -1, -1):
            target = "/".join(parts[at:])
            if self._leads_only_to(path, target):
                break
        else:
            target = f"/{bare}"
        display = shown if shown and shown != target and "]" not in shown else ""
        return f"[[{target}|{display}]]" if display else f"[[{target}]]"

    def _leads_only_to(self, path: NotePath, target: str) -> bool:
        """Whether a target means one file, whichever folder it is written in."""
        if self._files.resolve(target, NotePath("")) != path:
            return False
        ending = f"/{fold(target)}"
        return not any(
            f"/{fold(other)}".endswith((ending, ending + NOTE_SUFFIX))
            for other in self._namesakes.get(name_key(path), ())
            if other != path
        )


def bag_of(form: str) -> str:
    """Return the words of a folded name in order of the alphabet, small ones aside."""
    words = in_singular(form).split()
    return " ".join(sorted(set(words) - SMALL_WORDS) or sorted(words))


def initials_of(form: str) -> set[str]:
    """Return the first letters of a folded name, with and without its small words."""
    words = form.split()
    large = [word for word in words if word not in SMALL_WORDS]
    return {
        "".join(word[0] for word in some)
        for some in (words, large)
        if len(some) >= LEAST_INITIALS
    }


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


def _ghosts(ghosts: Iterable[GhostName]) -> Iterator[Name]:
    for ghost in ghosts:
        text = ghost.name.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        yield Name("ghost", text, "ghost", None, ghost.name, ghost.links)


def _tags(entries: Sequence[Entry]) -> list[Name]:
    counts: dict[str, int] = {}
    shown: dict[str, str] = {}
    for entry in entries:
        for tag in {tag.lower(): tag for tag in entry.tags}.values():
            counts[tag.lower()] = counts.get(tag.lower(), 0) + 1
            shown.setdefault(tag.lower(), tag)
    return [
        Name("tag", shown[tag], "tag", None, f"#{shown[tag]}", count)
        for tag, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    ]


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, form in pairs:
        found.setdefault(key, []).append(form)
    return found


def _digits(form: str) -> str:
    return "".join([letter for letter in form if letter.isdigit()])


def _cut(form: str, count: int) -> list[str]:
    """Return a text in so many pieces of about one length."""
    size, more = divmod(len(form), count)
    ends = [at * size + min(at, more) for at in range(count + 1)]
    return [form[start:end] for start, end in pairwise(ends)]


def _letters(form: str) -> int:
    """Return a set of the letters of a name as bits; different letters may share one.

    Not Python's own hash, which is another in every run.
    """
    mask = 0
    for letter in form:
        mask |= 1 << (ord(letter) % 61)
    return mask
