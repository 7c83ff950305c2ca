"""Where a passage stands, in forms that people and programs can follow."""

import time
from functools import lru_cache
from urllib.parse import quote

NOTE_SUFFIX = ".md"

_UNLINKED = str.maketrans("#^|[]:", "      ")
"""Characters that Obsidian leaves out when it links to a heading."""


def heading_address(path: str, heading_path: tuple[str, ...]) -> str:
    """Return `Folder/Note.md#Heading`, or the path alone above the first heading."""
    return f"{path}#{heading_path[-1]}" if heading_path else path


def linked_heading(heading: str) -> str:
    """Return a heading as Obsidian links to it."""
    return " ".join(heading.translate(_UNLINKED).split())


def obsidian_uri(vault: str, path: str, heading_path: tuple[str, ...] = ()) -> str:
    """Return the address that opens a note in Obsidian, at the heading if there is one.

    Everything but letters, digits and `_.-~` is percent-encoded.
    """
    file = path.removesuffix(NOTE_SUFFIX)
    if heading_path:
        heading = linked_heading(heading_path[-1])
        file += f"#{heading}" if heading else ""
    return f"obsidian://open?vault={_encoded(vault)}&file={_encoded(file)}"


@lru_cache(maxsize=4_096)
def _encoded(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def iso_time(time_ns: int) -> str:
    """Return nanoseconds since 1970 as `2026-03-12T16:40:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time_ns // 1_000_000_000))
