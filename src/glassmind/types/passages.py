"""What a bundle reads of the index: notes that matter, and chunks of them.

All are named tuples: a bundle makes a hundred of them.
"""

from typing import NamedTuple

from glassmind.types import NotePath, Span


class PlacedChunk(NamedTuple):
    """A chunk where it stands; `is_last` of its note.

    The first `overlap` characters of `text` are the end of the chunk before.
    """

    index: int
    kind: str
    heading_path: tuple[str, ...]
    span: Span
    overlap: int
    text: str
    is_last: bool


class PackedNote(NamedTuple):
    """A note as a bundle names it; `day` is empty where its name says none.

    `generated` marks what an agent wrote and no person has approved.
    """

    note_id: int
    path: NotePath
    title: str
    day: str
    mtime_ns: int
    generated: bool
