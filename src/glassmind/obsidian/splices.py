"""Putting other bytes in some places of a text."""

from collections.abc import Iterable

from glassmind.errors.editing import EditRefused
from glassmind.model.editing import Splice


def spliced(source: bytes, splices: Iterable[Splice]) -> bytes:
    """Return bytes with some stretches replaced, in whatever order they are given.

    Of several that add something at one place, the first stands first.

    Raises:
        EditRefused: two of them overlap.
    """
    pieces: list[bytes] = []
    last = 0
    for start, end, text in sorted(splices, key=lambda splice: splice[:2]):
        if start < last:
            raise EditRefused("two changes of one place")
        pieces += (source[last:start], text)
        last = end
    return b"".join((*pieces, source[last:]))
