"""What the vault calls things, read once and again when its rows have changed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from threading import Lock, RLock
from typing import Any, Protocol, TypeVar

from msgspec import structs

from glassmind.files.settings import ObsidianSettings
from glassmind.graph.mentions import NameTable, name_table, pieces_of
from glassmind.graph.names import KnownNames, NameSources
from glassmind.graph.ontology import overview
from glassmind.graph.words import habits_in
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, GhostName, HeadingName, Ontology

T = TypeVar("T")


class DescribedRows(Protocol):
    """What the rows say of how notes are described."""

    def still(self) -> AbstractContextManager[None]:
        """Return what keeps the rows as they are for all that is read inside it."""

    def head(self) -> str:
        """Return how far the rows have come."""

    def changed(self, head: str, /) -> Collection[int] | None:
        """Return the notes that may be others since; None when any may be."""

    def entries(self, note_ids: Collection[int] | None = None, /) -> list[Entry]:
        """Return every note, or some, with what describes it, by path."""

    def led_to(self, note_ids: Collection[int], /) -> Mapping[int, Sequence[NotePath]]:
        """Return the notes that each of some notes leads to, by path."""

    def ghosts(self) -> list[GhostName]:
        """Return the names that links lead to in vain, the most wanted first."""

    def headings(
        self, note_ids: Collection[int] | None = None, /
    ) -> dict[NotePath, list[HeadingName]]:
        """Return the headings of every note, or of some, in order."""

    def files(self) -> list[NotePath]:
        """Return every file a link may lead to, by path."""

    def writes_markdown(self) -> bool:
        """Whether most links to notes are written as Markdown does."""


class Vocabulary:
    """The names and descriptions of all notes at one state of the rows.

    Each part is made when it is first asked for, by one of all who ask.
    """

    def __init__(
        self, rows: Callable[[], DescribedRows], settings: ObsidianSettings, agent: str
    ) -> None:
        self._rows, self.settings, self._agent = rows, settings, agent
        self._making = RLock()
        self._made: dict[str, Any] = {}

    def _once(self, part: str, make: Callable[[], T]) -> T:
        with self._making:
            if part not in self._made:
                self._made[part] = make()
            found: T = self._made[part]
            return found

    def renewed(self, changed: Collection[int]) -> "Vocabulary":
        """Return the vocabulary with some notes as the rows have them now.

        What was made of names is carried over; the rest is made when it is asked for.
        """
        made = Vocabulary(self._rows, self.settings, self._agent)
        with self._making:
            parts = dict(self._made)
        gone = set(changed)
        if "entries" in parts:
            kept = [entry for entry in parts["entries"] if entry.id not in gone]
            found = [*kept, *self._rows().entries(changed)]
            made._made["entries"] = tuple(sorted(found, key=lambda entry: entry.path))
        if "names" in parts:
            paths = {entry.path for entry in made.entries}
            old = {e.path for e in parts["entries"] if e.id in gone}
            headings = {
                path: told
                for path, told in parts["headings"].items()
                if path in paths and path not in old
            }
            made._made["headings"] = headings | self._rows().headings(changed)
            made._made["names"] = parts["names"].renewed(made._sources())
        return made

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every note, by path."""
        return self._once("entries", lambda: tuple(self._rows().entries()))

    @property
    def named(self) -> tuple[Entry, ...]:
        """The notes that one may mean by a name: no templates."""
        return self._once("named", self._without_templates)

    def _without_templates(self) -> tuple[Entry, ...]:
        habits = habits_in(self.settings)
        return tuple(e for e in self.entries if not habits.is_template(e.path))

    @property
    def counted(self) -> tuple[Entry, ...]:
        """The notes that the vault is about: no templates, nothing of agents."""
        agents = f"{self._agent}/"
        return self._once(
            "counted",
            lambda: tuple(e for e in self.named if not e.path.startswith(agents)),
        )

    @property
    def names(self) -> KnownNames:
        """Everything that something in the vault is called by."""
        return self._once("names", lambda: KnownNames.of(self._sources()))

    def _sources(self) -> NameSources:
        rows = self._rows()
        headings = self._once("headings", rows.headings)
        return NameSources(
            self.entries,
            self.named,
            rows.ghosts(),
            headings,
            rows.files(),
            rows.writes_markdown(),
        )

    @property
    def table(self) -> NameTable:
        """The names of notes as they are looked for in text."""
        return self._once("table", self._name_table)

    def _name_table(self) -> NameTable:
        names = {entry.id: (entry.title, *entry.aliases) for entry in self.counted}
        own = {note: [pieces_of(one) for one in told] for note, told in names.items()}
        return name_table(own, texts=chain.from_iterable(names.values()))

    @property
    def ontology(self) -> Ontology:
        """The overview of all of it."""
        return self._once("ontology", self._overview)

    def _overview(self) -> Ontology:
        types = self.settings.property_types
        made = overview(self.counted, self._rows().led_to, types)
        return structs.replace(made, notices=self.settings.notices)


class KeptVocabulary:
    """Gives the vocabulary of the rows as they are, shared by all threads."""

    def __init__(
        self,
        rows: Callable[[], DescribedRows],
        settings: Callable[[], ObsidianSettings],
        agent: str,
    ) -> None:
        self._rows, self._settings, self._agent = rows, settings, agent
        self._making = Lock()
        self._kept: tuple[str, Vocabulary] | None = None

    def now(self) -> Vocabulary:
        """Return the vocabulary, brought up to the rows where they have changed.

        Raises:
            IndexAbsent, IndexDamaged: the rows cannot be read.
        """
        settings = self._settings()
        with self._making, self._rows().still():
            rows = self._rows()  # as they are now, when it is our turn
            head = rows.head()
            if self._kept is not None and self._kept[1].settings == settings:
                known, last = self._kept
                if known == head:
                    return last
                changed = rows.changed(known)
                if changed is not None:
                    self._kept = (head, last.renewed(changed))
                    return self._kept[1]
            self._kept = (head, Vocabulary(self._rows, settings, self._agent))
            return self._kept[1]
