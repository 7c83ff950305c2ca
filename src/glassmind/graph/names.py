"""What a vault calls things: the names of notes, unresolved links, tags and headings.

Each way of looking a name up takes one difference away (see `words`) and is one look
into a table; only slips compare letter by letter, and only names of about the same
length and letters. So a lookup costs about the same in a vault of any size.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from threading import Lock, RLock
from typing import Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from glassmind.files.ignore import is_attachment
from glassmind.files.names import NOTE_SUFFIX, LinkWriter, Names, link_text
from glassmind.files.settings import obsidian_settings
from glassmind.graph.mentions import NameTable, name_table, pieces_of
from glassmind.graph.words import folded, habits_in, in_singular, slips_between
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, GhostName, HeadingName, NameKind
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.text import fold
from glassmind.store.sqlite.rows import Rows
from glassmind.vault import Vault, made_once

TITLE_KEYS = ("title", "name", "id")  # properties that hold what a note is called

HEADED_SO = 2
"""With more notes that begin with one heading, it is not a name of theirs: 165 notes of
one wiki begin with `Installation`."""

SMALL_WORDS = frozenset(
    [
        "a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or",
        "the", "to", "with", "de", "del", "des", "du", "la", "le", "les", "el", "los",
        "las", "un", "une", "und", "der", "die", "das", "den", "dem", "von",
    ]
)  # fmt: skip
"""Words that do not tell one name from another."""

Lookup: TypeAlias = Literal["singular", "word", "length"]


class Name(NamedTuple):
    """One name of one thing; `uses` are links to it, or notes of a tag."""

    kind: NameKind
    text: str
    how: str
    path: NotePath | None
    title: str
    uses: int = 0


_KEYS: dict[Lookup, Callable[[str], Iterable[Hashable]]] = {
    "singular": lambda form: (in_singular(form),),
    "word": lambda form: dict.fromkeys(in_singular(form).split()),
    "length": lambda form: (len(form),),
}
"""What a folded name is found by in each table."""


class Forms:
    """Names by their folded forms, with a table for each way of looking them up."""

    def __init__(self, names: Iterable[Name]) -> None:
        forms: dict[str, list[Name]] = {}
        for name in names:
            forms.setdefault(folded(name.text), []).append(name)
        self.names = {
            form: sorted(same, key=lambda n: (n.kind, n.path or "", n.how, n.text))
            for form, same in sorted(forms.items())
        }
        self._tables: dict[Lookup, dict[Hashable, list[str]]] = {}

    def by(self, lookup: Lookup, key: Hashable) -> Sequence[str]:
        table = self._tables.get(lookup)
        if table is None:
            table = {}
            for form in self.names:
                for found in _KEYS[lookup](form):
                    table.setdefault(found, []).append(form)
            self._tables[lookup] = table
        return table.get(key, ())

    def slips(self, form: str, most: int) -> list[tuple[str, int]]:
        """Return the forms a few slips away, nearest first; digits are never slips."""
        letters = _letters(form)
        near = [
            (slips, other)
            for length in range(len(form) - most, len(form) + most + 1)
            for other in self.by("length", length)
            # a slip changes two letters at most
            if (_letters(other) ^ letters).bit_count() <= 2 * most
            and _digits(other) == _digits(form)
            and (slips := slips_between(form, other, most))
        ]
        return [(other, slips) for slips, other in sorted(near)]


def _digits(form: str) -> str:
    return "".join([letter for letter in form if letter.isdigit()])


@lru_cache(maxsize=65_536)  # the names of a large vault
def _letters(form: str) -> int:
    """Return the set of the letters of a name as bits; letters may share one."""
    mask = 0
    for letter in form:
        mask |= 1 << (ord(letter) % 61)
    return mask


class KnownNames:
    """The names of `named` notes, unresolved links, tags and headings; paths of all."""

    def __init__(
        self,
        entries: Sequence[Entry],
        named: Sequence[Entry],
        rows: Rows,
    ) -> None:
        self._named, self._ghosts = named, rows.ghost_names()
        self._headings = rows.all_headings()
        self._pen = LinkWriter(Names.of(rows.paths()), rows.writes_markdown())
        self.paths = {fold(e.path.removesuffix(NOTE_SUFFIX)): e for e in entries}
        forms = Forms(self._names())
        self.forms, self.by, self.slips = forms.names, forms.by, forms.slips

    @cached_property
    def tags(self) -> dict[str, list[Name]]:
        counts, shown = Counter[str](), dict[str, str]()
        for entry in self._named:
            for key, tag in {tag.lower(): tag for tag in entry.tags}.items():
                counts[key] += 1
                shown.setdefault(key, tag)
        found: dict[str, list[Name]] = {}
        for key, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
            tag = shown[key]
            name = Name("tag", tag, "tag", None, f"#{tag}", count)
            ends = {tag, tag.rpartition("/")[2]}
            for form in sorted({in_singular(folded(end)) for end in ends}):
                found.setdefault(form, []).append(name)
        return found

    @cached_property
    def wanted_paths(self) -> dict[str, GhostName]:
        """The paths of unresolved links, folded; a bare name is not a path."""
        return {
            fold(ghost.name.removeprefix("./")).removesuffix(NOTE_SUFFIX): ghost
            for ghost in reversed(self._ghosts)  # the most wanted is kept
            if "/" in ghost.name and not is_attachment(ghost.name)
        }

    @cached_property
    def headings(self) -> dict[str, list[HeadingName]]:
        found: dict[str, list[HeadingName]] = {}
        for entry in self._named:
            for heading in self._headings.get(entry.path, ()):
                found.setdefault(folded(heading.text), []).append(heading)
        return found

    def weight(self, word: str) -> float:
        return math.log(2 + len(self.forms) / (1 + len(self.by("word", word))))

    def end_of(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        return self._pen.files.resolve(target, source, markdown=markdown)

    def link_to(self, path: NotePath, shown: str = "", *, heading: str = "") -> str:
        """Return a link to a note that works in any other, in the style of the vault.

        `shown` is its text. In the other style where one cannot hold the name, empty
        where no link can.
        """
        for pen in (self._pen, replace(self._pen, markdown=True)):
            for link in pen.written(NotePath(""), path, shown, heading):
                if self._leads(link, path):
                    return link
        return ""

    def link_to_new(self, name: str) -> str:
        if self._pen.markdown and not name.endswith(NOTE_SUFFIX):
            name += NOTE_SUFFIX
        return link_text(name, "", markdown=self._pen.markdown)

    def _leads(self, link: str, path: NotePath) -> bool:
        links = read_note(NotePath(""), link).links
        if len(links) != 1 or links[0].end - links[0].start != len(link.encode()):
            return False
        markdown = links[0].kind == "markdown"
        return self.end_of(links[0].target, NotePath(""), markdown=markdown) == path

    def _names(self) -> Iterator[Name]:
        firsts = {
            entry.path: next((h.text for h in headings if h.level == 1), "")
            for entry in self._named
            if (headings := self._headings.get(entry.path, ()))
        }
        times = Counter(map(fold, firsts.values()))
        for entry in self._named:
            first = firsts.get(entry.path, "")
            yield from _names_of(entry, "" if times[fold(first)] > HEADED_SO else first)
        for ghost in self._ghosts:
            if not is_attachment(ghost.name):
                text = ghost.name.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
                yield Name("ghost", text, "ghost", None, ghost.name, ghost.links)


def _names_of(entry: Entry, first: str) -> Iterator[Name]:
    named = [("title", entry.title), *(("alias", alias) for alias in entry.aliases)]
    named += [
        ("property", value)
        for key, value in entry.properties.items()
        if key.lower() in TITLE_KEYS and isinstance(value, str)
    ]
    seen: set[str] = set()
    for how, text in (*named, ("heading", first)):
        form = folded(text)
        if form and form not in seen:
            seen.add(form)
            yield Name("note", text.strip(), how, entry.path, entry.title)


class Vocabulary:
    """The names and descriptions of all notes at one state of the rows.

    Each part is made when it is first used, by one of all threads. `entries` are all
    notes by path; `named` those that may be meant by a name, without templates; and
    `counted` those that the vault is about, without notes of agents.
    """

    def __init__(self, vault: Vault, entries: tuple[Entry, ...]) -> None:
        self.vault, self.entries, self.making = vault, entries, RLock()
        self.settings = obsidian_settings(vault.config.vault.path)
        habits, agents = habits_in(self.settings), f"{vault.config.writes.agent_dir}/"
        self.named = tuple(e for e in entries if not habits.is_template(e.path))
        self.counted = tuple(e for e in self.named if not e.path.startswith(agents))

    @made_once
    def names(self) -> KnownNames:
        rows = self.vault.rows()
        return KnownNames(self.entries, self.named, rows)

    @made_once
    def table(self) -> NameTable:
        names = {entry.id: (entry.title, *entry.aliases) for entry in self.counted}
        own = {
            note: [pieces_of(name) for name in texts] for note, texts in names.items()
        }
        return name_table(
            own, texts=(text for texts in names.values() for text in texts)
        )


def vocabulary_for(vault: Vault) -> Vocabulary:
    return vault.part(_KeptVocabulary).now()


class _KeptVocabulary:
    """Keeps the newest vocabulary, for any number of threads."""

    def __init__(self, vault: Vault) -> None:
        self._vault, self._making = vault, Lock()
        self._kept: tuple[str, Vocabulary] | None = None

    def _rows(self) -> Rows:
        return self._vault.rows()

    def now(self) -> Vocabulary:
        settings = obsidian_settings(self._vault.config.vault.path)
        with self._making, self._rows().still():
            rows = self._rows()  # as they are now, when it is our turn
            head, kept = rows.graph_head(), self._kept
            if kept and kept[0] == head and kept[1].settings == settings:
                return kept[1]
            made = Vocabulary(self._vault, tuple(rows.entries()))
            self._kept = (head, made)
            return made
