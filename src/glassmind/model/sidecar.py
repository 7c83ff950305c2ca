"""What a sidecar takes in: a note with its passages."""

from collections.abc import Sequence
from typing import NamedTuple

from glassmind.model import NotePath, PropertyValue

OWED = "owed"
"""The setting of the rows with the head that an edit brought them to: whoever searches
next waits for its words."""


class Passage(NamedTuple):
    """One chunk; `headings` are those it stands under and those inside it."""

    chunk_id: int
    headings: Sequence[str]
    text: str


class Document(NamedTuple):
    """One note as the word index sees it."""

    note_id: int
    path: NotePath
    title: str
    aliases: Sequence[str]
    tags: Sequence[str]
    properties: Sequence[tuple[str, PropertyValue]]
    day: str | None
    mtime_ns: int
    passages: Sequence[Passage]
