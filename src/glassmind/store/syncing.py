"""Making names last: a folder is told to the disk as a file is."""

import os
from pathlib import Path


def sync_folder(place: Path | str) -> None:
    """Make the names in a folder last, where the system knows how to.

    Raises:
        OSError: the disk refuses, or its file system cannot be asked.
    """
    if os.name != "posix":  # pragma: no cover
        return
    folder = os.open(place, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
