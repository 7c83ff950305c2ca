"""What a scope may know of an index run: what it did to the visible notes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from glassmind.errors import IndexAbsent
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model import NotePath
    from glassmind.model.index import IndexReport


def visible_digests(vault: Vault) -> "Mapping[NotePath, str]":
    """Needed even if no note is hidden yet: the run may add the first."""
    try:
        return vault.reader.rows().digests()
    except IndexAbsent:
        return {}


def visible_report(
    vault: Vault, report: "IndexReport", before: "Mapping[NotePath, str]"
) -> "IndexReport":
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
    """Passages count only if their note was added or changed."""
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
