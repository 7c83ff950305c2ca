"""What claims are about: which note's thing, and what of it."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from glassmind.context.conflicts.claim_words import (
    ABOUT,
    ASIDE,
    GENERIC,
    IMPLIED,
    KIN,
    SAME,
    STOPS,
    SYSTEMS,
    UNNAMED,
)
from glassmind.context.conflicts.claims import Claim
from glassmind.context.conflicts.naming_words import KINSHIP
from glassmind.context.conflicts.subject_words import links_in, words_of
from glassmind.context.items import key_form, names_in
from glassmind.model.context import SectionLink, SectionNote
from glassmind.obsidian.text import first_day

LEAST_PHRASE = 2
"""Words that a subject without a note needs, so that two notes mean the same by it."""

LEAST_END = 4
"""Letters that the end of a word has which may stand for it: `Fest`, in Sommerfest."""

OF_ANY = frozenset(("project", "projekt", "status", "work", "arbeit"))
"""Words that may stand for the thing itself when it is told how far it is."""

UNCLEAR = -1
"""What a name means that several things have."""

TYPES = frozenset(("type", "typ", "kind", "class"))
"""Properties that say what kind of thing a note is about."""

_STATUS = frozenset(("status",))
_UNNAMED = frozenset(map(words_of, UNNAMED))
_ARTICLE = re.compile(r"\W*(?:the|der|die|das|den|dem)\s", re.IGNORECASE)


class Subject(NamedTuple):
    """What a claim is about: a thing by the note it has, and what of it.

    Without a note `thing` is 0, and `what` all that tells it from others.
    """

    thing: int
    what: frozenset[str]


class Things:
    """The names of some notes, and which notes have one in common."""

    def __init__(
        self, notes: Iterable[SectionNote], links: Sequence[SectionLink] = ()
    ) -> None:
        self._links = links
        self._holders: dict[tuple[str, ...], list[SectionNote]] = {}
        self._thing: dict[int, int] = {}
        self._words: dict[int, set[str]] = {}
        self._title: dict[int, str] = {}
        self._longest = 1
        known = sorted(notes, key=lambda note: note.path)
        for note in known:
            self._take(note)
        self._about = {note.note_id: self._meant(note) for note in known}

    def _take(self, note: SectionNote) -> None:
        forms = _names(note)
        others = (other for form in forms for other in self._holders.get(form, ()))
        same = (one.note_id for one in others if self._are_same(note, one))
        thing = next((self._thing[at] for at in same), note.note_id)
        self._thing[note.note_id] = thing
        self._title.setdefault(thing, note.title)
        for form in forms:
            self._holders.setdefault(form, []).append(note)
            self._words.setdefault(thing, set()).update(form)
            self._longest = max(self._longest, len(form))

    def _are_same(self, one: SectionNote, other: SectionNote) -> bool:
        """Whether two notes with a name in common are about the same thing.

        An alias says so, and a link between them, their type, or where they stand: a
        title alone does not, since Paris among the cities is none of the people.
        """
        shared = {*_names(one)} & {*_names(other)}
        if shared != {words_of(one.title)} or shared != {words_of(other.title)}:
            return True
        types = _types(one) & _types(other)
        return bool(types) or _stand_alike(one, other) or self._are_linked(one, other)

    def _are_linked(self, one: SectionNote, other: SectionNote) -> bool:
        return frozenset((one.note_id, other.note_id)) in self._pairs

    @cached_property
    def _pairs(self) -> set[frozenset[int]]:
        return {frozenset((link.source_id, link.target_id)) for link in self._links}

    def _meant(self, note: SectionNote) -> int | None:
        """Return the thing that a property says a note is about."""
        for name, value in note.properties.items():
            if key_form(name) in ABOUT:
                for one in names_in(value):
                    if (thing := self.named(one)) > 0:
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
        """Return the thing that a text is the name of.

        0 for none, `UNCLEAR` where several have that name.
        """
        return self._called(words_of(text), 0)

    def _called(self, form: tuple[str, ...], own: int) -> int:
        things = {self._thing[note.note_id] for note in self._holders.get(form, ())}
        if len(things) > 1:
            return own if own in things else UNCLEAR
        return next(iter(things), 0)

    def subjects(self, claim: Claim, note: SectionNote, heading: str) -> list[Subject]:
        """Return what a claim may be about: its thing, and its bare words.

        A thing that a link leads to comes first, then one that the words name, the one
        that stands before a colon, the one that the heading names, and that of the
        note. Words that name another note without a link may yet mean the note's own.
        """
        if claim.points:
            return self._pointed(claim, note, heading)
        words, own = words_of(claim.subject), self.own(note)
        linked = links_in(claim.subject)
        thing, rest = self._linked(linked, words) if linked else self._in(words, own)
        by_words = not linked and thing not in (0, own)
        named = bool(thing)
        if not thing:
            led, headed = self._led(claim.lead), self.named(heading)
            thing = led or (headed if headed > 0 else own)
            named = thing not in (0, own)
        if thing == UNCLEAR:
            return []
        what = _what(claim, rest)
        if claim.form == "sentence" and claim.value.kind == "status":
            # how far a thing is, is told of the thing itself and not of what it has
            return [Subject(thing, _STATUS)] if thing and what <= OF_ANY else []
        found = [self._of(thing, what)] if thing else []
        if linked and not what and claim.form == "entry":
            found = self._listed(thing, claim, words_of(heading or note.title))
        if own and by_words:
            found.append(self._of(own, _what(claim, words)))
        bare = claim.form != "sentence" or claim.value.kind != "text"
        if not named and bare and _is_telling(what, claim.subject):
            found.append(Subject(0, _same(what)))
        return found

    def _pointed(self, claim: Claim, note: SectionNote, heading: str) -> list[Subject]:
        """Return what a pronoun means: what was named before it, or the note's thing.

        What merely occurs before it does so in a day's note alone.
        """
        own, named = self.own(note), words_of(claim.lead)
        linked = links_in(claim.lead)
        if linked:
            sure = not own or claim.lead.startswith("[[")
            thing = self._called(words_of(linked[0]), own) if sure else 0
        elif {*named} <= self._words.get(own, set()):
            headed = self.named(heading)
            other = headed <= 0 and not KINSHIP.isdisjoint(words_of(heading))
            thing = headed if headed > 0 else 0 if other else own
        else:
            thing = self._called(named, own)
        row = claim.form == "entry"
        if thing <= 0 or (row and thing == own and named not in self._holders):
            return []
        return [self._of(thing, _what(claim, words_of(claim.subject)))]

    def _listed(self, thing: int, claim: Claim, head: tuple[str, ...]) -> list[Subject]:
        """Return what the bare value of a link is: a list says so above it.

        A day alone may be one of anything.
        """
        bare = [] if claim.value.kind == "date" else [self._of(thing, set())]
        return [*bare, Subject(thing, _same(head[-1:]))] if head else bare

    def _led(self, lead: str) -> int:
        """Return the thing that a text before a colon is, or links to alone."""
        links = links_in(lead)
        return self.named(links[0] if len(links) == 1 else lead)

    def _of(self, thing: int, what: set[str]) -> Subject:
        names = self._words.get(thing, set())
        told = what - names - _same(names) if names else what
        left = {word for word in told or what if not _ends(word, names)}
        return Subject(thing, _same(left or {"amount"}))

    def _linked(
        self, names: Iterable[str], words: tuple[str, ...]
    ) -> tuple[int, tuple[str, ...]]:
        """Return the first thing that some links lead to, and the words beside it."""
        for form in map(words_of, names):
            if form and (thing := self._called(form, 0)):
                for start in range(len(words) - len(form) + 1):
                    if words[start : start + len(form)] == form:
                        return thing, words[:start] + words[start + len(form) :]
        return 0, words

    def _in(self, words: tuple[str, ...], own: int) -> tuple[int, tuple[str, ...]]:
        """Return the thing with the longest name among some words, and the others.

        The note's own name comes before others; a word that anything may be called
        counts there alone.
        """
        found = 0, words
        for length in range(min(self._longest, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                name = words[start : start + length]
                thing = self._called(name, own) if name in self._holders else 0
                rest = words[:start] + words[start + length :]
                if thing and thing == own:
                    return thing, rest
                if thing and not found[0] and not _is_common(name):
                    found = thing, rest
        return found

    @staticmethod
    def are_related(
        one: SectionNote, other: SectionNote, what: Collection[str]
    ) -> bool:
        """Whether two notes may mean the same by words that name no note.

        One title and not the other has a word of what is said, or the name of one
        stands in the title of the other: `Roof` in `Roof materials`. A link is not
        enough: it leads to what is alike as well.
        """
        a, b = _telling(words_of(one.title)), _telling(words_of(other.title))
        if not (a ^ b).isdisjoint(what):
            return True
        return any(
            _telling(form) < title
            for form, title in (
                *((form, b) for form in _names(one)),
                *((form, a) for form in _names(other)),
            )
            if _telling(form)
        )


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
    value, hint = claim.value, claim.hint
    left = _same(word for word in words if word not in STOPS)
    if value.kind == "version" and value.name:  # what a thing runs needs no name
        left, hint = left - SYSTEMS, value.name
    # of a day it is no matter whether it is said to be due
    hint = "" if left and hint == "due" else hint
    left = left - {"number", "nummer"} or left
    what = {*left, *claim.years, *_same((value.measure, hint))} - {""}
    # kilograms need no word that it is a weight, nor lamps that they are counted
    unit = value.unit.partition("/")[0]
    implied = {value.unit, unit, *IMPLIED.get(unit, ())}
    if not what - implied:
        return set()
    return what - {hint} if hint in implied and left - {hint} else what


def _ends(word: str, names: Collection[str]) -> bool:
    """Whether a longer word of a name ends with a word: the house of a greenhouse."""
    long = len(word) >= LEAST_END
    return long and any(name != word and name.endswith(word) for name in names)


def _same(words: Iterable[str]) -> frozenset[str]:
    return frozenset(SAME.get(word, word) for word in words)


def _names(note: SectionNote) -> list[tuple[str, ...]]:
    names = () if is_dated(note) else (note.title, *note.aliases)
    return [form for name in names if (form := words_of(name)) and _is_name(form)]


def _is_name(form: tuple[str, ...]) -> bool:
    """Whether words tell a thing from others, at least where they are linked."""
    return form not in _UNNAMED and not "".join(form).isdigit()


def _types(note: SectionNote) -> set[str]:
    said = (value for name, value in note.properties.items() if name in TYPES)
    return {name.casefold() for value in said for name in names_in(value)} - {""}


def _stand_alike(one: SectionNote, other: SectionNote) -> bool:
    """Whether one note stands in the other's folder or below, archives aside."""
    a, b = _folders(one.path), _folders(other.path)
    return a[: len(b)] == b or b[: len(a)] == a


def _folders(path: str) -> list[str]:
    kept = [" ".join(words_of(folder)) for folder in path.split("/")[:-1]]
    return [KIN.get(folder, folder) for folder in kept if folder not in ASIDE]


def _telling(words: Iterable[str]) -> set[str]:
    """Return the words that not every note may use of something else."""
    return {
        word
        for word in words
        if not (word in GENERIC or word in STOPS or word.isdigit())
    }


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
