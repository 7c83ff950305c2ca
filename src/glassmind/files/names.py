"""Which note a person means by a name: the surest reading first, a typo last.

Each rung is tried over all notes before the next; the first that any note answers to
decides, and two notes on one rung are an error that lists them. Guessing is left to the
last two: part of a title, and a typo, never over digits: `2024-01-02` is none for
`2024-01-03`.

The first four rungs can be asked of rows that are kept by path, title and file name; a
vault of any size then answers to most names without a look at every note.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import pairwise
from typing import Protocol, TypeAlias
from unicodedata import category, normalize
from unicodedata import name as character_name

from glassmind.errors import AmbiguousName, NoteNotFound
from glassmind.obsidian.folding import fold
from glassmind.files.resolve import NOTE_SUFFIX, name_key
from glassmind.model import NotePath
from glassmind.obsidian.style import is_text

CANDIDATES_SHOWN = 10
CLOSEST_SHOWN = 3

TYPO_RATIO = 0.8
"""About one letter in five wrong. A judgement: wrong notes cost more than a retry."""

HINT_RATIO = 0.5
"""Half the letters in order: enough to be shown, not to be taken. A judgement."""

CLEAR_LEAD = 0.05
"""A better fit by less than this is no reason to prefer one note to another."""

SHORTLIST = 50
"""Names compared letter by letter, chosen by shared pairs of letters."""

NAME_LIMIT_CHARS = 200

_DIGITS = re.compile(r"\d+")
_WIKILINK = re.compile(r"\[\[([^\]|#]+)[^\]]*\]\]")


JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: part of words in some scripts, and of emoji."""

_INVISIBLE = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f"  # controls
    "\\u00ad\\u034f\\u180e\\u200b\\u2060-\\u2065\\ufeff"  # zero width
    "\\u115f\\u1160\\u3164\\uffa0\\ufff9-\\ufffb\\U000e0000-\\U000e007f"  # blank
    "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u206f"  # bidirectional controls
    "\\u2028\\u2029]"  # line and paragraph separators
)
"""Characters that make two names look alike, or a name look like another."""


def refused_character(name: str) -> str:
    """Return the first character that no new name may contain; empty for none.

    A joiner may stand between two letters, digits, marks or emoji.
    """
    for at, character in enumerate(name):
        stray = character in JOINERS and not _joins(name, at)
        if stray or _INVISIBLE.match(character):
            return character
    return ""


def without_refused_characters(name: str) -> str:
    """Return a name without the characters that no new name may contain."""
    name = _INVISIBLE.sub("", name)
    return "".join(
        character
        for at, character in enumerate(name)
        if character not in JOINERS or _joins(name, at)
    )


def _joins(name: str, at: int) -> bool:
    """Return whether the joiner at a place is between letters, digits or emoji."""
    return all(
        0 <= beside < len(name) and category(name[beside])[0] in "LMNS"
        for beside in (at - 1, at + 1)
    )


def described_character(character: str) -> str:
    """Return a character by code point and name, such as U+200B ZERO WIDTH SPACE."""
    said = character_name(character, "control character")
    return f"U+{ord(character):04X} {said}"


@dataclass(frozen=True, slots=True)
class NamedNote:
    """A note under everything it may be called by."""

    path: NotePath
    title: str
    aliases: tuple[str, ...] = ()


class KeptNames(Protocol):
    """The notes of a vault, kept by some of their names; each answer is by path."""

    def notes_at(self, path: str, other: str, /) -> Sequence[NotePath]:
        """Return which of two paths are notes."""

    def notes_titled(self, title: str, /) -> Sequence[NotePath]:
        """Return the notes of a title, to the letter."""

    def notes_named(self, key: str, /) -> Sequence[NotePath]:
        """Return the notes whose file names have a `name_key`."""


_Rung: TypeAlias = Callable[[NamedNote], bool]


def find_note(name: str, notes: Sequence[NamedNote]) -> NotePath:
    """Return the note that a person means by a path, title, file name or alias.

    Raises:
        NoteNotFound: No note is called so; the error names the closest.
        AmbiguousName: Several are; the error lists up to ten of them.
    """
    return sure_note(name, notes) or guessed_note(name, notes)


def sure_note(name: str, notes: Sequence[NamedNote]) -> NotePath | None:
    """Return the note that is called so; None when none is to the letter.

    Raises:
        AmbiguousName: Several are; the error lists up to ten of them.
    """
    spelled = normalize("NFC", name)
    if spelled != spelled.strip():  # a file may be called so, blanks and all
        paths = {spelled, spelled + NOTE_SUFFIX}
        if exact := sorted(note.path for note in notes if note.path in paths):
            return exact[0]
    wanted = plain_name(name)
    for rung in _rungs(wanted) if wanted else ():
        found = sorted({note.path for note in notes if rung(note)})
        if found:
            return _only(name, found)
    return None


