"""Files whose content is elsewhere: known by their `stat`, or by a stub of iCloud.

To open the former downloads them. A stub is a hidden file of another name, so that
nothing seems to have the name of the file that it stands for.
"""

import os
import sys

_OFFLOADED = 0x40000000
"""macOS: SF_DATALESS of <sys/stat.h>."""

_RECALLED = 0x1000 | 0x40000 | 0x400000
"""Windows: FILE_ATTRIBUTE_OFFLINE, _RECALL_ON_OPEN, _RECALL_ON_DATA_ACCESS."""

_INLINE_BYTES = 4096
"""Linux: small files may stand in the inode, so only larger ones need blocks."""


NOT_HERE = "not downloaded to this machine; open it once in your sync tool"
"""What such a file is, and what its owner does about it."""

STUB = ".icloud"


def is_placeholder(facts: os.stat_result) -> bool:
    """Return whether a regular file stands for content that is not on this machine."""
    if sys.platform == "win32":
        return bool(facts.st_file_attributes & _RECALLED)
    elif sys.platform == "darwin":  # noqa: RET505
        return bool(facts.st_flags & _OFFLOADED)
    else:
        return facts.st_size > _INLINE_BYTES and facts.st_blocks == 0


def stub_of(path: str) -> str:
    """Return the hidden file that stands for one which iCloud has taken away."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}{STUB}"


def stood_for(name: str) -> str | None:
    """Return the name of the file that a stub of this name stands for; None if none."""
    if name.startswith(".") and name.endswith(STUB) and len(name) > len(STUB) + 1:
        return name[1 : -len(STUB)]
    return None
