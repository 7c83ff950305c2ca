"""The vault of a scope: what is computed for it alone, and what it may know of runs."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from glassmind.errors import IndexAbsent
from glassmind.model.access import Scope
from glassmind.model.search import SearchReply, Wish
from glassmind.ports.elsewhere import Elsewhere, IndexWishes
from glassmind.vault import Vault

if TYPE_CHECKING:
    from apsw import Connection

    from glassmind.index.keeper import IndexKeeper
    from glassmind.model import NotePath
    from glassmind.model.index import IndexReport
    from glassmind.ports.indexing import ShowProgress
    from glassmind.store.sqlite.pairs import ScopePairs


def scoped_vault(vault: Vault, scope: Scope) -> Vault:
    """Return the vault of a scope; it is closed with the whole vault."""
    made = vault.visible_to(scope)
    made.compare_pairs = partial(_compare, made)
    made.find_daemon = partial(_find_daemon, made, scope)
    return made


def _compare(vault: Vault, db: "Connection", hidden: frozenset[int]) -> "ScopePairs":
    """Return the similar notes of a scope, computed again when stored ones change."""
    from glassmind.graph.similar import pairs_among  # noqa: PLC0415
    from glassmind.store.sqlite.pairs import (  # noqa: PLC0415
        PairSource,
        ScopePairs,
    )

    source, level = PairSource(db), vault.config.graph.similarity
    with source.still():
        state = source.state()
        return vault.scope_results.get(
            ("pairs", hidden, source.epoch(), state),
            lambda: ScopePairs(
                *pairs_among(source, level, hidden), state.link_seq if state else 0
            ),
        )


def _find_daemon(vault: Vault, scope: Scope) -> Elsewhere | None:
    daemon = vault.whole.daemon()
    return None if daemon is None else _ScopedDaemon(daemon, scope, vault)


class _ScopedDaemon:
    """The daemon, asked in the name of a scope."""

    def __init__(self, daemon: Elsewhere, scope: Scope, vault: Vault) -> None:
        self._daemon, self._scope, self._vault = daemon, scope, vault

    def search(
        self, text: str, wish: Wish, day: date, _: Scope | None = None
    ) -> SearchReply | None:
        """Return what it finds that the scope may read."""
        return self._daemon.search(text, wish, day, self._scope)

    def index(
        self, wishes: IndexWishes, progress: "ShowProgress | None"
    ) -> "IndexReport | None":
        """Let it update the index."""
        before = visible_digests(self._vault)
        report = self._daemon.index(wishes, progress)
        return None if report is None else visible_report(self._vault, report, before)


class ScopedKeeper:
    """What keeps the index, with reports of visible notes only."""

    def __init__(self, keeper: "IndexKeeper", vault: Vault) -> None:
        self._keeper, self._vault = keeper, vault

    def __getattr__(self, name: str) -> Any:
        return getattr(self._keeper, name)

    def index(self, *wishes: Any, **named: Any) -> "IndexReport":
        """Update the index."""
        before = visible_digests(self._vault)
        report = self._keeper.index(*wishes, **named)
        return visible_report(self._vault, report, before)


def visible_digests(vault: Vault) -> "Mapping[NotePath, str]":
    """Return the digest of every visible note; none before the first run.

    Needed even if no note is hidden yet: the run may add the first hidden note.
    """
    try:
        return vault.reader.rows().digests()
    except IndexAbsent:
        return {}


def visible_report(
    vault: Vault, report: "IndexReport", before: "Mapping[NotePath, str]"
) -> "IndexReport":
    """Return what a run did to the visible notes, given their digests before it."""
    reader = vault.visible_rows
    if reader.hidden_notes():
        report = _counted(vault, report, before)
    skipped = [file for file in report.skipped if vault.may_tell_skipped(file.path)]
    secret = [file.path for file in report.skipped if file not in skipped]
    hidden = [*reader.hidden_paths(), *secret] if report.warnings else ()
    warnings = [
        warning
        for warning in report.warnings
        if not any(path in warning for path in hidden)
    ]
    notes = reader.rows().note_count()
    return replace(report, skipped=skipped, warnings=warnings, notes=notes)


def _counted(
    vault: Vault, report: "IndexReport", before: "Mapping[NotePath, str]"
) -> "IndexReport":
    """Return a report that counts visible notes only.

    Passages count as embedded or reused only if their note was added or changed.
    """
    now, known = visible_digests(vault), {} if report.rebuilt else before
    renamed = [pair for pair in report.renamed if pair[0] in known and pair[1] in now]
    moved_from, moved_to = ({pair[side] for pair in renamed} for side in (0, 1))
    added = now.keys() - known.keys() - moved_to
    changed = {path for path in now.keys() & known.keys() if now[path] != known[path]}
    passages = vault.visible_rows.embedded_in(added | changed)
    reused = min(report.reused, passages)
    return replace(
        report,
        added=len(added),
        changed=len(changed),
        moved=len(renamed),
        removed=len(known.keys() - now.keys() - moved_from),
        unchanged=len(now) - len(added) - len(changed) - len(renamed),
        embedded=min(report.embedded, passages - reused),
        reused=reused,
        left=min(report.left, passages),
        held=min(report.held, len(now)),
        renamed=renamed,
    )
