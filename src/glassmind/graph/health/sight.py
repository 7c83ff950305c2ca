"""What checks look at: the rows, the graph and what other verbs know, read once."""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from glassmind.graph.habits import Habits
from glassmind.model import NotePath
from glassmind.model.health import (
    Finding,
    HealthNote,
    LostLink,
    PartLink,
    PartNames,
    SaidValue,
    Unchecked,
)

if TYPE_CHECKING:
    from glassmind.files.left_out import LeftOutTexts
    from glassmind.graph.health.kept import Sketched
    from glassmind.links.net import LinkGraph
    from glassmind.model.ontology import Entry, SpelledWord
    from glassmind.model.pairs import Pair
    from glassmind.model.themes import Theme

T = TypeVar("T")


class HealthRows(Protocol):
    """What the rows tell of a vault's troubles."""

    def notes(self) -> list[HealthNote]:
        """Return every note, by path."""

    def secret_notes(self) -> list[NotePath]:
        """Return the notes in which credentials are hidden, by path."""

    def lost_links(self) -> list[LostLink]:
        """Return every link to what no file is called, as they stand."""

    def part_links(self) -> list[PartLink]:
        """Return every link to a part of a Markdown note, as they stand."""

    def part_names(self, note_ids: Collection[int], /) -> dict[int, PartNames]:
        """Return the headings, in order, and the block ids of each note."""

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links between notes that properties hold."""

    def unlinked_attachments(self) -> list[NotePath]:
        """Return the attachments that no link leads to, by path."""

    def link_counts(self) -> dict[int, int]:
        """Return how many links each note has, those to itself aside."""

    def texts_with(self, endings: Collection[str], /) -> Iterator[str]:
        """Yield the passages, properties among them, with one of these in any case."""

    def texts(
        self, note_ids: Collection[int] | None = None, /
    ) -> Iterator[tuple[int, str]]:
        """Yield each note that has passages with its text."""

    def said_values(self) -> list[SaidValue]:
        """Return what every note says in properties and fields of its text."""

    def files_called(self, key: str, /) -> list[NotePath]:
        """Return the files with a `name_key`, by path."""

    def skipped(self) -> list[tuple[NotePath, str]]:
        """Return path and reason of what was left out of the index, by path."""


Similar: TypeAlias = Callable[[float], "Sequence[Pair] | Unchecked"]
"""Returns the pairs that are at least so similar, the most similar first.

The least is on the scale of the default model."""


class Grounds(NamedTuple):
    """Where everything comes from that checks look at.

    `nearest` returns the note that one is most like, unlinked and above the threshold.
    `left_out` returns what files are called that are not in the index, `unseen` what is
    in those that are notes, and `agent` is the folder of agents. `mentions` returns
    some of the notes that hold a phrase, by their ids, and `sketches` what some notes
    say in short, by the same.
    """

    rows: HealthRows
    net: "Callable[[], LinkGraph]"
    habits: Callable[[], Habits]
    left_out: Callable[[], Container[str]]
    unseen: "Callable[[], LeftOutTexts]"
    agent: str
    similar: Similar
    nearest: "Callable[[NotePath], Pair | None]"
    mentions: Callable[[str], Sequence[int]]
    sketches: "Callable[[Sequence[HealthNote]], Mapping[int, Sketched]]"
    themes: "Callable[[], Sequence[Theme] | Unchecked]"
    spellings: "Callable[[], Sequence[SpelledWord]]"
    entries: "Callable[[], Sequence[Entry]]"


class Sight:
    """One look at a vault; what several checks need is read once."""

    def __init__(self, grounds: Grounds, today: date) -> None:
        self.grounds, self.rows, self.today = grounds, grounds.rows, today
        self._made: dict[Callable[[Sight], object], object] = {}

    @cached_property
    def habits(self) -> Habits:
        """Where templates and notes of days stand."""
        return self.grounds.habits()

    @cached_property
    def notes(self) -> list[HealthNote]:
        """Every note, by path."""
        return self.rows.notes()

    @cached_property
    def by_id(self) -> dict[int, HealthNote]:
        """Every note by its id."""
        return {note.id: note for note in self.notes}

    @cached_property
    def by_path(self) -> dict[str, HealthNote]:
        """Every note by its path."""
        return {note.path: note for note in self.notes}

    @cached_property
    def written(self) -> list[HealthNote]:
        """The Markdown notes of the owner: no templates, nothing of agents."""
        return [
            note
            for note in self.notes
            if note.kind == "markdown" and self.is_written(note.path)
        ]

    def is_written(self, path: str) -> bool:
        """Whether a path is that of a note, rather than a template or an agent's."""
        agent = self.grounds.agent
        is_agents = bool(agent) and path.startswith(f"{agent}/")
        return not is_agents and not self.habits.is_template(path)

    def is_kept(self, path: str) -> bool:
        """Whether a path is that of a Markdown note of the owner that is no day's."""
        return path in self._kept

    @cached_property
    def _kept(self) -> set[str]:
        return {n.path for n in self.written if not self.habits.is_day(n.path)}

    @cached_property
    def said(self) -> list[SaidValue]:
        """What notes say in properties and fields."""
        return self.rows.said_values()

    @cached_property
    def net(self) -> "LinkGraph":
        """The link graph."""
        return self.grounds.net()

    def near(self, note_id: int) -> set[int]:
        """Return the nodes around a note; none for one that the graph has not."""
        node = self.net.node_of(note_id)
        return set() if node is None else set(self.net.around(node).tolist())

    @cached_property
    def themes(self) -> "Sequence[Theme] | Unchecked":
        """The themes."""
        return self.grounds.themes()

    def made_by(self, make: "Callable[[Sight], T]") -> T:
        """Return what a function makes of this look, which it does but once."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("T", self._made[make])


Check: TypeAlias = Callable[[Sight], "list[Finding] | Unchecked"]
"""Returns what it finds, the gravest first, or why it could not look."""


def found_by(check: Check, sight: Sight) -> list[Finding]:
    """Return what a check finds; nothing where it cannot look."""
    found = sight.made_by(check)
    return [] if isinstance(found, Unchecked) else found
