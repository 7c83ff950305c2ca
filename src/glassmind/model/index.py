"""What the index holds beside the notes' own values: rows in and out of the store."""

from collections.abc import Sequence
from typing import NamedTuple

from glassmind.model import Digest, NotePath
from glassmind.model.files import FileFacts
from glassmind.model.notes import Chunk, Note


class Indexed(NamedTuple):
    """A note read and split: everything the store writes for it.

    `day` is the day the note is about, as `YYYY-MM-DD`; None when only its modification
    time can tell. `secrets` counts the credentials that are hidden in it. `ends` are
    the files its links lead to, where that is known already; None in it is a ghost.
    """

    file: FileFacts
    note: Note
    digest: Digest
    encoding: str
    day: str | None
    chunks: Sequence[Chunk]
    warnings: Sequence[str] = ()
    ends: Sequence[int | None] | None = None
    secrets: int = 0


class Unsettled(NamedTuple):
    """A link whose destination has to be found (again)."""

    note_id: int
    seq: int
    source: NotePath
    kind: str
    target: str
    name_key: str
