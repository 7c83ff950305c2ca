"""Checking the files of a word index, which tantivy itself does not.

Each file ends with a small JSON footer that holds a checksum of what stands before it;
a flipped bit otherwise shows as a wrong answer, if at all.
"""

import json
import struct
import zlib
from collections import Counter
from pathlib import Path

from glassmind.store.lexical.place import META

MAGIC = 1337
"""What tantivy writes as the last four bytes of every file with a footer."""

_TAIL = struct.Struct("<II")


def damage_in(place: Path) -> str | None:
    """Return what is wrong with the first damaged file, or None.

    Only files of segments that are in use count: a killed writer leaves empty ones.
    """
    try:
        found = json.loads((place / META).read_text("utf-8"))
        segments = [
            segment["segment_id"].replace("-", "") for segment in found["segments"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{META} cannot be read: {error}"
    footers: dict[str, bytes] = {}
    for segment in sorted(segments):
        for file in sorted(place.glob(f"{segment}.*")):
            footer = _footer(file)
            if isinstance(footer, str):
                return f"{file.name} {footer}"
            footers[file.name] = footer
    # a writer makes several files at a time, so no footer but for its checksum is alone
    alike = Counter(footers.values())
    for name, footer in footers.items():
        if alike[footer] == 1:
            return f"{name} has a footer that has changed"
    return None


def _footer(file: Path) -> bytes | str:
    """Return the footer without its checksum, or what is wrong with the file."""
    content = file.read_bytes()
    if len(content) < _TAIL.size:
        return "is cut short"
    length, magic = _TAIL.unpack_from(content, len(content) - _TAIL.size)
    end = len(content) - _TAIL.size - length
    if magic != MAGIC or end < 0:
        return "has no footer"
    footer = content[end : end + length]
    try:
        expected = json.loads(footer)["crc"]
    except (ValueError, KeyError, TypeError):
        return "has a footer that cannot be read"
    if zlib.crc32(content[:end]) != expected:
        return "has changed"
    return footer.replace(str(expected).encode(), b"")
