"""What the sections of a bundle are asked about, and the rows they are read from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from glassmind.model.sections import (
    Likeness,
    MemoWish,
    SectionHeading,
    SectionLink,
    SectionNote,
    SectionSign,
    SectionTask,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a bundle is about.

    `note_ids` are the selected notes, best first; `project_ids` the notes of the
    project that was asked for, if any. `agent` is the name of the agent folder.
    """

    note_ids: tuple[int, ...]
    project_ids: frozenset[int]
    query: str
    today: date
    agent: str


class SectionRows(Protocol):
    """What is known of notes, at one moment of reading; by the id of their file.

    One serves a whole bundle: what it was asked for once it has at hand.
    """

    @property
    def cut(self) -> set[str]:
        """The sections of which there is more than was looked at, as far as known."""

    def notes(self, note_ids: Collection[int], /) -> Mapping[int, SectionNote]:
        """Return those of some notes that are there."""

    def held(
        self, note_ids: Collection[int], names: Collection[str], /
    ) -> Sequence[tuple[str, object]]:
        """Return what properties of some names hold, with the path of their note.

        Names are in small letters, with a blank between words however that is written.
        """

    def named(self, note_ids: Collection[int], /) -> Mapping[int, tuple[str, str]]:
        """Return path and title of those of some notes that are there."""

    def pages(self, note_ids: Collection[int], /) -> Mapping[int, Sequence[str]]:
        """Return the lines of notes, without their ends."""

    def headings(
        self, note_ids: Collection[int], /
    ) -> Mapping[int, Sequence[SectionHeading]]:
        """Return the headings of each note that has some, in order."""

    def signs(
        self, note_ids: Collection[int], tags: Sequence[str], callouts: Sequence[str], /
    ) -> Sequence[SectionSign]:
        """Return what speaks for notes and their lines, by note and line.

        What the property `type` says; some tags and those below them; the callouts of
        some kinds.
        """

    def heads(self, note_ids: Collection[int], longest: int, /) -> Mapping[int, str]:
        """Return the title and the short headings of notes, set apart by `APART`."""

    def tasks(
        self, note_ids: Collection[int], keys: Collection[str], /
    ) -> Sequence[SectionTask]:
        """Return the tasks that are not finished, by note and line.

        Of the fields in their lines those of some keys count as dates.
        """

    def links(self, note_ids: Collection[int], /) -> Sequence[SectionLink]:
        """Return the links from and to some notes, by source and place.

        Of a note that many link to, those from the notes changed last.
        """

    def likenesses(self, note_ids: Collection[int], /) -> Sequence[Likeness]:
        """Return what notes are like, by note, the most similar first."""

    def degrees(self, note_ids: Collection[int], /) -> Mapping[int, int]:
        """Return how many links each note has, to it and from it."""

    def dated(self, note_ids: Collection[int], /) -> Sequence[tuple[int, str]]:
        """Return those of some notes with the path whose name has a day."""

    def titled(self, titles: Collection[str], /) -> Collection[int]:
        """Return the notes that have one of some titles."""

    def called(self, names: Collection[str], /) -> Mapping[str, int]:
        """Return the note that each path or title, in lower case, is that of."""

    def has_files(self, folder: str, /) -> bool:
        """Whether there is anything below a folder."""

    def memos(self, wish: MemoWish, /) -> Sequence[SectionNote]:
        """Return the captures that may be wished for, the latest first.

        Adds to `cut` what there are more of than it returns.
        """
