"""A change of a vault as a commit of the git repository that it is, or is in.

As for reading a history, nothing may run that the repository names: no hook, no program
that filters, signs or watches files. So the commit is put together by hand: a tree of
what the last commit has with the changed files in it, made in an index of our own. What
the user has staged stays staged, and is not committed. A file for which a filter is set
is not committed at all: without it, the repository would get what it should not have.
"""

import os
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unicodedata import normalize

from glassmind.errors.knowledge import NoHistory
from glassmind.files.history import (
    MOST_PATHS_BYTES,
    Repository,
    command_of,
    environment,
    refusal,
    repository_of,
)

TIMEOUT_S = 30.0
"""How long all of it may take; some tenths of a second with 10,000 notes."""

UNDER_WAY = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "rebase-merge",
    "rebase-apply",
)
"""What lies in a repository whose user is in the middle of something."""

_UNFILTERED = (b"unspecified", b"unset", b"set")

_SETTINGS = (
    "-c", "user.useConfigOnly=true",  # the name of the machine is nobody
    "-c", "i18n.commitEncoding=UTF-8",
    "-c", "core.splitIndex=false",
)  # fmt: skip


class _Refused(Exception):
    """Git does not do it; the text says why."""


class _Git:
    """The program, asked again and again within one time."""

    def __init__(self, repository: Repository, until: float) -> None:
        self.repository, self._until = repository, until

    def __call__(
        self,
        *wanted: str,
        said: bytes = b"",
        fine: Iterable[int] = (0,),
        index: Path | None = None,
    ) -> bytes:
        """Return what git prints; `index` is used in the place of that of the user."""
        command = command_of(self.repository, wanted)
        if wanted[0] == "check-ignore":  # it takes paths only, and refuses to hear so
            command.remove("--literal-pathspecs")
        variables = {**environment(), "GIT_ATTR_NOSYSTEM": "0"}
        if index is not None:
            variables["GIT_INDEX_FILE"] = str(index)
        try:
            done = subprocess.run(  # noqa: S603 - our own words, and no shell
                [command[0], *_SETTINGS, *command[1:]],
                env=variables,
                input=said,
                capture_output=True,
                timeout=max(0.0, self._until - time.monotonic()),
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as fault:
            raise _Refused(
                f"git could not be asked ({type(fault).__name__})"
            ) from fault
        if done.returncode not in fine:
            raise _Refused(_reason(done.stderr))
        return done.stdout


class _Files(NamedTuple):
    """The files of a change that are there, and those that are gone."""

    there: list[str]
    gone: list[str]


def commit(
    root: Path, title: str, paths: Sequence[str], *, timeout_s: float = TIMEOUT_S
) -> str:
    """Commit some files of a vault as they are now, and nothing else.

    A path that is gone is committed as such; one that is or was a folder stands for the
    files that git knew in it. What git ignores is left out. Returns why nothing was
    committed, empty where it was, or where nothing was left to commit.
    """
    until = time.monotonic() + timeout_s
    try:
        git = _Git(repository_of(root, timeout_s=timeout_s), until)
        parent = _ready(git)
        files = _unignored(git, _spread(git, root, paths))
        _refuse_filtered(git, files.there)
        if files.there or files.gone:
            _committed(git, title, files, parent)
    except NoHistory as fault:
        return f"the change was not committed: {fault.reason}"
    except _Refused as fault:
        return f"the change was not committed: {fault}"
    except OSError as fault:
        return f"the change was not committed: {fault.strerror or fault}"
    return ""


def _ready(git: _Git) -> str:
    """Return the last commit, empty where there is none; refuse what is not ready."""
    folder = Path(os.fsdecode(git("rev-parse", "--absolute-git-dir").rstrip(b"\n")))
    if any((folder / name).exists() for name in UNDER_WAY):
        raise _Refused("a merge, a rebase or the like is under way")
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        try:
            git("var", who)
        except _Refused as fault:
            said = "git does not know who commits; set user.name and user.email by "
            raise _Refused(f"{said}git config --global") from fault
    known = git("rev-parse", "--verify", "--quiet", "HEAD^{commit}", fine=(0, 1))
    return known.decode().strip()


def _spread(git: _Git, root: Path, paths: Sequence[str]) -> _Files:
    """Return the files that paths stand for; a disk may spell a name in another way."""
    spelled = {name for path in paths for name in (path, normalize("NFD", path))}
    tracked = _tracked(git, sorted(spelled))
    folders = [name for name in spelled if _is_folder(root / name)]
    there = {name for name in spelled if _is_file(root / name)}
    gone = {name for name in tracked if not os.path.lexists(root / name)}
    inside = {
        name[len(old) + 1 :]
        for old in spelled
        for name in gone
        if name.startswith(f"{old}/")
    }
    there |= {
        f"{new}/{name}"
        for new in folders
        for name in inside
        if _is_file(root / new / name)
    }
    return _Files(sorted(there), sorted(gone))


def _is_file(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _is_folder(file: Path) -> bool:
    return file.is_dir() and not file.is_symlink()


def _tracked(git: _Git, paths: Sequence[str]) -> set[str]:
    """Return the files that git knows by these names, or in folders of them."""
    found: set[str] = set()
    for part in _parts(paths):
        found |= set(_names(git("ls-files", "-z", "--", *part)))
    return found


def _parts(paths: Sequence[str]) -> Iterable[list[str]]:
    """Yield as many paths at a time as one program can be handed."""
    part: list[str] = []
    room = MOST_PATHS_BYTES
    for path in paths:
        size = len(os.fsencode(path)) + 3
        if part and size > room:
            yield part
            part, room = [], MOST_PATHS_BYTES
        part.append(path)
        room -= size
    if part:
        yield part


def _unignored(git: _Git, files: _Files) -> _Files:
    """Leave out what git ignores; what it knows already it does not ignore."""
    if not files.there:
        return files
    # a colon at the beginning would have a meaning; 1 stands for none of them
    said = _listed(f"./{name}" for name in files.there)
    printed = git("check-ignore", "-z", "--stdin", said=said, fine=(0, 1))
    ignored = {name.removeprefix("./") for name in _names(printed)}
    return files._replace(there=[name for name in files.there if name not in ignored])


def _refuse_filtered(git: _Git, names: Sequence[str]) -> None:
    if not names:
        return
    told = git("check-attr", "-z", "--stdin", "filter", said=_listed(names))
    parts = told.split(b"\0")
    for name, value in zip(parts[::3], parts[2::3], strict=False):
        if value not in _UNFILTERED:
            raise _Refused(
                f"git passes {os.fsdecode(name)} through the program "
                f"{os.fsdecode(value)!r}, which we do not run; commit it yourself"
            )


def _committed(git: _Git, title: str, files: _Files, parent: str) -> None:
    """Commit files on top of the last commit, and have them so in the user's index.

    The index comes before the commit: where the one is locked, there is no other.
    """
    said = _listed([*files.gone, *files.there])
    take = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
    with TemporaryDirectory(prefix="glassmind-") as folder:
        ours = Path(folder) / "index"
        git("read-tree", parent or "--empty", index=ours)
        git(*take, said=said, index=ours)
        tree = git("write-tree", index=ours).decode().strip()
    if parent and tree == git("rev-parse", f"{parent}^{{tree}}").decode().strip():
        return
    on_top = ("-p", parent) if parent else ()
    message = f"{title.strip() or 'Notes'}\n".encode(errors="replace")
    made = git("commit-tree", tree, *on_top, said=message).decode().strip()
    git(*take, said=said)
    why = f"commit: {title.splitlines()[0] if title.strip() else 'Notes'}"
    git("update-ref", "-m", why[:200], "HEAD", made, parent)


def _listed(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def _names(printed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in printed.split(b"\0") if name]


def _reason(said: bytes) -> str:
    """Return the sentence of git that tells most, without its marks."""
    known = refusal(said)
    if not known.startswith("git does not read the vault"):
        return known
    lines = os.fsdecode(said).splitlines()
    marked = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    first = next(iter(marked or lines), "it gave no reason")
    return (
        f"git refuses ({first.removeprefix('fatal: ').removeprefix('error: ')[:200]})"
    )
