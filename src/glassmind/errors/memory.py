"""What can go wrong when something is to be remembered."""

from shlex import quote

from glassmind.errors import NoteNotFound, QueryError, VaultError


class BadMemo(QueryError):
    """What is to be captured cannot be kept; `part` of it is wrong."""

    def __init__(self, part: str, problem: str) -> None:
        super().__init__(f"the {part} cannot be kept: {problem}; nothing was written")
        self.part, self.problem = part, problem


class MemoUnreadable(VaultError):
    """A note of the agent folder cannot be read or changed as a memo."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} is no memo that can be used: {reason}")
        self.path, self.reason = path, reason


class UnknownKind(QueryError):
    """A kind of memo is asked for that there is not."""

    def __init__(self, kind: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"there is no kind {kind[:80]!r} of memo; choose from {', '.join(known)}"
        )
        self.kind, self.known = kind, known


class MemoNotFound(NoteNotFound):
    """No memo goes by the name that was given; nothing is written on a guess."""

    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        super().__init__(name, closest)
        hint = f"; closest: {', '.join(closest)}" if closest else ""
        self.args = (f"no memo is called {name[:200]!r}{hint}",)


class NotAMemo(VaultError):
    """A note is named that is no memo of the agent folder."""

    def __init__(self, path: str, folder: str) -> None:
        super().__init__(
            f"{path} is no memo and stays as it is: only what was captured below "
            f"{folder}/ can be moved or marked"
        )
        self.path, self.folder = path, folder


class MemoAstray(VaultError):
    """A memo is named that a person moved out of the agent folder."""

    def __init__(self, path: str, folder: str, *, waits: bool = False) -> None:
        kept = "set `generated: false` in it to approve it where it is, or "
        super().__init__(
            f"{path} was captured, but stands outside {folder}/, where nothing is "
            f"written for you: {kept if waits else ''}move it back below {folder}/"
        )
        self.path, self.folder, self.waits = path, folder, waits


class NotWaiting(VaultError):
    """A memo is named that does not wait in the inbox, or no longer does."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} does not wait in the inbox; see: glassmind inbox list"
        )
        self.path = path


class StillWaiting(VaultError):
    """A memo of the inbox is named where one that is kept is needed."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} waits in the inbox itself; first: "
            f"glassmind inbox accept {quote(path)}"
        )
        self.path = path


class EditSetAside(VaultError):
    """A memo could not be given the text that a person wrote; that is in `file`."""

    def __init__(self, reason: str, file: str) -> None:
        super().__init__(f"{reason}; what you wrote is in {file}")
        self.reason, self.file = reason, file


class NotMerged(VaultError):
    """A memo of the inbox would be lost to view in the other; both are as they were."""

    def __init__(self, path: str, into: str, reason: str) -> None:
        super().__init__(
            f"{path} is not merged with {into}: {reason}, so that nobody would find it "
            f"there; keep it for itself: glassmind inbox accept {quote(path)}"
        )
        self.path, self.into, self.reason = path, into, reason


class NotSuperseded(VaultError):
    """One memo cannot take the place of the other; both are as they were."""

    def __init__(self, old: str, new: str, reason: str) -> None:
        super().__init__(f"{old} is not superseded by {new}: {reason}")
        self.old, self.new, self.reason = old, new, reason
