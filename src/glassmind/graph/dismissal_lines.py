"""The lines of the dismissals: what a person reads and writes, and what they mean.

    pair "Tea/Oolong.md" "Tea/Sencha.md" titles "Oolong" "Sencha" digests 1f0c 9a3e
    finding orphans "Inbox/Scratch.md" titles "Scratch" digests 77b2

Words with blanks stand in double quotes, as JSON writes them. A line that begins with
`#`, and a line that is not understood, stays where it is. Titles and digests are those
of then, for a note that stands elsewhere by now; whoever writes a line by hand leaves
them out.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.graph.subjects import paths_in
from glassmind.model import NotePath
from glassmind.model.pairs import DismissedFinding, DismissedPair

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
