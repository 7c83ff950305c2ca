"""Read files of the vault without ever leaving it, even in a race.

Each folder is opened from the one before, which refuses links: a check before an open
can be outrun. Windows cannot, so there every part is checked before and after.

Also here: accepted paths, files that a sync tool keeps elsewhere, and decoding.
"""

import codecs
import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self
from unicodedata import normalize
from urllib.parse import unquote

import xxhash
from msgspec import Struct

from glassmind.errors import (
    FileGone,
    FileTooLarge,
    FileUnreadable,
    NotDownloaded,
    PathOutsideVault,
    SymlinkInPath,
    VaultMissing,
)
from glassmind.model import MAX_NOTE_BYTES, Digest, NotePath

SPLIT_IT = "; split it, or raise index.max_note_bytes"
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_READ = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_NOINHERIT"):
    _READ |= getattr(os, _flag, 0)

_BY_DESCRIPTOR = os.open in os.supports_dir_fd

_JUNCTION = 0xA0000003
"""IO_REPARSE_TAG_MOUNT_POINT: a Windows folder that stands for another."""


def digest_of(raw: bytes) -> Digest:
    return Digest(xxhash.xxh3_128_hexdigest(raw))


def spelling_order(name: str) -> tuple[bool, bool, str]:
    return name != normalize("NFC", name), name != normalize("NFD", name), name


def read_file(root: Path, path: str, *, limit_bytes: int | None = None) -> bytes:
    with VaultFiles(root) as files:
        return files.read(path, limit_bytes=limit_bytes)


class VaultFiles:
    """The files of one vault, open for reading; safe to share between threads.

    Paths are those of the index (NFC); a file that the disk spells otherwise is found.
    Where it `hides_secrets`, nobody who is given text of a file is shown credentials.
    """

    hides_secrets = False
    sees_all = True
    """Whether every file may be read, so that one which is not there is gone."""

    def __init__(self, root: Path, *, limit_bytes: int = MAX_NOTE_BYTES) -> None:
        self._root, self._limit_bytes = root, limit_bytes
        self._descriptor = -1
        try:
            if _BY_DESCRIPTOR:
                self._descriptor = os.open(root, _FOLDER)
            elif not root.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        except OSError as fault:
            reason = fault.strerror or "unknown"
            raise VaultMissing(str(root), reason) from fault

    def read(self, path: str, *, limit_bytes: int | None = None) -> bytes:
        """Return the bytes of a regular file, by default as many as a note may have.

        Raises:
            PathOutsideVault: The path climbs, or a symbolic link stands in it.
            FileGone: There is no such file.
            FileTooLarge: It is larger than the limit.
            NotDownloaded: A sync keeps its content elsewhere.
            FileUnreadable: It is no regular file, or not ours to read.
        """
        limit, remedy = limit_bytes, ""
        if limit is None:
            limit, remedy = self._limit_bytes, SPLIT_IT
        with self._regular(path) as (opened, facts):
            if facts.st_size > limit:
                raise FileTooLarge(path, limit, remedy)
            if is_placeholder(facts):
                raise NotDownloaded(path, NOT_HERE)
            raw = read_all(opened, facts.st_size, limit)
        if len(raw) > limit:
            raise FileTooLarge(path, limit, remedy)
        return raw

    def may_tell(self, path: str) -> bool:  # noqa: ARG002 - others look at it
        return self.sees_all

    def may_tell_skipped(self, path: str) -> bool:  # noqa: ARG002 - others look at it
        return self.sees_all

    def may_name(self, path: str) -> bool:  # noqa: ARG002 - others look at it
        return self.sees_all

    def tail(self, path: str, *, limit_bytes: int) -> tuple[bytes, int]:
        with self._regular(path) as (opened, facts):
            before = max(facts.st_size - limit_bytes, 0)
            os.lseek(opened, before, os.SEEK_SET)
            return read_all(opened, facts.st_size - before, limit_bytes), before

    def names(self, folder: str) -> list[str]:
        check_parts(folder)
        try:
            found = self._names(folder)
        except OSError as fault:
            error = _error_for(folder, fault)
            if isinstance(error, FileGone):
                return []
            raise error from fault
        return sorted({normalize("NFC", name) for name in found})

    def stat(self, path: str) -> os.stat_result:
        check_parts(path)
        try:
            facts = self._stat_as_spelled(path)
        except FileNotFoundError as fault:
            other = self._other_spelling(path)
            if other is None:
                raise FileGone(path) from fault
            facts = self._stat_as_spelled(other)
        except OSError as fault:
            raise _error_for(path, fault) from fault
        if stat.S_ISLNK(facts.st_mode):
            raise SymlinkInPath(path)
        return facts

    def exists(self, path: str) -> bool:
        try:
            self.stat(path)
        except (FileUnreadable, PathOutsideVault):
            return False
        return True

    def is_offloaded(self, path: str) -> bool:
        try:
            return stat.S_ISREG(self.stat(stub_of(path)).st_mode)
        except (FileUnreadable, PathOutsideVault):
            return False

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _regular(self, path: str) -> Iterator[tuple[int, os.stat_result]]:
        opened = self._open(path)
        try:
            facts = os.fstat(opened)
            if not stat.S_ISREG(facts.st_mode):
                raise FileUnreadable(path, "it is not a regular file")
            yield opened, facts
        except OSError as fault:
            raise FileUnreadable(path, fault.strerror or "unknown") from fault
        finally:
            os.close(opened)

    def _open(self, path: str) -> int:
        check_parts(path)
        try:
            return self._open_as_spelled(path, _READ)
        except FileNotFoundError as fault:
            other = self._other_spelling(path)
            if other is None:
                raise FileGone(path) from fault
        except OSError as fault:
            raise _error_for(path, fault) from fault
        try:
            return self._open_as_spelled(other, _READ)
        except OSError as fault:
            raise _error_for(path, fault) from fault

    def _open_as_spelled(self, path: str, flags: int) -> int:
        if _BY_DESCRIPTOR:
            return open_in_steps(self._descriptor, path, flags)
        return _open_checked(self._root, path, flags)

    def _stat_as_spelled(self, path: str) -> os.stat_result:
        folder, _, name = path.rpartition("/")
        if not _BY_DESCRIPTOR:
            _check_links(self._root, folder)
            return os.lstat(self._root / path)
        if not folder:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        opened = self._open_as_spelled(folder, _FOLDER)
        try:
            return os.stat(name, dir_fd=opened, follow_symlinks=False)
        finally:
            os.close(opened)

    def _other_spelling(self, path: str) -> str | None:
        if path.isascii():
            return None
        spelled: list[str] = []
        for part in path.split("/"):
            try:
                names = self._names("/".join(spelled))
            except OSError:
                return None
            alike = [name for name in names if normalize("NFC", name) == part]
            if not alike:
                return None
            spelled.append(min(alike, key=spelling_order))
        return "/".join(spelled)

    def _names(self, folder: str) -> list[str]:
        if not _BY_DESCRIPTOR:
            _check_links(self._root, folder)
            return [file.name for file in (self._root / folder).iterdir()]
        if not folder:
            return os.listdir(self._descriptor)  # noqa: PTH208
        opened = self._open_as_spelled(folder, _FOLDER)
        try:
            return os.listdir(opened)  # noqa: PTH208
        finally:
            os.close(opened)


