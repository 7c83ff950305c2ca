"""What the history of a vault tells of its files."""

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

ChangeKind: TypeAlias = Literal["added", "changed", "renamed", "removed"]


class Commit(NamedTuple):
    """One step of the history; day and time as its author's clock showed them.

    `day` is `YYYY-MM-DD`, `time` is `HH:MM:SS` with its offset from UTC.
    """

    id: str
    day: str
    time: str

    @property
    def at(self) -> float:
        """The moment, in seconds since 1970: clocks of two places compare by it."""
        return datetime.fromisoformat(f"{self.day}T{self.time}").timestamp()


class FileChange(NamedTuple):
    """What a commit did to a file; `former` is its path before, empty if the same.

    `added` are the lines that it brought, those that can hold a link; `blob` is what
    git calls the bytes of the file after it.
    """

    commit: Commit
    kind: ChangeKind
    path: str
    former: str
    added: tuple[str, ...] = ()
    blob: str = ""
