"""What every verb of bundles works with; adapters come through it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from glassmind.config import Config
from glassmind.context.budget import TokenCounter
from glassmind.context.items import SectionRows
from glassmind.context.passages import PassageReader
from glassmind.context.tracing import Traces
from glassmind.errors import ProjectUnknown, VaultError, VaultMissing
from glassmind.files.ignore import IgnoreRules
from glassmind.files.read import Decoded, VaultFiles, decode
from glassmind.files.scan import StaleFiles, stale_files
from glassmind.model import NotePath
from glassmind.model.context import Bundle, ChangedRow, ProjectNote
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.properties import parse_project, says_private
from glassmind.obsidian.text import one_line
from glassmind.ports.models import Reranker
from glassmind.ports.stages import Projects, Searched

if TYPE_CHECKING:
    from glassmind.context.bundles import Bundles
    from glassmind.model.memory import Temperatures


SUMMARIES = "summaries"
"""The part of the agent folder that holds what was made of notes: these say it
themselves, so that nothing is packed of it, lest a bundle feed on bundles."""


class Changes(Protocol):
    """When notes were changed, and which stands where."""

    def changed(self, since: str, agent: str, /) -> Sequence[ChangedRow]:
        """Return the notes changed on a day or later, the last one first.

        `agent` is the agent folder, whose files are no company to others.
        """

    def placed(self, paths: Collection[str], /) -> Mapping[str, int]:
        """Return the ids of the notes at some paths."""


def members_of(
    projects: Callable[[], Projects], project: str | None
) -> Sequence[ProjectNote]:
    """Return the notes of a project, by path; none where no project is named.

    Raises:
        ProjectUnknown: no note belongs to it.
    """
    if project is None or not project.strip():
        return ()
    known = projects()
    found = known.members(parse_project(project))
    if not found:
        raise ProjectUnknown(project, known.closest(project))
    return found


class Warmth(Protocol):
    """What is alive now; see `Memory.temperatures`."""

    def __call__(
        self, *, limit: int, project: str | None = None, today: str | None = None
    ) -> "Temperatures":
        """Return the warmest notes."""


Keep = Callable[[str, str, str, Sequence[str]], NotePath]
"""Keeps a text in `summaries/`: its title, its project, its Markdown and the receipts
it stands on; returns where it is. Raises `WriteRefused`."""

UsedNotes = Callable[[str, Sequence[NotePath]], None]
"""Takes on record, by the name of the verb, which notes were handed out."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What the engine gives: stages that a bundle is made of, and never imports.

    `renew` keeps a text in the place of the former one that begins as it does. `shared`
    has the bundles of what every agent may read, which may be kept where they read it;
    None where these are no others.
    """

    search: Searched
    warmth: Warmth
    renew: Keep
    used: UsedNotes
    shared: "Callable[[], Bundles] | None" = None


@dataclass(frozen=True, slots=True)
class ContextParts:
    """One vault, as far as bundles look at it.

    `faults` names the faults of everything done inside it, `still` keeps the rows as
    they are for all that is read inside it. `files` reads notes as they are on disk
    now, as far as who asks may read them. `find` returns the note that a person means
    by a name. `sources` are the other stages, `projects` the notes of projects;
    `sections` gives the rows that the sections of one bundle are read from. `rules` say
    what of the vault is not read, `traces` where a note may be now; `day` returns the
    day that a person means, `changes` when notes were changed;
    `counter` counts tokens, `passages` gives the chunks of one bundle; `is_followed`
    tells whether somebody takes in what changes in the vault. `reranker` returns what
    reads a question and a passage together, and raises where it is not here.
    """

    config: Config
    root: Path
    files: Callable[[], VaultFiles]
    faults: Callable[[], AbstractContextManager[None]]
    still: Callable[[], AbstractContextManager[None]]
    find: Callable[[str], NotePath]
    sources: Sources
    projects: Callable[[], Projects]
    sections: Callable[[], SectionRows]
    rules: Callable[[], IgnoreRules]
    traces: Callable[[], Traces]
    day: Callable[[str, date], date]
    changes: Callable[[], Changes]
    counter: Callable[[], TokenCounter]
    passages: Callable[[], PassageReader]
    is_followed: Callable[[], bool]
    reranker: Callable[[], Reranker]


MOST_LOOKED_AT = 100
"""Notes of one packet that are looked at: more are seldom found."""

NAMED = 5
"""Notes that are named; that others are behind, too, is told by their number."""

ABSENT = "the vault folder is not there: all is told as it was when it was indexed"
BEING_DONE, TO_DO = "that is being taken in now", "run: glassmind index"


class StaleCheck:
    """Looks at the files of one packet, each once."""

    def __init__(self, shelf: ContextParts) -> None:
        self._shelf = shelf
        self._seen: set[NotePath] = set()
        self._lag, self._absent = StaleFiles(), False

    def look(self, paths: Iterable[NotePath]) -> bool:
        """Look at files; return whether more are behind than were before."""
        new = [path for path in dict.fromkeys(paths) if path not in self._seen]
        new = new[: MOST_LOOKED_AT - len(self._seen)]
        if not new or self._absent:
            return False
        self._seen.update(new)
        try:
            found = stale_files(self._shelf.root, self._shelf.traces().known(new))
        except VaultMissing:
            self._absent = True
            return True
        old = self._lag
        self._lag = StaleFiles(old.changed + found.changed, old.gone + found.gone)
        return self._lag != old

    @property
    def changed(self) -> Sequence[NotePath]:
        """Those that are not on the disk as they were indexed."""
        return self._lag.changed

    def notices(self) -> tuple[str, ...]:
        """Return in a sentence what is behind, and what to do; nothing where all is."""
        if self._absent:
            return (ABSENT,)
        changed, gone = self._lag
        if not changed and not gone:
            return ()
        remedy = BEING_DONE if self._shelf.is_followed() else TO_DO
        return (f"{_counted(self._lag)}; {remedy} ({_named(self._lag)})",)


def shown_in(made: Bundle) -> list[NotePath]:
    """Return the notes that a bundle tells anything of, best first."""
    items = (*made.decisions, *made.questions, *made.tasks)
    return [
        *(note.path for note in made.notes),
        *(item.path for item in items),
        *(side.path for one in made.conflicts for side in one.sides),
        *(read.path for read in made.suggested),
    ]


def _counted(lag: StaleFiles) -> str:
    """Return how many notes are behind; what matters stands in the first words."""
    changed, gone = map(len, lag)
    only = changed or gone
    notes, since = f"{only} notes", "since they were indexed"
    if only == 1:
        notes, since = "1 note", "since it was indexed"
    are = "is" if gone == 1 else "are"
    if not changed:
        return f"{notes} {are} gone {since}"
    return f"{notes} changed {since}" + (f", {gone} {are} gone" if gone else "")


def _named(lag: StaleFiles) -> str:
    changed, gone = _quoted(lag.changed), _quoted(lag.gone)
    return f"{changed}; gone: {gone}" if changed and gone else changed or gone


def _quoted(paths: Sequence[NotePath]) -> str:
    """Return the first names; none can end its quotation."""
    shown = [one_line(path).replace('"', "'") for path in paths[:NAMED]]
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(f'"{name}"' for name in shown) + more


def turned_private(shelf: ContextParts, changed: Iterable[NotePath]) -> set[NotePath]:
    """Return which of some notes say now that they are private.

    One that cannot be read any more counts as private: nobody can say that it is not.
    """
    found: set[NotePath] = set()
    paths = list(changed)
    if not paths:
        return found
    try:
        with shelf.files() as files:
            for path in paths:
                if _is_private(files, path):
                    found.add(path)
    except VaultError:
        found.update(paths)
    return found


def _is_private(files: VaultFiles, path: NotePath) -> bool:
    try:
        made = decode(files.read(path))
    except VaultError:
        return True
    if not isinstance(made, Decoded):
        return True
    return says_private(read_head(made.text).frontmatter.properties)
