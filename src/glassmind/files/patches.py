r"""Reading what `git log --raw` prints, with patches, whatever the notes in it say.

Each commit begins with a NUL at the start of a line, which no line of a file can, since
those are marked by `+` or `-`. How many lines of a file follow is counted, so that none
is taken for a heading, be it `+++ b/Other.md`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from unicodedata import normalize

from glassmind.model.history import ChangeKind, Commit, FileChange

FORMAT = "tformat:%x00%H %aI"
"""How a commit is to be printed: a NUL, its id, and when it was written."""

_KINDS: dict[str, ChangeKind] = {
    "A": "added",
    "C": "added",
    "M": "changed",
    "T": "changed",
    "R": "renamed",
    "D": "removed",
}
_LINK_SIGNS = (b"[[", b"](", b'"file"')
"""What every line with a link has: of a note the first two, of a canvas any."""

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_OCTAL = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_CONTROLS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}


def changes_in(lines: Iterable[bytes]) -> Iterator[FileChange]:
    """Yield the changes in the order printed; a path is relative to the repository.

    Of the lines that a file gained those are told which can hold a link. What was cut
    off in the middle is taken as far as it goes; no more is held than one commit has.
    """
    rest = iter(lines)
    commit: Commit | None = None
    found: dict[str, tuple[FileChange, list[str]]] = {}
    here: list[str] = []
    for line in rest:
        if line.startswith(b"\0"):
            yield from _told(found)
            commit, found, here = _commit(line), {}, []
        elif commit is None:
            continue
        elif line.startswith(b":"):
            for change in _change(line, commit):
                found[change.path] = change, []
        elif line.startswith(b"+++ "):
            _, here = found.get(_side(line[4:]), (None, []))
        elif (hunk := _HUNK.match(line)) is not None:
            counts = [1 if count is None else int(count) for count in hunk.groups()]
            here += _added(rest, sum(counts))
    yield from _told(found)


def _told(found: Mapping[str, tuple[FileChange, list[str]]]) -> Iterator[FileChange]:
    for change, added in found.values():
        yield change._replace(added=tuple(added))


def _commit(line: bytes) -> Commit | None:
    """Return the commit of a heading; None where its date is none."""
    name, _, written = line[1:].decode("ascii", "replace").partition(" ")
    try:
        when = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    day, _, time = when.isoformat(timespec="seconds").partition("T")
    return Commit(name, day, time)


def _change(line: bytes, commit: Commit) -> Iterator[FileChange]:
    heading, *paths = line.split(b"\t")
    kind = _KINDS.get(heading.rpartition(b" ")[2][:1].decode("ascii", "replace"))
    if kind is None or not paths:
        return
    names = [unquoted(path) for path in paths]
    former = names[0] if kind == "renamed" else ""
    blob = b"".join(heading.split(b" ")[3:4]).decode("ascii", "replace")
    yield FileChange(commit, kind, names[-1], former, blob=blob)


def _side(name: bytes) -> str:
    return unquoted(name.removesuffix(b"\t")).removeprefix("b/")


def _added(lines: Iterator[bytes], count: int) -> list[str]:
    """Return what can hold a link of the added among the next lines of a file."""
    found = []
    while count and (line := next(lines, None)) is not None:
        if line.startswith(b"\\"):  # says that the file does not end with a line feed
            continue
        count -= 1
        if line.startswith(b"+") and any(sign in line for sign in _LINK_SIGNS):
            found.append(line[1:].decode("utf-8", "replace"))
    return found


def unquoted(name: bytes) -> str:
    """Return a path as git writes it, in quotes where it holds odd characters."""
    if len(name) > 1 and name.startswith(b'"') and name.endswith(b'"'):
        name = _OCTAL.sub(_unescaped, name[1:-1])
    return normalize("NFC", name.decode("utf-8", "replace"))


def _unescaped(found: "re.Match[bytes]") -> bytes:
    said = found[1]
    if len(said) > 1:
        return bytes([int(said, 8) & 0xFF])
    return bytes([_CONTROLS[said]]) if said in _CONTROLS else said
