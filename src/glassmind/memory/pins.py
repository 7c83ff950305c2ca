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
from glassmind.memory.vault import MemoryVault
from glassmind.model import NotePath
from glassmind.model.memory import Pins
from glassmind.store.protocol import Rows

FILE = "pinned.txt"

HEAD = (
    "# Notes that Glassmind keeps warm, one a line. Delete a line to let one cool.",
)

SHORT = 12
"""Characters of a digest in a line: 48 bits, used only if the path is gone."""

MOST_TOLD = 10
"""Lines that are named as wrong."""

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
    text = line.strip().removeprefix("\ufeff").strip()
    if not text or text.startswith("#"):
        return None
    if not text.startswith('"'):
        return PinLine(_path(text))
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return 'write: "Folder/Note.md"'
    path, title, digest = found.groups()
    try:
        pin = PinLine(_path(_plain(path)), _plain(title or '""'), digest or "")
        "".join(pin).encode()
    except UnicodeEncodeError:
        return "it holds half a character"
    except ValueError:
        return "its quotes do not match"
    return pin if pin.path else 'write: "Folder/Note.md"'


def _plain(quoted: str) -> str:
    return str(_QUOTED.decode(quoted))


def _path(text: str) -> NotePath:
    while text.startswith(("./", "/")):
        text = text.removeprefix("./").removeprefix("/")
    return NotePath(normalize("NFC", text))


def line_of(one: PinLine) -> str:
    title = f" title {_quoted(one.title)}" if one.title else ""
    digest = f" digest {one.digest}" if one.digest else ""
    return f"{_quoted(one.path)}{title}{digest}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def pinned(vault: MemoryVault) -> Pins:
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
    found = _resolved(_WITH_END.findall(text.text), rows, path)
    return found if files.sees_all else Pins(found.paths)


def _resolved(lines: list[str], rows: Rows, file: NotePath) -> Pins:
    parsed = [(number, parse_line(line)) for number, line in enumerate(lines, 1)]
    meant = _meant([one for _, one in parsed if isinstance(one, PinLine)], rows)
    gone: dict[NotePath, None] = {}
    problems = []
    for number, one in parsed:
        if isinstance(one, str):
            problems.append(f"{file} line {number} is not followed: {one}")
        elif one and meant[one] is None:
            gone[one.path] = None
            why = f"{one.path} is gone, or was both moved and changed"
            problems.append(f"{file} line {number}: {why}")
    more = len(problems) - MOST_TOLD
    rest = [f"{more:,} more lines are not followed"] if more > 0 else []
    paths = dict.fromkeys(path for path in meant.values() if path)
    return Pins(tuple(paths), (*problems[:MOST_TOLD], *rest), gone=tuple(gone))


def _meant(lines: Collection[PinLine], rows: Rows) -> dict[PinLine, NotePath | None]:
    there = {file.path for file in rows.files(paths={one.path for one in lines})}
    lost = [one for one in lines if one.path not in there]
    digests = {one.digest for one in lost if one.digest}
    digested = rows.notes(digests=digests) if digests else []
    names = {one: one.title or one.path.removesuffix(".md") for one in lost}
    titled = rows.notes(titles={*names.values()}) if lost else []
    found: dict[PinLine, NotePath | None] = {}
    for one in lines:
        if one.path in there:
            found[one] = one.path
            continue
        moved = [n for n in digested if one.digest and n.digest.startswith(one.digest)]
        same = moved or [note for note in titled if note.title == names[one]]
        found[one] = same[0].path if len(same) == 1 else None
    return found


def pin(vault: MemoryVault, name: str, client: str) -> Pins:
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
        if path in _resolved(_WITH_END.findall(found.text), rows, path).paths:
            return found.text
        text = found.text or found.newline.join((*HEAD, ""))
        if not text.endswith(("\n", "\r")):
            text += found.newline
        return f"{text}{line}{found.newline}"

    return _changed(vault, change, path, client, "pinned")


def unpin(vault: MemoryVault, name: str, client: str) -> Pins:
    """Unpin a note, or one that is gone by the path of its line."""
    vault.check_writes("nothing was unpinned")
    rows, own = vault.rows(), _path(name)
    lines = _lines_now(vault)
    is_line = own in {one.path for one in lines}
    path = own if is_line else vault.exact(name)
    if path is None:
        raise NoteNotFound(name, (vault.find(name),))

    def change(found: FileText) -> str:
        lines = _WITH_END.findall(found.text)
        parsed = [parse_line(line) for line in lines]
        meant = _meant([one for one in parsed if isinstance(one, PinLine)], rows)
        return "".join(
            line
            for line, one in zip(lines, parsed, strict=True)
            if not isinstance(one, PinLine) or path not in {one.path, meant[one]}
        )

    return _changed(vault, change, path, client, "unpinned")


def _lines_now(vault: MemoryVault) -> list[PinLine]:
    try:
        with vault.files() as files:
            text = decode(files.read(f"{vault.folder}/{FILE}"))
    except VaultError:
        return []
    lines = [] if isinstance(text, Unreadable) else _WITH_END.findall(text.text)
    return [one for line in lines if isinstance(one := parse_line(line), PinLine)]


def _changed(
    vault: MemoryVault,
    change: Callable[[FileText], str],
    path: NotePath,
    client: str,
    why: str,
) -> Pins:
    file = NotePath(f"{vault.folder}/{FILE}")
    made = rewrite(vault.writer(client), file, change, why=why)
    return structs.replace(pinned(vault), changed=None if made is None else path)
