"""What a person wants to hear no more of, as text in the agent folder.

One line each, easy to read and to edit by hand:

    pair "Tea/Oolong.md" "Tea/Sencha.md" titles "Oolong" "Sencha"
    finding orphans "Inbox/Scratch.md" titles "Scratch"

Words with blanks stand in double quotes, as JSON writes them. A line that begins with
`#`, and a line that is not understood, stays where it is. The titles are there for a
note that is called otherwise by now: where no file has its path, the one note with its
title is meant. No link of Obsidian stands in it, and it is no note, so that neither the
graph nor a search ever sees it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import normalize

from glassmind.errors import FileGone, VaultError
from glassmind.knowledge.subjects import paths_in, renamed
from glassmind.types import NotePath
from glassmind.types.pairs import (
    Dismissals,
    Dismissed,
    DismissedFinding,
    DismissedPair,
)
from glassmind.vault.decode import Unreadable, decode
from glassmind.vault.read import VaultFiles
from glassmind.vault.rewrite import FileText, rewrite
from glassmind.vault.write import VaultWriter

if TYPE_CHECKING:
    from glassmind.ports.knowledge import Pairs

FILE = "dismissed.txt"
"""What the file is called in the agent folder."""

HEAD = (
    "# What Glassmind is not to bring up again: pairs of similar notes, and findings",
    "# of `glassmind health`. Delete a line to hear of it again.",
)

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_PLAIN = re.compile(r"[\w./-]+")
_WITH_END = re.compile(r"[^\n]*\n|[^\n]+")

Line: TypeAlias = DismissedPair | DismissedFinding


def parse_line(line: str) -> Line | str | None:
    """Return what a line dismisses, None for no such line, or what is wrong with it."""
    text = line.strip().removeprefix("\ufeff")
    if not text or text.startswith("#"):
        return None
    try:
        words = [_plain(word) for word in _words(text)]
    except ValueError:
        return "its quotes do not match"
    return _said(words)


def _said(words: list[str]) -> Line | str:
    match words:
        case ["pair", one, other] if one != other:
            return _pair((one, other), ("", ""))
        case ["pair", one, other, "titles", a, b] if one != other:
            return _pair((one, other), (a, b))
        case ["finding", check, subject, *more] if more[:1] in ([], ["titles"]):
            return DismissedFinding(check, subject, tuple(more[1:]))
        case ["pair", *_]:
            return 'write: pair "A.md" "B.md"'
        case ["finding", *_]:
            return 'write: finding CHECK "A.md"'
        case _:
            return "a line begins with pair, finding or #"


def _words(text: str) -> list[str]:
    words, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found = _WORD.match(text, at)
        if found is None:
            raise ValueError(text)
        words.append(found[0])
        at = found.end()
    return words


def _plain(word: str) -> str:
    said = json.loads(word, strict=False) if word.startswith('"') else word
    return str(said)


def _pair(paths: tuple[str, str], titles: tuple[str, str]) -> DismissedPair:
    """Return a pair with the path first that comes first."""
    spelled = [NotePath(normalize("NFC", path)) for path in paths]
    (a, title_a), (b, title_b) = sorted(zip(spelled, titles, strict=True))
    return DismissedPair((a, b), (title_a, title_b))


def line_of(one: Line) -> str:
    """Return the line that says so; `parse_line` understands it."""
    match one:
        case DismissedPair(paths, titles):
            shown = " ".join(json.dumps(path, ensure_ascii=False) for path in paths)
            if not any(titles):
                return f"pair {shown}"
            return f"pair {shown} {_titles(titles)}"
        case DismissedFinding(check, subject, titles):
            known = check if _PLAIN.fullmatch(check) else json.dumps(check)
            line = f"finding {known} {json.dumps(subject, ensure_ascii=False)}"
            return f"{line} {_titles(titles)}" if any(titles) else line


def _titles(titles: Iterable[str]) -> str:
    return " ".join(["titles", *(json.dumps(t, ensure_ascii=False) for t in titles)])


def parse(text: str, file: str) -> tuple[list[Line], list[str]]:
    """Return what a file dismisses, and a sentence for each line that is broken."""
    found: list[Line] = []
    problems = []
    for number, line in enumerate(text.split("\n"), start=1):
        said = parse_line(line)
        if isinstance(said, str):
            problems.append(f"{file} line {number} is not followed: {said}")
        elif said is not None:
            found.append(said)
    return found, problems


class DismissalBook:
    """The dismissals of one vault, as they stand on disk; for any number of threads.

    `pairs` gives the rows that know which notes there are, and `head` how far those
    have come. The file is read again when it is another, whoever wrote it.
    """

    def __init__(
        self,
        files: Callable[[], VaultFiles],
        folder: str,
        pairs: Callable[[], "Pairs"],
        head: Callable[[], str],
        writer: Callable[[], VaultWriter],
    ) -> None:
        self._files, self._pairs, self._head = files, pairs, head
        self._writer = writer
        self.path = NotePath(f"{folder}/{FILE}")
        self._lock = Lock()
        self._read: tuple[object, list[Line], list[str]] = (None, [], [])
        self._known: tuple[object, Dismissals] = (None, Dismissals())

    def now(self) -> Dismissals:
        """Return what is dismissed now, under the names that notes have now."""
        with self._lock:
            lines, problems, state = self._lines()
            if not lines:
                return Dismissals(problems=tuple(problems))
            state = (state, self._head())
            if self._known[0] != state:
                self._known = (state, self._resolved(lines, problems))
            return self._known[1]

    def _lines(self) -> tuple[list[Line], list[str], object]:
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
                        self._read = (state, *parse(text.text, self.path))
        except FileGone:
            self._read = (None, [], [])
        except VaultError as error:
            self._read = (None, [], [f"{error}; nothing in it is followed"])
        return self._read[1], self._read[2], self._read[0]

    def _resolved(self, lines: Iterable[Line], problems: list[str]) -> Dismissals:
        pairs = [one for one in lines if isinstance(one, DismissedPair)]
        findings = [one for one in lines if isinstance(one, DismissedFinding)]
        now = self._called_now({p: t for one in lines for p, t in _named(one)})
        return Dismissals(
            frozenset(
                frozenset(now.get(path, path) for path in one.paths) for one in pairs
            ),
            frozenset(
                (one.check, subject)
                for one in findings
                for subject in renamed(one.check, one.subject, now)
            ),
            tuple(problems),
        )

    def _called_now(self, named: dict[NotePath, str]) -> dict[NotePath, NotePath]:
        """Return the path of each note that no file has by now, where it is known."""
        there = self._pairs().there(list(named))
        gone = {path: title for path, title in named.items() if path not in there}
        titled = self._pairs().titled(sorted({t for t in gone.values() if t}))
        return {p: titled[t][0] for p, t in gone.items() if len(titled.get(t, ())) == 1}

    def pair(self, one: NotePath, other: NotePath) -> DismissedPair:
        """Return the line that two notes are dismissed by."""
        titles = self._pairs().titles((one, other))
        return _pair((one, other), (titles.get(one, ""), titles.get(other, "")))

    def finding(self, check: str, subject: str) -> DismissedFinding:
        """Return the line that a finding is dismissed by."""
        paths = paths_in(check, subject)
        titles = self._pairs().titles(paths) if paths else {}
        return DismissedFinding(check, subject, tuple(titles.get(p, "") for p in paths))

    def add(self, one: Line, *, why: str) -> Dismissed:
        """Dismiss something for good, unless it is dismissed already.

        Raises:
            WriteRefused: the settings or the disk do not let it be written.
        """
        line = line_of(one)

        def change(found: FileText) -> str:
            if any(
                _is_same(parse_line(known), one) for known in found.text.split("\n")
            ):
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

        def change(found: FileText) -> str:
            lines = _WITH_END.findall(found.text)
            return "".join(known for known in lines if not self._means(known, one))

        return Dismissed(self.path, line_of(one), changed=self._change(change, why))

    def _means(self, line: str, one: Line) -> bool:
        """Whether a line dismisses something, be it under a former name."""
        said = parse_line(line)
        if _is_same(said, one):
            return True
        match said, one:
            case DismissedPair(), DismissedPair():
                return frozenset(one.paths) in self._resolved([said], []).pairs
            case DismissedFinding(), DismissedFinding():
                return self._resolved([said], []).has_finding(one.check, one.subject)
            case _:
                return False

    def _change(self, change: Callable[[FileText], str], why: str) -> bool:
        return rewrite(self._writer(), self.path, change, why=why) is not None


def _is_same(said: Line | str | None, one: Line) -> bool:
    match said, one:
        case DismissedPair(paths, _), DismissedPair(others, _):
            return paths == others
        case DismissedFinding(check, subject, _), DismissedFinding():
            return (check, subject) == (one.check, one.subject)
        case _:
            return False


def _named(one: Line) -> Iterator[tuple[NotePath, str]]:
    """Yield the notes that a line names, each with its title then, if it is said."""
    match one:
        case DismissedPair(paths, titles):
            yield from zip(paths, titles, strict=True)
        case DismissedFinding(check, subject, titles):
            named = paths_in(check, subject)
            if len(named) == len(titles):
                yield from zip(named, titles, strict=True)
