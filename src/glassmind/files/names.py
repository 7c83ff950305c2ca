"""Names of notes: where a link leads, what a person means, how a link is written.

A person's name for a note is tried in steps, the surest reading first; two notes in one
step are an error that lists them. The last two steps are guesses: part of a title, and
a typo, never over digits.

Links are resolved by Obsidian's rules from an index of folded file names. Files that
share a name are also listed under every way their paths can end.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import pairwise
from posixpath import relpath
from typing import NamedTuple
from unicodedata import category, normalize
from unicodedata import name as character_name

from msgspec import Struct

from glassmind.errors import AmbiguousName, NoteNotFound
from glassmind.files.settings import LinkFormat
from glassmind.model import NotePath
from glassmind.model.index import KnownNote
from glassmind.model.notes import Link
from glassmind.obsidian.text import fold, is_text

CANDIDATES_SHOWN = 10
CLOSEST_SHOWN = 3

TYPO_RATIO = 0.8
"""About one letter in five wrong. A judgement: wrong notes cost more than a retry."""

HINT_RATIO = 0.5
"""Half the letters in order: enough to be shown, not to be taken. A judgement."""

CLEAR_LEAD = 0.05
"""A better fit by less than this is no reason to prefer one note to another."""

SHORTLIST = 50  # names compared letter by letter, chosen by shared pairs of letters

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


def refused_characters(name: str) -> list[int]:
    """Return where a name has characters that no new name may contain."""
    found = []
    for at, character in enumerate(name):
        beside = (name[max(at - 1, 0) : at], name[at + 1 : at + 2])
        joins = all(other and category(other)[0] in "LMNS" for other in beside)
        if _INVISIBLE.match(character) or (character in JOINERS and not joins):
            found.append(at)
    return found


def without_refused_characters(name: str) -> str:
    name = _INVISIBLE.sub("", name)
    refused = set(refused_characters(name))
    return "".join(letter for at, letter in enumerate(name) if at not in refused)


def described_character(character: str) -> str:
    said = character_name(character, "control character")
    return f"U+{ord(character):04X} {said}"


class NamedNote(Struct, frozen=True):
    path: NotePath
    title: str
    aliases: tuple[str, ...] = ()


def sure_note(name: str, notes: Sequence[NamedNote]) -> NotePath | None:
    """Return the note that is called so; None when none is to the letter."""
    spelled = normalize("NFC", name)
    if spelled != spelled.strip():  # a file may be called so, blanks and all
        paths = {spelled, spelled + NOTE_SUFFIX}
        if exact := sorted(note.path for note in notes if note.path in paths):
            return exact[0]
    wanted = plain_name(name)
    for test in _tests(wanted) if wanted else ():
        if note_paths := sorted({note.path for note in notes if test(note)}):
            return _only(name, note_paths)
    return None


def kept_note(name: str, known: Callable[..., Sequence[KnownNote]]) -> NotePath | None:
    """Return what `sure_note` does, as far as it can be told without every name.

    `known` returns notes by a filter. None means nothing: some note may be called so
    all the same.
    """
    spelled, wanted = normalize("NFC", name), plain_name(name)
    if not is_text(spelled):
        return None
    if spelled != spelled.strip() and (
        notes := known(paths=(spelled, spelled + NOTE_SUFFIX))
    ):
        return notes[0].path
    if not wanted:
        return None
    exact = _from_root(wanted)
    notes = known(paths=(exact, exact + NOTE_SUFFIX))
    if notes := notes or known(titles=(wanted,)):
        return _only(name, [note.path for note in notes])
    known_notes = known(name_key=name_key(exact))
    same_key = [NamedNote(note.path, note.title) for note in known_notes]
    _, _, has_file_name, has_path, *_ = _tests(wanted)
    for test in (has_file_name, has_path):
        if paths := [note.path for note in same_key if test(note)]:
            return _only(name, paths)
    return None


def guessed_note(name: str, notes: Sequence[NamedNote]) -> NotePath:
    wanted = plain_name(name)
    if not wanted:
        raise NoteNotFound(name)
    folded = fold(wanted)
    parts = sorted({note.path for note in notes if folded in fold(note.title)})
    return _only(name, parts or _typos(name, folded, notes))


def plain_name(name: str) -> str:
    linked = _WIKILINK.fullmatch(name.strip())
    return normalize("NFC", linked[1] if linked else name).strip()


def _tests(wanted: str) -> Iterator[Callable[[NamedNote], bool]]:
    """Yield what a note called so passes, the surest first."""
    exact = _from_root(wanted)
    folded = fold(exact)
    bare = folded.removesuffix(NOTE_SUFFIX)
    yield lambda note: note.path in {exact, exact + NOTE_SUFFIX}
    yield lambda note: note.title == wanted
    yield lambda note: wanted in {_base(note.path), _stem(note.path)}
    yield lambda note: _bare(note) == bare
    yield lambda note: fold(note.title) == folded
    yield lambda note: f"/{_bare(note)}".endswith(f"/{bare}")
    yield lambda note: wanted in note.aliases
    yield lambda note: any(fold(alias) == folded for alias in note.aliases)


def _from_root(name: str) -> str:
    return name.removeprefix("./").removeprefix("/")


def _only(name: str, found: Sequence[NotePath]) -> NotePath:
    if len(found) > 1:
        raise AmbiguousName(name, tuple(found[:CANDIDATES_SHOWN]), len(found))
    return found[0]


def _typos(name: str, wanted: str, notes: Sequence[NamedNote]) -> list[NotePath]:
    best = _closest(wanted[:NAME_LIMIT_CHARS], notes)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
    digits = _DIGITS.findall(wanted)
    fits = [
        (path, ratio)
        for path, (ratio, spelled) in ranked
        if ratio >= TYPO_RATIO and _DIGITS.findall(spelled) == digits
    ]
    if not fits:
        near = [path for path, (ratio, _) in ranked if ratio >= HINT_RATIO]
        raise NoteNotFound(name, tuple(near[:CLOSEST_SHOWN]))
    lead = fits[0][1] - CLEAR_LEAD
    return [path for path, ratio in fits if ratio > lead]


def _closest(
    wanted: str, notes: Sequence[NamedNote]
) -> dict[NotePath, tuple[float, str]]:
    """Return how well the likeliest notes fit, by which of their names."""
    pairs = {a + b for a, b in pairwise(wanted)}
    likely: list[tuple[float, str, NotePath]] = []
    for note in notes:
        whole = note.path.removesuffix(NOTE_SUFFIX)
        for text in {note.title, _stem(note.path), whole, *note.aliases}:
            name = fold(text)[:NAME_LIMIT_CHARS]
            # Asking for each pair costs a tenth of making the pairs of every name.
            shared = sum([pair in name for pair in pairs])
            likely.append((shared / (len(pairs) + len(name)), name, note.path))
    best: dict[NotePath, tuple[float, str]] = {}
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    for _, name, path in nlargest(SHORTLIST, likely):
        matcher.set_seq1(name)
        best[path] = max(best.get(path, (0.0, "")), (matcher.ratio(), name))
    return best


def _bare(note: NamedNote) -> str:
    return fold(note.path).removesuffix(NOTE_SUFFIX)


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    return _base(path).removesuffix(NOTE_SUFFIX)


NOTE_SUFFIX = ".md"

ROOTED = ("./", "../", "/")
"""How targets begin that mean one very file, wherever others of its name are."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


