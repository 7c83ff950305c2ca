"""Vaults to measure on: copies that hide answers, and notes made from documents.

The user's vault is only read. A copy has every note at its path, with its time, and an
empty file for each attachment, so that links lead where they led.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from glassmind.config import Config
from glassmind.config.places import FILE_NAME
from glassmind.errors import IndexUnwritable
from glassmind.evaluation.own_links import Edit
from glassmind.evaluation.readings import Readings, contents
from glassmind.model import NotePath
from glassmind.model.index import FileFacts


def copy_vault(
    config: Config,
    readings: Readings,
    hidden: Mapping[NotePath, Sequence[Edit]],
    folder: Path,
) -> None:
    """Write the vault to a folder, anew, with what is hidden replaced.

    Raises:
        IndexUnwritable: the disk does not take it.
        VaultMissing: the vault is gone.
    """
    try:
        remove(folder)
        folder.mkdir(parents=True, mode=0o700)
        with contents(readings.root, config.index.max_note_bytes) as read:
            for file in readings.files:
                raw = read(file)
                if raw is not None and file.path in hidden:
                    known = readings.notes[file.path]
                    # What was read is what the offsets are of.
                    raw = edited(known.raw, hidden[file.path], known.base)
                _put(folder, file, raw or b"")
        settings = readings.root / FILE_NAME
        # A link is not read in the vault either.
        if settings.is_file() and not settings.is_symlink():
            (folder / FILE_NAME).write_bytes(settings.read_bytes())
    except OSError as error:
        raise IndexUnwritable(str(folder), error.strerror or str(error)) from error


def edited(raw: bytes, edits: Sequence[Edit], base: int = 0) -> bytes:
    """Return the bytes with each edit made; they are in order and do not overlap."""
    parts: list[bytes] = []
    at = 0
    for edit in edits:
        parts += [raw[at : base + edit.start], edit.text]
        at = base + edit.end
    return b"".join([*parts, raw[at:]])


def _put(folder: Path, file: FileFacts, raw: bytes) -> None:
    place = folder / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(raw)
    os.utime(place, ns=(file.mtime_ns, file.mtime_ns))


def write_notes(notes: Mapping[str, str], folder: Path) -> None:
    """Make a folder hold these notes and no others, touching only what differs.

    Raises:
        IndexUnwritable: the disk does not take it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in sorted(folder.rglob("*.md")):
            if file.relative_to(folder).as_posix() not in notes:
                file.unlink()
        for path, text in notes.items():
            place, raw = folder / path, text.encode("utf-8", "replace")
            if place.is_file() and place.read_bytes() == raw:
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(raw)
    except OSError as error:
        raise IndexUnwritable(str(folder), error.strerror or str(error)) from error


def remove(folder: Path) -> None:
    """Delete a folder that we wrote; nothing when it is not there."""
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
