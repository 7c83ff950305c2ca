"""What is pinned, as text in the agent folder: a line for each note.

    "Tea/Oolong.md" title "Oolong" digest 1f0c9a3e77b2
    Tea/Sencha.md

The first is how we write it, with the title and the bytes of then, by which a note is
known again that was renamed since; the second how a person may. A line that begins with
`#` is a comment. The file is no note, so that neither the graph nor a search sees it.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol
from unicodedata import normalize

from msgspec import structs

from glassmind.errors import FileGone, NoteNotFound, VaultError
from glassmind.files.names import name_key
from glassmind.files.read import Unreadable, decode
from glassmind.files.write import FileText, rewrite
from glassmind.memory.parts import Cabinet, check_writes
from glassmind.model import NotePath
from glassmind.model.memory import Pins

if TYPE_CHECKING:
    from glassmind.files.read import VaultFiles

FILE = "pinned.txt"
"""What the file is called in the agent folder."""

HEAD = (
    "# Notes that Glassmind keeps warm, one a line. Delete a line to let one cool.",
)

SHORT = 12
"""Letters of a digest in a line: 48 bits, and it is asked only where the path fails."""

MOST_TOLD = 10
"""Lines that are named as wrong; a person mends one after the other."""

_STRING = r'"(?:[^"\\]|\\.)*"'
_WRITTEN = re.compile(rf"({_STRING})(?:\s+title\s+({_STRING}))?(?:\s+digest\s+(\w+))?")
_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_QUOTED = json.JSONDecoder(strict=False)


class PinnedNotes(Protocol):
    """What the rows know of notes by what they are called."""

    def there(self, paths: Collection[NotePath], /) -> Collection[NotePath]:
        """Return those of some paths that a file has."""

    def known(
        self, paths: Collection[NotePath], /
    ) -> Mapping[NotePath, tuple[str, str]]:
        """Return the title and the digest of each note."""

    def titled(self, titles: Collection[str], /) -> Mapping[str, list[NotePath]]:
        """Return the notes that have each title."""

    def digested(self, heads: Collection[str], /) -> Mapping[str, list[NotePath]]:
        """Return the notes whose digest begins so."""


class PinLine(NamedTuple):
    """A note that a line names, with what it was then, where the line says so."""

    path: NotePath
    title: str = ""
    digest: str = ""


def parse_line(line: str) -> PinLine | str | None:
    """Return what a line pins, None for a comment, or what is wrong with it."""
    text = line.strip().removeprefix("\ufeff").strip()
    if not text or text.startswith("#"):
        return None
    if not text.startswith('"'):
        return PinLine(_spelled(text))
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return 'write: "Folder/Note.md"'
    path, title, digest = found.groups()
    try:
        said = PinLine(_spelled(_plain(path)), _plain(title or '""'), digest or "")
        "".join(said).encode()
    except UnicodeEncodeError:
        return "it holds half a character"
    except ValueError:
        return "its quotes do not match"
    return said if said.path else 'write: "Folder/Note.md"'


def _plain(quoted: str) -> str:
    return str(_QUOTED.decode(quoted))


def _spelled(path: str) -> NotePath:
    """Return a path without what a person may put before it."""
    while path.startswith(("./", "/")):
        path = path.removeprefix("./").removeprefix("/")
    return NotePath(normalize("NFC", path))


def line_of(one: PinLine) -> str:
    """Return the line that pins a note."""
    title = f" title {_quoted(one.title)}" if one.title else ""
    digest = f" digest {one.digest}" if one.digest else ""
    return f"{_quoted(one.path)}{title}{digest}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def pinned(cabinet: Cabinet) -> Pins:
    """Return what is pinned, under the names that notes have now."""
    with cabinet.files() as files:
        return pins_in(files, cabinet.folder, cabinet.pinned_notes())


def pins_in(files: "VaultFiles", folder: str, rows: PinnedNotes) -> Pins:
    """Return what the file in the agent folder pins."""
    path = NotePath(f"{folder}/{FILE}")
    try:
        text = decode(files.read(path))
    except FileGone:
        return Pins(())
    except VaultError as error:
        return Pins((), (f"{error}; nothing in it is pinned",))
    if isinstance(text, Unreadable):
        return Pins((), (f"{path} is not followed: {text.reason}",))
    found = _resolved(_WITH_END.findall(text.text), rows, path)
    return found if files.sees_all else Pins(found.paths)


def _resolved(lines: list[str], rows: PinnedNotes, file: NotePath) -> Pins:
    said = [(number, parse_line(line)) for number, line in enumerate(lines, 1)]
    meant = _meant([one for _, one in said if isinstance(one, PinLine)], rows)
    paths: dict[NotePath, None] = {}
    gone: dict[NotePath, None] = {}
    problems = []
    for number, one in said:
        if isinstance(one, PinLine):
            path = meant[one]
            if path is not None:
                paths[path] = None
            else:
                gone[one.path] = None
                why = f"{one.path} is gone, or was both moved and changed"
                problems.append(f"{file} line {number}: {why}")
        elif one is not None:
            problems.append(f"{file} line {number} is not followed: {one}")
    more = len(problems) - MOST_TOLD
    told = [f"{more:,} more lines are not followed"] if more > 0 else []
    return Pins(tuple(paths), (*problems[:MOST_TOLD], *told), gone=tuple(gone))


def _meant(
    lines: Collection[PinLine], rows: PinnedNotes
) -> dict[PinLine, NotePath | None]:
    """Return the note that each line means now: by path, by its bytes, or by title."""
    there = rows.there({one.path for one in lines})
    lost = [one for one in lines if one.path not in there]
    digested = rows.digested({one.digest for one in lost if one.digest})
    titled = rows.titled({one.title or one.path.removesuffix(".md") for one in lost})
    found: dict[PinLine, NotePath | None] = {}
    for one in lines:
        moved = digested.get(one.digest, []) if one.digest else []
        same = moved or titled.get(one.title or one.path.removesuffix(".md"), [])
        elsewhere = same[0] if len(same) == 1 else None
        found[one] = one.path if one.path in there else elsewhere
    return found


def pin(cabinet: Cabinet, name: str, client: str) -> Pins:
    """Pin the note of a name, unless it is pinned already.

    Raises:
        NoteNotFound: no note has the name, be it but for a slip.
        WriteRefused: the settings or the disk do not let it be written.
    """
    check_writes(cabinet, "nothing was pinned")
    path = cabinet.sure(name)
    if path is None:
        raise NoteNotFound(name, (cabinet.find(name),))
    rows = cabinet.pinned_notes()
    title, digest = rows.known([path]).get(path, ("", ""))
    line = line_of(PinLine(path, title, digest[:SHORT]))

    def change(found: FileText) -> str:
        if path in _resolved(_WITH_END.findall(found.text), rows, path).paths:
            return found.text
        text = found.text or found.newline.join((*HEAD, ""))
        if not text.endswith(("\n", "\r")):
            text += found.newline
        return f"{text}{line}{found.newline}"

    return _changed(cabinet, change, path, client, why="pinned")


def unpin(cabinet: Cabinet, name: str, client: str) -> Pins:
    """Let the note of a name cool; a line may name one that is gone, or its title.

    Raises:
        NoteNotFound: neither a note nor a line has the name.
        WriteRefused: the settings or the disk do not let it be written.
    """
    check_writes(cabinet, "nothing was unpinned")
    rows, said = cabinet.pinned_notes(), _spelled(name)
    lines = _lines_now(cabinet)
    known = said in {one.path for one in lines}
    path = said if known else cabinet.sure(name) or _titled(name, lines)
    if path is None:
        raise NoteNotFound(name, (cabinet.find(name),))

    def change(found: FileText) -> str:
        lines = _WITH_END.findall(found.text)
        parsed = [parse_line(line) for line in lines]
        meant = _meant([one for one in parsed if isinstance(one, PinLine)], rows)
        return "".join(
            line
            for line, one in zip(lines, parsed, strict=True)
            if not isinstance(one, PinLine) or path not in {one.path, meant[one]}
        )

    return _changed(cabinet, change, path, client, why="unpinned")


def _titled(name: str, lines: Collection[PinLine]) -> NotePath | None:
    """Return the path of the one line that names a title, or a file, if one does."""
    wanted = name.strip().casefold()
    found = {
        one.path
        for one in lines
        if wanted in {one.title.casefold(), name_key(one.path)}
        or wanted == one.path.casefold().removesuffix(".md")
    }
    return found.pop() if len(found) == 1 else None


def _lines_now(cabinet: Cabinet) -> list[PinLine]:
    """Return what stands in the file, be there notes of it or not."""
    try:
        with cabinet.files() as files:
            text = decode(files.read(NotePath(f"{cabinet.folder}/{FILE}")))
    except VaultError:
        return []
    lines = [] if isinstance(text, Unreadable) else _WITH_END.findall(text.text)
    return [one for line in lines if isinstance(one := parse_line(line), PinLine)]


def _changed(
    cabinet: Cabinet,
    change: Callable[[FileText], str],
    path: NotePath,
    client: str,
    *,
    why: str,
) -> Pins:
    file = NotePath(f"{cabinet.folder}/{FILE}")
    made = rewrite(cabinet.writer(client), file, change, why=why)
    now = pinned(cabinet)
    return structs.replace(now, changed=path if made is not None else None)
