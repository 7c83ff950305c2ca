"""Compare the files on disk with what the index knows, at one `stat` per file.

A file whose stamp is known is done with after that; a change of the rules changes every
stamp. What is known and was not met is missing, unless we could not look there.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, cast
from unicodedata import is_normalized, normalize

from msgspec import Struct

from glassmind.errors import VaultMissing
from glassmind.files.ignore import DEFAULT_IGNORE_DIRS, IgnoreRules
from glassmind.files.names import name_key
from glassmind.files.read import (
    NOT_HERE,
    VaultFiles,
    is_placeholder,
    name_of_stub,
    spelling_order,
)
from glassmind.model import NotePath
from glassmind.model.index import FileFacts, FileKind, Skipped
from glassmind.obsidian.text import fold


def fault_of_type(entry: os.DirEntry[str]) -> str | None:
    is_link = entry.is_symlink()
    if sys.platform == "win32":
        tag = entry.stat(follow_symlinks=False).st_reparse_tag
        is_link |= tag == stat.IO_REPARSE_TAG_MOUNT_POINT
    if is_link:
        return "a symbolic link, which is not followed"
    if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False):
        return None
    return "not a regular file (a pipe, socket or device)"


MOST_TIME_NS = 2**63 - 1
"""What a row holds: the year 2262, or 1677 before 1970. File systems know others, and
broken clocks and archives bring them."""

_KINDS: Mapping[str, FileKind] = {
    ".md": "markdown",
    ".canvas": "canvas",
    ".base": "base",
}
_BY_DESCRIPTOR = os.scandir in os.supports_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_BELOW = _FOLDER | getattr(os, "O_NOFOLLOW", 0)
_UNDECODED = re.compile("[\ud800-\udfff]")
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f\\]")


class Scan(Struct, frozen=True):
    """What a look at the whole vault found; every list is in order of path.

    `changed` are files that are new or have another stamp. `missing` are known paths
    where there is surely nothing to read now, `unknown` those we could not look at:
    what the index knows of them stays. `seen` counts the files that can be read.
    """

    changed: list[FileFacts]
    missing: list[NotePath]
    unknown: list[NotePath]
    seen: int
    skipped: list[Skipped]


def stamp_of(facts: os.stat_result, seed: int) -> int:
    return hash(
        (seed, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
    )


def storable_time(time_ns: int) -> int:
    return max(-MOST_TIME_NS, min(time_ns, MOST_TIME_NS))


def kind_of(path: str) -> FileKind:
    return _KINDS.get(os.path.splitext(path)[1].lower(), "attachment")  # noqa: PTH122


def scan(root: Path, rules: IgnoreRules, known: Mapping[NotePath, int]) -> Scan:
    """Return how the vault differs from the known stamps; only folders are opened."""
    left = cast("dict[str, int]", dict(known))
    walk = _Walk(rules, left, [_Folder(os.fspath(root))])
    while walk.folders:
        folder = walk.folders.pop()
        try:
            walk.enter(folder)
        except OSError as fault:
            if not folder.prefix:
                raise VaultMissing(str(root), fault.strerror or "unknown") from fault
            if fault.errno not in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
                walk.lose(folder.prefix[:-1], fault.strerror or "it cannot be read")
    return walk.result(known)


def scan_folders(
    root: Path,
    rules: IgnoreRules,
    known: Mapping[NotePath, int],
    folders: Collection[str],
    files: Collection[str] | None = None,
) -> Scan | None:
    """Return how these folders, not those below them, differ from their known files.

    Of `files`, where they are given, no others are looked at; `known` are among them.
    None means that a look at the whole vault has to tell: a folder is gone, excluded,
    cannot be read, or is reached through a link or under another spelling.
    """
    base = os.path.realpath(root)
    walk = _Walk(rules, cast("dict[str, int]", dict(known)), [], files)
    walk.shallow = True
    for folder in sorted(folders):
        place = os.path.join(base, folder) if folder else base  # noqa: PTH118
        above = [part.rstrip("/") for part in _up(f"{folder}/") if folder]
        excluded = any(rules.folder(part) is not None for part in above)
        if excluded or (folder and not is_real(place)):
            return None
        prefix = f"{folder}/" if folder else ""
        try:
            walk.enter(_Folder(place, prefix, prefix))
        except OSError:
            return None
    return walk.result(known)


def is_real(place: str) -> bool:
    try:
        return os.path.realpath(place) == place
    except OSError:  # a link was there when it was met, and none when it was read
        return False


class _Folder(NamedTuple):
    place: str
    disk_prefix: str = ""
    prefix: str = ""


class _Walk(Struct):
    """The state of one scan; `left` are the known stamps not met so far."""

    rules: IgnoreRules
    left: dict[str, int]
    folders: list[_Folder]
    files: Collection[str] | None = None
    changed: list[FileFacts] = []
    skipped: list[Skipped] = []
    unseen: set[str] = set()
    shallow: bool = False

    def enter(self, folder: _Folder) -> None:
        if not _BY_DESCRIPTOR:
            self.look(folder, folder.place)
            return
        # The root alone may be a symbolic link: the user named it.
        opened = os.open(folder.place, _BELOW if folder.prefix else _FOLDER)
        try:
            self.look(folder, opened)
        finally:
            os.close(opened)

    def look(self, folder: _Folder, place: str | int) -> None:
        with os.scandir(place) as entries:
            chosen = entries if self.files is None else self.chosen(entries, folder)
            others = self.pass_unchanged(chosen, folder.prefix)
        preferred: dict[str, str] = {}
        if any(not is_normalized("NFC", entry.name) for entry in others):
            for name in sorted(os.listdir(place), key=spelling_order):  # noqa: PTH208
                preferred.setdefault(normalize("NFC", name), name)
        for entry in others:
            self.judge(entry, folder, preferred)

    def chosen(
        self, entries: Iterable[os.DirEntry[str]], folder: _Folder
    ) -> Iterator[os.DirEntry[str]]:
        start = len(folder.prefix)
        names = {f[start:] for f in self.files or () if f.startswith(folder.prefix)}
        for entry in entries:  # of a large folder, so most are passed by quickly
            name = entry.name
            if name in names:
                yield entry
            elif name[0] == "." or not name.isascii():
                plain = normalize("NFC", name)
                if (name_of_stub(plain) or plain) in names:
                    yield entry

    def pass_unchanged(
        self, entries: Iterable[os.DirEntry[str]], prefix: str
    ) -> list[os.DirEntry[str]]:
        """Return the entries that are not known files with their known stamps.

        The hot loop: an unchanged vault is passed here whole, so nothing is called that
        a `stat` and a comparison do not need, and `stamp_of` is written out.
        """
        left, pop, seed = self.left, self.left.pop, self.rules.seed
        others: list[os.DirEntry[str]] = []
        for entry in entries:
            path = prefix + entry.name
            stamp = pop(path, None)
            if stamp is not None:
                try:
                    facts = entry.stat(follow_symlinks=False)
                    if stamp == hash(
                        (
                            seed,
                            facts.st_size,
                            facts.st_mtime_ns,
                            facts.st_ctime_ns,
                            facts.st_ino,
                        )
                    ):
                        continue
                except OSError:
                    pass  # judged below, by the same fault
                left[path] = stamp
            others.append(entry)
        return others

    def judge(
        self, entry: os.DirEntry[str], folder: _Folder, preferred: Mapping[str, str]
    ) -> None:
        """Decide what becomes of one entry; what is not taken stays in `left`."""
        name = normalize("NFC", entry.name)
        path = folder.prefix + name
        try:
            reason = _fault_of_name(entry.name, preferred) or fault_of_type(entry)
            if reason is not None:
                if not name.startswith("."):
                    self.skip(path, reason)
            elif entry.is_dir(follow_symlinks=False):
                self.judge_folder(path, entry.name, folder)
            elif (other := name_of_stub(name)) is not None:
                if self.rules.file(folder.prefix + other) is None:
                    self.lose(folder.prefix + other, NOT_HERE)
            else:
                self.judge_file(path, entry, folder)
        except FileNotFoundError:
            pass  # gone since the folder was listed
        except OSError as fault:
            self.lose(path, fault.strerror or "it cannot be looked at")

    def judge_folder(self, path: str, name: str, above: _Folder) -> None:
        reason = self.rules.folder(path)
        if reason is None and not self.shallow:
            place = f"{above.place}{os.sep}{name}"  # a scan joins every folder
            below = _Folder(place, f"{above.disk_prefix}{name}/", f"{path}/")
            self.folders.append(below)
        elif reason:
            self.skip(path, reason)

    def judge_file(self, path: str, entry: os.DirEntry[str], folder: _Folder) -> None:
        reason = self.rules.file(path)
        if reason is not None:
            if reason:
                self.skip(path, reason)
            return
        facts = entry.stat(follow_symlinks=False)
        stamp = stamp_of(facts, self.rules.seed)
        if self.left.get(path) != stamp:
            if is_placeholder(facts):
                self.lose(path, NOT_HERE)
                return
            disk_path = folder.disk_prefix + entry.name
            self.changed.append(
                FileFacts(
                    path=NotePath(path),
                    kind=kind_of(path),
                    size=facts.st_size,
                    mtime_ns=storable_time(facts.st_mtime_ns),
                    stamp=stamp,
                    disk_path=None if disk_path == path else disk_path,
                )
            )
        self.left.pop(path, None)

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(NotePath(_printable(path)), reason))

    def lose(self, path: str, reason: str) -> None:
        self.unseen |= {path, f"{path}/"}
        note_path = NotePath(_printable(path))
        self.skipped.append(Skipped(note_path, reason, unknown=True))

    def result(self, known: Mapping[NotePath, int]) -> Scan:
        paths = [NotePath(path) for path in sorted(self.left)]
        unknown = {path for path in paths if not self.unseen.isdisjoint(_up(path))}
        new = sum(file.path not in known for file in self.changed)
        return Scan(
            changed=sorted(self.changed, key=lambda file: file.path),
            missing=[path for path in paths if path not in unknown],
            unknown=sorted(unknown),
            seen=len(known) - len(paths) + new,
            skipped=sorted(self.skipped, key=lambda entry: (entry.path, entry.reason)),
        )


def _up(path: str) -> Iterator[str]:
    yield path
    end = len(path)
    while (end := path.rfind("/", 0, end)) >= 0:
        yield path[: end + 1]


def _fault_of_name(name: str, preferred: Mapping[str, str]) -> str | None:
    if not preferred and name.isascii() and name.isprintable() and "\\" not in name:
        return None  # as most are, and quickly told
    if _UNDECODED.search(name):
        return "its name is not valid UTF-8; rename it"
    if _UNUSABLE.search(name):
        return "its name holds a backslash or control character; rename it"
    if preferred.get(normalize("NFC", name), name) != name:
        return "another name beside it is the same but for its encoding; rename one"
    return None


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class StaleFiles(NamedTuple):
    changed: tuple[NotePath, ...] = ()
    gone: tuple[NotePath, ...] = ()


def stale_files(root: Path, known: Mapping[NotePath, tuple[int, int]]) -> StaleFiles:
    """Return which files are not of the size and time they are known by, in order.

    Nothing is opened. A file that cannot be looked at, or that a sync keeps elsewhere,
    is neither changed nor gone.
    """
    changed, paths = [], []
    with ExitStack() as stack:
        files: VaultFiles | None = None
        for path, known_facts in known.items():
            try:
                facts = os.lstat(f"{root}/{path}")
            except (FileNotFoundError, NotADirectoryError):
                files = files or stack.enter_context(VaultFiles(root))
                if not files.exists(path):  # nor under another spelling
                    paths += [] if files.is_offloaded(path) else [path]
                    continue
                facts = files.stat(path)
            except OSError:
                continue
            if (facts.st_size, storable_time(facts.st_mtime_ns)) != known_facts:
                changed.append(path)
    return StaleFiles(tuple(changed), tuple(paths))


MOST_NAMES = 100_000


class SkippedNames(Struct, frozen=True):
    """What files are called that were left out, as far as they may be told of.

    `files` opens those of whoever asks. Only a file whose name is asked for is judged.
    """

    places: Mapping[str, Collection[str]]
    files: Callable[[], VaultFiles]

    def __contains__(self, name: object) -> bool:
        places = self.places.get(str(name), ())
        if not places:
            return False
        try:
            with self.files() as files:
                return any(files.may_tell_skipped(path) for path in places)
        except VaultMissing:
            return False


def unindexed(root: Path, known: Collection[str]) -> Iterator[NotePath]:
    """Yield the files that are there and not among those known, by path."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not _is_of_programs(name)
        )
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        above = "" if below == "." else f"{below}/"
        for name in sorted(names):
            path = normalize("NFC", above + name)
            if not name.startswith(".") and path not in known:
                yield NotePath(path)


