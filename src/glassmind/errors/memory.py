"""Errors of saved memories."""

from shlex import quote

from glassmind.errors import NoteNotFound, QueryError, VaultError


class BadMemo(QueryError):
    """What should be captured cannot be saved; `part` of it is wrong."""

    def __init__(self, part: str, problem: str) -> None:
        super().__init__(f"the {part} cannot be kept: {problem}; nothing was written")
        self.part, self.problem = part, problem


class MemoUnreadable(VaultError):
    """A note of the agent folder cannot be read or changed as a memory."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} is not a valid memory: {reason}")
        self.path, self.reason = path, reason


class UnknownKind(QueryError):
    """There is no such kind of memory."""

    def __init__(self, kind: str, known: tuple[str, ...]) -> None:
        super().__init__(f"kind must be one of {', '.join(known)} (got {kind[:80]!r})")
        self.kind, self.known = kind, known


class MemoNotFound(NoteNotFound):
    """No memory has this name; nothing is written on a guess."""

    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        super().__init__(name, closest)
        hint = f"; closest: {', '.join(closest)}" if closest else ""
        self.args = (f"no memory named {name[:200]!r}{hint}",)


class NotAMemo(VaultError):
    """The note is not a memory of the agent folder."""

    def __init__(self, path: str, folder: str) -> None:
        super().__init__(
            f"{path} is not a memory: only what was captured below {folder}/ can be "
            "moved or marked"
        )
        self.path, self.folder = path, folder


class MemoAstray(VaultError):
    """A person moved the memory out of the agent folder."""

    def __init__(self, path: str, folder: str, *, waits: bool = False) -> None:
        kept = "set `generated: false` in it to approve it where it is, or "
        super().__init__(
            f"{path} was captured, but is outside of {folder}/, where nothing is "
            f"written for you: {kept if waits else ''}move it back below {folder}/"
        )
        self.path, self.folder, self.waits = path, folder, waits


class NotWaiting(VaultError):
    """The memory does not wait in the inbox, or no longer does."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} does not wait in the inbox; see: glassmind inbox list"
        )
        self.path = path


class StillWaiting(VaultError):
    """The memory waits in the inbox, but must be accepted first."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} still waits in the inbox; first run: "
            f"glassmind inbox accept {quote(path)}"
        )
        self.path = path


class EditSetAside(VaultError):
    """The text that a person wrote could not be saved; it is in `file`."""

    def __init__(self, reason: str, file: str) -> None:
        super().__init__(f"{reason}; your text is in {file}")
        self.reason, self.file = reason, file


class NotMerged(VaultError):
    """Nobody would find the memory in the other one; both are unchanged."""

    def __init__(self, path: str, into: str, reason: str) -> None:
        super().__init__(
            f"{path} is not merged with {into}: {reason}, so nobody would find it "
            f"there; to keep it on its own: glassmind inbox accept {quote(path)}"
        )
        self.path, self.into, self.reason = path, into, reason


class NotSuperseded(VaultError):
    """One memory cannot replace the other; both are unchanged."""

    def __init__(self, old: str, new: str, reason: str) -> None:
        super().__init__(f"{old} is not superseded by {new}: {reason}")
        self.old, self.new, self.reason = old, new, reason
