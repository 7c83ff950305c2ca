"""What every verb of memory works with; adapters come through it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from glassmind.config import Config
from glassmind.errors import GlassmindError
from glassmind.errors.writing import WritesOff
from glassmind.model import NotePath
from glassmind.ports.stages import Projects, Searched

if TYPE_CHECKING:
    from glassmind.files.read import VaultFiles
    from glassmind.files.write import VaultWriter
    from glassmind.memory.finding import MemoRows
    from glassmind.memory.heat import HeatSources
    from glassmind.memory.pins import PinnedNotes
    from glassmind.model.catalogue import NoteText
    from glassmind.model.context import Verified
    from glassmind.model.hindsight import Told


Indexed = Callable[[Sequence[NotePath]], GlassmindError | None]
"""Brings some files into the index; returns why they are not in it yet, if so."""

Verify: TypeAlias = "Callable[[Sequence[str]], Sequence[Verified]]"
"""Says what became of the lines that receipts are for; see `Bundles.verify`."""


Used = Callable[[str, Sequence[NotePath], str], None]
"""Takes on record which notes a verb handed out, and to which client if not ours."""


@dataclass(frozen=True, slots=True)
class Acts:
    """What the engine gives: stages that memory makes use of, and never imports.

    `handed` is told of every memo whose text is given to whoever asks, use or not.
    """

    search: Searched
    indexed: Indexed
    verified: Verify
    used: Used = lambda _verb, _paths, _client: None
    handed: Callable[[Sequence[NotePath]], None] = lambda _: None


def _now() -> datetime:
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class Cabinet:
    """One vault, as far as memory looks at it and writes to it.

    `folder` is the agent folder. `find` returns the note that a person means by a name,
    `sure` the one that is called so to the letter, if any: nothing is written on a
    guess; `place` returns a note, or the part of one that is named to the letter, if
    any, and raises where it has no such part. `writer` writes for a client, whose name
    goes on record. `space` names the vectors that answer, empty for none. `day` reads a
    day as a person says it, and raises `BadDate`. `tell` gives Hindsight something to
    remember, where what is captured is to go there too. `untrusted` tells whether one
    of some notes is of those that nobody vouches for.
    """

    config: Config
    root: Path
    folder: str
    faults: Callable[[], AbstractContextManager[None]]
    still: Callable[[], AbstractContextManager[None]]
    find: Callable[[str], NotePath]
    sure: Callable[[str], NotePath | None]
    place: "Callable[[str], NoteText | None]"
    files: "Callable[[], VaultFiles]"
    writer: "Callable[[str], VaultWriter]"
    acts: Acts
    projects: Callable[[], Projects]
    memos: "Callable[[], MemoRows]"
    space: Callable[[], str]
    day: Callable[[str, date], date]
    heat: "Callable[[], HeatSources]"
    pinned_notes: "Callable[[], PinnedNotes]"
    now: Callable[[], datetime] = _now
    tell: "Callable[[Told], None] | None" = None
    untrusted: Callable[[Sequence[NotePath]], bool] = lambda _: False


def check_writes(cabinet: Cabinet, undone: str) -> None:
    """Refuse an act while nothing may be written; `undone` says what came of it.

    Raises:
        WritesOff: the settings let nothing be written.
    """
    if not cabinet.config.writes.agent_dir_writable:
        raise WritesOff(cabinet.folder, undone)
