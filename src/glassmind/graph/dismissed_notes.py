"""Which notes the lines of the dismissals mean now, all lines at once.

The path counts. Where it is another note's by now, the one note of that name counts
that has the bytes of then. A note that stands elsewhere is known by its path in other
letters, by the bytes it had, or by its title; each counts where it is that of one note
alone. What was written by hand may also say the title, or the name of the file.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from glassmind.files.resolve import fold, name_key
from glassmind.graph.dismissal_lines import Side
from glassmind.model import NotePath

if TYPE_CHECKING:
    from glassmind.ports.knowledge import Pairs

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
