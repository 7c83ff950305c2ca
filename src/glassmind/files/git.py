"""Read the history of a vault that is a git repository.

A vault may come from anybody, its `.git/config` too, and git runs programs that a
configuration names. So no working files are looked at (filters, `fsmonitor`, hooks), no
program shows differences, nothing is fetched, and settings come from the user and here.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from glassmind.errors import NoHistory
from glassmind.model.graph import ChangeKind, Commit, FileChange

MOST_COMMITS = 50_000  # vaults that we know have less than a tenth

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


class History(NamedTuple):
    """What happened to all files of a repository, the latest change first.

    `shallow` means that the first years are missing, `cut` that there was more than
    could be read. Paths start at the vault; those beside it begin with `../`.
    """

    changes: Sequence[FileChange]
    shallow: bool
    cut: bool


def read_history(root: Path, *, timeout_s: float) -> History:
    """Return the history of the repository that a vault is in.

    The whole repository is read, since a vault may have been moved inside of it.

    Raises:
        NoHistory: there is no repository, or git does not read it.
    """
    deadline = time.monotonic() + timeout_s
    try:
        asked = _run(
            root, ("rev-parse", "--show-prefix", "--is-shallow-repository"), timeout_s
        )
    except subprocess.TimeoutExpired as error:
        raise NoHistory("git could not be asked (TimeoutExpired)") from error
    if asked.returncode:
        raise NoHistory(_refusal(asked.stderr))
    prefix, _, shallow = os.fsdecode(asked.stdout).rstrip("\n").rpartition("\n")
    try:
        arguments = (*_LOG, f"--max-count={MOST_COMMITS}")
        done = _run(root, arguments, deadline - time.monotonic())
        printed, cut = (
            done.stdout,
            done.returncode not in {0, 128},
        )  # 128: no commit yet
    except subprocess.TimeoutExpired as error:  # what was printed in that time counts
        printed, cut = error.stdout or b"", True
    changes = list(_changes_in(printed, normalize("NFC", prefix)))
    is_full = len(_HEADER.findall(printed)) >= MOST_COMMITS
    return History(changes, shallow == "true", cut or is_full)


def _run(
    root: Path, arguments: Sequence[str], timeout_s: float
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
            env={**inherited, **_ENVIRONMENT},
            stdin=subprocess.DEVNULL,
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
