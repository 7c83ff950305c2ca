"""Taking in one file: its bytes, its text, its meaning, its passages."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from glassmind.errors import FileGone, FileUnreadable, VaultError
from glassmind.files.decode import Unreadable, decode
from glassmind.files.read import digest_of
from glassmind.index.day import day_of
from glassmind.model import Digest, NotePath
from glassmind.model.files import TO_HASH, FileFacts, Skipped
from glassmind.model.index import Indexed
from glassmind.obsidian.read import read_note
from glassmind.obsidian.secrets_in_notes import without_secrets
from glassmind.obsidian.split import SplitRules, split

DOUBT_NS = 2_000_000_000
"""A file written this shortly before we read it may be written again within one tick of
its clock, unseen; two seconds is the coarsest clock in use (FAT's)."""

ReadBytes = Callable[[NotePath], bytes]


class Content(NamedTuple):
    """The bytes of a file and their hash."""

    raw: bytes
    digest: Digest


def read_content(file: FileFacts, read: ReadBytes) -> Content | Skipped | None:
    """Return what the file holds, why that is not known, or None when it is gone."""
    try:
        raw = read(NotePath(file.disk_path or file.path))
    except FileGone:
        return None
    except FileUnreadable as error:
        return Skipped(file.path, error.reason, unknown=True)
    except VaultError as error:
        return Skipped(file.path, str(error), unknown=True)
    return Content(raw, digest_of(raw))


def take_in(file: FileFacts, content: Content, rules: SplitRules) -> Indexed | Skipped:
    """Return the note with everything the store keeps of it, without credentials."""
    decoded = decode(content.raw)
    if isinstance(decoded, Unreadable):
        return Skipped(file.path, decoded.reason)
    note, secrets = without_secrets(read_note(file.path, decoded.text))
    passages = split(note, rules)
    guessed = (decoded.reason,) if decoded.flagged else ()
    told = (*note.warnings, *note.frontmatter.warnings, *guessed, *passages.warnings)
    return Indexed(
        file=file,
        note=note,
        digest=content.digest,
        encoding=decoded.encoding,
        day=day_of(note.frontmatter.properties, note.title),
        chunks=passages.chunks,
        warnings=tuple(dict.fromkeys(told)),
        secrets=secrets,
    )


def troubles_of(item: Indexed) -> list[str]:
    """Return what its writer may want to mend, a sentence each, after its path."""
    error = item.note.frontmatter.error
    told = item.warnings if error is None else (error, *item.warnings)
    return [f"{item.file.path}: {sentence}" for sentence in told]


def doubted(file: FileFacts, now_ns: int) -> FileFacts:
    """Return the facts with a stamp that makes the next run hash a file this young."""
    young = file.mtime_ns > now_ns - DOUBT_NS
    return replace(file, stamp=TO_HASH) if young else file
