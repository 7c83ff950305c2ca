"""Which file is to be edited: the one that is called so to the letter, and no other."""

import re
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from unicodedata import normalize

from glassmind.edit.permissions import check_folder_seen, check_seen, is_seen
from glassmind.edit.vault import EditVault
from glassmind.errors import (
    AmbiguousName,
    BadEdit,
    FileGone,
    FileTooLarge,
    FileUnreadable,
    IndexAbsent,
    NameTaken,
    NotDownloaded,
    NoteChanged,
    NoteNotFound,
    PathOutsideVault,
    SymlinkInPath,
    VaultError,
)
from glassmind.files.ignore import IgnoreRules
from glassmind.files.names import (
    CLOSEST_SHOWN,
    NOTE_SUFFIX,
    described_character,
    refused_characters,
)
from glassmind.files.read import NOT_HERE, VaultFiles, digest_of, safe_path
from glassmind.files.scan import kind_of
from glassmind.model import Digest, NotePath
from glassmind.obsidian.text import fold

LEAST_DIGEST = 8
"""HiddenRange of a digest that tell two versions of one note apart."""

_HEX = frozenset("0123456789abcdef")


def named(vault: EditVault, name: str) -> NotePath:
    path = _called(vault, name, _at(vault, name))
    check_seen(vault, name, path)
    check_read(vault.rules(), path)
    return path


def named_text(
    vault: EditVault, name: str, expected: Digest | None
) -> tuple[NotePath, bytes]:
    at, raw = _read_at(vault, name)
    path = _called(vault, name, at)
    check_seen(vault, name, path)
    check_read(vault.rules(), path)
    return path, _as_expected(vault, path, raw if path == at else None, expected)


def named_template(vault: EditVault, name: str) -> NotePath:
    folders = vault.settings().template_folders
    plain = name.removeprefix("./").removeprefix("/")
    known = (exact_or_none(vault, f"{folder}/{plain}") for folder in folders)
    path = next(filter(None, known), None) or _called(vault, name, _at(vault, name))
    check_seen(vault, name, path)
    rules = vault.rules()
    if any(path.startswith(f"{folder}/") for folder in folders):
        rules = rules.of_templates()
    check_read(rules, path)
    return path


def check_read(rules: IgnoreRules, path: NotePath) -> None:
    reason = rules.left_out(path)
    if reason is not None:
        said = f"it was skipped ({reason})" if reason else "it is hidden"
        raise FileUnreadable(path, said)


def _called(vault: EditVault, name: str, at: NotePath | None) -> NotePath:
    if at is not None:
        return at
    with vault.faults():
        found = vault.exact(name)
        if found is not None:
            return found
        raise NoteNotFound(name, (vault.find(name),))


def _at(vault: EditVault, name: str) -> NotePath | None:
    return _read_at(vault, name)[0]


def _read_at(vault: EditVault, name: str) -> tuple[NotePath | None, bytes | None]:
    """Return the note that stands at a path, with or without its suffix, and its bytes.

    One that the caller may not read is left out; one that is not downloaded or too
    large has no bytes.
    """
    spelled = normalize("NFC", name).removeprefix("./")
    for path in (spelled, f"{spelled}{NOTE_SUFFIX}"):
        if not spelled or kind_of(path) == "attachment":
            continue
        try:
            raw = vault.files.read(NotePath(path))
            if raw is not None and _is_seen(vault, NotePath(path), raw):
                return NotePath(path), raw
        except (NotDownloaded, FileTooLarge):
            if is_seen(vault, NotePath(path)):
                return NotePath(path), None
        except PathOutsideVault as fault:
            if vault.sight is not None and isinstance(fault, SymlinkInPath):
                continue  # as if there were no such file
            if not spelled.startswith("/"):
                raise  # a whole path may be one inside, which `sure` can tell
    return None, None


def _is_seen(vault: EditVault, path: NotePath, raw: bytes) -> bool:
    return vault.sight is None or vault.sight.sees(path, raw)


def exact_or_none(vault: EditVault, name: str) -> NotePath | None:
    path = _at(vault, name)
    if path is not None:
        return path
    try:
        with vault.faults():
            return vault.exact(name)
    except IndexAbsent:
        return None


def is_taken(vault: EditVault, path: NotePath) -> bool:
    try:
        return vault.files.read(path) is not None
    except (NotDownloaded, FileTooLarge):
        return True


def read_for_edit(vault: EditVault, path: NotePath, expected: Digest | None) -> bytes:
    return _as_expected(vault, path, None, expected)


