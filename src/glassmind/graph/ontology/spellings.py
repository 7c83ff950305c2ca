"""Spellings of one word that a vault uses side by side, and not words that look alike.

Case, marks between words and accents are ways of writing one word. So is the plural,
unless it stands beside the singular in some note: `page` is where one reads and `pages`
how many there are. A slip is believed only of a long and rare spelling of a common word
that never stands beside it either: who writes `status` and `stats`, or `started` and
`starred`, means two.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from glassmind.graph.folding import in_singular, key_form, slips_between
from glassmind.model.ontology import Spelled, SpelledWord, SpellingCount

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


def near_spellings(what: Spelled, uses: Iterable[Use]) -> list[SpelledWord]:
    """Return the words that are spelled in several ways, the most used first."""
    words = list(_words(what, uses))
    slips = _slips(words)
    taken = {id(word) for found in slips.values() for word in found}
    made = [
        _spelling(what, word, slips.get(word.form, ()))
        for word in words
        if id(word) not in taken and (len(word.uses) > 1 or word.form in slips)
    ]
    return sorted(made, key=lambda one: (-one.notes, one.canonical))


def _words(what: Spelled, uses: Iterable[Use]) -> Iterator[_Word]:
    """Yield the words, the plural of one with it unless a note has use for both."""
    forms: dict[str, list[Use]] = {}
    for use in uses:
        if form := _form(what, use.spelling):
            forms.setdefault(form, []).append(use)
    numbers: dict[str, list[str]] = {}
    for form in forms:
        numbers.setdefault(word_form(what, form), []).append(form)
    for one, found in numbers.items():
        if _are_apart([forms[form] for form in found]):
            yield _word([use for form in found for use in forms[form]], one)
        else:
            for form in found:
                yield _word(forms[form], form)


def _word(uses: Iterable[Use], form: str) -> _Word:
    return _Word(tuple(sorted(uses, key=_most_used)), form)


def _are_apart(words: Iterable[Iterable[Use]]) -> bool:
    """Whether no note uses two of these words."""
    seen: set[int] = set()
    for uses in words:
        notes = frozenset[int]().union(*(use.notes for use in uses))
        if not seen.isdisjoint(notes):
            return False
        seen |= notes
    return True


def word_form(what: str, text: str) -> str:
    """Return what the spellings of one word have in common, whatever its number.

    Levels of a tag are words of their own.
    """
    return "/".join(in_singular(level) for level in _form(what, text).split("/"))


def _form(what: str, text: str) -> str:
    levels = text.split("/") if what == "tag" else [text]
    return "/".join(key_form(level) for level in levels)


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
    return len(kinds) <= 1 and _are_apart([rare.uses, common.uses])


def _spelling(what: Spelled, word: _Word, slips: Sequence[_Word]) -> SpelledWord:
    first, *others = word.uses
    wrong = [use for slip in slips for use in slip.uses]
    reasons = [_difference(first.spelling, use.spelling) for use in others]
    reasons += ["a slip"] * len(wrong)
    variants = tuple(
        SpellingCount(use.spelling, len(use.notes)) for use in (*others, *wrong)
    )
    said = ", ".join(dict.fromkeys(reasons))
    return SpelledWord(
        what, first.spelling, len(first.notes), variants, said, word.form
    )


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
