"""A whole vault, read: its files, its notes, and their names."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from glassmind.config import Config
from glassmind.errors import VaultError
from glassmind.files.ignore import load_rules
from glassmind.files.names import Names
from glassmind.files.read import Decoded, VaultFiles, decode
from glassmind.files.scan import scan
from glassmind.model import NotePath
from glassmind.model.index import FileFacts
from glassmind.model.notes import Note
from glassmind.obsidian.notes import read_note


class Reading(NamedTuple):
    """A note and its bytes; the note's offsets count from `base` on."""

    note: Note
    raw: bytes
    base: int


class Readings(NamedTuple):
    """The files of a vault, and those that are Markdown in UTF-8, read.

    `names` is what links are resolved by.
    """

    root: Path
    files: Sequence[FileFacts]
    notes: Mapping[NotePath, Reading]
    names: Names


def read_vault(config: Config) -> Readings:
    """Return what the index would be made of; nothing is written.

    Raises:
        VaultMissing: the vault's folder is not there.
    """
    root = config.vault.path
    rules = load_rules(
        root,
        ignore_dirs=config.index.ignore_dirs,
        include_agent_dir=config.index.include_agent_dir,
        agent_dir=config.writes.agent_dir,
    )
    files = scan(root, rules, {}).changed
    with contents(root, config.index.max_note_bytes) as read:
        found = {file.path: _reading(file, read(file)) for file in files}
    notes = {path: made for path, made in found.items() if made is not None}
    return Readings(root, files, notes, Names.of(file.path for file in files))


class Contents:
    """Reads files of one vault; what cannot be read is None."""

    def __init__(self, files: VaultFiles) -> None:
        self._files = files

    def __call__(self, file: FileFacts) -> bytes | None:
        """Return the bytes of a file of text; None for any other."""
        if file.kind == "attachment":
            return None
        try:
            path = file.disk_path or file.path
            return self._files.read(path)
        except VaultError:
            return None  # the index lists what it cannot read; a copy goes without


@contextmanager
def contents(root: Path, limit_bytes: int) -> Iterator[Contents]:
    """Yield what reads the files of a vault.

    Raises:
        VaultMissing: the vault's folder is not there.
    """
    with VaultFiles(root, limit_bytes=limit_bytes) as files:
        yield Contents(files)


def _reading(file: FileFacts, raw: bytes | None) -> Reading | None:
    """Return a note whose offsets are those of its bytes; None for any other file."""
    if raw is None or file.kind != "markdown":
        return None
    decoded = decode(raw)
    if not isinstance(decoded, Decoded) or decoded.encoding != "utf-8":
        return None
    base = len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0
    note = read_note(file.path, decoded.text)
    exact = note.kind == "markdown" and note.text.encode() == raw[base:]
    return Reading(note, raw, base) if exact else None
