"""Everything that something in a vault is called by, and what leads to it.

Each way of looking takes one difference away (see `folding`) and is one look into a
table; only slips compare letter by letter, and only names of about the same length and
letters. So asking costs about the same in a vault of any size.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from glassmind.files.attachments import is_attachment
from glassmind.files.resolve import NOTE_SUFFIX, Names, fold, name_key
from glassmind.files.spelling import written
from glassmind.graph.folding import folded, in_singular
from glassmind.graph.naming.forms import Forms, Name
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, GhostName, HeadingName
from glassmind.obsidian.read import read_note

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


class Sources(NamedTuple):
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
        self, sources: Sources, places: _Places, told: Mapping[str, _Told], forms: Forms
    ) -> None:
        self._sources, self._places = sources, places
        self._told, self._forms = told, forms
        self.forms, self.by, self.slips = forms.names, forms.by, forms.slips
        self.paths = {
            fold(entry.path.removesuffix(NOTE_SUFFIX)): entry
            for entry in sources.entries
        }

    @classmethod
    def of(cls, sources: Sources) -> "KnownNames":
        """Return the names that are told from these."""
        nothing = cls(Sources((), (), (), {}, ()), _Places.of(()), {}, Forms.of(()))
        return nothing.renewed(sources)

    def renewed(self, sources: Sources) -> "KnownNames":
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
            link = written(target, display, markdown=style, heading=heading)
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
        return written(name, "", markdown=self._sources.markdown)

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


def _told(sources: Sources, before: Mapping[str, _Told]) -> Iterator[tuple[str, _Told]]:
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
