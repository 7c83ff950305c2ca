"""Giving a file a name that no other has, or that of another, in one step.

What `rename` does everywhere takes the place of a file that is there. The systems have
a form that refuses to, which Python does not offer: a name given by a second link and
taken by deleting the first would leave both at a power cut in between.
"""

import errno
import os
import sys
from functools import cache
from typing import Any, NamedTuple

_FORMS = {"linux": ("renameat2", 1), "darwin": ("renameatx_np", 4)}
"""What refuses to replace is called in C, and the flag that asks for it: see
renameat2(2) on Linux and renamex_np(2) on macOS."""

_SWAP = 2
"""The flag that asks both systems to exchange two entries."""

_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""What a kernel or a file system says that has no such form."""


class Entry(NamedTuple):
    """A name in an open folder; without a descriptor, a whole path."""

    name: str
    folder: int | None


def rename_new(old: Entry, new: Entry) -> None:
    """Rename a file; what is there by the new name, if anything, stays.

    Where the system cannot refuse by itself, we look first: only a program that makes
    the file in that very moment would lose it.

    Raises:
        FileExistsError: there is such a file.
        OSError: the system refuses.
    """
    code = _asked(old, new)
    if code in _UNKNOWN:
        _looked(old, new)
    elif code:
        raise OSError(code, os.strerror(code), new.name)


def swap(one: Entry, other: Entry) -> bool:
    """Let two files take each other's place; False where the system has no such form.

    Raises:
        OSError: the system refuses.
    """
    if sys.platform not in _FORMS:
        return False
    code = _called(one, other, _SWAP)
    if code in _UNKNOWN:
        return False
    if code:
        raise OSError(code, os.strerror(code), other.name)
    return True


def _asked(old: Entry, new: Entry) -> int:
    """Return the error of the system's own form; 0 for none, `ENOSYS` for no form."""
    if sys.platform not in _FORMS:
        return errno.ENOSYS
    return _called(old, new, _FORMS[sys.platform][1])


def _called(old: Entry, new: Entry, flag: int) -> int:
    if old.folder is None or new.folder is None:
        return errno.ENOSYS
    form, code_of = _form(_FORMS[sys.platform][0])
    if form is None:
        return errno.ENOSYS
    sides = (old.folder, os.fsencode(old.name), new.folder, os.fsencode(new.name))
    return int(code_of()) if form(*sides, flag) else 0


@cache
def _form(name: str) -> tuple[Any, Any]:
    # Imported late: ten milliseconds that only who moves a file should pay.
    import ctypes  # noqa: PLC0415

    form = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if form is not None:
        number, text = ctypes.c_int, ctypes.c_char_p
        form.argtypes = [number, text, number, text, ctypes.c_uint]
    return form, ctypes.get_errno


def _looked(old: Entry, new: Entry) -> None:
    try:
        os.lstat(new.name, dir_fd=new.folder)
    except FileNotFoundError:
        os.rename(old.name, new.name, src_dir_fd=old.folder, dst_dir_fd=new.folder)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new.name)
