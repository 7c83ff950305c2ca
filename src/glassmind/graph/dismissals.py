"""What the subjects of findings name: the notes in them, by their paths."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.errors import BadWish, FileGone, NoteNotFound, VaultError
from glassmind.errors.knowledge import FindingAbsent
from glassmind.errors.writing import WritesOff
from glassmind.files.names import name_key
from glassmind.files.read import Unreadable, VaultFiles, decode, digest_of
from glassmind.files.write import FileText, VaultWriter, rewrite
from glassmind.model import NotePath
from glassmind.model.health import FindingNow
from glassmind.model.suggestions import (
    Dismissals,
    Dismissed,
    DismissedFinding,
    DismissedPair,
    Dismissible,
)
from glassmind.obsidian.text import fold

if TYPE_CHECKING:
    from glassmind.graph.context import GraphContext
    from glassmind.ports.knowledge import Pairs


PAIRED = " <> "
"""Between the paths of two notes in a subject."""

_ONE = re.compile(r"(.+)", re.DOTALL)
_TWO = re.compile(rf"(.+?){PAIRED}(.+)", re.DOTALL)

SHAPES: Mapping[str, re.Pattern[str]] = {
    "invalid_yaml": _ONE,
    "conflict_copies": _ONE,
    "missing_reciprocal": re.compile(r"(.+?\.md) .+?: (.+)", re.DOTALL),
    "broken_links": re.compile(r"(.+?) -> ([^#]+)#.*", re.DOTALL),
    "orphans": _ONE,
    "near_duplicates": _TWO,
    "weakly_tied": _TWO,
    "category_mismatch": _ONE,
    "god_nodes": _ONE,
    "stale_themes": _ONE,
    "one_source": re.compile(r"(.+) <- \S+", re.DOTALL),
}
"""How the subjects of each check are made; the groups are paths.

