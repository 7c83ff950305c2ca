"""What the history of a vault tells of its files."""

from typing import Literal, NamedTuple, TypeAlias

ChangeKind: TypeAlias = Literal["added", "changed", "renamed", "removed"]


class Commit(NamedTuple):
    """One step of the history; day and time as its author's clock showed them.

    `day` is `YYYY-MM-DD`, `time` is `HH:MM:SS` with its offset from UTC.
    """

    id: str
    day: str
    time: str


class FileChange(NamedTuple):
    """What a commit did to a file; `former` is its path before, empty if the same.

    `added` are the lines that it brought.
    """

    commit: Commit
    kind: ChangeKind
    path: str
    former: str
    added: tuple[str, ...]


class FileHistory(NamedTuple):
    """Changes, the oldest first; `cut`: there was more than could be read."""

    changes: tuple[FileChange, ...]
    cut: bool
