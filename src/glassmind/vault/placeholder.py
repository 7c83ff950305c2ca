"""Files whose content is elsewhere, known by their `stat`: opening downloads them."""

import os
import sys

_OFFLOADED = 0x40000000
"""macOS: SF_DATALESS of <sys/stat.h>."""

_RECALLED = 0x1000 | 0x40000 | 0x400000
"""Windows: FILE_ATTRIBUTE_OFFLINE, _RECALL_ON_OPEN, _RECALL_ON_DATA_ACCESS."""

_INLINE_BYTES = 4096
"""Linux: small files may stand in the inode, so only larger ones need blocks."""


def is_placeholder(facts: os.stat_result) -> bool:
    """Return whether a regular file stands for content that is not on this machine."""
    if sys.platform == "win32":
        return bool(facts.st_file_attributes & _RECALLED)
    elif sys.platform == "darwin":  # noqa: RET505
        return bool(facts.st_flags & _OFFLOADED)
    else:
        return facts.st_size > _INLINE_BYTES and facts.st_blocks == 0
