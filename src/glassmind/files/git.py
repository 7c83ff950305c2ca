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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.errors import NoHistory

MOST_COMMITS = 50_000  # vaults that we know have less than a tenth

ChangeKind: TypeAlias = Literal["added", "changed", "renamed", "removed"]


class Commit(NamedTuple):
    """Day and time are as its author's clock showed them."""

    id: str
    day: str
    time: str

    @property
    def at(self) -> float:
        """The moment, in seconds since 1970: clocks of two places compare by it."""
        return datetime.fromisoformat(f"{self.day}T{self.time}").timestamp()


class FileChange(NamedTuple):
    commit: Commit
    kind: ChangeKind
    path: str
    former: str


class History(NamedTuple):
    """What happened to all files of a repository, the latest change first.

    `shallow` means that the first years are missing, `cut` that there was more than
    could be read. Paths start at the vault; those beside it begin with `../`.
    """

    changes: Sequence[FileChange]
    shallow: bool
    cut: bool


_KINDS: dict[str, ChangeKind] = {
    "A": "added",
    "C": "added",
    "M": "changed",
    "T": "changed",
    "R": "renamed",
    "D": "removed",
}

_HEADER = re.compile(rb"(?:^|\0)\n?[0-9a-f]{40,64} ")

_INHERITED = ("PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "SYSTEMROOT", "TMPDIR")
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

_SETTINGS = {  # a repository's own settings must not change what is reported
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "diff.orderFile": os.devnull,
    "diff.relative": "false",
    "diff.renameLimit": "1000",  # git's own
    "log.follow": "false",
    "log.showRoot": "true",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",  # a folder of notes is not one
}

_LOG = (
    "log",
    "--raw",
    "-z",
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
    "--format=tformat:%H %aI",
)


def read_history(root: Path, *, timeout_s: float) -> History:
    """Return the history of the repository that a vault is in.

    The whole repository is read, since a vault may have been moved inside of it.

    Raises:
        NoHistory: there is no repository, or git does not read it.
    """
    deadline = time.monotonic() + timeout_s
    try:
        place = _run(
            root, ("rev-parse", "--show-prefix", "--is-shallow-repository"), timeout_s
        )
    except subprocess.TimeoutExpired as error:
        raise NoHistory("git could not be asked (TimeoutExpired)") from error
    if place.returncode:
        raise NoHistory(_refusal(place.stderr))
    prefix, _, shallow = os.fsdecode(place.stdout).rstrip("\n").rpartition("\n")
    try:
        arguments = (*_LOG, f"--max-count={MOST_COMMITS}")
        done = _run(root, arguments, deadline - time.monotonic())
        printed = done.stdout
        cut = done.returncode not in {0, 128}  # 128: no commit yet
    except subprocess.TimeoutExpired as error:  # what was printed in that time counts
        printed, cut = error.stdout or b"", True
    changes = list(_changes_in(printed, normalize("NFC", prefix)))
    is_full = len(_HEADER.findall(printed)) >= MOST_COMMITS
    return History(changes, shallow == "true", cut or is_full)


def _run(
    root: Path,
    arguments: Sequence[str],
    timeout_s: float,
    *,
    stdin: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():
        raise NoHistory("git is not installed")
    settings = [f"{name}={value}" for name, value in _SETTINGS.items()]
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    there = root.resolve()
    folders = (there, *there.parents)
    # the folder that the repository is of; its settings could name another
    files = next((folder for folder in folders if (folder / ".git").exists()), root)
    command = [
        program,
        "--no-pager",
        "--no-optional-locks",
        *(part for setting in settings for part in ("-c", setting)),
        "-C",
        str(root),
        f"--work-tree={files}",
        *arguments,
    ]
    try:
        return subprocess.run(  # noqa: S603 - our own words, and no shell
            command,
            env={**inherited, **_ENVIRONMENT, **(variables or {})},
            input=stdin,
            capture_output=True,
            timeout=max(timeout_s, 0.0),
            check=False,
        )
    except OSError as error:
        raise NoHistory(f"git could not be asked ({type(error).__name__})") from error


def _changes_in(printed: bytes, prefix: str) -> Iterator[FileChange]:
    """Yield changes from the output of `_LOG`: a commit, then its changes and names."""
    commit: Commit | None = None
    parts = iter(printed.split(b"\0"))
    for part in parts:
        text = part.lstrip(b"\n").decode("ascii", "replace")
        if not text.startswith(":"):
            commit = _commit(text) if text else commit
            continue
        letter = text.rpartition(" ")[2][:1]
        count = 2 if letter in {"R", "C"} else 1
        paths = [_vault_path(next(parts, b""), prefix) for _ in range(count)]
        kind = _KINDS.get(letter)
        if commit is not None and kind is not None:
            former = paths[0] if kind == "renamed" else ""
            yield FileChange(commit, kind, paths[-1], former)


def _commit(text: str) -> Commit | None:
    name, _, written = text.partition(" ")
    try:
        when = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    day, _, clock = when.isoformat(timespec="seconds").partition("T")
    return Commit(name, day, clock)


def _vault_path(name: bytes, prefix: str) -> str:
    path = normalize("NFC", name.decode("utf-8", "replace"))
    if path.startswith(prefix):
        return path.removeprefix(prefix)
    return "../" * prefix.count("/") + path


def _refusal(printed: bytes) -> str:
    text = os.fsdecode(printed)
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

MOST_PATHS_BYTES = 20_000
"""Names that are handed to one program; Windows takes 32,000 characters in all."""

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
    "-c", "user.useConfigOnly=true",  # a guess from the machine's name is not a user
    "-c", "i18n.commitEncoding=UTF-8",
    "-c", "core.splitIndex=false",
)  # fmt: skip


class _Refused(Exception):
    """Git does not do it; the text says why."""


class _Git:
    """Runs git in a vault, all calls together within a time."""

    def __init__(self, root: Path, timeout_s: float) -> None:
        self._root, self._deadline = root, time.monotonic() + timeout_s

    def __call__(
        self,
        *arguments: str,
        stdin: bytes = b"",
        fine: Collection[int] = (0,),
        index: Path | None = None,
    ) -> bytes:
        """Return what git prints; `index` is used in the place of that of the user."""
        variables = {"GIT_ATTR_NOSYSTEM": "0"}
        if index is not None:
            variables["GIT_INDEX_FILE"] = str(index)
        done = _run(
            self._root,
            (*_COMMIT_SETTINGS, *arguments),
            self._deadline - time.monotonic(),
            stdin=stdin,
            variables=variables,
        )
        if done.returncode not in fine:
            raise _Refused(_reason(done.stderr))
        return done.stdout


def commit(
    root: Path, title: str, paths: Sequence[str], *, timeout_s: float = TIMEOUT_S
) -> str:
    """Commit some files of a vault as they are now, and nothing else.

    A path that is gone is committed as such; one that is or was a folder stands for the
    files that git knew in it. What git ignores is left out. Returns why nothing was
    committed, empty where it was, or where nothing was left to commit.
    """
    git = _Git(root, timeout_s)
    try:
        parent = _last_commit(git)
        there, gone = _files(git, root, paths)
        _refuse_filtered(git, there)
        if there or gone:
            _add_commit(git, title, [*gone, *there], parent)
    except (NoHistory, _Refused) as error:
        return f"the change was not committed: {error}"
    except subprocess.TimeoutExpired:
        return "the change was not committed: git could not be asked (TimeoutExpired)"
    except OSError as error:
        return f"the change was not committed: {error.strerror or error}"
    return ""


def _last_commit(git: _Git) -> str:
    """Return the last commit, empty where there is none; refuse what is not ready."""
    folder = Path(os.fsdecode(git("rev-parse", "--absolute-git-dir").rstrip(b"\n")))
    if any((folder / name).exists() for name in UNDER_WAY):
        raise _Refused("a merge, a rebase or the like is under way")
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        try:
            git("var", who)
        except _Refused as error:
            reason = (
                "git does not know who commits; set user.name and user.email by "
                "git config --global"
            )
            raise _Refused(reason) from error
    last = git("rev-parse", "--verify", "--quiet", "HEAD^{commit}", fine=(0, 1))
    return last.decode().strip()


def _files(
    git: _Git, root: Path, paths: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the files to commit: those that are there, and those that are gone."""
    spelled = {name for path in paths for name in (path, normalize("NFD", path))}
    listed = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
    known: set[str] = set()
    for part in _parts(sorted(spelled)):
        known |= set(_names(git(*listed, *part)))
    gone = {name for name in known if not os.path.lexists(root / name)}
    moved = {
        f"{new}/{name.removeprefix(f'{old}/')}"
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
    return sorted(there), sorted(gone)


def _parts(paths: Sequence[str]) -> Iterator[list[str]]:
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
    printed = git("check-attr", "-z", "--stdin", "filter", stdin=_listed(names))
    parts = printed.split(b"\0")
    for name, value in zip(parts[::3], parts[2::3], strict=False):
        if value not in _UNFILTERED:
            raise _Refused(
                f"git passes {os.fsdecode(name)} through the program "
                f"{os.fsdecode(value)!r}, which we do not run; commit it yourself"
            )


def _add_commit(git: _Git, title: str, names: Sequence[str], parent: str) -> None:
    """Commit files; the user's index comes first, since a locked one refuses both."""
    take = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
    with TemporaryDirectory(prefix="glassmind-") as folder:
        own_index = Path(folder) / "index"
        git("read-tree", parent or "--empty", index=own_index)
        git(*take, stdin=_listed(names), index=own_index)
        tree = git("write-tree", index=own_index).decode().strip()
    if parent and tree == git("rev-parse", f"{parent}^{{tree}}").decode().strip():
        return
    on_top = ("-p", parent) if parent else ()
    message = title.strip() or "Notes"
    text = f"{message}\n".encode(errors="replace")
    made = git("commit-tree", tree, *on_top, stdin=text).decode().strip()
    git(*take, stdin=_listed(names))
    why = f"commit: {message.splitlines()[0]}"
    git("update-ref", "-m", why[:200], "HEAD", made, parent)


def _listed(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def _names(printed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in printed.split(b"\0") if name]


def _reason(printed: bytes) -> str:
    known = _refusal(printed)
    if not known.startswith("git does not read the vault"):
        return known
    lines = os.fsdecode(printed).splitlines()
    marked = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    first = next(iter(marked or lines), "it gave no reason")
    first = first.removeprefix("fatal: ").removeprefix("error: ")
    return f"git refuses ({first[:200]})"
