"""Changing the text of a file in place, with everything else about it kept."""

from collections.abc import Callable
from typing import NamedTuple

from glassmind.errors.writing import NoteChanged, WriteFailed
from glassmind.files.decode import Unreadable, decode
from glassmind.files.read import digest_of
from glassmind.files.write import TRIES, VaultWriter
from glassmind.model import NotePath
from glassmind.model.writing import Applied


class FileText(NamedTuple):
    """The text of a file with its line ends as they are; empty for no file.

    `newline` is what ends most of its lines, and should end new ones.
    """

    text: str
    newline: str = "\n"


def rewrite(
    writer: VaultWriter, path: NotePath, change: Callable[[FileText], str], *, why: str
) -> Applied | None:
    """Change a file and say what was done; None where the text stays as it is.

    Encoding and byte order mark stay. When somebody else changes the file meanwhile,
    `change` is asked again about the new text, so that nothing of theirs is lost.

    Raises:
        WriteRefused: the file may not be written, is no text, or never stays the same.
        PathOutsideVault: the path climbs, or a symbolic link stands in it.
    """
    for attempt in range(1, TRIES + 1):
        raw = writer.read(path)
        before, encode = _opened(raw or b"", path)
        after = change(before)
        if after == before.text:
            return None
        expected = None if raw is None else digest_of(raw)
        try:
            return writer.put(path, encode(after), expected=expected, why=why)
        except NoteChanged:
            if attempt == TRIES:
                raise
    raise AssertionError("the last attempt returns or raises")


def _opened(raw: bytes, path: NotePath) -> tuple[FileText, Callable[[str], bytes]]:
    found = decode(raw)
    if isinstance(found, Unreadable):
        raise WriteFailed(path, found.reason)
    if found.flagged and found.encoding.startswith("utf"):
        raise WriteFailed(path, found.reason)  # to write it would lose what is broken
    mark = raw[: len(raw) - len(found.text.encode(found.encoding))]
    crlf = found.text.count("\r\n")
    newline = "\r\n" if crlf * 2 > found.text.count("\n") else "\n"

    def encode(text: str) -> bytes:
        try:
            return mark + text.encode(found.encoding)
        except UnicodeEncodeError:  # a letter that the old 8-bit encoding has not
            return text.encode()

    return FileText(found.text, newline), encode
