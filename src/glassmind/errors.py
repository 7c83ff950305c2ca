"""Everything that can go wrong, named for what happened.

Each error carries its facts and prints as one sentence that a person can act on.

    GlassmindError
    ├── ConfigError          something in the configuration cannot be used
    ├── VaultError           the vault on disk cannot be read as asked
    ├── IndexFault           the index beside the vault cannot be used as asked
    └── QueryError           what was asked cannot be understood
"""


class GlassmindError(Exception):
    """The root of every error that a user may see; `str()` is the sentence."""


class ConfigError(GlassmindError):
    """Something in the configuration cannot be used."""


class VaultError(GlassmindError):
    """The vault on disk cannot be read as asked."""


class IndexFault(GlassmindError):
    """The index beside the vault cannot be used as asked."""


class QueryError(GlassmindError):
    """What was asked cannot be understood."""


class IndexAbsent(IndexFault):
    """There is no index yet."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"no index in {folder} yet; run: glassmind index")
        self.folder = folder


class IndexBusy(IndexFault):
    """Another process has been writing the index for longer than we may wait."""

    def __init__(self, holder: str, waited_s: float) -> None:
        super().__init__(
            f"the index is being written by {holder}; waited {waited_s:.0f} s. "
            "Try again when it is done"
        )
        self.holder, self.waited_s = holder, waited_s


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
        super().__init__(
            f"{file} is damaged ({reason}); run: glassmind index --rebuild"
        )
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
