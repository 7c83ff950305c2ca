"""Paths given by others: which of them can name a file of the vault."""

import os
import re
from collections.abc import Iterator
from unicodedata import normalize
from urllib.parse import unquote

from glassmind.errors import PathOutsideVault
from glassmind.model import NotePath

PATH_LIMIT_BYTES = 4096
"""PATH_MAX of Linux, the largest of the common systems."""

NAME_LIMIT_BYTES = 255 * 3
"""255 UTF-16 units (APFS, NTFS) in UTF-8; Linux stops at 255 bytes by itself."""

_ON_WINDOWS = os.name == "nt"

_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_HALF = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
"""What stands for no byte of a name either, as U+DC80 to U+DCFF do for odd ones."""

_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://|file:", re.IGNORECASE)
_DRIVE = re.compile(r"[a-zA-Z]:(?:[/\\]|$)")
_STREAM = re.compile(r"\.(?:md|canvas|base)(?:::?)[^/]*$|::?\$", re.IGNORECASE)
_DEVICE = re.compile(r"(?:^|/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$)", re.IGNORECASE)
_WINDOWS_ONLY = re.compile(r'[<>:"|?*]|[. ](?:/|$)')


def safe_path(text: str) -> NotePath:
    """Return the path that a person or program gave, if it stays inside the vault.

    The path is judged as it stands and as it would read percent-decoded, twice, or with
    full-width characters made plain, and comes back as given, in NFC.

    Raises:
        PathOutsideVault: It is absolute, climbs, hides a stream or device, or is none.
    """
    for form in _readings(text):
        reason = _fault(form)
        if reason:
            raise PathOutsideVault(text, reason)
    return NotePath(normalize("NFC", text))


def check_parts(path: str) -> None:
    """Refuse a path whose parts do not each name an entry of the one before.

    Raises:
        PathOutsideVault: It is absolute, a part is empty, `.` or `..`, or it holds a
            NUL or half a character, which no file system takes.
    """
    if path.startswith("/"):
        raise PathOutsideVault(path, "it does not start at the vault")
    if "\0" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise PathOutsideVault(path, "a part of it is empty, . or ..")
    if not path.isascii() and _HALF.search(path):
        raise PathOutsideVault(path, "it holds half a character")


def _readings(text: str) -> Iterator[str]:
    yield text
    if len(text) > PATH_LIMIT_BYTES:
        return
    once = unquote(text)
    if once != text:
        yield once
        yield unquote(once)
    if not text.isascii():
        wide = normalize("NFKC", text)
        # A full-width solidus is how titles write a slash, so it may stand in a name.
        yield "/".join(part for part in wide.split("/") if part) or "."


def _fault(text: str) -> str | None:
    """Return why a path cannot be inside the vault, or None."""
    if not text:
        return "it is empty"
    if control := _CONTROL.search(text):
        return f"it holds U+{ord(control[0]):04X} control character"
    if text[0] in "/~" or _DRIVE.match(text) or _URL.match(text):
        return "it does not start at the vault"
    if "\\" in text:
        return "folders are separated by /"
    return _part_fault(text.split("/")) or _windows_fault(text)


def _part_fault(parts: list[str]) -> str | None:
    if not {"", ".", ".."}.isdisjoint(parts):
        return "a part of it is empty, . or .."
    sizes = [len(part.encode()) for part in parts]
    if max(sizes) > NAME_LIMIT_BYTES or sum(sizes) + len(sizes) > PATH_LIMIT_BYTES:
        return "it is too long"
    return None


def _windows_fault(text: str) -> str | None:
    if _STREAM.search(text):
        return "it names a stream inside a file"
    if _ON_WINDOWS and (_WINDOWS_ONLY.search(text) or _DEVICE.search(text)):
        return "Windows gives such a name another meaning"
    return None
