"""What the index holds beside the notes' own values: rows in and out of the store."""

from collections.abc import Sequence
from typing import NamedTuple

from glassmind.types import Digest, NotePath
from glassmind.types.files import FileFacts
from glassmind.types.notes import Chunk, Note


class Indexed(NamedTuple):
    """A note read and split: everything the store writes for it.

    `day` is the day the note is about, as `YYYY-MM-DD`; None when only its modification
    time can tell. `ends` are the files its links lead to, where that is known already;
    None in it is a ghost.
    """

    file: FileFacts
    note: Note
    digest: Digest
    encoding: str
    day: str | None
    chunks: Sequence[Chunk]
    warnings: Sequence[str] = ()
    ends: Sequence[int | None] | None = None


class Unsettled(NamedTuple):
    """A link whose destination has to be found (again)."""

    note_id: int
    seq: int
    source: NotePath
    kind: str
    target: str
    name_key: str


class Space(NamedTuple):
    """Vectors that can be compared: those of one model, used in one way.

    `settings` is the JSON of what the user had chosen when it was begun, so that its
    model can be asked again while a later one is still at work.
    """

    id: int
    name: str
    width: int
    settings: str


class Unembedded(NamedTuple):
    """A chunk as embedding it needs it; `before` and `after` are its neighbours."""

    chunk_id: int
    note_id: int
    path: NotePath
    mtime_ns: int
    title: str
    heading_path: tuple[str, ...]
    first_line: int
    last_line: int
    text: str
    before: str = ""
    after: str = ""


class Embedded(NamedTuple):
    """A chunk with the key of its vector; `rows` is None where those are known."""

    chunk: Unembedded
    key: bytes
    rows: bytes | None
    enriched: bool = False


class Coverage(NamedTuple):
    """Chunks with a vector, without their surroundings and with; and those without."""

    plain: int
    enriched: int
    missing: int

    @property
    def covered(self) -> int:
        """How many have one."""
        return self.plain + self.enriched

    @property
    def total(self) -> int:
        """How many should have one."""
        return self.covered + self.missing
