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
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from glassmind.errors.knowledge import NoHistory
from glassmind.types.history import FileChange, FileHistory
from glassmind.vault.patches import FORMAT, changes_in

MOST_BYTES = 32_000_000
"""What is read of one answer; a hundred notes of ten years print far less."""

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

_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "diff.orderFile": os.devnull,
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",  # a folder of notes is none
}

_LOG = (
    "log",
    "--raw",
    "--patch",
    "--unified=0",
    "--no-abbrev",
    "--no-color",
    "--no-decorate",
    "--no-ext-diff",
    "--no-notes",
    "--no-show-signature",
    "--no-textconv",
    "--no-use-mailmap",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    f"--format={FORMAT}",
)


class Repository(NamedTuple):
    """A vault's place in a repository; `shallow`: its first years are missing."""

    program: str
    root: Path
    prefix: str
    shallow: bool


def repository_of(root: Path, *, timeout_s: float) -> Repository:
    """Return the repository that a vault is, or is a part of.

    Raises:
        NoHistory: it is none, or git is not there, or refuses to read it.
    """
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():
        raise NoHistory("git is not installed")
    wanted = ["rev-parse", "--show-prefix", "--is-shallow-repository"]
    try:
        done = subprocess.run(  # noqa: S603 - our own words, and no shell
            _command(program, root, wanted),
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoHistory(f"git could not be asked ({type(error).__name__})") from error
    if done.returncode:
        raise NoHistory(_refusal(done.stderr))
    prefix, _, shallow = os.fsdecode(done.stdout).rstrip("\n").rpartition("\n")
    return Repository(program, root, normalize("NFC", prefix), shallow == "true")


def followed(repository: Repository, path: str, *, timeout_s: float) -> FileHistory:
    """Return what happened to one file, also under the names that it had before.

    Git goes on to what a file was copied from; a note made from a template is new.
    """
    for spelled in dict.fromkeys((path, normalize("NFD", path))):
        wanted = [*_LOG, "--follow", "--find-renames", "--", spelled]
        found = _asked(repository, wanted, timeout_s=timeout_s)
        own: list[FileChange] = []
        for change in found.changes:
            own.insert(0, change)
            if change.kind == "added":
                return FileHistory(tuple(own), cut=False)
        if own:
            return FileHistory(tuple(own), found.cut)
    return FileHistory((), cut=False)


def changes_of(
    repository: Repository, paths: Sequence[str], *, timeout_s: float
) -> FileHistory:
    """Return what happened to some files, each under the name it has now.

    Where that is too much to be read, the latest changes are missing.
    """
    spelled: list[str] = []
    room = MOST_PATHS_BYTES
    for path in paths:
        names = dict.fromkeys((path, normalize("NFD", path)))
        room -= sum(len(os.fsencode(name)) + 3 for name in names)
        if room < 0:
            break
        spelled += names
    if not spelled:
        return FileHistory((), cut=False)
    wanted = [*_LOG, "--no-renames", "--reverse", "--", *spelled]
    found = _asked(repository, wanted, timeout_s=timeout_s)
    return found._replace(cut=found.cut or room < 0)


def _asked(
    repository: Repository, wanted: Sequence[str], *, timeout_s: float
) -> FileHistory:
    """Return what git prints within a time, its paths relative to the vault."""
    program, root, prefix, _ = repository
    if timeout_s <= 0:
        return FileHistory((), cut=True)
    with subprocess.Popen(  # noqa: S603 - our own words, and no shell
        _command(program, root, wanted),
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as running:
        alarm = threading.Timer(timeout_s, running.kill)
        alarm.start()
        try:
            assert running.stdout is not None  # noqa: S101 - it was asked for above
            printed = running.stdout.read(MOST_BYTES)
            more = bool(running.stdout.read(1))
            if more:
                running.kill()
            status = running.wait()
        finally:
            alarm.cancel()
    changes = (_inside(change, prefix) for change in changes_in(printed))
    cut = more or status not in {0, 128}  # 128: there is no commit yet
    return FileHistory(tuple(changes), cut)


def _inside(change: FileChange, prefix: str) -> FileChange:
    return change._replace(
        path=change.path.removeprefix(prefix), former=change.former.removeprefix(prefix)
    )


def _command(program: str, root: Path, wanted: Sequence[str]) -> list[str]:
    settings = [f"{name}={value}" for name, value in _SETTINGS.items()]
    return [
        program,
        "--no-pager",
        "--no-optional-locks",
        "--literal-pathspecs",
        *(part for setting in settings for part in ("-c", setting)),
        "-C",
        str(root),
        *wanted,
    ]


def _environment() -> dict[str, str]:
    ours = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**ours, **_ENVIRONMENT}


def _refusal(said: bytes) -> str:
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
