"""What a person wants to hear no more of, as text in the agent folder.

One line each, easy to read and to edit by hand; see `dismissal_lines`. No link of
Obsidian stands in it, and it is no note, so that neither the graph nor a search ever
sees it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from glassmind.errors import FileGone, VaultError
from glassmind.files.decode import Unreadable, decode
from glassmind.files.read import VaultFiles, digest_of
from glassmind.files.rewrite import FileText, rewrite
from glassmind.files.write import VaultWriter
from glassmind.graph.dismissal_lines import (
    Line,
    Side,
    line_of,
    lines_in,
    pair_of,
    parse,
    parse_line,
    sides_of,
)
from glassmind.graph.dismissed_notes import SHORT, Meant, meant_by, spelled
from glassmind.graph.subjects import paths_in, renamed
from glassmind.model import NotePath
from glassmind.model.pairs import (
    Dismissals,
    Dismissed,
    DismissedFinding,
    DismissedPair,
    Dismissible,
)

if TYPE_CHECKING:
    from glassmind.ports.knowledge import Pairs

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
