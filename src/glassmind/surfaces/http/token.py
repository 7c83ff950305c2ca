"""The token of a vault: made once, kept in a file that its owner alone can read."""

import os
import secrets
import stat
from pathlib import Path

from glassmind.config import Config
from glassmind.config.places import index_name
from glassmind.errors.serving import BadToken, TokenUnreadable

FILE = "http.token"

SHORTEST = 16
"""Characters of a token that somebody chose."""

LONGEST = 512


def token_file(config: Config) -> Path:
    """Return where the token of a vault is kept: with the user, never in the vault."""
    return config.index_home / index_name(config.vault.path) / FILE


def kept_token(file: Path) -> str:
    """Return the token in a file, made now if there is none.

    One that others could have read is replaced.

    Raises:
        TokenUnreadable: the file cannot be read or made.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _drop_exposed(file)
        return _made(file) or read_token(file)
    except OSError as error:
        raise TokenUnreadable(str(file), error.strerror or str(error)) from error


def _drop_exposed(file: Path) -> None:
    try:
        found = file.lstat()
    except FileNotFoundError:
        return
    private = os.name == "nt" or not found.st_mode & 0o077
    if not (stat.S_ISREG(found.st_mode) and private and found.st_size):
        file.unlink()


def _made(file: Path) -> str:
    """Make the file, and return its token; nothing if there is one already."""
    token = secrets.token_urlsafe(32)
    staged = file.with_name(f"{FILE}.{secrets.token_hex(4)}")
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="ascii") as out:
            out.write(f"{token}\n")
            out.flush()
            os.fsync(out.fileno())
        os.link(staged, file)  # which fails if another was first
    except FileExistsError:
        return ""
    finally:
        staged.unlink(missing_ok=True)
    return token


def read_token(file: Path) -> str:
    """Return the token in a file.

    Raises:
        TokenUnreadable: the file cannot be read.
        BadToken: it holds none.
    """
    try:
        text = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it holds no text"
        raise TokenUnreadable(str(file), reason) from error
    return checked_token(text, str(file))


def checked_token(token: str, origin: str) -> str:
    """Return a token that a header can carry and nobody guesses.

    Raises:
        BadToken: it is none; what it is is not repeated.
    """
    plain = token.isascii() and token.isprintable() and " " not in token
    if not plain or not SHORTEST <= len(token) <= LONGEST:
        raise BadToken(origin, SHORTEST, LONGEST)
    return token
