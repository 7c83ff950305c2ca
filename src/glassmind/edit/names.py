"""Which file is to be edited: the one that is called so to the letter, and no other."""

import re
import stat
from collections.abc import Callable, Iterator, Sequence
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
"""Letters of a digest that tell two versions of one note apart."""

_HEX = frozenset("0123456789abcdef")


def named(vault: EditVault, name: str) -> NotePath:
    """Return the note that is called exactly so, and may be read."""
    return _checked(vault, name, _called(vault, name, _at(vault, name)[0]))


def named_text(
    vault: EditVault, name: str, expected: Digest | None
) -> tuple[NotePath, bytes]:
    at, raw = _at(vault, name)
    path = _checked(vault, name, _called(vault, name, at))
    return path, _as_expected(vault, path, raw if path == at else None, expected)


def named_template(vault: EditVault, name: str) -> NotePath:
    folders = vault.settings().template_folders
    plain = name.removeprefix("./").removeprefix("/")
    known = (exact_or_none(vault, f"{folder}/{plain}") for folder in folders)
    path = next(filter(None, known), None) or _called(vault, name, _at(vault, name)[0])
    rules = vault.rules()
    if any(path.startswith(f"{folder}/") for folder in folders):
        rules = rules.of_templates()
    return _checked(vault, name, path, rules)


def _checked(
    vault: EditVault, name: str, path: NotePath, rules: IgnoreRules | None = None
) -> NotePath:
    """Return a path; refuse one that is hidden or left out of the index."""
    check_seen(vault, name, path)
    reason = (rules or vault.rules()).left_out(path)
    if reason is not None:
        said = f"it was skipped ({reason})" if reason else "it is hidden"
        raise FileUnreadable(path, said)
    return path


def _called(vault: EditVault, name: str, at: NotePath | None) -> NotePath:
    if at is not None:
        return at
    with vault.faults():
        path = vault.exact(name)
        if path is None:
            raise NoteNotFound(name, (vault.find(name),))
        return path


def _at(vault: EditVault, name: str) -> tuple[NotePath | None, bytes | None]:
    """Return the note at a path, with or without its suffix, and its bytes.

    One that the caller may not read is left out; one that is not downloaded or too
    large has no bytes.
    """
    spelled = normalize("NFC", name).removeprefix("./")
    for path in map(NotePath, (spelled, f"{spelled}{NOTE_SUFFIX}")):
        if not spelled or kind_of(path) == "attachment":
            continue
        try:
            raw = vault.files.read(path)
            if raw is not None and (vault.sight is None or vault.sight.sees(path, raw)):
                return path, raw
        except (NotDownloaded, FileTooLarge):
            if is_seen(vault, path):
                return path, None
        except PathOutsideVault as fault:
            if vault.sight is not None and isinstance(fault, SymlinkInPath):
                continue  # as if there were no such file
            if not spelled.startswith("/"):
                raise  # a whole path may be one inside, which `exact` can tell
    return None, None


def exact_or_none(vault: EditVault, name: str) -> NotePath | None:
    path, _ = _at(vault, name)
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
    digest = digest_of(raw)
    if expected is not None and not digest.startswith(expected):
        raise NoteChanged(path, expected=expected, found=digest)
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


class Disk:
    """What is at a path, whatever the index says."""

    def __init__(self, vault: EditVault) -> None:
        self._root, self._sight = vault.root, vault.sight

    def is_folder(self, path: str) -> bool:
        mode = self._mode(path)
        return mode is not None and stat.S_ISDIR(mode)

    def is_there(self, path: str) -> bool:
        return self._mode(path) is not None or self._is_offloaded(path)

    def refuse_taken(self, path: str) -> None:
        if self._mode(path) is not None:
            raise NameTaken(path)
        if self._is_offloaded(path):
            raise NameTaken(path, NOT_HERE)

    def _is_offloaded(self, path: str) -> bool:
        with VaultFiles(self._root) as files:
            return files.is_offloaded(path)

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