def _as_expected(
    vault: EditVault, path: NotePath, raw: bytes | None, expected: Digest | None
) -> bytes:
    if expected is not None and (
        len(expected) < LEAST_DIGEST or not _HEX.issuperset(expected)
    ):
        raise BadEdit(
            f"{expected[:80]!r} is no digest: give the one that was read, or its first "
            f"{LEAST_DIGEST} letters or more"
        )
    raw = vault.files.read(path) if raw is None else raw
    if raw is None:
        raise NoteNotFound(path)
    found = digest_of(raw)
    if expected is not None and not found.startswith(expected):
        raise NoteChanged(path, expected=expected, found=found)
    return raw


LONGEST_NAME_BYTES = 255
BARRED = re.compile(r'%%|\[\[|\]\]|[#^|\[\]\\:*?"<>]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_SHOWN = 80


def check_new_name(
    path: str,
    *,
    folder: bool = False,
    is_there: Callable[[str], bool] = lambda _: False,
    former: str = "",
) -> None:
    """Refuse a path that no file, or with `folder` no folder, should be given.

    `is_there` tells of folders that have their names already, and `former` is the path
    that the thing has now: what was called so before stays. Whether it is a path inside
    of the vault at all is for others to say.
    """
    *folders, base = path.split("/")
    kept = {".", "..", *former.split("/")}
    above = ""
    for part in folders:
        above = f"{above}/{part}".removeprefix("/")
        if part not in kept and not is_there(above):
            _check_part(part, part)
    if base not in kept:
        _check_part(base, base if folder else stem_of(base))


def stem_of(name: str) -> str:
    return name.rpartition(".")[0] if "." in name else name


def unreserved(name: str) -> str:
    """Return a name made of a heading; one of a device gets a word more."""
    return f"{name} note" if _DEVICE.match(name) else name


def _check_part(part: str, stem: str) -> None:
    shown = repr(part[:_SHOWN])
    if not stem.strip():
        raise BadEdit("a note needs a name, and so does every folder it is in")
    if part != part.strip() or stem != stem.strip():
        raise BadEdit(
            f"{shown} begins or ends with a blank, which links to it would lose: "
            "leave it out"
        )
    if stem.endswith(".") or part.endswith("."):
        raise BadEdit(f"{shown} ends in a dot, which some systems drop: leave it out")
    if _DEVICE.match(part):
        raise BadEdit(f"{shown} is that of a device on Windows: choose another name")
    unseen = next((part[at] for at in refused_characters(part)), "")
    if unseen:
        raise BadEdit(
            f"{shown} contains {described_character(unseen)}, which cannot be seen in "
            "a name. Leave it out."
        )
    found = BARRED.findall(part)
    if found:
        told = " ".join(dict.fromkeys(found))
        raise BadEdit(
            f"{shown} is no name for files and links, choose another: it has {told}"
        )
    if len(part.encode("utf-8", "surrogatepass")) > LONGEST_NAME_BYTES:
        raise BadEdit(f"{shown} is too long a name: choose a shorter one")


_KINDS = (NOTE_SUFFIX, ".canvas", ".base")


class Origin(NamedTuple):
    path: NotePath
    folder: bool


class Ground(NamedTuple):
    paths: Sequence[NotePath]
    folders: frozenset[str]
    disk: "Disk"

    @classmethod
    def of(cls, vault: EditVault, paths: Sequence[NotePath]) -> "Ground":
        folders: set[str] = set()
        for path in paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return cls(paths, frozenset(folders), Disk(vault))

    def is_folder(self, path: str) -> bool:
        return path in self.folders or self.disk.is_folder(path)

    def is_told(self, vault: EditVault, path: str) -> bool:
        if vault.sight is None or not self.is_folder(path):
            return self.is_folder(path)
        if path in self.folders:
            inside = f"{path}/"
            return any(seen.startswith(inside) for seen in vault.sight.paths())
        return vault.sight.may_name(path)


class Disk:
    def __init__(self, vault: EditVault) -> None:
        self._root, self._sight = vault.root, vault.sight

    def is_folder(self, path: str) -> bool:
        mode = self._mode(path)
        return mode is not None and stat.S_ISDIR(mode)

    def is_there(self, path: str) -> bool:
        return self._mode(path) is not None or self.is_offloaded(path)

    def is_offloaded(self, path: str) -> bool:
        with VaultFiles(self._root) as files:
            return files.is_offloaded(path)

    def refuse_taken(self, path: str) -> None:
        if self._mode(path) is not None:
            raise NameTaken(path)
        if self.is_offloaded(path):
            raise NameTaken(path, NOT_HERE)

    def _mode(self, path: str) -> int | None:
        try:
            with VaultFiles(self._root) as files:
                return files.stat(path).st_mode
        except FileGone:
            return None
        except PathOutsideVault as fault:
            if self._sight is not None and isinstance(fault, SymlinkInPath):
                return 0  # to an agent, the name is taken
            raise
        except VaultError:
            return 0


def origin_of(vault: EditVault, ground: Ground, name: str) -> Origin:
    """Return the file or folder that is called so to the letter, and is read."""
    origin = _origin_of(vault, ground, name)
    if not origin.folder:
        check_seen(vault, name, origin.path)
        check_read(vault.rules(), origin.path)
    else:
        inside = f"{origin.path}/"
        below = (path for path in ground.paths if path.startswith(inside))
        check_folder_seen(vault, origin.path, below)
    return origin


def _origin_of(vault: EditVault, ground: Ground, name: str) -> Origin:
    path = _from_root(name)
    if path and not name.endswith("/"):
        file = _file_at(vault, ground, path)
        if file is not None:
            return Origin(file, folder=False)
    sure = None if name.endswith("/") else vault.exact(name)
    if path and ground.is_told(vault, path):
        if sure is not None:  # rather asked for than a whole folder moved
            raise AmbiguousName(name, (sure, f"{path}/"), 2)
        return Origin(path, folder=True)
    if sure is not None:
        return Origin(sure, folder=False)
    raise NoteNotFound(name, _closest(vault, name))


def _from_root(name: str) -> NotePath:
    """Return the path from the vault's folder; one from the disk's is told by name."""
    path = name.removeprefix("./").removeprefix("/").rstrip("/")
    return safe_path(path) if path else NotePath("")


def _file_at(vault: EditVault, ground: Ground, path: NotePath) -> NotePath | None:
    note = NotePath(path + NOTE_SUFFIX)
    known = set(ground.paths)
    for file in (path, note):
        if file in known and is_seen(vault, file):
            return file
    for file in (path,) if ground.is_told(vault, path) else (path, note):
        is_there = ground.disk.is_there(file) and not ground.is_folder(file)
        if is_there and is_seen(vault, file):
            return file
    return None


def _closest(vault: EditVault, name: str) -> tuple[str, ...]:
    try:
        return () if name.endswith("/") else (vault.find(name),)
    except NoteNotFound as unknown:
        return tuple(unknown.closest[:CLOSEST_SHOWN])


def origin_bytes(
    vault: EditVault, origin: Origin, expected: Digest | None
) -> bytes | None:
    if not origin.folder:
        return read_for_edit(vault, origin.path, expected)
    if expected is not None:
        raise BadEdit(f"{origin.path} is a folder, which has no digest")
    return None


def destination_of(
    vault: EditVault, ground: Ground, origin: Origin, name: str
) -> NotePath:
    """Return the path that something gets when it is moved to a name.

    A name that ends in `/`, or is that of a folder, means: into that folder; of one in
    which whoever asks sees nothing, only with the `/`. A note
    keeps its suffix, other files keep theirs where the name has none.
    """
    base = origin.path.rpartition("/")[2]
    folder = name.rstrip("/")
    if folder and not ground.is_told(vault, folder):
        name = name.strip()
        folder = name.rstrip("/")
    if not folder and name.endswith("/"):
        to = base  # into the vault's own folder
    else:
        folder = as_there(safe_path(folder), ground)
        is_self = origin.folder and fold(folder) == fold(origin.path)
        if name.endswith("/") or (ground.is_told(vault, folder) and not is_self):
            to = f"{folder}/{base}"
        else:
            to = folder if origin.folder else _suffixed(safe_path(name), base)
            to = as_there(to, ground)
    path = safe_path(to)
    _check(ground, origin, path)
    return path


def _suffixed(name: str, base: str) -> str:
    suffix = f".{base.rpartition('.')[2]}" if "." in base.lstrip(".") else ""
    if suffix.lower() in _KINDS:
        return name if name.lower().endswith(suffix.lower()) else name + suffix
    return name if "." in name.rpartition("/")[2] else name + suffix


def as_there(path: str, ground: Ground) -> NotePath:
    *folders, name = path.split("/")
    above = ""
    for folder in folders:
        above = _spelled(f"{above}{folder}", ground) + "/"
    return NotePath(above + name)


def _spelled(folder: str, ground: Ground) -> str:
    if folder in ground.folders:
        return folder
    alike = [known for known in ground.folders if fold(known) == fold(folder)]
    if len(alike) == 1 and not ground.disk.is_there(folder):
        return alike[0]
    return folder


def _check(ground: Ground, origin: Origin, path: NotePath) -> None:
    if path == origin.path:
        raise BadEdit(f"{path} is there already")
    if origin.folder and path.startswith(f"{origin.path}/"):
        raise BadEdit(f"{origin.path} cannot be moved into itself")
    check_new_name(
        path, folder=origin.folder, is_there=ground.is_folder, former=origin.path
    )
    known: Iterable[str] = ground.folders if origin.folder else ground.paths
    for other in (*known, *(ground.folders if not origin.folder else ground.paths)):
        if fold(other) == fold(path) and other != origin.path:
            raise NameTaken(other)
    if fold(path) != fold(origin.path):
        ground.disk.refuse_taken(path)