def name_key(target: str) -> str:
    """Return the key that a link shares with every file it could ever lead to.

    When a file appears or disappears, only links with that file's key can change their
    end. Every trailing `.md` is dropped, since `[[a.md]]` may mean `a.md` or `a.md.md`.
    """
    name = fold(target.rpartition("/")[2])
    while name.endswith(NOTE_SUFFIX):
        name = name.removesuffix(NOTE_SUFFIX)
    return name


class _Namesakes(Struct):
    """The files of one name by the folded ends of their paths, and answers given.

    A whole path is listed with a `/` before it. Lists are in code point order.
    """

    endings: dict[str, list[str]]
    answers: dict[tuple[str, str], str | None] = {}

    @classmethod
    def of(cls, paths: Iterable[str]) -> "_Namesakes":
        endings: dict[str, list[str]] = {}
        for path in sorted(paths):
            for ending in _endings(fold(path)):
                endings.setdefault(ending, []).append(path)
        return cls(endings)

    def nearest(self, ending: str, exact: str, folder: str) -> str | None:
        """Return the file ending so that is first below `folder`, or else anywhere."""
        found = self.endings.get(ending)
        if found is None or len(found) == 1:
            return found[0] if found else None
        answer = self.answers.get((exact, folder))
        if answer is None:
            # "0" is the character after "/"
            first, last = (bisect_left(found, folder + end) for end in "/0")
            below = found[first:last] if folder else found
            end = f"/{exact.removeprefix('/')}"
            if below:
                answer = min(
                    below,
                    key=lambda path: (len(path), not f"/{path}".endswith(end), path),
                )
            else:
                answer = self.nearest(ending, exact, "")
            self.answers[exact, folder] = answer
        return answer


