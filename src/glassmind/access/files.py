"""The files of a vault for somebody who may not read every note.

What the index says of a note may be older than its file. So whoever is given text of a
file is judged by that very text: a note that became private a moment ago is not there.
"""

import os
import re
import stat
from pathlib import Path

from glassmind.access.reading import ReadPolicy
from glassmind.errors import FileGone, SymlinkInPath, VaultError
from glassmind.files.read import VaultFiles
from glassmind.files.scan import kind_of
from glassmind.model import MAX_NOTE_BYTES, NotePath

_OF_NOTE = re.compile(r"\.(?:md|canvas|base)(?![^\W_])", re.IGNORECASE)
"""What tells that a file was made from a note by a program, as `Diary.md~`."""


class ReadableFiles(VaultFiles):
    """Reads the files of a vault that a policy lets be read; no others are there."""

    hides_secrets = True
    sees_all = False

    def __init__(
        self,
        root: Path,
        policy: ReadPolicy,
        *,
        limit_bytes: int = MAX_NOTE_BYTES,
    ) -> None:
        super().__init__(root, limit_bytes=limit_bytes)
        self._policy = policy

    def read(self, path: str, *, limit_bytes: int | None = None) -> bytes:
        raw = super().read(path, limit_bytes=limit_bytes)
        is_note = kind_of(path) != "attachment"
        if is_note and not self._policy.may_read_text(NotePath(path), raw):
            raise FileGone(path)
        return raw

    def stat(self, path: str) -> os.stat_result:
        try:
            return super().stat(path)
        except SymlinkInPath:
            raise FileGone(path) from None

    def _open(self, path: str) -> int:
        try:
            return super()._open(path)
        except SymlinkInPath:
            raise FileGone(path) from None

    def is_still(self, path: str, mtime_ns: int) -> bool:
        try:
            return self.stat(path).st_mtime_ns == mtime_ns or self.may_tell(path)
        except VaultError:
            return False

    def may_tell(self, path: str) -> bool:
        try:
            self.read(path)
        except VaultError:
            return False
        return kind_of(path) != "attachment" or self.may_name(path)

    def may_tell_skipped(self, path: str) -> bool:
        """Whether what is left out of the index may be told of: a file, or a folder.

        A note is judged by its text, or by what looks like text in it. One that cannot
        be opened may be private, and so may what a program made from one. A symbolic
        link is not told of. All else is told of by its place.
        """
        if not self.may_name(path):
            return False
        try:
            facts = self.stat(path)
        except VaultError:
            return False
        is_note = kind_of(path) != "attachment"
        if not is_note and not _OF_NOTE.search(path.rpartition("/")[2]):
            return True
        if stat.S_ISDIR(facts.st_mode):
            return True
        return is_note and self.may_tell(path)

    def may_name(self, path: str) -> bool:
        return self._policy.may_name(path)
