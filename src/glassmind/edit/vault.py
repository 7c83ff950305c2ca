"""What the edit operations use of a vault: its files, rows, changesets and rules."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias

from glassmind.access.policy import WritePolicy
from glassmind.access.sight import FileScope, VisibleChangesets
from glassmind.errors import GlassmindError
from glassmind.files.folder import LOG, AuditFile
from glassmind.files.git import commit
from glassmind.files.ignore import IgnoreRules
from glassmind.files.settings import ObsidianSettings, obsidian_settings
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.search.notes import notes_for
from glassmind.store.place import CHANGESETS, EDIT_LOCK
from glassmind.store.protocol import Rows
from glassmind.vault import Vault

OWN_LOG = "writes.jsonl"
"""The record of writes where the agent folder may not be written."""

Disclosed: TypeAlias = Callable[[Sequence[NotePath]], None]


Refresh: TypeAlias = Callable[..., GlassmindError | None]
"""Updates the index for some files, or with none for the whole vault.

Returns why it could not. With `wait_s`, it waits no longer for another writer."""


def no_refresh(*_: object, **__: object) -> None:
    """Leave the index alone: the caller is about to update it."""


def not_disclosed(_: Sequence[NotePath]) -> None:
    """Record nothing."""


class EditRequest(NamedTuple):
    """Who asks for a change: `client` is recorded. `dry_run` changes nothing.

    `tainted`: the client was given text that nobody vouches for; the settings may then
    require approval. `why` is recorded, too.
    """

    client: str = "cli"
    dry_run: bool = False
    tainted: bool = False
    why: str = ""


class EditVault:
    """One vault, as its edit operations read and write it.

    In a scoped vault notes are found among the visible ones; links are updated in all.
    `sight` says what the caller may read, and `visible_changesets` are those that the
    caller may know of; both are None for the whole vault.
    """

    def __init__(
        self,
        vault: Vault,
        refresh: Refresh = no_refresh,
        disclosed: Disclosed = not_disclosed,
    ) -> None:
        self.scoped, self.whole = vault, vault.whole
        self.config, self.root = vault.config, vault.config.vault.path
        self.agent_folder = self.config.writes.agent_dir.strip("/")
        self.refresh, self.disclosed = refresh, disclosed
        self.policy = WritePolicy(self.config)
        self.files = changer(self.whole)
        self.changesets = self.whole.store.changesets
        self.sight: FileScope | None = None
        self.visible_changesets: VisibleChangesets | None = None
        if vault.scope is not None:
            seen = vault.policy, vault.visible_files, lambda: vault.rows().paths()
            self.sight = FileScope(*seen)
            self.visible_changesets = VisibleChangesets(self.changesets, self.sight)

    def faults(self) -> AbstractContextManager[None]:
        return self.whole.store.faults()

    def find(self, name: str) -> NotePath:
        return notes_for(self.scoped).find(name)

    def exact(self, name: str) -> NotePath | None:
        """Return the note with exactly this name, if any; a change needs no less."""
        return notes_for(self.scoped).sure(name)

    def rows(self) -> Rows:
        return self.whole.rows()

    def rules(self) -> IgnoreRules:
        return self.whole.ignore_rules()

    def settings(self) -> ObsidianSettings:
        return obsidian_settings(self.root)

    def now(self) -> datetime:
        return datetime.now().astimezone()

    def commit(self, title: str, paths: Sequence[NotePath]) -> str:
        """Commit files to the vault's git repository, if configured; say why not."""
        if not self.config.writes.git_commit:
            return ""
        return commit(self.root, title, paths)

    def take_renames(self) -> Mapping[NotePath, NotePath]:
        return {} if self.sight is not None else self.whole.renames.take()


def lock_file(vault: Vault) -> Path:
    """Return the lock file of edits; without a folder nothing can be changed anyway."""
    return (vault.data_folder or vault.place.folder) / EDIT_LOCK


def changer(vault: Vault) -> VaultChanger:
    return VaultChanger(
        vault.config.vault.path,
        lock=lock_file(vault),
        record=_record(vault),
        agent_folder=vault.agent_folder,
        limit_bytes=vault.config.index.max_note_bytes,
    )


def _record(vault: Vault) -> AuditFile:
    writes, home = vault.config.writes, vault.data_folder
    if writes.agent_dir_writable or home is None:
        path = f"{writes.agent_dir.strip('/')}/{LOG}"
        return AuditFile(vault.config.vault.path, NotePath(path))
    return AuditFile(home / CHANGESETS, NotePath(OWN_LOG))
