r"""Reading what `git log --raw -p -U0` prints, whatever the notes in it say.

Each commit begins with a NUL at the start of a line, which no line of a file can, since
those are marked by `+` or `-`. How many lines of a file follow is counted, so that none
is taken for a heading, be it `+++ b/Other.md`.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from unicodedata import normalize

from glassmind.types.history import ChangeKind, Commit, FileChange

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
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_OCTAL = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_CONTROLS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}


def changes_in(printed: bytes) -> list[FileChange]:
    """Return the changes in the order printed; a path is relative to the repository.

    What was cut off in the middle is taken as far as it goes.
    """
    lines = iter(printed.split(b"\n"))
    found: list[tuple[FileChange, list[str]]] = []
    commit: Commit | None = None
    here: list[str] = []
    by_path: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith(b"\0"):
            commit, by_path = _commit(line), {}
        elif commit is None:
            continue
        elif line.startswith(b":"):
            for change in _change(line, commit):
                by_path[change.path] = []
                found.append((change, by_path[change.path]))
        elif line.startswith(b"+++ "):
            here = by_path.get(_side(line[4:]), [])
        elif (hunk := _HUNK.match(line)) is not None:
            counts = [1 if count is None else int(count) for count in hunk.groups()]
            here += _added(lines, sum(counts))
    return [change._replace(added=tuple(added)) for change, added in found]


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
    yield FileChange(commit, kind, names[-1], former, ())


def _side(name: bytes) -> str:
    return unquoted(name.removesuffix(b"\t")).removeprefix("b/")


def _added(lines: Iterator[bytes], count: int) -> list[str]:
    """Return the added of the next so many lines of a file."""
    found = []
    while count and (line := next(lines, None)) is not None:
        if line.startswith(b"\\"):  # says that the file does not end with a line feed
            continue
        count -= 1
        if line.startswith(b"+"):
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
