"""The sha256 of files, read piece by piece."""

import hashlib
from pathlib import Path

PIECE_BYTES = 1024 * 1024


def sha256_of(file: Path) -> str:
    """Return the sha256 of a file in hexadecimal digits.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while piece := opened.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()