def left_out_names(
    root: Path, skipped: Iterable[str], files: Callable[[], VaultFiles]
) -> SkippedNames:
    """Return what links would call the files that were skipped, alone or in a folder.

    No link is followed, and none of the `files` is opened before it is asked for. A
    folder that cannot be listed has no names, nor have those of programs: no link means
    a file of theirs.
    """
    found: dict[str, list[str]] = {}
    for path in skipped:
        if _is_of_programs(path):
            continue
        below = [path]
        for folder, folders, names in os.walk(root / path):
            folders.sort()
            here = Path(folder).relative_to(root).as_posix()
            below += [normalize("NFC", f"{here}/{name}") for name in names]
            if len(below) > MOST_NAMES:
                break
        for name in below:
            for key in {name_key(name), fold(name.rpartition("/")[2])}:
                found.setdefault(key, []).append(name)
        if len(found) > MOST_NAMES:
            break
    return SkippedNames(found, files)


def is_left_out(target: str, names: Container[str]) -> bool:
    return name_key(target) in names or fold(target.rpartition("/")[2]) in names


def _is_of_programs(path: str) -> bool:
    return fold(path.rpartition("/")[2]) in DEFAULT_IGNORE_DIRS


def is_free(root: Path, path: str) -> bool:
    """Whether nothing on disk stands at a path of the vault, be it indexed or not."""
    return not os.path.lexists(root / path)
