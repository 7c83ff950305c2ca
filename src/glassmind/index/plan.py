"""Telling what changed: two pictures of the vault, the index's and the disk's."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from glassmind.errors import MassDeletion
from glassmind.model import NotePath
from glassmind.model.files import FileFacts

GUARD_SHARE, GUARD_NOTES = 1 / 3, 20
"""More than this share, and more than this many
notes, gone at once is an unmounted disk or an emptied folder rather than a tidy-up (the
notes apps that believed it lost their users)."""


@dataclass(frozen=True, slots=True)
class Vanished:
    """Notes the index knows and the disk does not, to be matched with new files."""

    by_digest: Mapping[str, tuple[NotePath, ...]]

    @classmethod
    def of(
        cls, missing: Iterable[NotePath], digests: Mapping[NotePath, str]
    ) -> "Vanished":
        """Group the missing notes by what they held."""
        groups: dict[str, list[NotePath]] = {}
        for path in sorted(missing):
            if path in digests:
                groups.setdefault(digests[path], []).append(path)
        return cls({digest: tuple(paths) for digest, paths in groups.items()})

    def origin_of(
        self, file: FileFacts, digest: str, taken: set[NotePath]
    ) -> NotePath | None:
        """Return the missing note that `file` was, if its bytes are one's.

        A note of the same name is preferred, then the first by path; one that is taken
        already, or of another kind of file, is not it.
        """
        if digest not in self.by_digest:
            return None
        found = [
            path
            for path in self.by_digest[digest]
            if path not in taken and _suffix(path) == _suffix(file.path)
        ]
        same = [path for path in found if _name(path) == _name(file.path)]
        return next(iter(same or found), None)


def exceeds(gone: int, known: int) -> bool:
    """Whether more notes are gone than anyone deletes on purpose."""
    return gone > GUARD_NOTES and gone > known * GUARD_SHARE


def guard(gone: int, known: int) -> None:
    """Stop before a large part of the index is thrown away.

    Raises:
        MassDeletion: more notes are gone than anyone deletes on purpose.
    """
    if exceeds(gone, known):
        raise MassDeletion(gone, known)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _suffix(path: str) -> str:
    """Return the ending that decides how a file is read; drawings have their own."""
    name = _name(path).lower()
    drawing = ".excalidraw.md"
    return drawing if name.endswith(drawing) else name.rpartition(".")[2]
