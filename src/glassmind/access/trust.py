"""Who was given text that nobody vouches for, in this process.

What a note says may be written to be read by an agent, and tell it to edit others. The
settings name the notes that may be so, `writes.untrusted`; who was handed one of them,
or something that may hold a piece of one, stays tainted until the process ends.
"""

from collections.abc import Callable, Sequence
from threading import Lock

from glassmind.access.meant import NoteTags, head_tags
from glassmind.config import Config
from glassmind.errors import FileGone, GlassmindError
from glassmind.files.read import read_file
from glassmind.model import NotePath
from glassmind.obsidian.text import fold


class Trust:
    """The clients of a process, by what they were given; for any number of threads.

    `untrusted` are folders, and tags with `#`; none named means every note. `tagged`
    returns the notes with a tag or one below it, `meant` what the properties of a note
    may mean as tags now.
    """

    def __init__(
        self,
        untrusted: Sequence[str],
        tagged: Callable[[str], Sequence[NotePath]],
        meant: Callable[[NotePath], NoteTags],
    ) -> None:
        self._tags = [name for name in untrusted if name.startswith("#")]
        folders = [name for name in untrusted if not name.startswith("#")]
        self._folders = tuple(f"{fold(name.strip('/'))}/" for name in folders)
        self._any = not untrusted
        self._tagged, self._meant, self._lock = tagged, meant, Lock()
        self._tainted: set[str] = set()
        self._unchecked: dict[str, set[NotePath]] = {}

    def hand(self, client: str, paths: Sequence[NotePath] | None) -> None:
        """Record that a client was given text of notes; None means of any."""
        with self._lock:
            if client in self._tainted:
                return
            if (
                paths is None
                or (self._any and paths)
                or any(fold(path).startswith(self._folders) for path in paths)
            ):
                self._taint(client)
            elif self._tags:
                self._unchecked.setdefault(client, set()).update(paths)

    def is_tainted(self, client: str) -> bool:
        with self._lock:
            if client not in self._tainted and self._is_tagged(client):
                self._taint(client)
            return client in self._tainted

    def _taint(self, client: str) -> None:
        self._tainted.add(client)
        self._unchecked.pop(client, None)

    def _is_tagged(self, client: str) -> bool:
        paths = self._unchecked.get(client)
        if not paths:
            return False
        try:
            if any(not paths.isdisjoint(self._tagged(tag)) for tag in self._tags):
                return True
            return any(
                not tags.sure or any(map(tags.has, self._tags))
                for tags in map(self._meant, sorted(paths))
            )
        except GlassmindError:
            return True


def trust_for(config: Config, tagged: Callable[[str], Sequence[NotePath]]) -> Trust:
    def meant(path: NotePath) -> NoteTags:
        try:
            return head_tags(path, read_file(config.vault.path, path))
        except FileGone:  # the rows say its tags
            return NoteTags()

    return Trust(config.writes.untrusted, tagged, meant)
