"""What can go wrong in reading a vault on disk."""

from glassmind.errors.base import Disclosed, GlassmindError, way_in


class VaultError(GlassmindError):
    """The vault on disk cannot be read as asked; `path` is the file, or empty."""

    path: str = ""

    def discloses(self) -> Disclosed:
        return Disclosed((self.path,))


class MassDeletion(VaultError):
    """More of the vault seems gone than anyone deletes on purpose."""

    def __init__(self, gone: int, known: int) -> None:
        super().__init__(
            f"{gone} of {known} notes seem gone; nothing was removed from the index. "
            "If the vault is all there, run: glassmind index --accept-deletions"
        )
        self.gone, self.known = gone, known


class VaultMissing(VaultError):
    """There is no readable folder where the vault should be."""

    def __init__(self, root: str, reason: str) -> None:
        super().__init__(
            f"the vault {root} cannot be read ({reason}); "
            + way_in(reason, "check the path, and that its disk is mounted")
        )
        self.root, self.reason = root, reason


class PathOutsideVault(VaultError):
    """A path does not name a place inside the vault."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path[:200]!r} is no path inside the vault ({reason}); name a file "
            "relative to the vault, such as Folder/Note.md"
        )
        self.path, self.reason = path, reason


class SymlinkInPath(PathOutsideVault):
    """A part of a path is a symbolic link, which is never followed."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "it contains a symbolic link")


class FileUnreadable(VaultError):
    """A file of the vault cannot be read now."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason = path, reason


class FileGone(FileUnreadable):
    """A file of the vault is not there (any more)."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "there is no such file; index again if it was moved")


class NotDownloaded(FileUnreadable):
    """A file of the vault is kept elsewhere by a sync, as iCloud does with some."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, f"it is {reason}")


class FileTooLarge(FileUnreadable):
    """A file of the vault is too large to read."""

    def __init__(self, path: str, limit_bytes: int, remedy: str = "") -> None:
        super().__init__(path, f"it is larger than {limit_bytes:,} bytes{remedy}")
        self.limit_bytes = limit_bytes


class FolderUnwritable(VaultError):
    """A folder of the vault could not be made."""

    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(f"{folder} could not be made: {reason}")
        self.folder, self.reason = folder, reason


class NoteNotFound(VaultError):
    """No note goes by the name that was given."""

    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        hint = f"; closest: {', '.join(closest)}" if closest else ""
        super().__init__(f"no note is called {name[:200]!r}{hint}")
        self.name, self.closest = name, closest

    def discloses(self) -> Disclosed:
        return Disclosed(self.closest)


class AmbiguousName(VaultError):
    """Several notes go by the name that was given."""

    def __init__(self, name: str, candidates: tuple[str, ...], total: int) -> None:
        more = f" and {total - len(candidates)} more" if total > len(candidates) else ""
        super().__init__(
            f"{name[:200]!r} may mean {', '.join(candidates)}{more}; give the path"
        )
        self.name, self.candidates, self.total = name, candidates, total

    def discloses(self) -> Disclosed:
        return Disclosed(self.candidates)


class HeadingNotFound(VaultError):
    """A note has no such heading."""

    def __init__(self, path: str, heading: str, there: tuple[str, ...]) -> None:
        known = f"; it has: {', '.join(there[:10])}" if there else "; it has none"
        super().__init__(f"{path} has no heading {heading[:200]!r}{known}")
        self.path, self.heading, self.there = path, heading, there

    def discloses(self) -> Disclosed:
        return Disclosed((self.path,), (self.path,) if self.there else ())


class AmbiguousHeading(VaultError):
    """Several headings of a note have the same text."""

    def __init__(self, path: str, heading: str, lines: tuple[int, ...]) -> None:
        at = ", ".join(str(line) for line in lines[:10])
        super().__init__(
            f"{path} has {heading[:200]!r} {len(lines)} times (lines {at}); "
            "name the heading above it too, as Above#Heading"
        )
        self.path, self.heading, self.lines = path, heading, lines


class LinesOutOfRange(VaultError):
    """A note has no such lines."""

    def __init__(self, path: str, wanted: str, count: int) -> None:
        lines = "1 line" if count == 1 else f"{count} lines"
        super().__init__(f"{path} has {lines}; {wanted} is not among them")
        self.path, self.wanted, self.count = path, wanted, count


class OffsetOutOfRange(VaultError):
    """A note is shorter than the offset that was given."""

    def __init__(self, path: str, offset: int, length: int) -> None:
        super().__init__(
            f"{path} has {length} characters; offset {offset} is past them"
        )
        self.path, self.offset, self.length = path, offset, length
