"""Opening what stands below a folder with every symbolic link on the way refused.

Both openers take the folder's descriptor, a path without `..` and the flags of
`os.open`, and return a descriptor. A link raises `OSError` with `ELOOP`.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

Opener: TypeAlias = Callable[[int, str, int], int]

_SYS_OPENAT2 = 437
"""The same on every architecture that Linux gave it to, 5.6 onwards."""

_RESOLVE = 0x02 | 0x04 | 0x08
"""RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH of <linux/openat2.h>."""

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER | _NOFOLLOW


@cache
def opener() -> Opener:
    """Return the cheapest opener that this system has."""
    if sys.platform == "linux":
        direct = _openat2()
        here = os.open("/", os.O_PATH | os.O_DIRECTORY)
        try:
            os.close(direct(here, ".", os.O_PATH))
        except OSError:  # an older kernel, or a sandbox that forbids the call
            return open_in_steps
        finally:
            os.close(here)
        return direct
    else:  # noqa: RET505
        return open_in_steps


def open_in_steps(root: int, path: str, flags: int) -> int:
    """Open a path folder by folder, each from the one before."""
    *folders, name = path.split("/")
    here = root
    try:
        for folder in folders:
            below = _open_one(folder, _STEP, here)
            if here != root:
                os.close(here)
            here = below
        return _open_one(name, flags | _NOFOLLOW, here)
    finally:
        if here != root:
            os.close(here)


def _open_one(name: str, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except NotADirectoryError:
        # How a link looks when a folder was asked for.
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def _openat2() -> Opener:
    # Imported late: 3 ms that only a command which reads notes should pay.
    import ctypes  # noqa: PLC0415

    class How(ctypes.Structure):
        _fields_ = (
            ("flags", ctypes.c_uint64),
            ("mode", ctypes.c_uint64),
            ("resolve", ctypes.c_uint64),
        )

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = [
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(How),
        ctypes.c_size_t,
    ]
    size = ctypes.sizeof(How)
    closed_on_exec = getattr(os, "O_CLOEXEC", 0)

    @cache
    def how(flags: int) -> "ctypes._Pointer[How]":
        return ctypes.pointer(How(flags | closed_on_exec, 0, _RESOLVE))

    def direct(root: int, path: str, flags: int) -> int:
        opened = syscall(_SYS_OPENAT2, root, os.fsencode(path), how(flags), size)
        if opened >= 0:
            return int(opened)
        code = ctypes.get_errno()
        if code == errno.EAGAIN:  # a rename elsewhere made the kernel unsure
            return open_in_steps(root, path, flags)
        if code == errno.EXDEV:
            code = errno.ELOOP
        raise OSError(code, os.strerror(code), path)

    return direct