def read_all(opened: int, size: int, limit_bytes: int) -> bytes:
    raw = os.read(opened, min(size, limit_bytes) + 1)
    if len(raw) == size:  # a short read of a regular file is its end
        return raw
    pieces = [raw]
    total = len(raw)
    while raw and total <= limit_bytes:
        raw = os.read(opened, limit_bytes + 1 - total)
        pieces.append(raw)
        total += len(raw)
    return b"".join(pieces)


def _error_for(path: str, fault: OSError) -> Exception:
    match fault.errno:
        case errno.ENOENT | errno.ENOTDIR | errno.ENAMETOOLONG:
            return FileGone(path)
        case errno.ELOOP:
            return SymlinkInPath(path)
        case errno.ENXIO:
            return FileUnreadable(path, "it is not a regular file")
        case _:
            return FileUnreadable(path, fault.strerror or "unknown")


def _check_links(root: Path, path: str) -> None:
    here = root
    for part in filter(None, path.split("/")):
        here /= part
        found = here.lstat()
        tag = getattr(found, "st_reparse_tag", 0)
        if stat.S_ISLNK(found.st_mode) or tag == _JUNCTION:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(here))


def _open_checked(root: Path, path: str, flags: int) -> int:
    _check_links(root, path)
    opened = os.open(root / path, flags)
    try:
        _check_links(root, path)
        _check_same(root, path, opened)
    except OSError:
        os.close(opened)
        raise
    return opened


def _check_same(root: Path, path: str, opened: int) -> None:
    inside = (root / path).resolve().is_relative_to(root.resolve())
    same = os.path.samestat((root / path).lstat(), os.fstat(opened))
    if not inside or not same:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY | _NOFOLLOW


def open_in_steps(root: int, path: str, flags: int) -> int:
    *folders, name = path.split("/")
    here = root
    try:
        for folder in folders:
            below = _open_one(folder, _STEP, here)
            if here != root:
                os.close(here)
            here = below
        return _open_one(name, flags | _NOFOLLOW, here)
    finally:
        if here != root:
            os.close(here)


