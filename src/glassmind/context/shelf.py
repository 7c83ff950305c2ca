"""What every verb of bundles works with; adapters come through it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from glassmind.config import Config
from glassmind.context.budget import Counter
from glassmind.context.members import Changes
from glassmind.context.passages import PassageReader
from glassmind.context.scope import SectionRows
from glassmind.context.tracing import Traces
from glassmind.files.ignore import IgnoreRules
from glassmind.files.read import VaultFiles
from glassmind.model import NotePath
from glassmind.ports.models import Reranker
from glassmind.ports.stages import Projects, Searched

if TYPE_CHECKING:
    from glassmind.context.verbs import Bundles
    from glassmind.model.memory import Temperatures


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
class Shelf:
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
    counter: Callable[[], Counter]
    passages: Callable[[], PassageReader]
    is_followed: Callable[[], bool]
    reranker: Callable[[], Reranker]
