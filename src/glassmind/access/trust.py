"""Who was given text that nobody vouches for, in this process.

What a note says may be written to be read by an agent, and tell it to edit others. The
settings name the notes that may be so, `writes.untrusted`; who was handed one of them,
or something that may hold a piece of one, stays tainted until the process ends.
"""

from collections.abc import Callable, Sequence
from threading import Lock

from glassmind.access.meant import Meant, head_tags
from glassmind.config import Config
from glassmind.errors import FileGone, GlassmindError
from glassmind.files.read import read_file
from glassmind.model import NotePath
from glassmind.obsidian.text import fold


def trust_for(config: Config, tagged: Callable[[str], Sequence[NotePath]]) -> "Trust":
    """Return an empty record, over the notes of a vault as they are now."""
    root = config.vault.path

    def meant(path: NotePath) -> Meant:
        try:
            return head_tags(path, read_file(root, path))
        except FileGone:  # the rows tell
            return Meant()

    return Trust(config.writes.untrusted, tagged, meant)


class Trust:
    """The clients of a process, by what they were handed; for any number of threads.

    `untrusted` are folders, and tags with `#`; none named means every note. `tagged`
    returns the notes with a tag or one below it, `meant` what properties of a note may
    mean as tags now; where they cannot be read they may mean any.
    """

    def __init__(
        self,
        untrusted: Sequence[str],
        tagged: Callable[[str], Sequence[NotePath]],
        meant: Callable[[NotePath], Meant] = lambda _: Meant(),
    ) -> None:
        self._tags = [name for name in untrusted if name.startswith("#")]
        folders = [name for name in untrusted if not name.startswith("#")]
        self._folders = tuple(f"{fold(name.strip('/'))}/" for name in folders)
        self._any = not untrusted
        self._tagged, self._meant, self._lock = tagged, meant, Lock()
        self._tainted: set[str] = set()
        self._open: dict[str, set[NotePath]] = {}

    def hand(self, client: str, paths: Sequence[NotePath] | None) -> None:
        """Remember that a client was given text of notes; None means of any.

        By their folders that is told at once; tags are looked at when it is asked.
        """
        with self._lock:
            if client in self._tainted:
                return
            if paths is None or (self._any and paths) or self._in_folders(paths):
                self._tainted.add(client)
                self._open.pop(client, None)
            elif self._tags:
                self._open.setdefault(client, set()).update(paths)

    def _in_folders(self, paths: Sequence[NotePath]) -> bool:
        return any(fold(path).startswith(self._folders) for path in paths)

    def is_tainted(self, client: str) -> bool:
        """Whether a client was given such a text.

        One that cannot be told, since the rows do not answer, counts as such.
        """
        with self._lock:
            if client not in self._tainted and self._is_tagged(client):
                self._tainted.add(client)
                self._open.pop(client, None)
            return client in self._tainted

    def _is_tagged(self, client: str) -> bool:
        given = self._open.get(client)
        if not given:
            return False
        try:
            if any(not given.isdisjoint(self._tagged(tag)) for tag in self._tags):
                return True
            return any(self._may_be_tagged(path) for path in sorted(given))
        except GlassmindError:
            return True

    def _may_be_tagged(self, path: NotePath) -> bool:
        meant = self._meant(path)
        return not meant.sure or any(meant.has(tag) for tag in self._tags)
