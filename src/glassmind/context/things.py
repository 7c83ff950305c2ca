"""What claims are about: which note's thing, and what of it."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from glassmind.context.claim_words import (
    ABOUT,
    GENERIC,
    IMPLIED,
    SAME,
    STOPS,
    UNNAMED,
)
from glassmind.context.claims import Claim, words_of
from glassmind.context.items import names_in
from glassmind.context.section_words import key_form
from glassmind.markdown.days import first_day
from glassmind.types.sections import SectionNote

LEAST_PHRASE = 2
"""Words that a subject without a note needs, so that two notes mean the same by it."""

OF_ANY = frozenset(("project", "projekt", "status", "work", "arbeit"))
"""Words that may stand for the thing itself when it is told how far it is."""

_STATUS = frozenset(("status",))
_ARTICLE = re.compile(r"\W*(?:the|der|die|das|den|dem)\s", re.IGNORECASE)


class Subject(NamedTuple):
    """What a claim is about: a thing by the note it has, and what of it.

    Without a note `thing` is 0, and `what` all that tells it from others.
    """

    thing: int
    what: frozenset[str]


class Things:
    """The names of some notes, and which notes have one in common."""

    def __init__(self, notes: Iterable[SectionNote]) -> None:
        self._by_name: dict[tuple[str, ...], int] = {}
        self._thing: dict[int, int] = {}
        self._words: dict[int, set[str]] = {}
        self._title: dict[int, str] = {}
        self._longest = 1
        known = sorted(notes, key=lambda note: note.path)
        for note in known:
            self._take(note)
        self._about = {note.note_id: self._meant(note) for note in known}

    def _take(self, note: SectionNote) -> None:
        names = [] if is_dated(note) else [note.title, *note.aliases]
        forms = [form for name in names if (form := words_of(name)) and _is_name(form)]
        thing = next(
            (self._by_name[f] for f in forms if f in self._by_name), note.note_id
        )
        self._thing[note.note_id] = thing
        self._title.setdefault(thing, note.title)
        for form in forms:
            self._by_name.setdefault(form, thing)
            self._words.setdefault(thing, set()).update(form)
            self._longest = max(self._longest, len(form))

    def _meant(self, note: SectionNote) -> int | None:
        """Return the thing that a property says a note is about."""
        for name, value in note.properties.items():
            if key_form(name) in ABOUT:
                for one in names_in(value):
                    if thing := self._by_name.get(words_of(one)):
                        return thing
        return None

    def own(self, note: SectionNote) -> int:
        """Return the thing that a note is, or is about; 0 for a day's note."""
        about = self._about.get(note.note_id)
        return about or (0 if is_dated(note) else self._thing.get(note.note_id, 0))

    def title(self, thing: int) -> str:
        """Return what a thing is called; empty for none."""
        return self._title.get(thing, "")

    def is_about(self, note: SectionNote) -> bool:
        """Whether a note says of itself that it is about another's thing."""
        return self._about.get(note.note_id) is not None

    def named(self, text: str) -> int:
        """Return the thing that a text is the name of; 0 for none."""
        return self._by_name.get(words_of(text), 0)

    def subjects(self, claim: Claim, note: SectionNote, heading: str) -> list[Subject]:
        """Return what a claim may be about: its thing, and its bare words.

        A thing that the words name comes before the one that stands before a colon,
        then the one that the heading names, and then that of the note.
        """
        words, own = words_of(claim.subject), self.own(note)
        thing, rest = self._in(words, own, linked="[[" in claim.subject)
        named = bool(thing)
        if not thing:
            thing = self.named(claim.lead) or self.named(heading) or own
            named = thing not in (0, own)
        what = _what(claim, rest)
        if claim.form == "sentence" and claim.value.kind == "status":
            # how far a thing is, is told of the thing itself and not of what it has
            return [Subject(thing, _STATUS)] if thing and what <= OF_ANY else []
        found = []
        if thing:
            left = what - self._words.get(thing, set()) or what
            found.append(Subject(thing, _same(left or {"amount"})))
        if not named and _is_telling(what, claim.subject):
            found.append(Subject(0, _same(what)))
        return found

    def _in(
        self, words: tuple[str, ...], own: int, *, linked: bool
    ) -> tuple[int, tuple[str, ...]]:
        """Return the thing with the longest name among some words, and the others.

        A word that anything may be called counts in a link, and in the note itself.
        """
        for length in range(min(self._longest, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                name = words[start : start + length]
                thing = self._by_name.get(name, 0)
                if thing and (linked or thing == own or not _is_common(name)):
                    return thing, words[:start] + words[start + length :]
        return 0, words


def are_siblings(one: SectionNote, other: SectionNote) -> bool:
    """Whether two titles differ in one word: `Trip 1` and `Trip 2`, each its own."""
    a, b = words_of(one.title), words_of(other.title)
    return len(a) == len(b) > 1 and sum(x != y for x, y in zip(a, b, strict=True)) == 1


def is_dated(note: SectionNote) -> bool:
    """Whether a note is about a day: its name says which."""
    return first_day(note.path.rpartition("/")[2]) is not None


def property_subject(things: Things, note: SectionNote, claim: Claim) -> Subject | None:
    """Return what a property is about."""
    thing, words = things.own(note), words_of(claim.subject)
    known = thing and any(word not in STOPS for word in words)
    return Subject(thing, _same(_what(claim, words) or {"amount"})) if known else None


def _what(claim: Claim, words: Iterable[str]) -> set[str]:
    """Return what of a thing is meant by some words, and by what stands around them."""
    left = {word for word in words if word not in STOPS}
    # of a day it is no matter whether it is said to be due
    hint = "" if left and claim.hint == "due" else claim.hint
    what = (left | claim.years | {claim.value.measure, hint}) - {""}
    # kilograms need no word that it is a weight, nor lamps that they are counted
    return what if what - {claim.value.unit, IMPLIED.get(claim.value.unit)} else set()


def _same(words: Iterable[str]) -> frozenset[str]:
    return frozenset(SAME.get(word, word) for word in words)


def _is_name(form: tuple[str, ...]) -> bool:
    """Whether words tell a thing from others, at least where they are linked."""
    text = " ".join(form)
    return text not in UNNAMED and not text.isdigit()


def _is_common(form: tuple[str, ...]) -> bool:
    """Whether a name is a word that any note may use of something else."""
    word = form[0]
    return len(form) == 1 and (word in GENERIC or word in STOPS or word in SAME)


def _is_telling(what: Collection[str], subject: str) -> bool:
    """Whether words mean the same thing in whatever note they stand.

    One word that not everything may be called is enough behind an article: there is
    one last ferry, and a default timeout in every manual.
    """
    telling = [word for word in what if word not in GENERIC and not word.isdigit()]
    least = 1 if _ARTICLE.match(subject) else LEAST_PHRASE
    return len(what) >= LEAST_PHRASE and len(telling) >= least
