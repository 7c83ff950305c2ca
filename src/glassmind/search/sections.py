"""Which section of a note a heading means."""

from collections.abc import Sequence

from glassmind.errors import AmbiguousHeading, HeadingNotFound
from glassmind.model import Span
from glassmind.model.notes import Heading, Note
from glassmind.obsidian.address import linked_heading


def section_of(note: Note, wanted: str, last: int) -> tuple[Span, tuple[str, ...]]:
    """Return the lines of the section under a heading, and its heading path.

    `wanted` is the heading's text, or several from the outside in with `#` or `>`
    between them. Case and blanks at the ends do not matter. A heading that is `wanted`
    as a whole, whatever marks it holds, goes before all others; one that is `wanted`
    but for what a link leaves out goes last.

    Raises:
        HeadingNotFound, AmbiguousHeading: no one heading is meant.
    """
    paths = list(enumerate(_paths(note.headings)))
    found: list[tuple[int, tuple[str, ...]]] = []
    for spelled in (wanted.strip(), wanted.strip().lstrip("# "), wanted.strip("# ")):
        name = spelled.lower()
        found = found or [(i, path) for i, path in paths if _folded(path)[-1] == name]
        for mark in "#>":
            found = found or [p for p in paths if _leads(_folded(p[1]), name, mark)]
    linked = linked_heading(wanted).lower()
    found = found or [p for p in paths if linked_heading(p[1][-1]).lower() == linked]
    if not found:
        there = tuple(heading.text for heading in note.headings)
        raise HeadingNotFound(note.path, wanted, there)
    if len(found) > 1:
        lines = tuple(note.headings[i].line for i, _ in found)
        raise AmbiguousHeading(note.path, wanted, lines)
    at, path = found[0]
    first = note.headings[at]
    later = (h.line for h in note.headings[at + 1 :] if h.level <= first.level)
    return Span(first.line, next(later, last + 1) - 1), path


def _paths(headings: Sequence[Heading]) -> list[tuple[str, ...]]:
    open_ones: list[Heading] = []
    paths = []
    for heading in headings:
        while open_ones and open_ones[-1].level >= heading.level:
            open_ones.pop()
        open_ones.append(heading)
        paths.append(tuple(h.text for h in open_ones))
    return paths


def _folded(path: tuple[str, ...]) -> list[str]:
    return [text.strip().lower() for text in path]


def _leads(path: Sequence[str], wanted: str, mark: str) -> bool:
    """Whether `wanted` is the last heading, maybe with some of those above before it.

    Each is set off by a mark, and may hold some itself.
    """
    if not path or not path[-1] or wanted == path[-1]:
        return bool(path) and wanted == path[-1]
    above = wanted.removesuffix(path[-1]).rstrip()
    if len(above) == len(wanted) or not above.endswith(mark):
        return False
    rest = above[:-1].rstrip()
    return any(_leads(path[:end], rest, mark) for end in range(1, len(path)))
