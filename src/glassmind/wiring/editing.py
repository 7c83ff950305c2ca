"""The adapters of editing.

A part of `wiring` that a search does not need.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.access.policy import WritePolicy
from glassmind.access.sight import SeenBook, Sight
from glassmind.edit.desk import Desk, Handed
from glassmind.edit.editing import Editing
from glassmind.errors import NowhereToKeep, WriteFailed
from glassmind.files.folder import LOG, AuditFile
from glassmind.files.git import commit
from glassmind.files.settings import obsidian_settings
from glassmind.files.transaction import EditLock
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.ports.editing import Refresh
from glassmind.search.notes import notes_for
from glassmind.store.changesets import NAME, ChangesetFolder
from glassmind.store.sqlite.notes import SqliteEditRows
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.errors import GlassmindError

LOCK = "edits.lock"
"""Held by the process that edits the vault, in the data folder; lists staged files."""

UNFINISHED = "changesets/applying"
"""Where a changeset is while it is applied; normally there is none."""

OWN_LOG = "writes.jsonl"
"""The record of writes where the agent folder may not be written."""


def _unheard(_: Sequence[NotePath]) -> None:
    """Stand for whoever remembers what is shown to whom, where nobody is shown it."""


def editing_for(
    vault: Vault,
    refresh: Refresh,
    handed: Handed = _unheard,
) -> Editing:
    """Return the verbs of editing over a vault.

    In a scoped vault notes are found among the visible ones; links are updated in all.
    """
    sight, called = _sight(vault), partial(notes_for, vault)
    vault = vault.whole
    book = ChangesetFolder(vault.data_folder, undo_days=vault.config.writes.undo_days)
    config, root = vault.config, vault.config.vault.path
    writes = config.writes
    folder = writes.agent_dir.strip("/")
    return Editing(
        Desk(
            config=config,
            root=root,
            agent_folder=folder,
            faults=vault.reader.faults,
            find=lambda name: called().find(name),
            sure=lambda name: called().sure(name),
            rows=lambda: _rows(vault),
            files=_changer(vault),
            book=book,
            refresh=refresh,
            policy=WritePolicy(config),
            settings=lambda: obsidian_settings(root),
            committed=partial(commit, root) if writes.git_commit else _uncommitted,
            outside=vault.renames.take if sight is None else dict,
            handed=handed,
            rules=vault.ignore_rules,
            sight=sight,
            told=None if sight is None else SeenBook(book, sight),
        )
    )


def _sight(vault: Vault) -> Sight | None:
    """Return what the scope of a vault lets be seen; None for the whole vault."""
    if vault.scope is None:
        return None
    return Sight(vault.policy, vault.visible_files, lambda: _rows(vault).paths())


def _changer(vault: Vault) -> VaultChanger:
    return VaultChanger(
        vault.config.vault.path,
        lock=_lock(vault),
        record=_record(vault),
        agent_folder=vault.agent_folder,
        limit_bytes=vault.config.index.max_note_bytes,
    )


def _uncommitted(_title: str, _paths: Sequence[NotePath]) -> str:
    return ""


def _rows(vault: Vault) -> SqliteEditRows:
    return SqliteEditRows(vault.reader.connection())


def _lock(vault: Vault) -> Path:
    # Without a folder nothing can be kept, so nothing is changed, turn or no turn.
    return (vault.data_folder or vault.place.folder) / LOCK


def _record(vault: Vault) -> AuditFile:
    writes, home = vault.config.writes, vault.data_folder
    if writes.agent_dir_writable or home is None:
        path = f"{writes.agent_dir.strip('/')}/{LOG}"
        return AuditFile(vault.config.vault.path, NotePath(path))
    return AuditFile(home / NAME, NotePath(OWN_LOG))


def unindexed(
    _: Sequence[NotePath], /, *, wait_s: float | None = None
) -> "GlassmindError | None":
    """Stand for indexing, which is what the caller is about to do, or has just done."""
    del wait_s
    return None


def is_unsettled(home: Path) -> bool:
    """True if a change was cut short, told from two names in the data folder."""
    with suppress(OSError):
        if os.stat(f"{home}{os.sep}{LOCK}").st_size:  # noqa: PTH116 - in every run
            return True
    with suppress(OSError), os.scandir(f"{home}{os.sep}{UNFINISHED}") as found:
        return any(True for _ in found)
    return False


def settle(vault: Vault) -> tuple[str, ...]:
    """Finish a change that was cut short; return messages about what was done.

    Does not wait for a process that is editing now: it has done so already.
    """
    if vault.scope is not None:  # whose change it was is not told
        settle(vault.whole)
        return ()
    home = vault.data_folder if vault.config.writes.mode != "off" else None
    if home is None or not is_unsettled(home):
        return ()
    queue = EditLock(_lock(vault), wait_s=0.0)
    if queue.held:
        return ()
    try:
        with queue.turn():
            _changer(vault).sweep()
            return editing_for(vault, unindexed).settle()
    except (NowhereToKeep, WriteFailed):
        return ()
