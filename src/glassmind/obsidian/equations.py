"""Display math that the CommonMark parser cuts up.

To the parser `$$` is inline, so a line of an equation that begins with `-`, `+` or `#`,
or a blank line, ends it. Obsidian reads on to the closing `$$`.
"""

import re
from collections.abc import Sequence

from glassmind.model.notes import Region
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.structure import Structure

_LEADING_MARK = re.compile(rb"^[ \t>]*(?=\$\$)", re.MULTILINE)


def block_equations(
    source: bytes, body: int, structure: Structure
) -> list[tuple[int, int]]:
    """Return the equations the parser missed: from a leading `$$` to the next one.

    In order; one that never closes is text.
    """
    # One byte is found faster than two, and most notes have not even that.
    if source.find(b"$", body) < 0 or source.find(b"$$", body) < 0:
        return []
    known = Mask.of((start, end) for _, start, end, _ in structure.regions)
    found: list[tuple[int, int]] = []
    last = body
    for match in _LEADING_MARK.finditer(source, body):
        start = match.end()
        if start < last or known.covers(start):
            continue
        end = source.find(b"$$", start + 2)
        while end >= 0 and known.covers(end):
            end = source.find(b"$$", known.end_at(end))
        if end < 0:
            break
        last = end + 2
        found.append((start, last))
    return found


def with_equations(
    regions: Sequence[Region], equations: Sequence[tuple[int, int]]
) -> list[Region]:
    """Return the regions with equations in the place of what stands inside them."""
    if not equations:
        return list(regions)
    inside = Mask.of(equations)
    kept = [region for region in regions if not inside.covers(region.start)]
    kept.extend(Region("math_block", start, end) for start, end in equations)
    return sorted(kept, key=lambda region: region.start)
