"""Spellings of one word that a vault uses side by side, and not words that look alike.

Case, marks between words, accents and plurals are ways of writing one word. A slip is
believed only of a long and rare spelling of a common word that never stands beside it
in a note: who writes `status` and `stats`, or `started` and `starred`, means two.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from glassmind.knowledge.folding import in_singular, key_form, slips_between
from glassmind.types.ontology import Spelled, Spelling

LEAST_LETTERS = 6
"""Letters of a word that may hold a slip; shorter ones resemble too many others."""

RARE_USES, RARE_SHARE = 2, 0.1
"""How rare a slip is: so many uses at most, and this part of the other's."""


class Use(NamedTuple):
    """A spelling, the notes that use it, and what its values are where it has any."""

    spelling: str
    notes: frozenset[int]
    kind: str = ""


class _Word(NamedTuple):
    """The spellings of one word; the first is used most."""

    uses: tuple[Use, ...]
    form: str

    @property
    def notes(self) -> int:
        return sum(len(use.notes) for use in self.uses)


def near_spellings(what: Spelled, uses: Iterable[Use]) -> list[Spelling]:
    """Return the words that are spelled in several ways, the most used first."""
    groups: dict[str, list[Use]] = {}
    for use in uses:
        if form := _form(what, use.spelling):
            groups.setdefault(form, []).append(use)
    words = [
        _Word(tuple(sorted(found, key=_most_used)), form)
        for form, found in groups.items()
    ]
    slips = _slips(words)
    taken = {id(word) for found in slips.values() for word in found}
    made = [
        _spelling(what, word, slips.get(word.form, ()))
        for word in words
        if id(word) not in taken and (len(word.uses) > 1 or word.form in slips)
    ]
    return sorted(made, key=lambda one: (-one.notes, one.canonical))


def _form(what: Spelled, text: str) -> str:
    """Return what one word has in common; levels of a tag are words of their own."""
    if what == "tag":
        return "/".join(in_singular(key_form(level)) for level in text.split("/"))
    return in_singular(key_form(text))


def _most_used(use: Use) -> tuple[int, bool, str]:
    return -len(use.notes), use.spelling != use.spelling.lower(), use.spelling


def _slips(words: Sequence[_Word]) -> dict[str, list[_Word]]:
    """Return the slips in each word, by its form; each slip is one of one word."""
    rare = [word for word in words if _may_slip(word.form) and word.notes <= RARE_USES]
    common = [word for word in words if word.notes > RARE_USES]
    by_length: dict[int, list[_Word]] = {}
    for word in common:
        by_length.setdefault(len(word.form), []).append(word)
    found: dict[str, list[_Word]] = {}
    for word in rare:
        near = range(len(word.form) - 1, len(word.form) + 2)
        meant = [
            other
            for length in near
            for other in by_length.get(length, ())
            if _is_slip(word, other)
        ]
        if meant:
            best = min(meant, key=lambda other: (-other.notes, other.form))
            found.setdefault(best.form, []).append(word)
    return found


def _may_slip(form: str) -> bool:
    return len(form) >= LEAST_LETTERS and not any(map(str.isdigit, form))


def _is_slip(rare: _Word, common: _Word) -> bool:
    if rare.notes > common.notes * RARE_SHARE or not _may_slip(common.form):
        return False
    if rare.form[0] != common.form[0] or slips_between(rare.form, common.form, 1) != 1:
        return False
    kinds = {use.kind for use in (*rare.uses, *common.uses)} - {"empty", "mixed"}
    apart = (
        frozenset()
        .union(*(use.notes for use in rare.uses))
        .isdisjoint(frozenset().union(*(use.notes for use in common.uses)))
    )
    return apart and len(kinds) <= 1


def _spelling(what: Spelled, word: _Word, slips: Sequence[_Word]) -> Spelling:
    first, *others = word.uses
    wrong = [use for slip in slips for use in slip.uses]
    reasons = [_difference(first.spelling, use.spelling) for use in others]
    reasons += ["a slip"] * len(wrong)
    variants = tuple((use.spelling, len(use.notes)) for use in (*others, *wrong))
    said = ", ".join(dict.fromkeys(reasons))
    return Spelling(what, first.spelling, len(first.notes), variants, said)


def _difference(a: str, b: str) -> str:
    """Return by what two spellings of one word differ."""
    if a.lower() == b.lower():
        return "case"
    if key_form(a) != key_form(b):
        return "plural"
    marks = [_marks(text) for text in (a, b)]
    return "marks between words" if marks[0] != marks[1] else "accents"


def _marks(text: str) -> str:
    return "".join(letter if not letter.isalnum() else "" for letter in text)


def uses_of(
    spelled: Mapping[int, Sequence[str]], kinds: Mapping[str, str]
) -> list[Use]:
    """Return each spelling with the notes that use it, from what each note uses."""
    notes: dict[str, set[int]] = {}
    for note, spellings in spelled.items():
        for spelling in spellings:
            notes.setdefault(spelling, set()).add(note)
    return [
        Use(spelling, frozenset(found), kinds.get(spelling, ""))
        for spelling, found in sorted(notes.items())
    ]
