"""Names of notes and other things: their forms, and where text has them.

Names are compared with what people vary taken away: case, accents, marks, plurals (of
English alone), slips. Each function takes one kind of difference away, so that whoever
compares two names can say by which of them they differ.

In text, a name is a row of pieces: words in lower case, and what stands between them
where that is more than a blank, a hyphen or an underscore. The table maps the first two
pieces to the names that begin so, so that a text is gone through once. A letter of a
script without blanks is a piece of its own.
"""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from threading import RLock
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

from msgspec.structs import replace

from glassmind.files.ignore import is_attachment
from glassmind.files.names import NOTE_SUFFIX, LinkWriter, Names, link_text
from glassmind.files.settings import ObsidianSettings, obsidian_settings
from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.model.ontology import Entry, NameKind, UnresolvedNameUse
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.prose import prose
from glassmind.obsidian.secrets import redacted
from glassmind.obsidian.structure import line_starts
from glassmind.obsidian.text import fold, sentence_at
from glassmind.store.protocol import Rows
from glassmind.vault import RecentResults, Vault, made_once

_ACCENTS = re.compile("[\u0300-\u036f]")
"""Marks over Latin, Greek and Cyrillic letters; those of other scripts are letters."""

_SIGNS = ((re.compile(r"(?<=\w)\+"), " plus "), (re.compile(r"(?<=\w)#"), " sharp "))
"""Marks that are part of a name: `C++` and `C#` are not `C`."""

