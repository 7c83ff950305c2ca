"""The notes that are compared, in order of path, kept from one change to the next."""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable

import xxhash

from glassmind.graph.pairs.scale import SAMPLE
from glassmind.model.pairs import Mark

FEW = 1_000
"""Changes up to which what is known is mended; with more, all is read again."""


class Order:
    """Notes by path, and the sample among them: those whose paths have least hashes.

    Of such a sample, one note that comes or goes changes one. `mark` is the last change
    that was taken in.
    """

    def __init__(self, notes: Iterable[tuple[int, str]], mark: Mark) -> None:
        """Take the notes with their paths, by path."""
        self._path_of = dict(notes)
        self.ids = list(self._path_of)
        self._paths = list(self._path_of.values())
        self._hashed = sorted((_hash(path), path) for path in self._paths)
        self.mark = mark

    def sample(self) -> tuple[int, ...]:
        """Return the notes of the sample, by path."""
        paths = sorted(path for _, path in self._hashed[:SAMPLE])
        return tuple(self.ids[bisect_left(self._paths, path)] for path in paths)

    def change(
        self, changed: Collection[int], now: Iterable[tuple[int, str]], mark: Mark
    ) -> None:
        """Take changes in: `now` are those of the changed that have a vector still."""
        for note in changed:
            path = self._path_of.pop(note, None)
            if path is not None:
                at = bisect_left(self._paths, path)
                del self._paths[at], self.ids[at]
                del self._hashed[bisect_left(self._hashed, (_hash(path), path))]
        for note, path in now:
            at = bisect_left(self._paths, path)
            self._paths.insert(at, path)
            self.ids.insert(at, note)
            self._path_of[note] = path
            insort(self._hashed, (_hash(path), path))
        self.mark = mark


def _hash(path: str) -> int:
    return xxhash.xxh3_64_intdigest(path.encode())
