"""The history of a vault that is a git repository, read by the `git` program.

A vault may come from anybody, its `.git/config` too, and git runs programs that a
configuration names. So nothing is asked for that could run one: no working files are
looked at (filters, `fsmonitor`, hooks), no program shows differences or signatures, and
nothing may be fetched, which an incomplete repository would do by itself. What git is
told of itself comes from the user's own settings and from here alone.
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple
from unicodedata import normalize

from glassmind.errors.knowledge import NoHistory
from glassmind.files.patches import FORMAT, changes_in
from glassmind.model.history import FileChange

MOST_BYTES = 64_000_000
"""What is read of one answer: some 500,000 changes, or half a second of patches; the
histories of the vaults that we know print less than a tenth."""

MOST_BLOB_BYTES = 2_000_000
"""How large a file may have been whose lines are compared: git needs 40 bytes for each
line of both sides, which is 844 MB where 20 MB are nothing but line feeds and a letter,
and a tenth of it here."""

MOST_LINE = 4_000_000
"""What is read of one line; a canvas may be a single one."""

MOST_PATHS_BYTES = 20_000
"""Names that are handed to one program; Windows takes 32,000 characters in all."""

_KEPT = ("PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "SYSTEMROOT", "TMPDIR")
"""What git needs of our own variables; others could lead it to another repository."""

_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",  # no way of fetching has that name
    "GIT_ATTR_NOSYSTEM": "1",
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

_PATCHES = (
    "--patch",
    "--text",
    "--unified=0",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--reverse",
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
    """Return the repository that a vault is, or is a part of.

    Raises:
        NoHistory: it is none, or git is not there, or refuses to read it.
    """
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():
        raise NoHistory("git is not installed")
    repository = Repository(program, root, _files_of(root))
    wanted = ["rev-parse", "--show-prefix", "--is-shallow-repository"]
    try:
        done = subprocess.run(  # noqa: S603 - our own words, and no shell
            command_of(repository, wanted),
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoHistory(f"git could not be asked ({type(error).__name__})") from error
    if done.returncode:
        raise NoHistory(refusal(done.stderr))
    prefix, _, shallow = os.fsdecode(done.stdout).rstrip("\n").rpartition("\n")
    return repository._replace(
        prefix=normalize("NFC", prefix), shallow=shallow == "true"
    )


def _files_of(root: Path) -> Path:
    """Return the nearest folder that is a repository, or else the vault itself."""
    there = root.resolve()
    folders = (there, *there.parents)
    return next((one for one in folders if (one / ".git").exists()), root)


class Reading:
    """One question to git: what it prints is read as far as there is time and room.

    `cut` says after reading whether there was more; `partly` says so beforehand.
    """

    def __init__(
        self,
        repository: Repository,
        wanted: Sequence[str],
        *,
        timeout_s: float,
        partly: bool = False,
    ) -> None:
        self._repository, self._wanted = repository, wanted
        self._timeout_s, self.cut = timeout_s, partly

    def __iter__(self) -> Iterator[FileChange]:
        """Yield what happened, paths relative to the vault."""
        if self._timeout_s <= 0:
            self.cut = True
            return
        with subprocess.Popen(  # noqa: S603 - our own words, and no shell
            command_of(self._repository, self._wanted),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as running:
            alarm = threading.Timer(self._timeout_s, running.kill)
            alarm.start()
            try:
                assert running.stdout is not None  # noqa: S101 - asked for above
                for change in changes_in(self._lines(running.stdout)):
                    yield _inside(change, self._repository.prefix)
                if running.stdout.read(1):
                    self.cut = True
                    running.kill()
                status = running.wait()
            finally:
                alarm.cancel()
                running.kill()  # where nobody reads on; one that has ended is let be
        self.cut = self.cut or status not in {0, 128}  # 128: there is no commit yet

    def _lines(self, printed: IO[bytes]) -> Iterator[bytes]:
        room = MOST_BYTES
        while line := printed.readline(MOST_LINE):
            room -= len(line)
            yield line.removesuffix(b"\n")
            while not line.endswith(b"\n") and (line := printed.readline(MOST_LINE)):
                room -= len(line)
            if room < 0:
                return


def every_change(repository: Repository, *, timeout_s: float) -> Reading:
    """Read what happened to all files, the latest first, without their lines.

    Of the whole repository: a vault may have been moved inside of it.
    """
    return Reading(repository, _LOG, timeout_s=timeout_s)


def large_among(
    repository: Repository, blobs: Iterable[str], *, timeout_s: float
) -> set[str]:
    """Return those blobs that are too large for their lines to be compared.

    Where git does not say it in time, none.
    """
    asked = "".join(f"{blob}\n" for blob in blobs)
    wanted = ["cat-file", "--batch-check=%(objectsize) %(objectname)"]
    try:
        done = subprocess.run(  # noqa: S603 - our own words, and no shell
            command_of(repository, wanted),
            env=environment(),
            input=asked.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(timeout_s, 0.0),
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return set()
    told = (line.partition(" ") for line in done.stdout.decode().splitlines())
    return {
        blob
        for size, _, blob in told
        if size.isdecimal() and blob != "missing" and int(size) > MOST_BLOB_BYTES
    }


def lines_of(
    repository: Repository, paths: Sequence[str], *, timeout_s: float
) -> Reading:
    """Read what some files gained, the oldest first, for as many as can be asked for.

    A path is one that a file has or had, relative to the vault.
    """
    spelled: list[str] = []
    room = MOST_PATHS_BYTES
    for path in paths:
        names = dict.fromkeys((path, normalize("NFD", path)))
        room -= sum(len(os.fsencode(name)) + 3 for name in names)
        if room < 0:
            break
        spelled += names
    if not spelled:  # git would tell of all files
        timeout_s = 0.0
    wanted = [*_LOG, *_PATCHES, "--", *spelled]
    return Reading(repository, wanted, timeout_s=timeout_s, partly=room < 0)


def _inside(change: FileChange, prefix: str) -> FileChange:
    return change._replace(
        path=_from_vault(change.path, prefix), former=_from_vault(change.former, prefix)
    )


def _from_vault(path: str, prefix: str) -> str:
    if not path or path.startswith(prefix):
        return path.removeprefix(prefix)
    return "../" * prefix.count("/") + path


def command_of(repository: Repository, wanted: Sequence[str]) -> list[str]:
    """Return how git is asked: the settings that matter are ours, not the vault's."""
    settings = [f"{name}={value}" for name, value in _SETTINGS.items()]
    return [
        repository.program,
        "--no-pager",
        "--no-optional-locks",
        "--literal-pathspecs",
        *(part for setting in settings for part in ("-c", setting)),
        "-C",
        str(repository.root),
        f"--work-tree={repository.files}",
        *wanted,
    ]


def environment() -> dict[str, str]:
    """Return the variables that git is run with: none that lead it elsewhere."""
    ours = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**ours, **_ENVIRONMENT}


def refusal(said: bytes) -> str:
    """Return why git reads nothing, in our words where we know it."""
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
