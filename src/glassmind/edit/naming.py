"""Which file is to be edited: the one that is called so to the letter, and no other."""

from unicodedata import normalize

from glassmind.edit.desk import Desk
from glassmind.edit.seen import check_seen, is_seen
from glassmind.errors import (
    FileTooLarge,
    FileUnreadable,
    IndexAbsent,
    NotDownloaded,
    NoteNotFound,
    PathOutsideVault,
)
from glassmind.errors.editing import BadEdit
from glassmind.errors.vault import SymlinkInPath
from glassmind.errors.writing import NoteChanged
from glassmind.files.ignore import IgnoreRules
from glassmind.files.read import digest_of
from glassmind.files.resolve import NOTE_SUFFIX
from glassmind.files.scan import kind_of
from glassmind.model import Digest, NotePath

LEAST_DIGEST = 8
"""Letters of a digest that tell two versions of one note apart."""

_HEX = frozenset("0123456789abcdef")


def named(desk: Desk, name: str) -> NotePath:
    """Return the note of a name; a path needs no index.

    Raises:
        NoteNotFound: no note is called so; the closest is named, and not taken.
        AmbiguousName: several are.
        PathOutsideVault: it is a path that leaves the vault.
        FileUnreadable: it is left out of the index, so nobody is told what it says.
    """
    path = _called(desk, name, _at(desk, name))
    check_seen(desk, name, path)
    check_read(desk.rules(), path)
    return path


def named_text(
    desk: Desk, name: str, expected: Digest | None
) -> tuple[NotePath, bytes]:
    """Return the note of a name and its bytes, which are to be edited.

    Raises:
        NoteNotFound, AmbiguousName, PathOutsideVault, FileUnreadable: see `named`.
        NotDownloaded, NoteChanged, BadEdit: see `read_for_edit`.
    """
    at, raw = _read_at(desk, name)
    path = _called(desk, name, at)
    check_seen(desk, name, path)
    check_read(desk.rules(), path)
    return path, _as_expected(desk, path, raw if path == at else None, expected)


def named_template(desk: Desk, name: str) -> NotePath:
    """Return the template of a name: one in the folder of templates, or any note.

    Raises:
        NoteNotFound, AmbiguousName, PathOutsideVault: as for a note.
        FileUnreadable: it is left out of the index; one in the folder of templates may
            be, unless the vault's own ignore file says so.
    """
    folders = desk.settings().template_folders
    plain = name.removeprefix("./").removeprefix("/")
    known = (sure_or_none(desk, f"{folder}/{plain}") for folder in folders)
    path = next(filter(None, known), None) or _called(desk, name, _at(desk, name))
    check_seen(desk, name, path)
    rules = desk.rules()
    if any(path.startswith(f"{folder}/") for folder in folders):
        rules = rules.of_templates()
    check_read(rules, path)
    return path


def check_read(rules: IgnoreRules, path: NotePath) -> None:
    """Refuse a file that is left out of the index, as whoever reads notes does.

    Raises:
        FileUnreadable: it is.
    """
    reason = rules.left_out(path)
    if reason is not None:
        said = f"it was skipped ({reason})" if reason else "it is hidden"
        raise FileUnreadable(path, said)


def _called(desk: Desk, name: str, at: NotePath | None) -> NotePath:
    """Return the note of a name; `at` is the one that stands at it as a path."""
    if at is not None:
        return at
    with desk.faults():
        found = desk.sure(name)
        if found is not None:
            return found
        raise NoteNotFound(name, (desk.find(name),))


def _at(desk: Desk, name: str) -> NotePath | None:
    """Return the note that stands at a path, with or without its suffix."""
    return _read_at(desk, name)[0]


def _read_at(desk: Desk, name: str) -> tuple[NotePath | None, bytes | None]:
    """Return the note that stands at a path, with or without its suffix, and its bytes.

    One that the caller may not read is left out; one that is not downloaded or too
    large has no bytes.
    """
    spelled = normalize("NFC", name).removeprefix("./")
    for path in (spelled, f"{spelled}{NOTE_SUFFIX}"):
        if not spelled or kind_of(path) == "attachment":
            continue
        try:
            raw = desk.files.read(NotePath(path))
            if raw is not None and _is_seen(desk, NotePath(path), raw):
                return NotePath(path), raw
        except (NotDownloaded, FileTooLarge):
            if is_seen(desk, NotePath(path)):
                return NotePath(path), None
        except PathOutsideVault as fault:
            if desk.sight is not None and isinstance(fault, SymlinkInPath):
                continue  # as if there were no such file
            if not spelled.startswith("/"):
                raise  # a whole path may be one inside, which `sure` can tell
    return None, None


def _is_seen(desk: Desk, path: NotePath, raw: bytes) -> bool:
    return desk.sight is None or desk.sight.sees(path, raw)


def sure_or_none(desk: Desk, name: str) -> NotePath | None:
    """Return the note that is called so to the letter; None for no such note, yet."""
    path = _at(desk, name)
    if path is not None:
        return path
    try:
        with desk.faults():
            return desk.sure(name)
    except IndexAbsent:
        return None


def is_taken(desk: Desk, path: NotePath) -> bool:
    """Whether a file has a path, be it downloaded or not."""
    try:
        return desk.files.read(path) is not None
    except (NotDownloaded, FileTooLarge):
        return True


def read_for_edit(desk: Desk, path: NotePath, expected: Digest | None) -> bytes:
    """Return the bytes of a note that is to be edited.

    Raises:
        NoteNotFound: there is no such file.
        FileTooLarge: it is too large to edit.
        NotDownloaded: iCloud has taken it away.
        NoteChanged: it is not what the caller read.
        BadEdit: `expected` is no digest, nor the beginning of one.
    """
    return _as_expected(desk, path, None, expected)


def _as_expected(
    desk: Desk, path: NotePath, raw: bytes | None, expected: Digest | None
) -> bytes:
    """Return the bytes of a note, read now if need be, as far as they are expected."""
    if expected is not None and (
        len(expected) < LEAST_DIGEST or not _HEX.issuperset(expected)
    ):
        raise BadEdit(
            f"{expected[:80]!r} is no digest: give the one that was read, or its first "
            f"{LEAST_DIGEST} letters or more"
        )
    raw = desk.files.read(path) if raw is None else raw
    if raw is None:
        raise NoteNotFound(path)
    found = digest_of(raw)
    if expected is not None and not found.startswith(expected):
        raise NoteChanged(path, expected=expected, found=found)
    return raw
