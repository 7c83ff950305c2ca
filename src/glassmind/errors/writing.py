"""What can go wrong between the wish to write a file of the vault and the disk."""

from glassmind.errors import VaultError


class WriteRefused(VaultError):
    """A file of the vault was not written; it is as it was."""


class WritesOff(WriteRefused):
    """The settings let nothing be written; `undone` says what came of an act so."""

    def __init__(self, path: str, undone: str = "") -> None:
        done = undone or f"{path} was not written"
        super().__init__(
            f"{done}: the settings let nothing be written to the "
            'vault; set writes.mode to "agent-only" or more, and leave '
            "writes.agent_dir a folder"
        )
        self.path = path


class NotOursToWrite(WriteRefused):
    """A file outside the agent folder was to be written."""

    def __init__(self, path: str, folder: str) -> None:
        super().__init__(
            f"{path} was not written: only files below {folder}/ are written directly"
        )
        self.path, self.folder = path, folder


class NoteChanged(WriteRefused):
    """The file on disk is not the one the caller read; empty stands for no file."""

    def __init__(self, path: str, *, expected: str, found: str) -> None:
        super().__init__(f"{path} changed since it was read; read it again")
        self.path, self.expected, self.found = path, expected, found


class NoteGone(NoteChanged):
    """The file of a change that waited is there no more, or has another name."""

    def __init__(self, path: str, *, expected: str) -> None:
        super().__init__(path, expected=expected, found="")
        why = "deleted or renamed since"
        self.args = (f"{path} is gone, {why}: reject what was proposed, and ask anew",)


class NameTaken(WriteRefused):
    """A file was to get a name that another has; `but` says what is with that one."""

    def __init__(self, path: str, but: str = "") -> None:
        said = f"{path} was not written: there is a file of that name"
        super().__init__(f"{said}, but {but}" if but else said)
        self.path = path


class WriteFailed(WriteRefused):
    """The disk did not take a file; the one before, if any, is untouched."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was not written: {reason}; it is as it was")
        self.path, self.reason = path, reason


class NotTakenBack(VaultError):
    """A change failed half way, and not every file of it could be put back."""

    def __init__(self, path: str, count: int, reason: str) -> None:
        others = f" and {count - 1} more" if count > 1 else ""
        super().__init__(
            f"{path}{others} could not be put back after a change failed ({reason}); "
            "the next edit finishes it or takes it back"
        )
        self.path, self.count, self.reason = path, count, reason
