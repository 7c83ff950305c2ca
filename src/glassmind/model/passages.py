"""What a bundle reads of the index: notes that matter, and chunks of them.

All are named tuples: a bundle makes a hundred of them.
"""

from typing import NamedTuple

from glassmind.model import NotePath


class PlacedChunk(NamedTuple):
    """What is a chunk's own of the lines of its note, from `first_line` on.

    `begins` where a line does, or in the middle of one; `is_last` of its note.
    """

    number: int
    heading_path: tuple[str, ...]
    first_line: int
    text: str
    begins: bool
    is_last: bool


class PackedNote(NamedTuple):
    """A note as a bundle names it; `day` is empty where its name says none.

    `generated` marks what an agent wrote and no person has approved. `at_once` where it
    has no such day and its file was written among so many that its time says nothing.
    `superseded_by` is the title of the note in its place, if one is. A `private` one is
    for its owner alone.
    """

    note_id: int
    path: NotePath
    title: str
    day: str
    mtime_ns: int
    generated: bool
    at_once: bool = False
    superseded_by: str = ""
    private: bool = False
