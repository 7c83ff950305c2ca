"""Reading a word index in a folder that cannot be written.

tantivy makes a lock file even to read, so it is given a temporary folder of links
instead.
"""

import tempfile
from pathlib import Path


class StillPlace:
    """A folder of links to the files of an index; owns the folder."""

    def __init__(self, place: Path) -> None:
        self._owned = tempfile.TemporaryDirectory(prefix="glassmind-")
        self.folder = Path(self._owned.name)
        for file in place.iterdir():
            if file.suffix != ".lock":
                (self.folder / file.name).symlink_to(file.resolve())

    def close(self) -> None:
        """Remove the links."""
        self._owned.cleanup()
