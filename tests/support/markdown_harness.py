"""What the tests of the parser share: reading a text, and the source of a piece."""

from typing import Protocol

from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.notes import parse_note


class Placed(Protocol):
    """A piece of a note that knows its bytes."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def read(text: str) -> Note:
    return parse_note(NotePath("Folder/Note.md"), text)


def source_of(note: Note, piece: Placed) -> str:
    return note.text.encode()[piece.start : piece.end].decode()
