"""Tags: `#words` in the text, and the list called `tags` in the frontmatter.

A tag begins at the start of a line or of a run of text, after white space, or right
behind another tag; any other character before the `#` blocks it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from glassmind.model.notes import Tag
from glassmind.obsidian.frontmatter import Property
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.positions import line_at
from glassmind.obsidian.structure import Structure

_TAG = re.compile(
    rb"#((?:[^\x09-\x0d\x1c-\x20!\"#$%&'()*+,.:;<=>?@\[\\\]^`{|}~\x80-\xff]"
    # Outside ASCII all may stand but white space, U+2000-206F and U+2E00-2E7F.
    rb"|(?!\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80|\xe2\x81[\x80-\xaf]|\xe2[\xb8\xb9]"
    rb"|\xe3\x80\x80|\xef\xbb\xbf)[\xc2-\xf4][\x80-\xbf]+)+)"
)
_EMPHASIS = (b"_", b"*")
_BLANKS = (b"", b" ", b"\t", b"\n", b"\r", b"\x0b", b"\x0c")
_LONGEST_ADDRESS = 2048
"""Bytes looked back over for the beginning of a web address; browsers take as many."""


def inline_tags(
    source: bytes,
    body: int,
    structure: Structure,
    barred: Iterable[tuple[int, int]],
    starts: Sequence[int],
) -> list[Tag]:
    """Return the tags of the body, in order, except those in `barred` stretches."""
    candidates = _TAG.finditer(source, body)
    first = next(candidates, None)
    if first is None:
        return []
    runs, mask = _Runs(structure), Mask.of(barred)
    found: list[Tag] = []
    last_end = -1
    for match in (first, *candidates):
        start = match.start()
        end = runs.end_of(start, match.end())
        if end is None or mask.covers(start):
            continue
        if start != last_end and not _may_begin(source, start, runs):
            continue
        name = source[start + 1 : end]
        if not is_tag_name(name):
            continue
        last_end = end
        found.append(Tag(name.decode(), line_at(starts, start), start, end))
    return found


def property_tags(
    source: bytes, properties: Iterable[Property], starts: Sequence[int]
) -> list[Tag]:
    """Return the tags listed under `tags` in the frontmatter, in order.

    As Obsidian does since 1.9: list items only; a text value, or the name `tag`, is no
    tag.
    """
    found: list[Tag] = []
    for (path, value, _, _), first, last in properties:
        if len(path) != 2 or not isinstance(path[1], int):  # noqa: PLR2004  # name, index
            continue
        if str(path[0]).lower() != "tags" or not isinstance(value, str):
            continue
        name = value.strip().removeprefix("#")
        if not is_tag(name):
            continue
        written = name.encode()
        at = source.find(written, first, last)
        start, end = (first, last) if at < 0 else (at, at + len(written))
        found.append(Tag(name, line_at(starts, start), start, end, in_properties=True))
    return found


def is_tag(name: str) -> bool:
    """Return whether a name, without its `#`, can be that of a tag."""
    written = name.encode("utf-8", "surrogatepass")
    return bool(_TAG.fullmatch(b"#" + written)) and is_tag_name(written)


def is_tag_name(name: bytes) -> bool:
    """Return whether a name of allowed characters is more than digits or slashes."""
    return bool(name.strip(b"0123456789")) and bool(name.strip(b"/"))


class _Runs:
    """The runs of plain text, asked by offset."""

    def __init__(self, structure: Structure) -> None:
        self.starts = structure.text_starts
        self.ends = structure.text_ends

    def end_of(self, offset: int, limit: int) -> int | None:
        """Return where the text at `offset` ends, at most `limit`; None for no text."""
        index = bisect_right(self.starts, offset) - 1
        if index < 0 or self.ends[index] <= offset:
            return None
        while (
            self.ends[index] < limit
            and index + 1 < len(self.starts)
            and self.starts[index + 1] == self.ends[index]
        ):
            index += 1
        return min(limit, self.ends[index])

    def begin_at(self, offset: int) -> bool:
        """Return whether a run of text begins at `offset`."""
        index = bisect_right(self.starts, offset) - 1
        if self.starts[index] != offset:
            return False
        return index == 0 or self.ends[index - 1] != offset


def _may_begin(source: bytes, start: int, runs: _Runs) -> bool:
    before = source[start - 1 : start]
    if before in _BLANKS or (before >= b"\x80" and _is_space_before(source, start)):
        return True
    if before == b"\\":  # which also cuts the run of text
        return False
    if before in _EMPHASIS:
        # Obsidian takes `snake_case_#tag` for a tag, but an address is not cut up.
        word = source[max(0, start - _LONGEST_ADDRESS) : start].split()[-1]
        return b"://" not in word
    if source[max(0, start - 2) : start] in (b"==", b"%%"):
        return True
    return runs.begin_at(start)


def _is_space_before(source: bytes, offset: int) -> bool:
    before = source[max(0, offset - 3) : offset].decode(errors="ignore")[-1:]
    return before.isspace() or before == "\ufeff"
