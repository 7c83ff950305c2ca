"""What an edit did besides: things outside of it that are read in another way now."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from glassmind.edit.text.page import Page
from glassmind.model.editing import Splice


class _Placed(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def side_effects(
    before: Page, after: Page, splices: Sequence[Splice]
) -> tuple[str, ...]:
    """Return sentences about what an edit changed without touching it.

    A text that opens a code block and does not close it, or that stands right above a
    rule, makes others of the lines below it.
    """
    found: list[str] = []
    for kind, old, new in (
        ("heading", before.note.headings, after.note.headings),
        ("task", before.note.tasks, after.note.tasks),
        ("block id", before.note.block_ids, after.note.block_ids),
        ("link", before.note.links, after.note.links),
    ):
        found.extend(_lost(before, kind, old, new, splices))
    found.extend(_made(before, after, splices))
    found.extend(_properties(before, after))
    return tuple(found)


def _lost(
    before: Page,
    kind: str,
    old: Sequence[_Placed],
    new: Sequence[_Placed],
    splices: Sequence[Splice],
) -> Iterator[str]:
    there = {one.start for one in new}
    gone = [
        one
        for one in old
        if not _is_touched(one, splices) and _moved(one.start, splices) not in there
    ]
    if gone:
        line = before.line_of(gone[0].start)
        count = f"1 {kind} is" if len(gone) == 1 else f"{len(gone)} {kind}s are"
        yield (
            f"{count} not read as such any more, first on what was line {line}: does "
            "the text leave something open?"
        )


def _made(before: Page, after: Page, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield that a line which nobody edited has become a heading."""
    kept = {_moved(h.start, splices) for h in before.note.headings}
    touched = sum(1 for h in before.note.headings if _is_touched(h, splices))
    sizes = accumulate((len(s.text) - (s.end - s.start) for s in splices), initial=0)
    added = [
        (s.start + shift, s.start + shift + len(s.text))
        for s, shift in zip(splices, sizes, strict=False)
    ]
    made = [
        heading
        for heading in after.note.headings
        if heading.start not in kept
        and not any(
            start <= heading.start and heading.end <= end for start, end in added
        )
    ]
    for heading in made[touched:]:
        yield f"{heading.text!r} on line {heading.line} is read as a heading now"


def _properties(before: Page, after: Page) -> Iterator[str]:
    old, new = before.note.frontmatter, after.note.frontmatter
    if old.end and not new.end:
        yield "the properties are not read as such any more"
    elif new.end and not old.end:
        yield "the text at the beginning is read as properties now"
    elif new.error and not old.error:
        yield f"the properties cannot be read any more: {new.error}"
    for warning in new.warnings:  # what is given twice, say
        if warning not in old.warnings:
            yield warning[0].lower() + warning[1:].rstrip(".")


def _is_touched(one: _Placed, splices: Sequence[Splice]) -> bool:
    return any(s.start < one.end and one.start < s.end for s in splices) or any(
        one.start < s.start == s.end < one.end for s in splices
    )


def _moved(offset: int, splices: Sequence[Splice]) -> int:
    """Return where a byte that no splice touches stands after them."""
    return offset + sum(
        len(s.text) - (s.end - s.start) for s in splices if s.end <= offset
    )
