"""The adapters of editing.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from glassmind.access.policy import WritePolicy
from glassmind.access.sight import SeenBook, Sight
from glassmind.edit.desk import Desk, Handed
from glassmind.edit.editing import Editing
from glassmind.errors.editing import NowhereToKeep
from glassmind.errors.writing import WriteFailed
from glassmind.files.folder import LOG, AuditFile
from glassmind.files.git import commit
from glassmind.files.settings import obsidian_settings
from glassmind.files.transaction import EditLock
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.ports.editing import Refresh
from glassmind.store.changesets import NAME, ChangesetFolder
from glassmind.store.sqlite.notes import SqliteEditRows
from glassmind.wiring.grounds import Grounds, rules_of
from glassmind.wiring.pending import LOCK, Renames

if TYPE_CHECKING:
    from glassmind.errors import GlassmindError
    from glassmind.search.notes import NoteReader

OWN_LOG = "writes.jsonl"
"""The record of writes where the agent folder may not be written."""


class Adapters(Grounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    renames: Renames

    @property
    def kept_folder(self) -> Path | None:
        """The folder outside of the vault for what is kept beside the index."""

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""


def _unheard(_: Sequence[NotePath]) -> None:
    """Stand for whoever remembers what is shown to whom, where nobody is shown it."""


def editing_for(
    adapters: Adapters,
    refresh: Refresh,
    handed: Handed = _unheard,
    *,
    notes: "Callable[[], NoteReader] | None" = None,
    sight: Sight | None = None,
) -> Editing:
    """Return the verbs of editing over the vault of these adapters.

    For somebody who may not read all of it, `sight` tells what is seen, and `notes`
    finds notes among that.
    """
    called = notes or adapters.notes
    book = ChangesetFolder(
        adapters.kept_folder, undo_days=adapters.config.writes.undo_days
    )
    config, root = adapters.config, adapters.config.vault.path
    writes = config.writes
    folder = writes.agent_dir.strip("/")
    return Editing(
        Desk(
            config=config,
            root=root,
            agent_folder=folder,
            faults=adapters.reader.faults,
            find=lambda name: called().find(name),
            sure=lambda name: called().sure(name),
            rows=lambda: _rows(adapters),
            files=_changer(adapters),
            book=book,
            refresh=refresh,
            policy=WritePolicy(config),
            settings=lambda: obsidian_settings(root),
            committed=partial(commit, root) if writes.git_commit else _uncommitted,
            outside=adapters.renames.take if sight is None else dict,
            handed=handed,
            rules=lambda: rules_of(adapters),
            sight=sight,
            told=None if sight is None else SeenBook(book, sight),
        )
    )


def _changer(adapters: Adapters) -> VaultChanger:
    return VaultChanger(
        adapters.config.vault.path,
        lock=_lock(adapters),
        record=_record(adapters),
        agent_folder=adapters.config.writes.agent_dir.strip("/"),
        limit_bytes=adapters.config.index.max_note_bytes,
    )


def _uncommitted(_title: str, _paths: Sequence[NotePath]) -> str:
    return ""


def _rows(adapters: Adapters) -> SqliteEditRows:
    return SqliteEditRows(adapters.reader.connection())


def _lock(adapters: Adapters) -> Path:
    # Without a folder nothing can be kept, so nothing is changed, turn or no turn.
    return (adapters.kept_folder or adapters.place.folder) / LOCK


def _record(adapters: Adapters) -> AuditFile:
    writes, home = adapters.config.writes, adapters.kept_folder
    if writes.agent_dir_writable or home is None:
        path = f"{writes.agent_dir.strip('/')}/{LOG}"
        return AuditFile(adapters.config.vault.path, NotePath(path))
    return AuditFile(home / NAME, NotePath(OWN_LOG))


def unindexed(
    _: Sequence[NotePath], /, *, wait_s: float | None = None
) -> "GlassmindError | None":
    """Stand for indexing, which is what the caller is about to do, or has just done."""
    del wait_s
    return None


def settled(adapters: Adapters) -> tuple[str, ...]:
    """Bring a change that was cut short to its end, and say what was done.

    Whoever is editing now has done so, and is not waited for, be it ourselves.
    """
    queue = EditLock(_lock(adapters), wait_s=0.0)
    if queue.held:
        return ()
    try:
        with queue.turn():
            _changer(adapters).sweep()
            return editing_for(adapters, unindexed).settle()
    except (NowhereToKeep, WriteFailed):
        return ()