def kept_note(name: str, kept: KeptNames) -> NotePath | None:
    """Return what `sure_note` does, as far as it can be told without every name.

    None means nothing: some note may be called so all the same.

    Raises:
        AmbiguousName: Several notes are; the error lists up to ten of them.
    """
    spelled, wanted = normalize("NFC", name), plain_name(name)
    if not is_text(spelled):
        return None
    if spelled != spelled.strip() and (
        found := kept.notes_at(spelled, spelled + NOTE_SUFFIX)
    ):
        return found[0]
    if not wanted:
        return None
    exact = _from_root(wanted)
    found = kept.notes_at(exact, exact + NOTE_SUFFIX) or kept.notes_titled(wanted)
    if found:
        return _only(name, found)
    alike = [NamedNote(path, "") for path in kept.notes_named(name_key(exact))]
    _, _, has_file_name, has_path, *_ = _rungs(wanted)
    for rung in (has_file_name, has_path):
        if found := [note.path for note in alike if rung(note)]:
            return _only(name, found)
    return None


def guessed_note(name: str, notes: Sequence[NamedNote]) -> NotePath:
    """Return the note that has the name inside its title, or but for a typo.

    Raises:
        NoteNotFound: None is that close; the error names the closest.
        AmbiguousName: Several are; the error lists up to ten of them.
    """
    wanted = plain_name(name)
    if not wanted:
        raise NoteNotFound(name)
    folded = fold(wanted)
    parts = sorted({note.path for note in notes if folded in fold(note.title)})
    return _only(name, parts or _typos(name, folded, notes))


def plain_name(name: str) -> str:
    """Return the name inside a wikilink, or the name itself, as notes are named."""
    linked = _WIKILINK.fullmatch(name.strip())
    return normalize("NFC", linked[1] if linked else name).strip()


def _rungs(wanted: str) -> Iterator[_Rung]:
    """Yield the readings of a name, the surest first."""
    exact = _from_root(wanted)
    folded = fold(exact)
    bare = folded.removesuffix(NOTE_SUFFIX)
    yield lambda note: note.path in {exact, exact + NOTE_SUFFIX}
    yield lambda note: note.title == wanted
    yield lambda note: wanted in {_file_name(note), _base_name(note)}
    yield lambda note: _bare(note) == bare
    yield lambda note: fold(note.title) == folded
    yield lambda note: f"/{_bare(note)}".endswith(f"/{bare}")
    yield lambda note: wanted in note.aliases
    yield lambda note: any(fold(alias) == folded for alias in note.aliases)


def _from_root(name: str) -> str:
    """Return a path that may begin at the vault's folder in the ways of a shell."""
    return name.removeprefix("./").removeprefix("/")


def _only(name: str, found: Sequence[NotePath]) -> NotePath:
    if len(found) > 1:
        raise AmbiguousName(name, tuple(found[:CANDIDATES_SHOWN]), len(found))
    return found[0]


def _typos(name: str, wanted: str, notes: Sequence[NamedNote]) -> list[NotePath]:
    """Return the notes whose names are the wanted one but for a typo, best first.

    Raises:
        NoteNotFound: None is that close.
    """
    best = _closest(wanted[:NAME_LIMIT_CHARS], notes)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
    digits = _DIGITS.findall(wanted)
    taken = [
        (path, ratio)
        for path, (ratio, spelled) in ranked
        if ratio >= TYPO_RATIO and _DIGITS.findall(spelled) == digits
    ]
    if not taken:
        near = [path for path, (ratio, _) in ranked if ratio >= HINT_RATIO]
        raise NoteNotFound(name, tuple(near[:CLOSEST_SHOWN]))
    lead = taken[0][1] - CLEAR_LEAD
    return [path for path, ratio in taken if ratio > lead]


def _closest(
    wanted: str, notes: Sequence[NamedNote]
) -> dict[NotePath, tuple[float, str]]:
    """Return how well the likeliest notes fit, and which of their names does."""
    pairs = _pairs(wanted)
    spelled = [
        (name, note.path)
        for note in notes
        for name in {fold(text)[:NAME_LIMIT_CHARS] for text in _names(note)}
    ]
    likely = nlargest(
        SHORTLIST, ((_overlap(pairs, name), name, path) for name, path in spelled)
    )
    best: dict[NotePath, tuple[float, str]] = {}
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    for _, name, path in likely:
        matcher.set_seq1(name)
        best[path] = max(best.get(path, (0.0, "")), (matcher.ratio(), name))
    return best


def _pairs(text: str) -> frozenset[str]:
    return frozenset(a + b for a, b in pairwise(text))


def _overlap(pairs: frozenset[str], name: str) -> float:
    # Asking for each pair costs a tenth of making the pairs of every name.
    return sum([pair in name for pair in pairs]) / (len(pairs) + len(name))


def _names(note: NamedNote) -> Iterator[str]:
    yield note.title
    yield _base_name(note)
    yield note.path.removesuffix(NOTE_SUFFIX)
    yield from note.aliases


def _bare(note: NamedNote) -> str:
    return fold(note.path).removesuffix(NOTE_SUFFIX)


def _file_name(note: NamedNote) -> str:
    return note.path.rpartition("/")[2]


def _base_name(note: NamedNote) -> str:
    return _file_name(note).removesuffix(NOTE_SUFFIX)