class Places:
    """Where files and folders are that are moved, and where they may go.

    `paths` are the files of the index, and `folders` those that they are in.
    """

    def __init__(self, vault: EditVault, paths: Sequence[NotePath]) -> None:
        self.vault, self.paths, self.disk = vault, paths, Disk(vault)
        self.folders = {folder for path in paths for folder in _folders_above(path)}

    def is_folder(self, path: str) -> bool:
        return path in self.folders or self.disk.is_folder(path)

    def is_known_folder(self, path: str) -> bool:
        """Whether this is a folder that the caller may know of."""
        sight = self.vault.sight
        if sight is None or not self.is_folder(path):
            return self.is_folder(path)
        if path in self.folders:
            return any(note_path.startswith(f"{path}/") for note_path in sight.paths())
        return sight.may_name(path)

    def origin(self, name: str) -> tuple[NotePath, bool]:
        """Return what is called exactly so and may be read, and if it is a folder."""
        path, is_folder = self._origin(name)
        if is_folder:
            below = (file for file in self.paths if file.startswith(f"{path}/"))
            check_folder_seen(self.vault, path, below)
        else:
            _checked(self.vault, name, path)
        return path, is_folder

    def _origin(self, name: str) -> tuple[NotePath, bool]:
        bare = name.removeprefix("./").removeprefix("/").rstrip("/")
        path = safe_path(bare) if bare else NotePath("")
        exact = None
        if not name.endswith("/"):
            file = self._file_at(path) if path else None
            if file is not None:
                return file, False
            exact = self.vault.exact(name)
        if path and self.is_known_folder(path):
            if exact is not None:  # rather asked for than a whole folder moved
                raise AmbiguousName(name, (exact, f"{path}/"), 2)
            return path, True
        if exact is not None:
            return exact, False
        closest: tuple[str, ...] = ()
        try:
            closest = () if name.endswith("/") else (self.vault.find(name),)
        except NoteNotFound as unknown:
            closest = tuple(unknown.closest[:CLOSEST_SHOWN])
        raise NoteNotFound(name, closest)

    def _file_at(self, path: NotePath) -> NotePath | None:
        both = (path, NotePath(path + NOTE_SUFFIX))
        for file in both:
            if file in self.paths and is_seen(self.vault, file):
                return file
        for file in both[:1] if self.is_known_folder(path) else both:
            is_file = self.disk.is_there(file) and not self.is_folder(file)
            if is_file and is_seen(self.vault, file):
                return file
        return None

    def destination(self, origin: NotePath, name: str, *, folder: bool) -> NotePath:
        """Return the path that a file or `folder` gets when it is moved to a name.

        A name that ends in `/`, or is that of a folder, means: into that folder; of one
        in which the caller sees nothing, only with the `/`. A note keeps its suffix,
        other files keep theirs where the name has none.
        """
        base = origin.rpartition("/")[2]
        into = name.rstrip("/")
        if into and not self.is_known_folder(into):
            name = name.strip()
            into = name.rstrip("/")
        if not into and name.endswith("/"):
            to = base  # into the vault's own folder
        else:
            into = self.as_spelled(safe_path(into))
            is_self = folder and fold(into) == fold(origin)
            if name.endswith("/") or (self.is_known_folder(into) and not is_self):
                to = f"{into}/{base}"
            else:
                to = into if folder else _suffixed(safe_path(name), base)
                to = self.as_spelled(to)
        path = safe_path(to)
        self._check_destination(origin, path, folder=folder)
        return path

    def _check_destination(
        self, origin: NotePath, path: NotePath, *, folder: bool
    ) -> None:
        if path == origin:
            raise BadEdit(f"{path} is there already")
        if folder and path.startswith(f"{origin}/"):
            raise BadEdit(f"{origin} cannot be moved into itself")
        check_new_name(path, folder=folder, is_there=self.is_folder, former=origin)
        for other in (*self.paths, *self.folders):
            if fold(other) == fold(path) and other != origin:
                raise NameTaken(other)
        if fold(path) != fold(origin):
            self.disk.refuse_taken(path)

    def as_spelled(self, path: str) -> NotePath:
        """Return a path in existing folders as they are spelled, whatever the case."""
        *folders, name = path.split("/")
        above = ""
        for part in folders:
            folder = above + part
            if folder not in self.folders:
                alike = [f for f in self.folders if fold(f) == fold(folder)]
                if len(alike) == 1 and not self.disk.is_there(folder):
                    folder = alike[0]
            above = f"{folder}/"
        return NotePath(above + name)


def _folders_above(path: str) -> Iterator[str]:
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


def _suffixed(name: str, base: str) -> str:
    suffix = f".{base.rpartition('.')[2]}" if "." in base.lstrip(".") else ""
    if suffix.lower() in _KINDS:
        return name if name.lower().endswith(suffix.lower()) else name + suffix
    return name if "." in name.rpartition("/")[2] else name + suffix
