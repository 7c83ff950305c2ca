"""The door of a resident: a socket in the folder of the index, or where one can be."""

import os
import secrets
import socket
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

NAME = "resident.sock"

LONGEST = 100
"""Bytes of a socket's path; systems take from 104 up."""

PREFIX = "glassmind-door-"

WAITING = 64
"""Callers that the system lets wait at the door."""

HAS_SOCKET_FILES = hasattr(socket, "AF_UNIX")

LOOPBACK = "127.0.0.1"


def open_door(folder: Path) -> tuple[socket.socket, str | int]:
    """Listen where only this machine's users can knock, and return the address.

    The caller holds the role: whatever stands there is of a process that is gone.

    Raises:
        OSError: no door can be opened.
    """
    if not HAS_SOCKET_FILES:
        return _open_port()
    file = folder / NAME
    if len(os.fsencode(file)) > LONGEST:
        file = Path(tempfile.mkdtemp(prefix=PREFIX)) / NAME
    file.unlink(missing_ok=True)
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        door.bind(str(file))
        file.chmod(0o600)
        door.listen(WAITING)
    except OSError:
        door.close()
        raise
    return door, str(file)


def _open_port() -> tuple[socket.socket, int]:
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        door.bind((LOOPBACK, 0))
        door.listen(WAITING)
    except OSError:
        door.close()
        raise
    return door, int(door.getsockname()[1])


def is_door(address: str | int, folder: Path) -> bool:
    """Whether an address is one that a resident of this folder could have.

    The folder may have come with a vault from elsewhere: nothing that it says may lead
    us to any other place of this machine.
    """
    if isinstance(address, int) or not HAS_SOCKET_FILES:
        return isinstance(address, int) and not HAS_SOCKET_FILES
    file = folder / NAME
    if address == str(file):
        return _is_own(file, stat.S_ISSOCK)
    file = Path(address)
    private = file.parent
    fits = file.name == NAME and private.name.startswith(PREFIX)
    if not fits or private.parent != Path(tempfile.gettempdir()):
        return False
    return _is_own(private, stat.S_ISDIR) and _is_own(file, stat.S_ISSOCK)


def _is_own(file: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether a file is of that kind, no link to one, and belongs to this user."""
    try:
        found = file.lstat()
    except (OSError, ValueError):
        return False
    return is_kind(found.st_mode) and found.st_uid == os.getuid()


def remove_door(address: str | int, folder: Path) -> None:
    """Take away what a door of a resident of this folder left on the disk."""
    if isinstance(address, str) and is_door(address, folder):
        file = Path(address)
        with suppress(OSError):
            file.unlink()
        if file.parent != folder:
            with suppress(OSError):
                file.parent.rmdir()


def knock(address: str | int, timeout_s: float) -> socket.socket:
    """Return a stream to the resident behind a door.

    Raises:
        OSError: nobody is there.
    """
    if isinstance(address, int):
        return socket.create_connection((LOOPBACK, address), timeout_s)
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.settimeout(timeout_s)
        stream.connect(address)
    except OSError:
        stream.close()
        raise
    return stream


def new_token() -> str:
    """Return a secret of 256 bits."""
    return secrets.token_hex(32)
