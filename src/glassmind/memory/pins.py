"""Pinned notes, in `pinned.txt` in the agent folder: one line for each note.

    "Tea/Oolong.md" title "Oolong" digest 1f0c9a3e77b2
    Tea/Sencha.md

The first is how we write it, with the title and digest by which a renamed note is
found again; the second how a person may. A line that begins with `#` is a comment. The
file is not a note, so neither the graph nor a search has it.
"""

import json
import re
from collections.abc import Callable, Collection
from typing import NamedTuple
from unicodedata import normalize

from msgspec import structs

from glassmind.errors import FileGone, NoteNotFound, VaultError
from glassmind.files.read import Unreadable, VaultFiles, decode
from glassmind.files.write import FileText, rewrite
from glassmind.memory.vault import MemoryStore
from glassmind.model import NotePath
from glassmind.model.memory import Pins
from glassmind.store.protocol import Rows

FILE = "pinned.txt"
HEAD = "# Notes that Glassmind keeps warm, one a line. Delete a line to let one cool."
SHORT = 12  # characters of a digest in a line: 48 bits, used only if the path is gone
MOST_PROBLEMS = 10  # lines that are named as wrong

_STRING = r'"(?:[^"\\]|\\.)*"'
_WRITTEN = re.compile(rf"({_STRING})(?:\s+title\s+({_STRING}))?(?:\s+digest\s+(\w+))?")
_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_QUOTED = json.JSONDecoder(strict=False)


class PinLine(NamedTuple):
    """A note that a line names, with its title and digest then, if given."""

    path: NotePath
    title: str = ""
    digest: str = ""


def parse_line(line: str) -> PinLine | str | None:
    """Return the note that a line names, None for a comment, or what is wrong."""
    text = line.strip().removeprefix("\ufeff").strip()
    if not text or text.startswith("#"):
        return None
    if not text.startswith('"'):
        return PinLine(_path(text))
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return 'write: "Folder/Note.md"'
    path, title, digest = match.groups()
    try:
        pin = PinLine(
            _path(_QUOTED.decode(path)), _QUOTED.decode(title or '""'), digest or ""
        )
        "".join(pin).encode()
    except UnicodeEncodeError:
        return "it holds half a character"
    except ValueError:
        return "its quotes do not match"
    return pin if pin.path else 'write: "Folder/Note.md"'


def _path(text: str) -> NotePath:
    while text.startswith(("./", "/")):
        text = text.removeprefix("./").removeprefix("/")
    return NotePath(normalize("NFC", text))


def line_of(pin: PinLine) -> str:
    path, title = (json.dumps(text, ensure_ascii=False) for text in pin[:2])
    named = f" title {title}" if pin.title else ""
    return f"{path}{named}" + (f" digest {pin.digest}" if pin.digest else "")


def pinned(vault: MemoryStore) -> Pins:
    with vault.files() as files:
        return pins_in(files, vault.folder, vault.rows())


def pins_in(files: VaultFiles, folder: str, rows: Rows) -> Pins:
    path = NotePath(f"{folder}/{FILE}")
    try:
        text = decode(files.read(path))
    except FileGone:
        return Pins(())
    except VaultError as error:
        return Pins((), (f"{error}; nothing in it is pinned",))
    if isinstance(text, Unreadable):
        return Pins((), (f"{path} is not followed: {text.reason}",))
    pins = _pins_of(text.text, rows, path)
    return pins if files.sees_all else Pins(pins.paths)


def _pins_of(text: str, rows: Rows, file: NotePath) -> Pins:
    parsed = [parse_line(line) for line in _WITH_END.findall(text)]
    notes = _notes_of([pin for pin in parsed if isinstance(pin, PinLine)], rows)
    gone: dict[NotePath, None] = {}
    problems = []
    for number, pin in enumerate(parsed, 1):
        if isinstance(pin, str):
            problems.append(f"{file} line {number} is not followed: {pin}")
        elif pin and notes[pin] is None:
            gone[pin.path] = None
            why = f"{pin.path} is gone, or was both moved and changed"
            problems.append(f"{file} line {number}: {why}")
    more = len(problems) - MOST_PROBLEMS
    rest = [f"{more:,} more lines are not followed"] if more > 0 else []
    paths = dict.fromkeys(path for path in notes.values() if path)
    return Pins(tuple(paths), (*problems[:MOST_PROBLEMS], *rest), gone=tuple(gone))


def _notes_of(pins: Collection[PinLine], rows: Rows) -> dict[PinLine, NotePath | None]:
    """Return the note of each pin; one that moved is found by its digest or title."""
    there = {file.path for file in rows.files(paths={pin.path for pin in pins})}
    lost = [pin for pin in pins if pin.path not in there]
    digests = {pin.digest for pin in lost if pin.digest}
    digested = rows.notes(digests=digests) if digests else []
    names = {pin: pin.title or pin.path.removesuffix(".md") for pin in lost}
    titled = rows.notes(titles={*names.values()}) if lost else []
    paths: dict[PinLine, NotePath | None] = {pin: pin.path for pin in pins}
    for pin in lost:
        notes = [n for n in digested if pin.digest and n.digest.startswith(pin.digest)]
        same = notes or [note for note in titled if note.title == names[pin]]
        paths[pin] = same[0].path if len(same) == 1 else None
    return paths


def pin(vault: MemoryStore, name: str, client: str) -> Pins:
    """Pin a note, unless it is pinned already; see `Memory.pin`."""
    vault.check_writes("nothing was pinned")
    path = vault.exact(name)
    if path is None:
        raise NoteNotFound(name, (vault.find(name),))
    rows = vault.rows()
    known = rows.notes(paths=[path])
    title, digest = (known[0].title, known[0].digest) if known else ("", "")
    line = line_of(PinLine(path, title, digest[:SHORT]))

    def change(found: FileText) -> str:
        if path in _pins_of(found.text, rows, path).paths:
            return found.text
        text = found.text or f"{HEAD}{found.newline}"
        if not text.endswith(("\n", "\r")):
            text += found.newline
        return f"{text}{line}{found.newline}"

    return _changed(vault, change, path, client, "pinned")


def unpin(vault: MemoryStore, name: str, client: str) -> Pins:
    """Unpin a note, or one that is gone by the path of its line."""
    vault.check_writes("nothing was unpinned")
    rows, path = vault.rows(), _path(name)
    if path not in pinned(vault).gone:
        exact = vault.exact(name)
        if exact is None:
            raise NoteNotFound(name, (vault.find(name),))
        path = exact

    def change(found: FileText) -> str:
        lines = _WITH_END.findall(found.text)
        parsed = [parse_line(line) for line in lines]
        notes = _notes_of([pin for pin in parsed if isinstance(pin, PinLine)], rows)
        return "".join(
            line
            for line, pin in zip(lines, parsed, strict=True)
            if not isinstance(pin, PinLine) or path not in {pin.path, notes[pin]}
        )

    return _changed(vault, change, path, client, "unpinned")


def _changed(
    vault: MemoryStore,
    change: Callable[[FileText], str],
    path: NotePath,
    client: str,
    why: str,
) -> Pins:
    file = NotePath(f"{vault.folder}/{FILE}")
    applied = rewrite(vault.writer(client), file, change, why=why)
    return structs.replace(pinned(vault), changed=None if applied is None else path)
