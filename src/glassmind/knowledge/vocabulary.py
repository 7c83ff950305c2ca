"""What the vault calls things, read once and again when its rows have changed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Protocol

from glassmind.knowledge.name_table import NameTable, name_table, pieces_of
from glassmind.knowledge.names import KnownNames
from glassmind.knowledge.ontology import overview
from glassmind.types import NotePath
from glassmind.types.ontology import Entry, GhostName, HeadingName, Ontology
from glassmind.vault.obsidian import ObsidianSettings

TEMPLATES = frozenset(["templates", "template", "_templates"])
"""Folders that hold templates by custom, whatever the settings say."""


class DescribedRows(Protocol):
    """What the rows say of how notes are described."""

    def entries(self) -> list[Entry]:
        """Return every note with what describes it, by path."""

    def led_to(self, note_ids: Collection[int], /) -> Mapping[int, Sequence[NotePath]]:
        """Return the notes that each of some notes leads to, by path."""

    def ghosts(self) -> list[GhostName]:
        """Return the names that links lead to in vain, the most wanted first."""

    def headings(self) -> list[HeadingName]:
        """Return every heading, by path and place."""

    def files(self) -> list[NotePath]:
        """Return every file a link may lead to, by path."""


class Vocabulary:
    """The names and descriptions of all notes at one state of the rows."""

    def __init__(
        self, rows: Callable[[], DescribedRows], settings: ObsidianSettings, agent: str
    ) -> None:
        self._rows, self.settings, self._agent = rows, settings, agent

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every note, by path."""
        return tuple(self._rows().entries())

    @cached_property
    def counted(self) -> tuple[Entry, ...]:
        """The notes that the vault is about: no templates, nothing of agents."""
        agents = f"{self._agent}/"
        return tuple(e for e in self.named if not e.path.startswith(agents))

    @cached_property
    def named(self) -> tuple[Entry, ...]:
        """The notes that one may mean by a name: no templates."""
        folders = tuple(f"{folder}/" for folder in self.settings.template_folders)
        return tuple(
            entry
            for entry in self.entries
            if not entry.path.startswith(folders)
            and TEMPLATES.isdisjoint(entry.folder.lower().split("/"))
        )

    @cached_property
    def names(self) -> KnownNames:
        """Everything that something in the vault is called by."""
        rows = self._rows()
        paths = {entry.path for entry in self.named}
        headings = [one for one in rows.headings() if one.path in paths]
        return KnownNames(
            self.entries, self.named, rows.ghosts(), headings, rows.files()
        )

    @cached_property
    def table(self) -> NameTable:
        """The names of notes as they are looked for in text."""
        return name_table(
            {
                entry.id: [pieces_of(name) for name in (entry.title, *entry.aliases)]
                for entry in self.counted
            }
        )

    @cached_property
    def ontology(self) -> Ontology:
        """The overview of all of it."""
        types = self.settings.property_types
        made = overview(self.counted, self._rows().led_to, types)
        return made._replace(notices=self.settings.notices)


class KeptVocabulary:
    """Gives the vocabulary of the rows as they are, shared by all threads."""

    def __init__(
        self,
        head: Callable[[], str],
        rows: Callable[[], DescribedRows],
        settings: Callable[[], ObsidianSettings],
        agent: str,
    ) -> None:
        self._head, self._rows, self._settings = head, rows, settings
        self._agent = agent
        self._lock = Lock()
        self._kept: tuple[object, Vocabulary] | None = None

    def now(self) -> Vocabulary:
        """Return the vocabulary, made anew where rows or settings have changed.

        Raises:
            IndexAbsent, IndexDamaged: the rows cannot be read.
        """
        settings = self._settings()
        state = (self._head(), settings)
        with self._lock:
            if self._kept is None or self._kept[0] != state:
                made = Vocabulary(self._rows, settings, self._agent)
                self._kept = (state, made)
            return self._kept[1]
