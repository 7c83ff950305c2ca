"""What stands in a folder: listed, or asked for by its name."""

import os
import stat
import sys
from typing import NamedTuple, TypeAlias


class Named(NamedTuple):
    """An entry of a folder that was asked for by its name, as `scandir` has them."""

    name: str
    facts: os.stat_result

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:  # noqa: ARG002
        """Return what the file system said of it."""
        return self.facts

    def is_symlink(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.facts.st_mode)

    def is_dir(self, *, follow_symlinks: bool) -> bool:  # noqa: ARG002
        """Whether it is a folder."""
        return stat.S_ISDIR(self.facts.st_mode)

    def is_file(self, *, follow_symlinks: bool) -> bool:  # noqa: ARG002
        """Whether it is a regular file."""
        return stat.S_ISREG(self.facts.st_mode)


Entry: TypeAlias = os.DirEntry[str] | Named


def fault_of_type(entry: Entry) -> str | None:
    """Return why an entry is neither read nor entered, by what it is."""
    if entry.is_symlink() or _is_junction(entry):
        return "a symbolic link, which is not followed"
    if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False):
        return None
    return "not a regular file (a pipe, socket or device)"


def _is_junction(entry: Entry) -> bool:
    if sys.platform == "win32":
        tag = entry.stat(follow_symlinks=False).st_reparse_tag
        return tag == stat.IO_REPARSE_TAG_MOUNT_POINT
    else:  # noqa: RET505
        return False