The other checks are about words that stand in many notes."""

WORDED = frozenset(["one_source"])
"""Checks with subjects of a file and of words that may stand in any others."""


def paths_in(check: str, subject: str) -> tuple[NotePath, ...]:
    """Return the files that a subject names, in order; none where it names none."""
    found = SHAPES[check].fullmatch(subject) if check in SHAPES else None
    return () if found is None else tuple(NotePath(p) for p in found.groups() if p)


def names_all(check: str) -> bool:
    """Whether the files that a subject names are all that its finding is about."""
    return check in SHAPES and check not in WORDED


def renamed(
    check: str, subject: str, now: Mapping[NotePath, NotePath]
) -> Iterator[str]:
    """Yield what a finding may be called after its notes got the names in `now`.

    Of two notes that are alike the one that comes first stands first.
    """
    paths = paths_in(check, subject)
    called = [now.get(path, path) for path in paths]
    yield _with_paths(check, subject, called)
    if SHAPES.get(check) is _TWO and tuple(called) != paths:
        yield _with_paths(check, subject, sorted(called))


def _with_paths(check: str, subject: str, paths: Sequence[NotePath]) -> str:
    """Return a subject with other paths in the place of its own."""
    found = SHAPES[check].fullmatch(subject) if paths else None
    if found is None:
        return subject
    parts, at = [], 0
    for group, path in enumerate(paths, 1):
        parts += [subject[at : found.start(group)], path]
        at = found.end(group)
    return "".join([*parts, subject[at:]])


_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_QUOTED = json.JSONDecoder(strict=False)
_PLAIN = re.compile(r"[\w./-]+")
_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

Line: TypeAlias = DismissedPair | DismissedFinding


class Side(NamedTuple):
    """A note that a line names, with what it was then, where the line says so."""

    path: NotePath
    title: str = ""
    digest: str = ""

    @property
    def is_recorded(self) -> bool:
        """Whether we wrote it, and so knew the note."""
        return bool(self.title or self.digest)


def sides_of(one: Line) -> Iterator[Side]:
    """Yield the notes that a line names, in its order."""
    match one:
        case DismissedPair(paths, titles, digests):
            yield from map(Side, paths, titles, digests)
        case DismissedFinding(check, subject, titles, digests):
            named = paths_in(check, subject)
            titles = titles if len(titles) == len(named) else ("",) * len(named)
            digests = digests if len(digests) == len(named) else ("",) * len(named)
            yield from map(Side, named, titles, digests)


def lines_in(text: str) -> list[str]:
    """Return the lines of a text, each with its end."""
    return _WITH_END.findall(text)


def parse_line(line: str) -> Line | str | None:
    """Return what a line dismisses, None for no such line, or what is wrong with it."""
    text = line.strip().removeprefix("\ufeff")
    if not text or text.startswith("#"):
        return None
    try:
        words = [_plain(word) for word in _words(text)]
    except UnicodeEncodeError:
        return "it holds half a character"
    except ValueError:
        return "its quotes do not match"
    return _said(words)


def _said(words: list[str]) -> Line | str:
    match words:
        case ["pair", *said]:
            return _pair_said(said)
        case ["finding", check, subject, *more] if more[:1] in ([], ["titles"]):
            return _finding_said(check, subject, more)
        case ["finding", *_]:
            return 'write: finding CHECK "A.md"'
        case _:
            return "a line begins with pair, finding or #"


def _pair_said(words: list[str]) -> DismissedPair | str:
    match words:
        case [one, other] if one != other:
            return pair_of((one, other))
        case [one, other, "titles", a, b] if one != other:
            return pair_of((one, other), (a, b))
        case [one, other, "titles", a, b, "digests", x, y] if one != other:
            return pair_of((one, other), (a, b), (x, y))
        case _:
            return 'write: pair "A.md" "B.md"'


def _finding_said(check: str, subject: str, more: list[str]) -> DismissedFinding:
    """Return a finding; a subject names two notes at most, and each has both."""
    half = len(more) // 2
    if half > 1 and len(more) % 2 == 0 and more[half] == "digests":
        titles, digests = tuple(more[1:half]), tuple(more[half + 1 :])
        return DismissedFinding(check, subject, titles, digests)
    return DismissedFinding(check, subject, tuple(more[1:]))


def _words(text: str) -> list[str]:
    """Return the words of a line; a quote that stands alone raises `ValueError`."""
    if '"' in _WORD.sub("", text):
        raise ValueError(text)
    return _WORD.findall(text)


def _plain(word: str) -> str:
    if not word.startswith('"'):
        said = word
    elif "\\" in word:
        said = str(_QUOTED.decode(word))
    else:
        said = word[1:-1]
    said.encode()
    return said


def pair_of(
    paths: tuple[str, str],
    titles: tuple[str, str] = ("", ""),
    digests: tuple[str, str] = ("", ""),
) -> DismissedPair:
    """Return a pair with the path first that comes first."""
    spelled = [NotePath(normalize("NFC", path)) for path in paths]
    (a, *of_a), (b, *of_b) = sorted(zip(spelled, titles, digests, strict=True))
    return DismissedPair((a, b), (of_a[0], of_b[0]), (of_a[1], of_b[1]))


def line_of(one: Line) -> str:
    """Return the line that says so; `parse_line` understands it."""
    match one:
        case DismissedPair(paths, titles, digests):
            head = ["pair", *map(_quoted, paths)]
        case DismissedFinding(check, subject, titles, digests):
            known = check if _PLAIN.fullmatch(check) else json.dumps(check)
            head = ["finding", known, _quoted(subject)]
    if any(titles) or any(digests):
        head += ["titles", *map(_quoted, titles)]
    if any(digests):
        head += ["digests", *(digest or '""' for digest in digests)]
    return " ".join(head)


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def parse(lines: Iterable[str], file: str) -> tuple[list[tuple[int, Line]], list[str]]:
    """Return what lines dismiss, by number, and a sentence for each that is broken."""
    found: list[tuple[int, Line]] = []
    problems = []
    for number, line in enumerate(lines, start=1):
        said = parse_line(line)
        if isinstance(said, str):
            problems.append(f"{file} line {number} is not followed: {said}")
        elif said is not None:
            found.append((number, said))
    return found, problems


SHORT = 12
"""Letters of a digest in a line: 48 bits, and it is asked only where the path fails."""


class Meant(NamedTuple):
    """What a side means now, None for no note; `doubt` says what may be wrong.

    `rival` is the note that may be meant instead.
    """

    path: NotePath | None
    doubt: str = ""
    rival: NotePath | None = None


def spelled(path: str) -> NotePath:
    """Return a path without what a person may put before it."""
    while path.startswith(("./", "/")):
        path = path.removeprefix("./").removeprefix("/")
    return NotePath(path)


def meant_by(sides: Iterable[Side], rows: "Pairs") -> dict[Side, Meant]:
    """Return what each side means now."""
    return _Meaning(set(sides), rows).all()


class _Meaning:
    def __init__(self, sides: Collection[Side], rows: "Pairs") -> None:
        self._sides = sides
        self._there = rows.there({spelled(side.path) for side in sides})
        self._known = rows.known(self._there)
        moved = [side for side in sides if not self._stands(side)]
        lost = [s for s in moved if spelled(s.path) not in self._there]
        self._digested = rows.digested({s.digest for s in moved if s.digest})
        self._titled = rows.titled({s.title or spelled(s.path) for s in lost})
        self._named = rows.namesakes({name_key(spelled(s.path)) for s in lost})

    def all(self) -> dict[Side, Meant]:
        return {side: self._meant(side) for side in self._sides}

    def _stands(self, side: Side) -> bool:
        """Whether the path is that of the very note, as far as can be told."""
        path = spelled(side.path)
        said = self._known.get(path, ("", ""))[1]
        return path in self._there and said.startswith(side.digest)

    def _meant(self, side: Side) -> Meant:
        path = spelled(side.path)
        if path not in self._there:
            return Meant(self._elsewhere(side, path))
        moved = None if self._stands(side) else _one(self._digested, side.digest)
        if moved is None:
            return Meant(path)
        if _file_name(moved) == _file_name(path):
            return Meant(moved)
        doubt = f"{path} may be another note by now, and {moved} be meant"
        return Meant(path, doubt, moved)

    def _elsewhere(self, side: Side, path: NotePath) -> NotePath | None:
        folded = fold(path)
        named = self._named.get(name_key(path), [])
        alike = [one for one in named if fold(one) == folded]
        if len(alike) == 1:
            return alike[0]
        moved = _one(self._digested, side.digest)
        if moved is not None or side.is_recorded:
            return moved or _one(self._titled, side.title)
        return _one(self._titled, path) or (named[0] if _is_bare(path, named) else None)


def _file_name(path: NotePath) -> str:
    return path.rpartition("/")[2]


def _is_bare(path: NotePath, named: Collection[NotePath]) -> bool:
    """Whether a name without a folder is that of one file."""
    return len(named) == 1 and "/" not in path


def _one(found: Mapping[str, list[NotePath]], key: str) -> NotePath | None:
    """Return the one note of a key, if there is but one."""
    notes = found.get(key, []) if key else []
    return notes[0] if len(notes) == 1 else None


FILE = "dismissed.txt"
"""What the file is called in the agent folder."""

HEAD = (
    "# What Glassmind is not to bring up again: pairs of similar notes, and findings",
    "# of `glassmind health`. Delete a line to hear of it again.",
)

MOST_TOLD = 10
"""Lines that are named as wrong; a person mends one after the other."""

EMPTY = digest_of(b"")

UNFOLLOWED = "more lines are not followed"

Sees: TypeAlias = Callable[[Collection[NotePath]], Collection[NotePath]]
"""Returns those of some files that somebody sees."""

_Read: TypeAlias = tuple[object, list[tuple[int, Line]], list[str]]


class DismissalBook:
    """The dismissals of one vault, as they stand on disk; for any number of threads.

    `pairs` gives the rows that know which notes there are, and `head` how far those
    have come. The file is read again when it is another, whoever wrote it. Unless it
    `tells`, nobody hears what is wrong with lines: they name notes. For who `sees` a
    part of the files, lines about any other are not there: he neither hears of them
    nor changes them, whatever they were written for.
    """

    def __init__(  # noqa: PLR0913 - each by its name
        self,
        files: Callable[[], VaultFiles],
        folder: str,
        pairs: Callable[[], "Pairs"],
        head: Callable[[], str],
        writer: Callable[[], VaultWriter],
        *,
        tells: bool = True,
        sees: Sees | None = None,
    ) -> None:
        self._tells, self._sees = tells, sees
        self._files, self._pairs, self._head = files, pairs, head
        self._writer = writer
        self.path = NotePath(f"{folder}/{FILE}")
        self._lock = Lock()
        self._read: _Read = (None, [], [])
        self._known: tuple[object, Dismissals] = (None, Dismissals())

    @property
    def sees_all(self) -> bool:
        """Whether it is that of somebody who sees every note."""
        return self._sees is None

    def seen_by(self, sees: Sees, head: Callable[[], str]) -> "DismissalBook":
        """Return the book for somebody who sees a part; `head` says as of when."""
        folder = self.path.removesuffix(f"/{FILE}")
        given = (self._files, folder, self._pairs, head, self._writer)
        return DismissalBook(*given, tells=self._tells, sees=sees)

    def now(self) -> Dismissals:
        """Return what is dismissed now, under the names that notes have now."""
        with self._lock:
            lines, problems, state = self._lines()
            if not lines:
                told = _few(problems, UNFOLLOWED) if self._tells else ()
                return Dismissals(problems=told)
            state = (state, self._head())
            if self._known[0] != state:
                self._known = (state, self._resolved(lines, problems))
            known = self._known[1]
            return known if self._tells else Dismissals(known.pairs, known.findings)

    def _lines(self) -> tuple[list[tuple[int, Line]], list[str], object]:
        """Return the lines of the file, read again if its stamp is another."""
        try:
            with self._files() as files:
                facts = files.stat(self.path)
                state = (
                    facts.st_mtime_ns,
                    facts.st_ctime_ns,
                    facts.st_size,
                    facts.st_ino,
                )
                if self._read[0] != state:
                    text = decode(files.read(self.path))
                    if isinstance(text, Unreadable):
                        said = f"{self.path} is not followed: {text.reason}"
                        self._read = (state, [], [said])
                    else:
                        self._read = (state, *parse(lines_in(text.text), self.path))
        except FileGone:
            self._read = (None, [], [])
        except VaultError as error:
            self._read = (None, [], [f"{error}; nothing in it is followed"])
        return self._read[1], self._read[2], self._read[0]

    def _resolved(
        self, lines: Sequence[tuple[int, Line]], problems: Sequence[str]
    ) -> Dismissals:
        said = [one for _, one in lines]
        meant = self._meant(said)
        wrong = [*problems, *self._unfollowed(lines, meant)]
        lost = self._lost(lines, meant)
        said = self._seen(said, meant)
        return Dismissals(
            frozenset(pair for one in said if (pair := _pair_now(one, meant))),
            frozenset(found for one in said for found in _findings_now(one, meant)),
            _few(wrong, UNFOLLOWED),
            _few(lost, "more lines name notes that are not there"),
        )

    def _meant(self, lines: Iterable[Line]) -> dict[Side, Meant]:
        return meant_by([s for one in lines for s in sides_of(one)], self._pairs())

    def _unfollowed(
        self, lines: Iterable[tuple[int, Line]], meant: Mapping[Side, Meant]
    ) -> list[str]:
        """Return a sentence for each pair written by hand that names no note."""
        return [
            f"{self.path} line {number} is not followed: "
            f'no one note is called "{side.path}"'
            for number, one in lines
            if isinstance(one, DismissedPair)
            for side in sides_of(one)
            if not side.is_recorded and meant[side].path is None
        ]

    def _lost(
        self, lines: Iterable[tuple[int, Line]], meant: Mapping[Side, Meant]
    ) -> list[str]:
        """Return a sentence for each note that we knew and do not know again."""
        lost = []
        for number, one in lines:
            for side in sides_of(one):
                path, doubt, _ = meant[side]
                if path is None and side.is_recorded:
                    doubt = f"{side.path} is gone, or was both moved and changed"
                if doubt:
                    lost.append(f"{self.path} line {number}: {doubt}")
        return lost

    def _seen(self, lines: Sequence[Line], meant: Mapping[Side, Meant]) -> list[Line]:
        """Return the lines that are about nothing but files that are seen."""
        if self._sees is None:
            return list(lines)
        about = [[n for s in sides_of(one) for n in _notes(s, meant)] for one in lines]
        seen = self._sees({note for notes in about for note in notes})
        told = zip(lines, about, strict=True)
        return [one for one, notes in told if all(note in seen for note in notes)]

    def _is_seen(self, one: Line) -> bool:
        """Whether something is about files that are seen, by the names of now."""
        paths = {side.path for side in sides_of(one)}
        return self._sees is None or paths <= set(self._sees(paths))

    def pair(self, one: NotePath, other: NotePath) -> DismissedPair:
        """Return the line that two notes are dismissed by."""
        (a, x), (b, y) = self._recorded((one, other))
        return pair_of((one, other), (a, b), (x, y))

    def finding(self, check: str, subject: str) -> DismissedFinding:
        """Return the line that a finding is dismissed by."""
        known = self._recorded(paths_in(check, subject))
        titles, digests = (tuple(one[i] for one in known) for i in (0, 1))
        return DismissedFinding(check, subject, titles, digests)

    def _recorded(self, paths: Sequence[NotePath]) -> list[tuple[str, str]]:
        """Return the title of each note and, where no other has it, its digest."""
        known = self._pairs().known(paths) if paths else {}
        heads = {d[:SHORT] for _, d in known.values() if d != EMPTY}
        having = self._pairs().digested(heads)
        every = {*known, *chain.from_iterable(having.values())}
        seen = every if self._sees is None else set(self._sees(every))
        alone = {head for head, notes in having.items() if len(seen & {*notes}) == 1}
        known = {path: said for path, said in known.items() if path in seen}
        found = (known.get(path, ("", "")) for path in paths)
        return [(t, d[:SHORT] if d[:SHORT] in alone else "") for t, d in found]

    def add(self, one: Line, *, why: str) -> Dismissed:
        """Dismiss something for good, unless it is dismissed already.

        Raises:
            WriteRefused: the settings or the disk do not let it be written.
        """
        line = line_of(one)
        if not self._is_seen(one):
            return self.untouched(one)

        def change(found: FileText) -> str:
            if any(self._meaning(lines_in(found.text), one)):
                return found.text
            text = found.text or found.newline.join((*HEAD, ""))
            if not text.endswith(("\n", "\r")):
                text += found.newline
            return f"{text}{line}{found.newline}"

        return Dismissed(self.path, line, changed=self._change(change, why))

    def drop(self, one: Line, *, why: str) -> Dismissed:
        """Take a dismissal back; every line that says so goes, all others stay.

        Raises:
            WriteRefused: the settings or the disk do not let it be written.
        """
        if not self._is_seen(one):
            return self.untouched(one)

        def change(found: FileText) -> str:
            lines = lines_in(found.text)
            said = self._meaning(lines, one)
            return "".join(line for line, it in zip(lines, said, strict=True) if not it)

        return Dismissed(self.path, line_of(one), changed=self._change(change, why))

    def untouched(self, one: Line) -> Dismissed:
        """Return what is told of something that was not dismissed, and is not now."""
        return Dismissed(self.path, line_of(one), changed=False)

    def _meaning(self, lines: Sequence[str], one: Line) -> list[bool]:
        """Return which lines dismiss something, be it under a former name."""
        said = [parse_line(line) for line in lines]
        known = [line for line in said if isinstance(line, _LINES)]
        meant = self._meant([*known, one])
        same = {s for s in self._seen(known, meant) if _is_same(s, one, meant)}
        return [isinstance(s, _LINES) and s in same for s in said]

    def _change(self, change: Callable[[FileText], str], why: str) -> bool:
        return rewrite(self._writer(), self.path, change, why=why) is not None


_LINES = (DismissedPair, DismissedFinding)


def _notes(side: Side, meant: Mapping[Side, Meant]) -> list[NotePath]:
    """Return the notes that a side means or may mean, or where one would stand."""
    path, _, rival = meant[side]
    return [path or spelled(side.path), *([rival] if rival else [])]


def _pair_now(one: Line, meant: Mapping[Side, Meant]) -> Dismissible | None:
    """Return the two notes of a pair as they are called now; None for no such pair."""
    if not isinstance(one, DismissedPair):
        return None
    ends = frozenset(meant[s].path or spelled(s.path) for s in sides_of(one))
    return ends if len(ends) > 1 else None


def _findings_now(
    one: Line, meant: Mapping[Side, Meant]
) -> Collection[tuple[str, str]]:
    """Return what a finding may be called now; nothing for a pair."""
    if not isinstance(one, DismissedFinding):
        return ()
    now = {s.path: meant[s].path or s.path for s in sides_of(one)}
    return {(one.check, told) for told in renamed(one.check, one.subject, now)}


def _is_same(said: Line, one: Line, meant: Mapping[Side, Meant]) -> bool:
    match said, one:
        case DismissedPair(), DismissedPair():
            now = _pair_now(said, meant)
            return now == frozenset(one.paths) or said.paths == one.paths
        case DismissedFinding(), DismissedFinding():
            asked = (one.check, one.subject)
            same = asked == (said.check, said.subject)
            return same or asked in _findings_now(said, meant)
        case _:
            return False


def _few(said: Sequence[str], more: str) -> tuple[str, ...]:
    """Return the first sentences, and how many more there are."""
    left = len(said) - MOST_TOLD
    return (*said[:MOST_TOLD], *([f"{left:,} {more}"] if left > 0 else []))


DISMISSED, RESTORED = "dismissed", "dismissal taken back"
"""Why a line was written, for the record."""

UNDISMISSED, UNRESTORED = "nothing was dismissed", "no dismissal was taken back"
"""What came of an act while nothing may be written."""


def dismiss_pair(study: "GraphContext", a: str, b: str) -> Dismissed:
    """Dismiss two notes by their names.

    Raises:
        NoteNotFound: no note has one of the names, be it but for a slip.
        BadWish: both names mean one note.
        WritesOff: the settings let nothing be written.
    """
    _check_writes(study, UNDISMISSED)
    return study.book.add(_named(study, a, b), why=DISMISSED)


def restore_pair(study: "GraphContext", a: str, b: str) -> Dismissed:
    """Take the dismissal of two notes back; raises as `dismiss_pair`."""
    _check_writes(study, UNRESTORED)
    return study.book.drop(_named(study, a, b), why=RESTORED)


def dismiss_finding(study: "GraphContext", now: FindingNow) -> Dismissed:
    """Dismiss what a check of vault health finds now.

    Raises:
        FindingAbsent: it does not, and that was not dismissed before.
        WritesOff: the settings let nothing be written.
    """
    _check_writes(study, UNDISMISSED)
    if now.state != "there" and not now.dismissed:
        raise FindingAbsent(now.key, now.reason or "")
    return study.book.add(_finding(study, now.key), why=DISMISSED)


def restore_finding(study: "GraphContext", now: FindingNow) -> Dismissed:
    """Take the dismissal of a finding back, whether it still is one or not.

    Raises:
        WritesOff: the settings let nothing be written.
    """
    _check_writes(study, UNRESTORED)
    line = _finding(study, now.key)
    if now.state != "there" and not now.dismissed:
        return study.book.untouched(line)
    return study.book.drop(line, why=RESTORED)


def _check_writes(study: "GraphContext", undone: str) -> None:
    writes = study.config.writes
    if not writes.agent_dir_writable:
        raise WritesOff(writes.agent_dir, undone)


def _named(study: "GraphContext", a: str, b: str) -> DismissedPair:
    one, other = _called(study, a), _called(study, b)
    if one == other:
        raise BadWish("a pair", f"of {one} and itself", "of two notes")
    return study.book.pair(one, other)


def _called(study: "GraphContext", name: str) -> NotePath:
    """Return the note of a name; what is written does not stand on a guess."""
    path = study.sure(name)
    if path is None:
        raise NoteNotFound(name, (study.find(name),))
    return path


def _finding(study: "GraphContext", key: str) -> DismissedFinding:
    check, _, subject = key.partition(":")
    return study.book.finding(check, subject)
