"""Everything that can go wrong, named for what happened.

Each error carries its facts and prints as one sentence that a person can act on.

    GlassmindError
    ├── ConfigError            something in the configuration cannot be used
    │   ├── NoVault, VaultAbsent (with VaultClosed), SeveralVaults, UnlikelyVault (with
    │   │   TooWide, NoNotesThere, InsideVault, AboveVaults)
    │   └── BadConfigFile, BadSetting, ConfigUnwritable, VaultChosen
    ├── VaultError             the vault on disk cannot be read as asked
    │   ├── VaultMissing, MassDeletion, PathOutsideVault, FolderUnwritable, WriteRefused
    │   ├── FileUnreadable     with FileGone, FileTooLarge and NotDownloaded
    │   ├── NoteNotFound, AmbiguousName, EditRefused
    │   └── HeadingNotFound, AmbiguousHeading, LinesOutOfRange,
    │       OffsetOutOfRange
    ├── IndexFault             the index beside the vault cannot be used as asked
    │   ├── IndexAbsent (with IndexUntrusted), NotEmbedded, IndexBusy (with
    │   │   IndexTaken), IndexUnwritable, IndexDamaged, IndexTooNew
    │   └── BackupExists, BackupMissing, BackupUnwritable, BackupDamaged,
    │       BackupOfAnotherVault
    ├── ModelFault             a model cannot be used
    │   └── UnknownModel, NoModelChosen, ModelAbsent, ModelDamaged, ModelFailed
    │       (with OtherWidth), RemoteRefused
    ├── ServingFault           a call cannot be taken, or a server cannot be started
    │   └── BadArgument, UnknownToolset, StillIndexing, CallAbandoned,
    │       PortTaken, AddressUnusable, TokenNeeded, BadToken, TokenUnreadable
    │       (errors.serving); BadScope, BadClientName, ClientExists, ClientUnknown,
    │       ClientChanged, ClientsUnreadable, ClientsUnwritable, BeyondToolsets
    │       (errors.access)
    └── QueryError             what was asked cannot be understood
        └── WrongUsage, NothingAsked, BadLimit, BadWish, BadDate
"""

from importlib import import_module
from typing import TYPE_CHECKING

from glassmind.errors.base import GlassmindError

if TYPE_CHECKING:
    from glassmind.errors.config import (
        BadConfigFile,
        BadSetting,
        ConfigError,
        NoVault,
        VaultAbsent,
        VaultClosed,
    )
    from glassmind.errors.models import (
        ModelAbsent,
        ModelDamaged,
        ModelFailed,
        ModelFault,
        NoModelChosen,
        OtherWidth,
        RemoteRefused,
        UnknownModel,
    )
    from glassmind.errors.setup import (
        AboveVaults,
        ConfigUnwritable,
        InsideVault,
        NoNotesThere,
        SeveralVaults,
        TooWide,
        UnlikelyVault,
        VaultChosen,
    )
    from glassmind.errors.vault import (
        AmbiguousHeading,
        AmbiguousName,
        FileGone,
        FileTooLarge,
        FileUnreadable,
        FolderUnwritable,
        HeadingNotFound,
        LinesOutOfRange,
        MassDeletion,
        NotDownloaded,
        NoteNotFound,
        OffsetOutOfRange,
        PathOutsideVault,
        VaultError,
        VaultMissing,
    )

__all__ = [
    "AboveVaults",
    "AmbiguousHeading",
    "AmbiguousName",
    "BadConfigFile",
    "BadSetting",
    "ConfigError",
    "ConfigUnwritable",
    "FileGone",
    "FileTooLarge",
    "FileUnreadable",
    "FolderUnwritable",
    "GlassmindError",
    "HeadingNotFound",
    "InsideVault",
    "LinesOutOfRange",
    "MassDeletion",
    "ModelAbsent",
    "ModelDamaged",
    "ModelFailed",
    "ModelFault",
    "NoModelChosen",
    "NoNotesThere",
    "NoVault",
    "NotDownloaded",
    "NoteNotFound",
    "OffsetOutOfRange",
    "OtherWidth",
    "PathOutsideVault",
    "RemoteRefused",
    "SeveralVaults",
    "TooWide",
    "UnknownModel",
    "UnlikelyVault",
    "VaultAbsent",
    "VaultChosen",
    "VaultClosed",
    "VaultError",
    "VaultMissing",
]

PARTS = ("config", "vault", "models", "setup")
"""Modules whose errors are found here too, each imported when one of it is asked for:
most never happen, and a search by words would spend a fiftieth on them."""


def __getattr__(name: str) -> type[GlassmindError]:
    if name in __all__:
        for part in PARTS:
            found = vars(import_module(f"{__name__}.{part}"))
            if name in found:
                kind: type[GlassmindError] = found[name]
                globals()[name] = kind
                return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class IndexFault(GlassmindError):
    """The index beside the vault cannot be used as asked."""


class QueryError(GlassmindError):
    """What was asked cannot be understood."""


class WrongUsage(QueryError):
    """A command was called in a way it does not know."""

    def __init__(self, problem: str, command: str = "") -> None:
        see = " ".join(word for word in ("glassmind", command, "--help") if word)
        link = " See:" if problem.endswith("?") else "; see:"
        super().__init__(f"{problem}{link} {see}")
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
    """A date filter that is not a date."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:80]!r} is not a date: write YYYY-MM-DD, YYYY-MM, YYYY, today, "
            "yesterday, or how long ago, such as 7d, 2w, 3m, 1y"
        )
        self.text = text


class IndexAbsent(IndexFault):
    """There is no index yet."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"no index in {folder} yet; run: glassmind index")
        self.folder = folder


class IndexUntrusted(IndexAbsent):
    """The index inside the vault is not the one that this user wrote last."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.reason = (
            f"The index in {folder} was not built here, or was changed by another "
            "program."
        )
        IndexFault.__init__(self, f"{self.reason} Run: glassmind index")


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
    """A file is not a backup that can be restored."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(
            f"{file} is not a valid backup ({reason}); nothing was changed"
        )
        self.file, self.reason = file, reason