class Names:
    def __init__(self) -> None:
        self._files: dict[str, str | set[str]] = {}
        self._namesakes: dict[str, _Namesakes] = {}

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Names":
        names = cls()
        for path in paths:
            names.add(path)
        return names

    def add(self, path: str) -> None:
        """Let links lead to this file; a path already known changes nothing."""
        name = fold(path.rpartition("/")[2])
        known = self._files.setdefault(name, path)
        if known is path:
            return
        if isinstance(known, set):
            known.add(path)
        elif known != path:
            self._files[name] = {known, path}
        self._namesakes.pop(name, None)

    def remove(self, path: str) -> None:
        """Let no link lead to this file; a path not known changes nothing."""
        name = fold(path.rpartition("/")[2])
        known = self._files.get(name)
        if isinstance(known, set):
            known.discard(path)
            if len(known) == 1:
                self._files[name] = known.pop()
        elif known == path:
            del self._files[name]
        self._namesakes.pop(name, None)

    def paths(self) -> Iterator[str]:
        for known in self._files.values():
            if isinstance(known, str):
                yield known
            else:
                yield from known

    def is_shared(self, path: str) -> bool:
        known = self._files.get(fold(path.rpartition("/")[2]))
        if not isinstance(known, set):
            return False
        return sum("/." not in f"/{other}" for other in known) > 1

    def is_plain(self, target: str) -> bool:
        name = fold(target.rpartition("/")[2])
        known = (self._files.get(name), self._files.get(name + NOTE_SUFFIX))
        shared = any(isinstance(paths, set) for paths in known)
        return not shared and not target.startswith(ROOTED)

    def resolve(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        """Return the file that a link in `source` leads to, or None.

        `target` is the path part of the link, already percent-decoded. A name with a
        dot is tried as it stands, then as a note without its `.md`. `./` and `../`
        start at the source's folder, `/` at the root: only that very file will do. Any
        other target is the end of a path: files below the source's folder come first,
        then the shortest path, the one in the case written, the first in code point
        order. Aliases lead nowhere, nor does a path that leaves the vault. With
        `markdown`, a target with a URL scheme leads out of the vault.
        """
        if not target:
            return source
        if markdown and _SCHEME.match(target):
            return None
        text = target if target.isascii() else normalize("NFC", target)
        if text.startswith(ROOTED):
            whole = rooted(text, source)
            if whole is None:
                return None
            text = whole
        if "." in text.rpartition("/")[2]:
            path = self._find(text, source)
            if path is not None:
                return path
        return self._find(text + NOTE_SUFFIX, source)

    def _find(self, text: str, source: NotePath) -> NotePath | None:
        ending = fold(text)
        name = ending.rpartition("/")[2]
        known = self._files.get(name)
        if known is None:
            return None
        if isinstance(known, str):
            fits = name == ending or ending in _endings(fold(known))
            return NotePath(known) if fits else None
        namesakes = self._namesakes.get(name)
        if namesakes is None:
            namesakes = self._namesakes[name] = _Namesakes.of(known)
        found = namesakes.nearest(ending, text, source.rpartition("/")[0])
        return None if found is None else NotePath(found)


def rooted(text: str, source: NotePath) -> str | None:
    """Return the path from the root, `/` leading, or None when it leaves the vault."""
    if text.startswith("/"):
        return "/" + text.lstrip("/")
    folders = source.split("/")[:-1]
    for part in text.split("/"):
        if part == "..":
            if not folders:
                return None
            folders.pop()
        elif part != ".":
            folders.append(part)
    return "/" + "/".join(folders)


def _endings(path: str) -> Iterator[str]:
    start = len(path)
    while (start := path.rfind("/", 0, start)) >= 0:
        yield path[start + 1 :]
    yield path
    yield "/" + path


_UNSAFE = re.compile(r"[ #%()<>\\\[\]\"`\t]")
_BRACKET = re.compile(r"([\\\[\]])")


def link_text(target: str, shown: str, *, markdown: bool, heading: str = "") -> str:
    if markdown:
        words = _BRACKET.sub(r"\\\1", shown or _stem(target))
        parts = (target, heading) if heading else (target,)
        place = "#".join(
            _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", part) for part in parts
        )
        return f"[{words}]({place})"
    place = f"{target}#{heading}" if heading else target
    return f"[[{place}]]" if shown in {"", place} else f"[[{place}|{shown}]]"


class LinkWriter(Struct, frozen=True):
    files: Names
    markdown: bool = False
    link_format: LinkFormat = "shortest"

    def written(
        self, source: NotePath, target: NotePath, shown: str, heading: str = ""
    ) -> Iterator[str]:
        if self.markdown:
            suffix = NOTE_SUFFIX if target.endswith(NOTE_SUFFIX) else ""
            destination = self._shortest(source, target, suffix)
            if destination is not None:
                yield link_text(destination, shown, markdown=True, heading=heading)
        name = self._shortest(source, target, "")
        if name is None:
            name = self._shortest(source, target, NOTE_SUFFIX)
        if name is None:
            return
        link = link_text(name, shown, markdown=False, heading=heading)
        yield link
        if "|" in link:
            yield link.replace("|", "\\|", 1)  # inside a table

    def _shortest(self, source: NotePath, target: NotePath, suffix: str) -> str | None:
        whole = target.removesuffix(NOTE_SUFFIX)
        parts = whole.split("/")
        names: list[str] = []
        if self.link_format == "relative":
            names += _relative(source, whole)
        if self.link_format == "absolute" or self.files.is_shared(target):
            names.append(whole)
        names += ["/".join(parts[-size:]) for size in range(1, len(parts) + 1)]
        names.append(f"/{whole}")  # where a note of that name stands nearer
        for name in names:
            if self.files.resolve(name + suffix, source) == target:
                return name + suffix
        return None

    def leads_to(self, link: Link, source: NotePath) -> NotePath | None:
        markdown = link.kind == "markdown"
        return self.files.resolve(link.target, source, markdown=markdown)


class LinkChange(NamedTuple):
    """A link that leads to a file and must be written anew.

    `written` is its path part, in the note `source` as it was called then; it led to
    `before`. It shall lead from `home` to `target`.
    """

    written: str
    source: NotePath
    before: NotePath
    home: NotePath
    target: NotePath


def spellings(link: LinkChange, files: Names, link_format: LinkFormat) -> Iterator[str]:
    """Yield the path parts that lead to the target, the most like the old one first.

    A bare name stays bare while it leads there, and grows as the vault's setting has
    it: by the shortest, also where other files have that name. One from the root, from
    the note or with `/` first stays such; a suffix that was there stays, one that was
    not is added only where nothing else will do.
    """
    grows = link_format == "shortest" and files.is_shared(link.target)
    has_suffix = fold(_base(link.written)) == fold(_base(link.before))
    tried: set[str] = set()
    for suffixed in (has_suffix or not link.target.endswith(NOTE_SUFFIX), True):
        name: str = link.target
        if not suffixed:
            name = name.removesuffix(NOTE_SUFFIX)
        for text in _forms(link, name, link_format, grows=grows):
            if text not in tried and files.resolve(text, link.home) == link.target:
                yield text
            tried.add(text)


def _forms(
    link: LinkChange, name: str, link_format: LinkFormat, *, grows: bool
) -> Iterator[str]:
    near, marked = _relative(link.home, name)
    written = link.written
    if written.startswith("/"):
        yield f"/{name}"
    elif written.startswith(("./", "../")):
        yield marked
    elif "/" not in written:
        if not grows:
            yield _base(name)
        if link_format == "relative":
            yield from (near, marked)
    elif link_format == "relative":
        former, _ = _relative(link.source, link.before)
        if fold(written) in (fold(former), fold(former.removesuffix(NOTE_SUFFIX))):
            yield from (near, marked)
    yield from (name, f"/{name}", marked, _base(name))


def _relative(source: str, name: str) -> tuple[str, str]:
    """Return a path from the folder of `source`, plain and marked as such."""
    near = relpath(name, source.rpartition("/")[0] or ".")
    return near, near if near.startswith("../") else f"./{near}"
