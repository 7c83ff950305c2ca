"""Sections of a bundle for selected notes."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import date

from vault_harness import VaultHarness

from glassmind.context.conflicts import conflicts
from glassmind.context.items import BundleRows, BundleScope, decisions, questions, tasks
from glassmind.context.sections import next_reads
from glassmind.model.context import Conflict, Item, NextRead
from glassmind.store.sqlite.connection import open_reader
from glassmind.store.sqlite.rows import SqliteRows

TODAY = date(2026, 3, 20)


class SectionHarness:
    """One vault, asked for its sections."""

    def __init__(self, vault: VaultHarness) -> None:
        self.vault = vault

    def decisions(self, *paths: str, project: Collection[str] = ()) -> list[Item]:
        """Return the decisions around some notes, or around all."""
        with self._asked(paths, project) as (rows, scope):
            return decisions(rows, scope)

    def questions(self, *paths: str, project: Collection[str] = ()) -> list[Item]:
        """Return the open questions of some notes, or of all."""
        with self._asked(paths, project) as (rows, scope):
            return questions(rows, scope)

    def tasks(self, *paths: str, project: Collection[str] = ()) -> list[Item]:
        """Return the open tasks of some notes, or of all."""
        with self._asked(paths, project) as (rows, scope):
            return [*tasks(rows, scope)]

    def next_reads(self, *paths: str, limit: int = 8) -> list[NextRead]:
        """Return what is worth reading after some notes."""
        with self._asked(paths, ()) as (rows, scope):
            return next_reads(rows, scope, limit)

    def conflicts(self, *paths: str) -> list[Conflict]:
        """Return what some notes, or all, do not agree on."""
        with self._asked(paths, ()) as (rows, scope):
            return conflicts(rows, scope)

    @contextmanager
    def _asked(
        self, paths: Sequence[str], project: Collection[str]
    ) -> Iterator[tuple[BundleRows, BundleScope]]:
        db = open_reader(self.vault.folder)
        try:
            found = db.execute(
                "select f.path, n.id from notes n join files f on f.id = n.id "
                "order by f.path"
            )
            ids = {str(path): int(str(note_id)) for path, note_id in found}
            chosen = tuple(ids[path] for path in paths or ids)
            members = frozenset(ids[path] for path in project)
            yield (
                BundleRows(SqliteRows(db)),
                BundleScope(chosen, members, "", TODAY, ".agent"),
            )
        finally:
            db.close()


def texts(items: Sequence[Item]) -> list[str]:
    """Return what items say."""
    return [item.text for item in items]
