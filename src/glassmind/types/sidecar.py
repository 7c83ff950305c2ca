"""What a sidecar takes in: a chunk with what is known of its note."""

from typing import NamedTuple

from glassmind.types import NotePath


class Document(NamedTuple):
    """One chunk as the word index sees it.

    `headings` are those it stands under and those inside it. `properties` pairs each
    name with its value as JSON.
    """

    note_id: int
    chunk_id: int
    path: NotePath
    title: str
    aliases: tuple[str, ...]
    headings: tuple[str, ...]
    tags: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]
    day: str | None
    mtime_ns: int
    text: str
