"""Everything that can go wrong, named for what happened.

Each error carries its facts and prints as one sentence that a person can act on.

    GlassmindError
    ├── ConfigError            something in the configuration cannot be used
    │   ├── NoVault, VaultAbsent (with VaultClosed), SeveralVaults, UnlikelyVault (with
    │   │   TooWide, NoNotesThere, InsideVault, AboveVaults)
    │   └── BadConfigFile, BadSetting, ConfigExists (with VaultChosen), ConfigUnwritable
    ├── VaultError             the vault on disk cannot be read as asked
    │   ├── VaultMissing, MassDeletion, PathOutsideVault, FolderUnwritable, WriteRefused
    │   ├── FileUnreadable     with FileGone and FileTooLarge
    │   ├── NoteNotFound, AmbiguousName, EditRefused
    │   └── HeadingNotFound, AmbiguousHeading, LinesOutOfRange
    ├── IndexFault             the index beside the vault cannot be used as asked
    │   ├── IndexAbsent, NotEmbedded, IndexBusy (with IndexTaken), IndexUnwritable,
    │   │   IndexDamaged, IndexTooNew
    │   └── BackupExists, BackupMissing, BackupUnwritable, BackupDamaged,
    │       BackupOfAnotherVault
    ├── ModelFault             a model cannot be used
    │   └── UnknownModel, NoModelChosen, ModelAbsent, ModelDamaged, ModelFailed,
    │       RemoteRefused
    ├── ServingFault           a call cannot be taken, or a server cannot be started
    │   └── BadArgument, UnknownToolset, ToolsetsClash, StillIndexing, CallAbandoned,
    │       PortTaken, AddressUnusable, TokenNeeded, BadToken, TokenUnreadable
    │       (errors.serving); BadScope, BadClientName, ClientExists, ClientUnknown,
    │       ClientChanged, ClientsUnreadable, ClientsUnwritable, BeyondToolsets
    │       (errors.access)
    └── QueryError             what was asked cannot be understood
        └── WrongUsage, NothingAsked, BadLimit, BadWish, BadDate
"""

from glassmind.errors.base import GlassmindError, way_in
from glassmind.errors.config import (
    AboveVaults,
    BadConfigFile,
    BadSetting,
    ConfigError,
    ConfigExists,
    ConfigUnwritable,
    InsideVault,
    NoNotesThere,
    NoVault,
    SeveralVaults,
    TooWide,
    UnlikelyVault,
    VaultAbsent,
    VaultChosen,
    VaultClosed,
)
from glassmind.errors.models import (
    ModelAbsent,
    ModelDamaged,
    ModelFailed,
    ModelFault,
    NoModelChosen,
    RemoteRefused,
    UnknownModel,
)

__all__ = [
    "AboveVaults",
    "BadConfigFile",
    "BadSetting",
    "ConfigError",
    "ConfigExists",
    "ConfigUnwritable",
    "GlassmindError",
    "InsideVault",
    "ModelAbsent",
    "ModelDamaged",
    "ModelFailed",
    "ModelFault",
    "NoModelChosen",
    "NoNotesThere",
    "NoVault",
    "RemoteRefused",
    "SeveralVaults",
    "TooWide",
    "UnknownModel",
    "UnlikelyVault",
    "VaultAbsent",
    "VaultChosen",
    "VaultClosed",
]


class VaultError(GlassmindError):
    """The vault on disk cannot be read as asked."""


class IndexFault(GlassmindError):
    """The index beside the vault cannot be used as asked."""


class QueryError(GlassmindError):
    """What was asked cannot be understood."""


class WrongUsage(QueryError):
    """A command was called in a way it does not know."""

    def __init__(self, problem: str, command: str = "") -> None:
        see = " ".join(word for word in ("glassmind", command, "--help") if word)
        super().__init__(f"{problem}; see: {see}")
        self.problem, self.command = problem, command


class NothingAsked(QueryError):
    """A query holds neither words nor filters."""

    def __init__(self) -> None:
        super().__init__("nothing to search for is given: write words or a filter")


class BadLimit(QueryError):
    """A number of hits that cannot be given."""

    def __init__(self, limit: int, most: int) -> None:
        super().__init__(f"limit {limit} cannot be met: it must be from 1 to {most:,}")
        self.limit, self.most = limit, most


class BadWish(QueryError):
    """A search is wished for that cannot be made."""

    def __init__(self, name: str, value: object, bounds: str) -> None:
        super().__init__(f"{name} {value} cannot be met: it must be {bounds}")
        self.name, self.value, self.bounds = name, value, bounds