_GAPS = re.compile(r"[\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STATUSES = re.compile(r"[^aeiou]uses$")
"""Plurals of words in `us`: `viruses`, but not `houses`, `causes` or `uses`."""
_APOSTROPHES = str.maketrans("", "", "'\u2019\u02bc")

LEAST_SINGULAR = 3  # letters: `cat` is one for `cats`, `a` is none for `as`

SAME_IN_PLURAL = frozenset(
    ["news", "series", "species", "physics", "always", "lens", "does", "goes", "bias"]
)
"""Words that end like a plural and are none, as far as notes are named by them."""


def folded(text: str) -> str:
    """Return a name without case, accents and marks; a name of marks alone as it is."""
    if text.isascii():
        plain = text.lower()
        if plain.replace(" ", "").isalnum():  # most names: a fifth of the time
            return " ".join(plain.split())
    else:
        apart = normalize("NFKD", text).casefold()
        plain = normalize("NFC", _ACCENTS.sub("", normalize("NFKD", apart)))
    if "+" in plain or "#" in plain:
        for sign, word in _SIGNS:
            plain = sign.sub(word, plain)
    return " ".join(_GAPS.split(plain.translate(_APOSTROPHES))).strip() or plain.strip()


def words_in(text: str) -> tuple[str, ...]:
    return tuple(folded(text).split())


@lru_cache(maxsize=8_192)  # the same few keys and tags stand in every note
def key_form(text: str) -> str:
    """Return a property's name or a tag's folded, `dueDate` like `due-date`."""
    return folded(_HUMP.sub(" ", text))


@lru_cache(maxsize=65_536)  # the words of a large vault's names
def singular(word: str) -> str:
    if word in SAME_IN_PLURAL or not word.isascii() or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > LEAST_SINGULAR + 1:  # but `pies`
        return f"{word[:-3]}y"
    for ending in ("sses", "xes", "zzes", "ches", "shes"):
        if word.endswith(ending) and len(word) - 2 >= LEAST_SINGULAR:
            return word[:-2]
    if _STATUSES.search(word):
        return word[:-2]
    return word[:-1] if len(word) > LEAST_SINGULAR else word


def in_singular(form: str) -> str:
    return " ".join([singular(word) for word in form.split()])


def slips_between(a: str, b: str, most: int) -> int | None:
    """Count letters too many, too few, wrong or swapped; None for more than `most`."""
    if abs(len(a) - len(b)) > most:
        return None
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            swapped = i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other
            row.append(min(cost, older[j - 2] + 1) if swapped else cost)
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None


_OPENING = re.compile(
    r"\s*(?:>\s*)*(?:\[![^\]]*\][-+]?|[-+*]|\d+[.)]|#{1,6})?\s*(?:\[.\])?"
    r"[\s*_\"'\u201c(\[]*"
)
"""What may stand in a line before its first word: marks of quotes, callouts, lists,
headings and tasks."""

_FOOTNOTE = re.compile(r"(?:\[\^[^\]]*\])+$")
_BEFORE_WORD = " *_\"'\u201c([\u00ab\u2018"
_ENDS = tuple(".!?:|\u2026")  # what ends a sentence, or a cell of a table

LOOKED_AT = 200  # letters ahead of a word that show whether a sentence ended


def opens(ahead: str) -> bool:
    """Return whether a word opens a sentence; `ahead` is its line before it."""
    if len(ahead) <= LOOKED_AT and _OPENING.fullmatch(ahead):
        return True
    before = ahead[-LOOKED_AT:].rstrip(_BEFORE_WORD)
    return _FOOTNOTE.sub("", before).endswith(_ENDS)


TEMPLATE_FOLDERS = frozenset(["templates", "template", "_templates"])
"""Names that people give to such a folder where no setting names it."""

_DAY = re.compile(
    r"\d{4}(?:[-_. ]?(?:\d{2}|[wW]\d{1,2}|[qQ][1-4])(?:[-_. ]?\d{2})?)?"
    r"(?:[-_. ,]+[^\W\d]{2,9})?"
)
"""A year, month, week, quarter or day, maybe with a weekday behind it."""

_PLACEHOLDER = re.compile(r"\{\{|\}\}|<%|%>")


class NoteFolders(NamedTuple):
    """The folders of templates and of days, folded, each with a `/` at its end."""

    templates: tuple[str, ...] = ()
    days: tuple[str, ...] = ()

    def is_template(self, path: str) -> bool:
        folded = fold(path)
        folders = folded.split("/")[:-1]
        return folded.startswith(self.templates) or not TEMPLATE_FOLDERS.isdisjoint(
            folders
        )

    def is_day(self, path: str) -> bool:
        name = path.rpartition("/")[2].removesuffix(".md")
        return is_date(name) or (bool(self.days) and fold(path).startswith(self.days))


def is_date(name: str) -> bool:
    return _DAY.fullmatch(name.strip()) is not None


def is_placeholder(name: str) -> bool:
    return _PLACEHOLDER.search(name) is not None


def habits_of(root: Path) -> NoteFolders:
    """Return the habits of a vault; settings that cannot be read count as absent."""
    return habits_in(obsidian_settings(root))


def habits_in(settings: ObsidianSettings) -> NoteFolders:
    return NoteFolders(
        tuple(f"{fold(folder)}/" for folder in settings.template_folders),
        tuple(f"{fold(folder)}/" for folder in settings.day_folders),
    )


Pieces: TypeAlias = tuple[str, ...]

WIDE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
"""Letters of scripts that write no blanks; Hangul writes them."""

_PIECE = re.compile(rf"[{WIDE}]|(?:[^\W_{WIDE}]|[\u0300-\u036f])+|[^\w\s-]+|\n")
"""Marks above a letter belong to its word, however it was typed."""

_PLAIN_PIECE = re.compile(r"[a-z0-9]+|[^a-z0-9\s_-]+|\n")
_WIDE_LETTER = re.compile(rf"[{WIDE}]")
_LETTER = re.compile(r"[^\W\d_]")

FEWEST_LETTERS, FEWEST_WIDE = 3, 2  # of a name: `R` and `Go` are in any text
MOST_PIECES = 12  # longer names are sentences, which nobody repeats
SHORTEST_STEM = 4  # letters that may take the `s` of a plural: not `ga`

COMMON_WORDS = frozenset(
    word
    for line in (
        "about above after again all also always and another any are because been",
        "before being below between both but can could day did does doing done down",
        "each even every few first for from get good had has have here how idea ideas",
        "index into its just last like link links list make many may more most much",
        "must name need new next not note notes now off one only other our out over",
        "own page part people readme same see she should since some still such than",
        "that the their them then there these they thing things this those through",
        "time today todo too two under until untitled use used very was way were what",
        "when where which while who why will with without work would year you your",
    )
    for word in line.split()
)
"""English words that, alone, say nothing of which note is meant, whoever named one so.

A list, since a small vault's frequencies say little; they decide about all others."""


class NameMatchSpan(NamedTuple):
    """A name met in a text, and the pieces it took: from `first`, before `last`."""

    name: Pieces
    first: int
    last: int


class NameTable(NamedTuple):
    """Names by how they begin; each with the notes it means.

    `singles` are the names of one piece; the others are listed by their first two
    pieces, the longest first, since first words alone are shared by many. `firsts` are
    the pieces that any name begins with. `inflected` are names that were not given but
    follow from one, as its plural does. `small` are names of one word that may be
    written small. `names` are those of each note, in order.
    """

    firsts: frozenset[str]
    singles: frozenset[str]
    beginnings: Mapping[tuple[str, str], Sequence[Pieces]]
    notes: Mapping[Pieces, tuple[int, ...]]
    inflected: frozenset[Pieces]
    small: frozenset[Pieces]
    names: Mapping[int, Sequence[Pieces]]

    def names_of(self, note_id: int) -> Sequence[Pieces]:
        return self.names.get(note_id, ())

    def matches(self, pieces: Sequence[str]) -> Iterator[NameMatchSpan]:
        """Yield the longest name at each place; none overlap."""
        free, firsts = 0, self.firsts
        if firsts.isdisjoint(pieces):
            return
        for at in [at for at, piece in enumerate(pieces) if piece in firsts]:
            if at < free:
                continue
            name = self._at(pieces, at)
            if name:
                free = at + len(name)
                yield NameMatchSpan(name, at, free)

    def _at(self, pieces: Sequence[str], at: int) -> Pieces:
        """Return the longest name that begins at a piece; nothing where none does."""
        first = pieces[at]
        if at + 1 < len(pieces):
            for name in self.beginnings.get((first, pieces[at + 1]), ()):
                if tuple(pieces[at : at + len(name)]) == name:
                    return name
        return (first,) if first in self.singles else ()


def pieces_of(text: str) -> Pieces:
    return tuple(piece for piece, _, _ in placed_pieces(text))


def placed_pieces(text: str) -> list[tuple[str, int, int]]:
    return [
        (_folded(match[0]), match.start(), match.end())
        for match in _PIECE.finditer(text)
    ]


def rough_pieces(text: str) -> list[str]:
    low = text.lower()
    if low.isascii():
        return _PLAIN_PIECE.findall(low)
    return [_folded(piece) for piece in _PIECE.findall(text)]


_folded = lru_cache(maxsize=65_536)(fold)
"""Folds a piece; the words of a vault are few and come again and again."""


def name_table(
    own: Mapping[int, Iterable[Pieces]],
    used: Iterable[tuple[Pieces, int]] = (),
    *,
    texts: Iterable[str] = (),
) -> NameTable:
    """Return the table of every name that can be told from common words.

    `own` are the names that notes have, `used` those that links give them besides, and
    `texts` all of them as they are written.
    """
    notes: dict[Pieces, list[int]] = {}
    given = ((pieces, note) for note, names in own.items() for pieces in names)
    for pieces, note_id in chain(given, used):
        if is_telling(pieces) and note_id not in notes.setdefault(pieces, []):
            notes[pieces].append(note_id)
    inflected: dict[Pieces, list[int]] = {}
    for pieces, meant in notes.items():
        for other in _inflections(pieces):
            if other not in notes and is_telling(other):
                known = inflected.setdefault(other, [])
                known.extend(note for note in meant if note not in known)
    every = {**notes, **inflected}
    beginnings: dict[tuple[str, str], list[Pieces]] = {}
    for pieces in every:
        if len(pieces) > 1:
            beginnings.setdefault((pieces[0], pieces[1]), []).append(pieces)
    for first in beginnings.values():
        first.sort(key=lambda name: (-len(name), name))
    return NameTable(
        frozenset(name[0] for name in every),
        frozenset(name[0] for name in every if len(name) == 1),
        beginnings,
        {name: tuple(sorted(meant)) for name, meant in every.items()},
        frozenset(inflected),
        _small(texts),
        _by_note(every),
    )


def _small(texts: Iterable[str]) -> frozenset[Pieces]:
    """Those that somebody writes small, and such as `GitHub`; with their plurals."""
    words = {pieces_of(text) for text in texts if text.islower() or _is_mixed(text)}
    alone = {pieces for pieces in words if len(pieces) == 1}
    return frozenset(alone.union(*(_inflections(pieces) for pieces in alone)))


def _is_mixed(text: str) -> bool:
    return not text.isupper() and text[1:] != text[1:].lower()


def _by_note(every: Mapping[Pieces, Iterable[int]]) -> dict[int, list[Pieces]]:
    names: dict[int, list[Pieces]] = {}
    for pieces in sorted(every):
        for note_id in every[pieces]:
            names.setdefault(note_id, []).append(pieces)
    return names


def is_telling(pieces: Pieces) -> bool:
    """Whether a name says which note is meant: not `Note`, not `2024`, not `R`."""
    if not pieces or len(pieces) > MOST_PIECES or "\n" in pieces:
        return False
    text = "".join(pieces)
    wide = len(_WIDE_LETTER.findall(text))
    if wide:
        return wide >= FEWEST_WIDE or len(text) - wide >= FEWEST_LETTERS
    if len(_LETTER.findall(text)) < FEWEST_LETTERS:
        return False
    words = (piece for piece in pieces if piece.isalnum())
    return any(len(w) >= FEWEST_LETTERS and w not in COMMON_WORDS for w in words)


def _inflections(pieces: Pieces) -> Iterator[Pieces]:
    *before, last = pieces
    if not last.isascii() or not last.isalpha() or len(last) < SHORTEST_STEM:
        return
    if last.endswith("s"):
        if len(last) > SHORTEST_STEM and singular(last) != last:
            yield (*before, singular(last))
    elif last.endswith(("x", "z", "ch", "sh")):
        yield (*before, f"{last}es")
    elif last.endswith("y") and last[-2] not in "aeiou":
        yield (*before, f"{last[:-1]}ies")
    else:
        yield (*before, f"{last}s")


_ENDS_ITEM = re.compile(r"[*_\"'\u201d)]*\s*(?:$|\n|[|:])")
"""What stands behind a word that a line, a cell or what comes before a colon is."""

_LARGE = r"([A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f][^\W\d_]+)"
_WORD_AFTER = re.compile(rf" {_LARGE}\b")
_WORD_BEFORE = re.compile(rf"(?<![\w]){_LARGE} $")


class NameMention(NamedTuple):
    """Where a name first is in a note, in bytes; `exact` is false for a plural."""

    name: Pieces
    notes: tuple[int, ...]
    text: str
    start: int
    end: int
    line: int
    sentence: str
    exact: bool
    times: int = 1


def mentions_in(note: Note, table: NameTable) -> dict[int, NameMention]:
    """Return where each note is first named outside brackets, exactly if it is."""
    source = note.text.encode()
    mentions: dict[int, NameMention] = {}
    for spot in _spots(note, source, table):
        for meant in spot.notes:
            known = mentions.get(meant)
            if known is None:
                mentions[meant] = spot
            else:
                mention = spot if spot.exact and not known.exact else known
                mentions[meant] = mention._replace(times=known.times + 1)
    return mentions


def _spots(note: Note, source: bytes, table: NameTable) -> Iterator[NameMention]:
    if next(table.matches(rough_pieces(note.text)), None) is None:
        return  # a rough look costs a tenth of reading the note for prose
    starts = line_starts(source)
    for start, end in prose(note.text, note.frontmatter.end):
        text = source[start:end].decode()
        placed = placed_pieces(text)
        for span in table.matches([piece for piece, _, _ in placed]):
            first, last = placed[span.first][1], placed[span.last - 1][2]
            at = start + len(text[:first].encode())
            until = at + len(text[first:last].encode())
            if _in_brackets(source, at, until) or not _stands_alone(text, first, last):
                continue
            line = bisect_right(starts, at)
            ahead = source[starts[line - 1] : at].decode()
            shown, behind = text[first:last], text[last:]
            if shown[0].isupper() and _is_part(ahead, behind):
                continue
            alone = len(span.name) == 1 and span.name not in table.small
            if alone and not _is_cased(ahead, shown, behind):
                continue
            line_end = source.find(b"\n", until)
            line_text = source[starts[line - 1] : line_end % (len(source) + 1)].decode()
            place = len(ahead), len(ahead) + len(shown)
            said = redacted(sentence_at(line_text, *place))
            meant, exact = table.notes[span.name], span.name not in table.inflected
            yield NameMention(span.name, meant, shown, at, until, line, said, exact)


def _in_brackets(source: bytes, start: int, end: int) -> bool:
    return source[start - 1 : start] == b"[" or source[end : end + 1] == b"]"


def _stands_alone(text: str, first: int, last: int) -> bool:
    """Whether a name is no part of a compound such as `non-habit` or `habit-based`."""
    joined = "-_\u2010\u2011"
    before, after = text[max(0, first - 2) : first], text[last : last + 2]
    inside = before[-1:] in joined and before[:1].isalnum() if before else False
    goes_on = after[:1] in joined and after[1:].isalnum() if after else False
    return not (inside or goes_on)


def _is_cased(ahead: str, shown: str, behind: str) -> bool:
    """Whether one word that nobody's name has in small letters is the name here.

    It is in the case of the name, inside a sentence: `flat` is not the note Flat, and
    neither is `Flat loaves`, since every word is large there, unless it is no common
    one. A line or cell that holds the word alone names it.
    """
    if shown[0].lower() == shown[0].upper() or shown[1:] != shown[1:].lower():
        return True  # a script without large letters, or more of them than the first
    if shown[0].islower() or not opens(ahead):
        return shown[0].isupper()
    return _ENDS_ITEM.match(behind) is not None


def _is_part(ahead: str, behind: str) -> bool:
    after = _WORD_AFTER.match(behind)
    if after is not None and after[1].lower() not in COMMON_WORDS:
        return True
    before = _WORD_BEFORE.search(ahead)
    if before is None or before[1].lower() in COMMON_WORDS:
        return False
    return not opens(ahead[: before.start()])


TITLE_KEYS = ("title", "name", "id")  # properties that hold what a note is called

HEADED_SO = 2
"""With more notes that begin with one heading, it is not a name of theirs: 165 notes of
one wiki begin with `Installation`."""

SMALL_WORDS = frozenset(
    [
        "a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or",
        "the", "to", "with", "de", "del", "des", "du", "la", "le", "les", "el", "los",
        "las", "un", "une", "und", "der", "die", "das", "den", "dem", "von",
    ]
)  # fmt: skip
"""Words that do not tell one name from another."""

Lookup: TypeAlias = Literal["singular", "word", "length"]


class Name(NamedTuple):
    """One name of one thing; `uses` are links to it."""

    kind: NameKind
    text: str
    how: str
    path: NotePath | None
    title: str
    uses: int = 0


def _digits(form: str) -> str:
    return "".join([letter for letter in form if letter.isdigit()])


@lru_cache(maxsize=65_536)  # the names of a large vault
def _letters(form: str) -> int:
    """Return the set of the letters of a name as bits; letters may share one."""
    mask = 0
    for letter in form:
        mask |= 1 << (ord(letter) % 61)
    return mask


class NameLists:
    """The names of `named` notes and unresolved links; the paths of all notes.

    `forms` has all names by their folded forms.
    """

    def __init__(
        self, entries: Sequence[Entry], named: Sequence[Entry], rows: Rows
    ) -> None:
        self._ghosts = rows.ghost_names()
        self._pen = LinkWriter(Names.of(rows.paths()), rows.writes_markdown())
        self.paths = {fold(e.path.removesuffix(NOTE_SUFFIX)): e for e in entries}
        forms: dict[str, list[Name]] = {}
        headings = rows.headings()
        firsts = {
            entry.path: heading.text
            for entry in named
            for heading in reversed(headings.get(entry.id, ()))
            if heading.level == 1 and heading.text
        }
        for name in self._names(named, firsts):
            forms.setdefault(folded(name.text), []).append(name)
        self.forms = {
            form: sorted(same, key=lambda n: (n.kind, n.path or "", n.how, n.text))
            for form, same in sorted(forms.items())
        }
        self._by: dict[tuple[Lookup, str | int], list[str]] = {}
        for form in self.forms:
            single = in_singular(form)
            keys: list[tuple[Lookup, str | int]] = [
                ("singular", single),
                ("length", len(form)),
                *(("word", word) for word in dict.fromkeys(single.split())),
            ]
            for key in keys:
                self._by.setdefault(key, []).append(form)

    def by(self, lookup: Lookup, key: str | int) -> Sequence[str]:
        """Return the forms with this singular, word or length, in order."""
        return self._by.get((lookup, key), ())

    def slips(self, form: str, most: int) -> list[tuple[str, int]]:
        """Return the forms a few slips away, nearest first; digits are never slips."""
        letters = _letters(form)
        near = [
            (slips, other)
            for length in range(len(form) - most, len(form) + most + 1)
            for other in self.by("length", length)
            # a slip changes two letters at most
            if (_letters(other) ^ letters).bit_count() <= 2 * most
            and _digits(other) == _digits(form)
            and (slips := slips_between(form, other, most))
        ]
        return [(other, slips) for slips, other in sorted(near)]

    @cached_property
    def wanted_paths(self) -> dict[str, UnresolvedNameUse]:
        """The paths of unresolved links, folded; a bare name is not a path."""
        return {
            fold(ghost.name.removeprefix("./")).removesuffix(NOTE_SUFFIX): ghost
            for ghost in reversed(self._ghosts)  # the most wanted is kept
            if "/" in ghost.name and not is_attachment(ghost.name)
        }

    def weight(self, word: str) -> float:
        return math.log(2 + len(self.forms) / (1 + len(self.by("word", word))))

    def end_of(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        return self._pen.files.resolve(target, source, markdown=markdown)

    def link_to(self, path: NotePath, shown: str = "") -> str:
        """Return a link to a note that works in any other, in the style of the vault.

        `shown` is its text. In the other style where one cannot hold the name, empty
        where no link can.
        """
        for pen in (self._pen, replace(self._pen, markdown=True)):
            for link in pen.written(NotePath(""), path, shown):
                if self._leads(link, path):
                    return link
        return ""

    def link_to_new(self, name: str) -> str:
        if self._pen.markdown and not name.endswith(NOTE_SUFFIX):
            name += NOTE_SUFFIX
        return link_text(name, "", markdown=self._pen.markdown)

    def _leads(self, link: str, path: NotePath) -> bool:
        links = read_note(NotePath(""), link).links
        if len(links) != 1 or links[0].end - links[0].start != len(link.encode()):
            return False
        markdown = links[0].kind == "markdown"
        return self.end_of(links[0].target, NotePath(""), markdown=markdown) == path

    def _names(
        self, named: Sequence[Entry], headings: Mapping[NotePath, str]
    ) -> Iterator[Name]:
        times = Counter(fold(headings.get(entry.path, "")) for entry in named)
        for entry in named:
            first = headings.get(entry.path, "")
            yield from _names_of(entry, "" if times[fold(first)] > HEADED_SO else first)
        for ghost in self._ghosts:
            if not is_attachment(ghost.name):
                text = ghost.name.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
                yield Name("ghost", text, "ghost", None, ghost.name, ghost.links)


def _names_of(entry: Entry, first: str) -> Iterator[Name]:
    named = [("title", entry.title), *(("alias", alias) for alias in entry.aliases)]
    named += [
        ("property", value)
        for key, value in entry.properties.items()
        if key.lower() in TITLE_KEYS and isinstance(value, str)
    ]
    seen: set[str] = set()
    for how, text in (*named, ("heading", first)):
        form = folded(text)
        if form and form not in seen:
            seen.add(form)
            yield Name("note", text.strip(), how, entry.path, entry.title)


class Vocabulary:
    """The names and descriptions of all notes at one state of the rows.

    Each part is made when it is first used, by one of all threads. `entries` are all
    notes by path; `named` those that may be meant by a name, without templates; and
    `counted` those that the vault is about, without notes of agents.
    """

    def __init__(self, vault: Vault, entries: tuple[Entry, ...]) -> None:
        self.vault, self.entries, self.making = vault, entries, RLock()
        self.settings = obsidian_settings(vault.config.vault.path)
        habits, agents = habits_in(self.settings), f"{vault.config.writes.agent_dir}/"
        self.named = tuple(e for e in entries if not habits.is_template(e.path))
        self.counted = tuple(e for e in self.named if not e.path.startswith(agents))

    @made_once
    def names(self) -> NameLists:
        rows = self.vault.rows()
        return NameLists(self.entries, self.named, rows)

    @made_once
    def table(self) -> NameTable:
        names = {entry.id: (entry.title, *entry.aliases) for entry in self.counted}
        own = {
            note: [pieces_of(name) for name in texts] for note, texts in names.items()
        }
        return name_table(
            own, texts=(text for texts in names.values() for text in texts)
        )


def vocabulary_for(vault: Vault) -> Vocabulary:
    settings = obsidian_settings(vault.config.vault.path)
    with vault.rows().still():
        rows = vault.rows()
        key = rows.graph_head(), repr(settings)
        return vault.part(_recent_vocabulary).get(
            key, lambda: Vocabulary(vault, tuple(rows.entries()))
        )


def _recent_vocabulary(_: Vault) -> RecentResults:
    return RecentResults(1)
