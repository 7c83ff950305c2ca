"""The names of files that are there and were left out of the index."""

import os
from collections.abc import Iterable
from pathlib import Path
from unicodedata import normalize

from glassmind.vault.resolve import fold, name_key

MOST_NAMES = 100_000
"""Names that are looked at: more than any vault has notes that nobody reads."""


def left_out_names(root: Path, skipped: Iterable[str]) -> frozenset[str]:
    """Return what links would call the files that were skipped, alone or in a folder.

    No file is opened and no link followed. A folder that cannot be listed has no names.
    """
    found: set[str] = set()
    for path in skipped:
        found |= {name_key(path), fold(path.rpartition("/")[2])}
        for _, folders, names in os.walk(root / path):
            folders.sort()
            for name in names:
                plain = normalize("NFC", name)
                found |= {name_key(plain), fold(plain)}
            if len(found) > MOST_NAMES:
                return frozenset(found)
    return frozenset(found)


def is_left_out(target: str, names: frozenset[str]) -> bool:
    """Whether a link that finds no indexed file means one of those left out."""
    return name_key(target) in names or fold(target.rpartition("/")[2]) in names