class BadDate(QueryError):
    """A date filter that names no day."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:80]!r} is no day: write YYYY-MM-DD, YYYY-MM, YYYY, today, "
            "yesterday, or how long ago, such as 7d, 2w, 3m, 1y"
        )
        self.text = text


class IndexAbsent(IndexFault):
    """There is no index yet."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"no index in {folder} yet; run: glassmind index")
        self.folder = folder


class NotEmbedded(IndexFault):
    """Nothing was embedded yet, or is in place, so that meaning could find it."""

    def __init__(self, lacking: str, remedy: str) -> None:
        super().__init__(f"{lacking}; {remedy}")


class IndexBusy(IndexFault):
    """Another process has been writing the index for longer than we may wait."""

    def __init__(self, holder: str, waited_s: float) -> None:
        super().__init__(
            f"the index is being written by {holder}; waited {waited_s:.0f} s. "
            "Try again when it is done"
        )
        self.holder, self.waited_s = holder, waited_s


class IndexTaken(IndexBusy):
    """Another process went on in our place, since we seemed to hang."""

    def __init__(self, holder: str) -> None:
        IndexFault.__init__(
            self,
            f"{holder} writes the index now, since this one was stopped for a while; "
            "what was written is kept. Run it again",
        )
        self.holder, self.waited_s = holder, 0.0


class IndexUnwritable(IndexFault):
    """No place for the index can be written."""

    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(
            f"the index in {folder} cannot be written ({reason}); free the disk or set "
            "index.location to a folder you can write"
        )
        self.folder, self.reason = folder, reason


class IndexDamaged(IndexFault):
    """A file of the index is not what we wrote."""

    def __init__(self, file: str, reason: str) -> None:
        # whatever is not the rows themselves is made anew from them
        wish = "--rebuild" if file.endswith("index.db") else "--verify"
        super().__init__(f"{file} is damaged ({reason}); run: glassmind index {wish}")
        self.file, self.reason = file, reason


class IndexTooNew(IndexFault):
    """The index was written by a later release."""

    def __init__(self, file: str, found: int, known: int) -> None:
        super().__init__(
            f"{file} has schema {found}, this release knows {known}; "
            "upgrade glassmind, or run: glassmind index --rebuild"
        )
        self.file, self.found, self.known = file, found, known


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


class FileUnreadable(VaultError):
    """A file of the vault cannot be read now."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason = path, reason


class FileGone(FileUnreadable):
    """A file of the vault is not there (any more)."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "there is no such file; index again if it was moved")


class FileTooLarge(FileUnreadable):
    """A file of the vault is larger than we may read."""

    def __init__(self, path: str, limit_bytes: int) -> None:
        super().__init__(path, f"it is larger than {limit_bytes:,} bytes")
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


class AmbiguousName(VaultError):
    """Several notes go by the name that was given."""

    def __init__(self, name: str, candidates: tuple[str, ...], total: int) -> None:
        more = f" and {total - len(candidates)} more" if total > len(candidates) else ""
        super().__init__(
            f"{name[:200]!r} may mean {', '.join(candidates)}{more}; give the path"
        )
        self.name, self.candidates, self.total = name, candidates, total


class HeadingNotFound(VaultError):
    """A note has no such heading."""

    def __init__(self, path: str, heading: str, there: tuple[str, ...]) -> None:
        known = f"; it has: {', '.join(there[:10])}" if there else "; it has none"
        super().__init__(f"{path} has no heading {heading[:200]!r}{known}")
        self.path, self.heading, self.there = path, heading, there


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


class BackupExists(IndexFault):
    """A backup would replace a file."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} exists already; name another file")
        self.file = file


class BackupUnwritable(IndexFault):
    """A copy of the index could not be written where it was to go."""

    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(f"no copy can be written in {folder} ({reason})")
        self.folder, self.reason = folder, reason


class BackupMissing(IndexFault):
    """There is no file where a backup should be."""

    def __init__(self, file: str) -> None:
        super().__init__(f"there is no file {file}; name what glassmind backup wrote")
        self.file = file


class BackupOfAnotherVault(IndexFault):
    """A backup holds notes that the vault does not have."""

    def __init__(self, file: str, vault: str, *, there: int, notes: int) -> None:
        super().__init__(
            f"{file} seems to be of another vault: of {notes:,} of its notes, {vault} "
            f"has {there:,}; name the other vault, or use --force; nothing was changed"
        )
        self.file, self.vault, self.there, self.notes = file, vault, there, notes


class BackupDamaged(IndexFault):
    """A file is no backup that could be taken back."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file} is no sound backup ({reason}); nothing was changed")
        self.file, self.reason = file, reason
