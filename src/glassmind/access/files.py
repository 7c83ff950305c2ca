"""The files of a vault for somebody who may not read every note.

What the index says of a note may be older than its file. So whoever is given text of a
file is judged by that very text: a note that became private a moment ago is not there.
"""

from pathlib import Path

from glassmind.access.reading import ReadPolicy
from glassmind.errors import FileGone, VaultError
from glassmind.types import NotePath
from glassmind.vault.read import READ_LIMIT_BYTES, VaultFiles
from glassmind.vault.scan import kind_of


class ReadableFiles(VaultFiles):
    """Reads the files of a vault that a policy lets be read; no others are there."""

    hides_secrets = True
    sees_all = False

    def __init__(self, root: Path, policy: ReadPolicy) -> None:
        super().__init__(root)
        self._policy = policy

    def read(self, path: str, *, limit_bytes: int = READ_LIMIT_BYTES) -> bytes:
        """Return the bytes of a file.

        Raises:
            FileGone: there is none, or none that may be read.
        """
        raw = super().read(path, limit_bytes=limit_bytes)
        is_note = kind_of(path) != "attachment"
        if is_note and not self._policy.may_read_text(NotePath(path), raw):
            raise FileGone(path)
        return raw

    def is_still(self, path: str, mtime_ns: int) -> bool:
        """Whether a note may be read that was indexed as it was at a time."""
        try:
            return self.stat(path).st_mtime_ns == mtime_ns or self.may_tell(path)
        except VaultError:
            return False

    def may_tell(self, path: str) -> bool:
        """Whether a file may be told of: it is there, and may be read."""
        try:
            self.read(path)
        except VaultError:
            return False
        return kind_of(path) != "attachment" or self.may_name(path)

    def may_name(self, path: str) -> bool:
        """Whether a file may be told of by its place alone."""
        return self._policy.may_name(path)
