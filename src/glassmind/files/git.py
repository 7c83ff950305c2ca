"""Read the history of a vault that is a git repository, and commit changes to it.

A vault may come from anybody, its `.git/config` too, and git runs programs that a
configuration names. So no working files are looked at (filters, `fsmonitor`, hooks), no
program shows differences, nothing is fetched, and settings come from the user and here.

A commit is put together in an index of our own, so that what the user has staged stays
staged. A file with a filter is not committed: we do not run the filter.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unicodedata import normalize

from glassmind.errors import NoHistory
from glassmind.model.graph import ChangeKind, Commit, FileChange

FORMAT = "tformat:%x00%H %aI"
"""How a commit is to be printed: a NUL, its id, and when it was written."""

_KINDS: dict[str, ChangeKind] = {
    "A": "added",
    "C": "added",
    "M": "changed",
    "T": "changed",
    "R": "renamed",
    "D": "removed",
}

_OCTAL = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_CONTROLS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}


def changes_in(lines: Iterable[bytes]) -> Iterator[FileChange]:
    commit: Commit | None = None
    for line in lines:
        if line.startswith(b"\0"):
            commit = _commit(line)
        elif commit is not None and line.startswith(b":"):
            yield from _change(line, commit)


def _commit(line: bytes) -> Commit | None:
    name, _, written = line[1:].decode("ascii", "replace").partition(" ")
    try:
        when = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    day, _, time = when.isoformat(timespec="seconds").partition("T")
    return Commit(name, day, time)


def _change(line: bytes, commit: Commit) -> Iterator[FileChange]:
    heading, *paths = line.split(b"\t")
    kind = _KINDS.get(heading.rpartition(b" ")[2][:1].decode("ascii", "replace"))
    if kind is None or not paths:
        return
    names = [unquoted(path) for path in paths]
    former = names[0] if kind == "renamed" else ""
    yield FileChange(commit, kind, names[-1], former)


def unquoted(name: bytes) -> str:
    if len(name) > 1 and name.startswith(b'"') and name.endswith(b'"'):
        name = _OCTAL.sub(_unescaped, name[1:-1])
    return normalize("NFC", name.decode("utf-8", "replace"))


def _unescaped(found: "re.Match[bytes]") -> bytes:
    said = found[1]
    if len(said) > 1:
        return bytes([int(said, 8) & 0xFF])
    return bytes([_CONTROLS[said]]) if said in _CONTROLS else said


MOST_COMMITS = 50_000
"""Commits that are read; vaults that we know have less than a tenth."""

MOST_PATHS_BYTES = 20_000
"""Names that are handed to one program; Windows takes 32,000 characters in all."""

_KEPT = ("PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "SYSTEMROOT", "TMPDIR")
"""What git needs of our own variables; others could lead it to another repository."""

_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",  # no way of fetching has that name
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}

_SETTINGS = {  # none that a repository has may change what is told
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "diff.orderFile": os.devnull,
    "diff.relative": "false",
    "diff.renameLimit": "1000",  # git's own
    "log.follow": "false",
    "log.showRoot": "true",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",  # a folder of notes is none
}

_LOG = (
    "log",
    "--raw",
    "--encoding=UTF-8",
    "--find-renames",
    "--no-abbrev",
    "--no-color",
    "--no-decorate",
    "--no-ext-diff",
    "--no-notes",
    "--no-show-signature",
    "--no-textconv",
    "--no-use-mailmap",
    "--submodule=short",
    f"--format={FORMAT}",
)


class Repository(NamedTuple):
    """A vault's place in a repository; `shallow`: its first years are missing.

    `files` is the folder that the repository is of, as it lies on disk; the settings
    could name another.
    """

    program: str
    root: Path
    files: Path
    prefix: str = ""
    shallow: bool = False


def repository_of(root: Path, *, timeout_s: float) -> Repository:
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():
        raise NoHistory("git is not installed")
    repository = Repository(program, root, _files_of(root))
    arguments = ["rev-parse", "--show-prefix", "--is-shallow-repository"]
    done = _run(repository, arguments, timeout_s=timeout_s)
    if done.returncode:
        raise NoHistory(refusal(done.stderr))
    prefix, _, shallow = os.fsdecode(done.stdout).rstrip("\n").rpartition("\n")
    return repository._replace(
        prefix=normalize("NFC", prefix), shallow=shallow == "true"
    )


def _run(
    repository: Repository,
    arguments: Sequence[str],
    *,
    timeout_s: float,
    stdin: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - our own words, and no shell
            command_of(repository, arguments),
            env={**environment(), **(variables or {})},
            input=stdin,
            capture_output=True,
            timeout=max(timeout_s, 0.0),
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoHistory(f"git could not be asked ({type(error).__name__})") from error


def _files_of(root: Path) -> Path:
    there = root.resolve()
    folders = (there, *there.parents)
    return next((one for one in folders if (one / ".git").exists()), root)


class GitLog:
    """What happened to all files, the latest first, as far as there is time and room.

    Of the whole repository: a vault may have been moved inside of it. `cut` says after
    reading whether there was more.
    """

    def __init__(self, repository: Repository, *, timeout_s: float) -> None:
        self._repository = repository
        self._timeout_s, self.cut = timeout_s, False

    def __iter__(self) -> Iterator[FileChange]:
        arguments = (*_LOG, f"--max-count={MOST_COMMITS}")
        try:
            done = _run(self._repository, arguments, timeout_s=self._timeout_s)
            printed = done.stdout
            self.cut = done.returncode not in {0, 128}  # 128: there is no commit yet
        except NoHistory as fault:  # what was printed in that time counts
            printed = getattr(fault.__cause__, "stdout", None) or b""
            self.cut = True
        self.cut |= printed.count(b"\0") >= MOST_COMMITS
        prefix = self._repository.prefix
        for change in changes_in(printed.split(b"\n")):
            yield change._replace(
                path=_from_vault(change.path, prefix),
                former=_from_vault(change.former, prefix),
            )


def _from_vault(path: str, prefix: str) -> str:
    if not path or path.startswith(prefix):
        return path.removeprefix(prefix)
    return "../" * prefix.count("/") + path


def command_of(repository: Repository, wanted: Sequence[str]) -> list[str]:
    settings = [f"{name}={value}" for name, value in _SETTINGS.items()]
    return [
        repository.program,
        "--no-pager",
        "--no-optional-locks",
        *(part for setting in settings for part in ("-c", setting)),
        "-C",
        str(repository.root),
        f"--work-tree={repository.files}",
        *wanted,
    ]


def environment() -> dict[str, str]:
    ours = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**ours, **_ENVIRONMENT}


def refusal(said: bytes) -> str:
    text = os.fsdecode(said)
    if "dubious ownership" in text:
        return (
            "the vault belongs to another user, and git reads it only once you say so: "
            "git config --global --add safe.directory with the path of the vault"
        )
    if "not a git repository" in text:
        return "the vault is no git repository"
    first = next(iter(text.splitlines()), "it gave no reason")
    return f"git does not read the vault ({first[:200]})"


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

_UNFILTERED = (b"unspecified", b"unset", b"set")

_COMMIT_SETTINGS = (
    "-c", "user.useConfigOnly=true",  # the name of the machine is nobody
    "-c", "i18n.commitEncoding=UTF-8",
    "-c", "core.splitIndex=false",
)  # fmt: skip


class _Refused(Exception):
    """Git does not do it; the text says why."""


class _Git:
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
        variables = {"GIT_ATTR_NOSYSTEM": "0"}
        if index is not None:
            variables["GIT_INDEX_FILE"] = str(index)
        done = _run(
            self.repository,
            (*_COMMIT_SETTINGS, *wanted),
            timeout_s=self._until - time.monotonic(),
            stdin=said,
            variables=variables,
        )
        if done.returncode not in fine:
            raise _Refused(_reason(done.stderr))
        return done.stdout


class _Files(NamedTuple):
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
        files = _files(git, root, paths)
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


def _files(git: _Git, root: Path, paths: Sequence[str]) -> _Files:
    spelled = {name for path in paths for name in (path, normalize("NFD", path))}
    listed = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
    known: set[str] = set()
    for part in _parts(sorted(spelled)):
        known |= set(_names(git(*listed, *part)))
    gone = {name for name in known if not os.path.lexists(root / name)}
    moved = {
        f"{new}/{name[len(old) + 1 :]}"
        for old in spelled
        for name in gone
        if name.startswith(f"{old}/")
        for new in spelled
    }
    there = {
        name
        for name in known & (spelled | moved)
        if (root / name).is_file() and not (root / name).is_symlink()
    }
    return _Files(sorted(there), sorted(gone))


def _parts(paths: Sequence[str]) -> Iterable[list[str]]:
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
    """Commit files; the index comes first, since a locked one refuses both."""
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
    known = refusal(said)
    if not known.startswith("git does not read the vault"):
        return known
    lines = os.fsdecode(said).splitlines()
    marked = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    first = next(iter(marked or lines), "it gave no reason")
    return (
        f"git refuses ({first.removeprefix('fatal: ').removeprefix('error: ')[:200]})"
    )
