"""What every verb of editing works with; adapters come through it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from glassmind.config import Config
from glassmind.files.ignore import IgnoreRules
from glassmind.model import NotePath
from glassmind.ports.editing import ChangesetBook, EditRows, FileChanger, Refresh

if TYPE_CHECKING:
    from glassmind.access.policy import WritePolicy
    from glassmind.access.sight import SeenBook, Sight
    from glassmind.files.settings import ObsidianSettings


Handed: TypeAlias = Callable[[Sequence[NotePath]], None]
"""Is told of which notes text was given away."""


def _now() -> datetime:
    return datetime.now().astimezone()


@dataclass(slots=True)
class LateRefresh:
    """What is to be brought into the index when a change's turn is over."""

    is_due: bool = False
    paths: list[NotePath] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Desk:
    """One vault, as far as editing looks at it and writes to it.

    `find` returns the note that a person means by a name, `sure` the one that is called
    so to the letter, if any: nothing is written on a guess. `refresh` brings files into
    the index. `committed` puts what was applied into the vault's git repository, where
    that is wished, and returns why it could not, if so. `outside` hands over, once,
    which notes were found to have been renamed. `handed` is told whose text is shown
    to whoever asks. `rules` tell what of the vault is not read, and `sight` what of it
    whoever asks may read; None for all. `told` are the changesets that who has such a
    sight may be told of.
    """

    config: Config
    root: Path
    agent_folder: str
    faults: Callable[[], AbstractContextManager[None]]
    find: Callable[[str], NotePath]
    sure: Callable[[str], NotePath | None]
    rows: Callable[[], EditRows]
    files: FileChanger
    book: ChangesetBook
    refresh: Refresh
    policy: "WritePolicy"
    settings: "Callable[[], ObsidianSettings]"
    committed: Callable[[str, list[NotePath]], str] = lambda _title, _paths: ""
    now: Callable[[], datetime] = _now
    outside: Callable[[], Mapping[NotePath, NotePath]] = dict
    handed: Handed = lambda _: None
    rules: Callable[[], IgnoreRules] = IgnoreRules
    sight: "Sight | None" = None
    told: "SeenBook | None" = None
    later: LateRefresh | None = None


class Asking(NamedTuple):
    """Who asks: `client` goes on record. `dry_run` shows and changes nothing.

    `tainted` says that the caller was given text before that nobody vouches for; the
    settings may then ask for approval. `why` is a word for the record.
    """

    client: str = "cli"
    dry_run: bool = False
    tainted: bool = False
    why: str = ""
