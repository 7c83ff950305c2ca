"""The token of a vault: made once, kept in a file that only its owner can read.

A running server checks the file with every request, so a token that is deleted,
replaced or exposed stops working at once.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import NamedTuple

from glassmind.config import Config
from glassmind.errors import ServingFault
from glassmind.store.place import index_name

FILE = "http.token"

SHORTEST, LONGEST = 16, 512  # characters of a token that a user chose


def token_file(config: Config) -> Path:
    return config.index_home / index_name(config.vault.path) / FILE


def kept_token(file: Path) -> str:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            found = file.lstat()
            if not _is_private(found) or not found.st_size:
                file.unlink()
        fd, staged = mkstemp(dir=file.parent, prefix=FILE)
        try:
            with os.fdopen(fd, "w", encoding="ascii") as out:
                out.write(f"{secrets.token_urlsafe(32)}\n")
            with suppress(FileExistsError):  # there is one already
                os.link(staged, file)
        finally:
            Path(staged).unlink()
        return read_token(file)
    except OSError as error:
        raise _unreadable(file, error.strerror or str(error)) from error


def is_open_to_others(found: os.stat_result) -> bool:
    """Return whether the mode of a file lets other users read it."""
    return os.name != "nt" and bool(found.st_mode & 0o077)


def _is_private(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and not is_open_to_others(found)


class TokenFile(NamedTuple):
    """A file with a token that may change; an exposed one in a private file is void."""

    file: Path
    private: bool

    def current(self) -> str:
        with suppress(OSError, ServingFault):
            if not self.private or _is_private(self.file.lstat()):
                return read_token(self.file)
        return ""


def read_token(file: Path) -> str:
    try:
        text = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it holds no text"
        raise _unreadable(file, reason) from error
    return checked_token(text, str(file))


def checked_token(token: str, origin: str) -> str:
    plain = token.isascii() and token.isprintable() and " " not in token
    if not plain or not SHORTEST <= len(token) <= LONGEST:
        raise ServingFault(
            f"the token of {origin} cannot be used: it must be {SHORTEST} to {LONGEST} "
            "plain characters without blanks"
        )
    return token


def _unreadable(file: Path, reason: str) -> ServingFault:
    return ServingFault(
        f"the token in {file} cannot be read or made ({reason}); name a file by "
        "--token-file"
    )
