"""Claims with the notes they stand in, and of when these are."""

from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from glassmind.context.conflicts.claim_words import CHANGED, WRITTEN
from glassmind.context.conflicts.claims import Claim
from glassmind.context.conflicts.things import is_dated
from glassmind.context.conflicts.values import Value
from glassmind.context.items import changed_day, key_form, waits
from glassmind.model.context import SectionNote
from glassmind.obsidian.text import first_day

AT_ONCE_NS = 60 * 10**9
"""Time between two files within which it was no person who wrote both: a checkout or a
sync, whose time says nothing of when a note was changed."""


class Source:
    """A note that claims something; of when it is shows once two of them differ."""

    def __init__(self, note: SectionNote, at_once: Collection[int], agent: str) -> None:
        self.note = note
        self._at_once = at_once
        self._agent = agent

    @cached_property
    def waits(self) -> bool:
        """Whether nobody has approved it: such a note is of no day."""
        return waits(self.note, self._agent)

    @cached_property
    def is_dated(self) -> bool:
        """Whether it is a day's note."""
        return is_dated(self.note) and not self.waits

    @cached_property
    def day(self) -> str:
        """The day that makes it newer than another; empty where nobody knows.

        It is its name's, else that of its last change as it says itself, or as its
        file does unless others were written at once; else that of its writing.
        """
        if self.waits:
            return ""
        if day := _own_day(self.note, CHANGED):
            return day
        if not self.note.at_once and self.note.mtime_ns not in self._at_once:
            return changed_day(self.note)
        return _own_day(self.note, WRITTEN) or first_day(self.note.title) or ""


class Said(NamedTuple):
    """A claim with what it stands in."""

    source: Source
    claim: Claim

    @property
    def note(self) -> SectionNote:
        """The note it stands in."""
        return self.source.note

    @property
    def day(self) -> str:
        """The day it is of; empty where nobody knows."""
        return self.source.day

    @property
    def is_dated(self) -> bool:
        """Whether it stands in a day's note."""
        return self.source.is_dated

    @property
    def value(self) -> Value:
        """What is claimed."""
        return self.claim.value


def written_at_once(notes: Iterable[SectionNote]) -> set[int]:
    """Return the times of files that were not written alone."""
    times = sorted(note.mtime_ns for note in notes)
    return {
        time
        for one, other in pairwise(times)
        if other - one <= AT_ONCE_NS
        for time in (one, other)
    }


def _own_day(note: SectionNote, keys: Iterable[str]) -> str | None:
    """Return the day in the name of a note, or in its first property of some names."""
    if is_dated(note) and (day := first_day(note.path.rpartition("/")[2])):
        return day
    said = {key_form(name): value for name, value in note.properties.items()}
    days = (first_day(str(said[key])) for key in keys if said.get(key))
    return next((day for day in days if day), None)