def _open_one(name: str, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except NotADirectoryError:
        # How a link looks when a folder was asked for.
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


PATH_LIMIT_BYTES = 4096  # PATH_MAX of Linux, the largest of the common systems

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
    """
    for form in _readings(text):
        reason = _fault(form)
        if reason:
            raise PathOutsideVault(text, reason)
    return NotePath(normalize("NFC", text))


def check_parts(path: str) -> None:
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
    if not text:
        return "it is empty"
    if control := _CONTROL.search(text):
        return f"it holds U+{ord(control[0]):04X} control character"
    if text[0] in "/~" or _DRIVE.match(text) or _URL.match(text):
        return "it does not start at the vault"
    if "\\" in text:
        return "folders are separated by /"
    return _part_fault(text.split("/"))


def _part_fault(parts: list[str]) -> str | None:
    text = "/".join(parts)
    if not {"", ".", ".."}.isdisjoint(parts):
        return "a part of it is empty, . or .."
    sizes = [len(part.encode()) for part in parts]
    if max(sizes) > NAME_LIMIT_BYTES or sum(sizes) + len(sizes) > PATH_LIMIT_BYTES:
        return "it is too long"
    if _STREAM.search(text):
        return "it names a stream inside a file"
    if _ON_WINDOWS and (_WINDOWS_ONLY.search(text) or _DEVICE.search(text)):
        return "Windows gives such a name another meaning"
    return None


_OFFLOADED = 0x40000000  # macOS: SF_DATALESS of <sys/stat.h>

_RECALLED = 0x1000 | 0x40000 | 0x400000
"""Windows: FILE_ATTRIBUTE_OFFLINE, _RECALL_ON_OPEN, _RECALL_ON_DATA_ACCESS."""

_INLINE_BYTES = 4096
"""Linux: small files may stand in the inode, so only larger ones need blocks."""


NOT_HERE = "not downloaded to this machine; open it once in your sync tool"
STUB = ".icloud"


def is_placeholder(facts: os.stat_result) -> bool:
    if sys.platform == "win32":
        return bool(facts.st_file_attributes & _RECALLED)
    elif sys.platform == "darwin":  # noqa: RET505
        return bool(facts.st_flags & _OFFLOADED)
    else:
        return facts.st_size > _INLINE_BYTES and facts.st_blocks == 0


def stub_of(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}{STUB}"


def name_of_stub(name: str) -> str | None:
    if name.startswith(".") and name.endswith(STUB) and len(name) > len(STUB) + 1:
        return name[1 : -len(STUB)]
    return None


REPLACED = "\ufffd"

_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as the mark of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES = (b"\x89PNG", b"%PDF-", b"PK\x03\x04", b"\xff\xd8", b"GIF8", b"\x1f\x8b")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))

_MARKS = b"\n\r#[]>`*_<$%|~=^&\\"

MARKS_LIMIT = 500_000
"""Lines and Markdown marks in a note. Parsing needs up to 0.5 KB for each, and some
steps take time that grows with their square."""

BINARY_SHARE = 0.01
"""Control or invalid characters beyond one in a hundred mean that this is no text."""


class Decoded(NamedTuple):
    """The text of a file without its byte order mark, line ends as they were.

    `flagged` means that the text is a guess: `reason` says what was guessed.
    """

    text: str
    encoding: str
    flagged: bool = False
    reason: str = ""


class Unreadable(Struct, frozen=True):
    reason: str


def decode(raw: bytes) -> Decoded | Unreadable:
    if len(raw) > MARKS_LIMIT and marks_in(raw) > MARKS_LIMIT:
        return Unreadable(
            f"it has more than {MARKS_LIMIT:,} lines and Markdown marks; split it"
        )
    for mark, encoding in _ORDER_MARKS:
        if raw.startswith(mark):
            return _marked(raw[len(mark) :], encoding)
    if b"\0" in raw:
        return Unreadable("it holds NUL bytes, so it is not a text file")
    try:
        return Decoded(raw.decode(), "utf-8")
    except UnicodeDecodeError:
        return _guess(raw)


def marks_in(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, _MARKS))


def _marked(body: bytes, encoding: str) -> Decoded | Unreadable:
    try:
        decoded = Decoded(body.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = body.decode(encoding, "replace")
        reason = _repaired(text, encoding)
        decoded = Decoded(text, encoding, flagged=True, reason=reason)
    if "\0" in decoded.text:
        return Unreadable("it holds NUL characters, so it is not a text file")
    if decoded.text.count(REPLACED) > 1 + len(decoded.text) * BINARY_SHARE:
        return Unreadable(f"it is marked as {decoded.encoding}, and is not")
    return decoded


def _guess(raw: bytes) -> Decoded | Unreadable:
    controls = len(raw) - len(raw.translate(None, _CONTROLS))
    if raw.startswith(_SIGNATURES) or controls > len(raw) * BINARY_SHARE:
        return Unreadable("it is a binary file under a text file's name")
    text = raw.decode(errors="replace")
    damaged = text.count(REPLACED)
    accents = len(text) - len(text.encode("ascii", "ignore")) - damaged
    if accents > damaged:
        return Decoded(text, "utf-8", flagged=True, reason=_repaired(text, "utf-8"))
    try:
        text, encoding = raw.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, encoding = raw.decode("latin-1"), "latin-1"
    reason = f"it is not UTF-8 and was read as {encoding}; save it as UTF-8"
    return Decoded(text, encoding, flagged=True, reason=reason)


def _repaired(text: str, encoding: str) -> str:
    count = text.count(REPLACED)
    if count == 1:
        return f"1 place is not valid {encoding} and was replaced"
    return f"{count} places are not valid {encoding} and were replaced"
