"""Writing what tuning chose, with its evidence, and taking it back.

Each change is put on record beside the indexes: the text of the file before and after.
Taking it back puts the old text there again; if somebody has edited the file since,
only the settings that still say what tuning wrote go back to what they were.
"""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from glassmind.config.settings import Config
from glassmind.config.sources import parse_toml, put_text, read_text
from glassmind.config.write import set_keys
from glassmind.errors import IndexUnwritable
from glassmind.evaluation.faults import NothingToUndo
from glassmind.model.evaluation import TuneReport
from glassmind.store.place import index_name

RECORDS = "tuned"
"""The folder of the records, beside the indexes."""


class Change(NamedTuple):
    """One tuning, on record: `old` has the values that were in force before."""

    file: str
    before: str | None
    after: str
    old: Mapping[str, object]
    new: Mapping[str, object]
    in_vault: bool


class Undone(NamedTuple):
    """What was taken back, and the settings that had been changed by hand since."""

    file: str
    settings: Mapping[str, object]
    kept: Sequence[str]


def evidence_of(report: TuneReport, today: date) -> list[str]:
    """Return why the settings were chosen, a line of a comment each."""
    low, high = report.held_out.interval
    luck, chance = 100 * (report.luck or 0.0), 100 * (report.chance or 0.0)
    day, asked, gain = today.isoformat(), report.queries, report.held_out.mean
    return [
        f"Chosen by `glassmind tune` on {day} from {asked} questions of this vault.",
        f"nDCG@10 on held-out questions: {report.before:.4f}, now {report.after:.4f}.",
        f"A gain of {gain:+.4f}, 95 % interval {low:+.4f} to {high:+.4f};",
        f"by luck {luck:.1f} %, by shuffled answers {chance:.1f} %.",
        "`glassmind tune --undo` takes it back.",
    ]


def write_choice(
    config: Config, report: TuneReport, file: Path, *, in_vault: bool, today: date
) -> None:
    """Write the chosen settings to a configuration file, and put that on record.

    Raises:
        ConfigError: the file does not take them; nothing is changed.
        IndexUnwritable: the record cannot be written; nothing is changed.
    """
    before = read_text(file) if file.exists() else None
    chosen = report.chosen.settings
    change = Change(str(file), before, "", _in_force(config, chosen), chosen, in_vault)
    records = _record_file(config)
    known = _recorded(records)
    # First the record: a change that could not be taken back is worse than none.
    _keep(records, [*known, change])
    try:
        set_keys(file, chosen, above=evidence_of(report, today), in_vault=in_vault)
    except BaseException:
        _keep(records, known)
        raise
    _keep(records, [*known, change._replace(after=read_text(file))])


def undo(config: Config, *, dry_run: bool = False) -> Undone:
    """Take back the last tuning of a vault, or with `dry_run` tell what that would be.

    Raises:
        NothingToUndo: none is on record.
        ConfigError: the file cannot be read or written.
    """
    records = _record_file(config)
    changes = _recorded(records)
    if not changes:
        raise NothingToUndo(str(config.vault.path))
    *known, last = changes
    file = Path(last.file)
    now = read_text(file) if file.exists() else ""
    said = parse_toml(file, now)
    kept = [path for path, value in last.new.items() if _says(said, path) != value]
    back = {path: last.old[path] for path in last.new if path not in kept}
    if dry_run:
        return Undone(last.file, back, kept)
    if now == last.after:
        _put_back(file, last)
    elif back:
        put_text(file, _without_evidence(now, last), in_vault=last.in_vault)
        set_keys(file, back, in_vault=last.in_vault)
    _keep(records, known)
    return Undone(last.file, back, kept)


def _without_evidence(text: str, last: Change) -> str:
    """Return a file's text without the comment that tuning added to it."""
    added = set(last.after.splitlines()) - set((last.before or "").splitlines())
    lines = text.splitlines(keepends=True)
    return "".join(
        line
        for line in lines
        if not (line.startswith("#") and line.rstrip("\r\n") in added)
    )


def _put_back(file: Path, last: Change) -> None:
    if last.before is None:
        file.unlink(missing_ok=True)
    else:
        put_text(file, last.before, in_vault=last.in_vault)


def _in_force(config: Config, settings: Mapping[str, object]) -> dict[str, object]:
    found = {}
    for path in settings:
        section, _, name = path.partition(".")
        found[path] = getattr(getattr(config, section), name)
    return found


def _says(tables: Mapping[str, object], path: str) -> object:
    section, _, name = path.partition(".")
    table = tables.get(section)
    return table.get(name) if isinstance(table, dict) else None


def _record_file(config: Config) -> Path:
    return config.index_home / RECORDS / f"{index_name(config.vault.path)}.json"


def _recorded(file: Path) -> list[Change]:
    """Return the changes on record, oldest first; of a damaged record none."""
    try:
        rows = json.loads(file.read_text("utf-8"))
        return [Change(**row) for row in rows]
    except (OSError, ValueError, TypeError):
        return []


def _keep(file: Path, changes: Sequence[Change]) -> None:
    text = json.dumps([change._asdict() for change in changes], ensure_ascii=False)
    staged = file.with_suffix(".tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # A configuration may hold a password: nobody else reads its copy.
        opened = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as written:
            written.write(text)
        staged.replace(file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise IndexUnwritable(str(file.parent), reason) from error
