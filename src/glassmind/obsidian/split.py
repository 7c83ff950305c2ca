"""Split a note into the passages that are retrieved.

A passage is a section with its heading. Sections too small to stand alone are grouped
with their neighbours (`split_outline`), sections too long are cut where it hurts least
(`split_cut`), and what a note holds is never lost: the passages, overlaps removed, are
the note.

The path of a passage is what all its sections have in common, so a group of small
siblings says its parent's path and shows their headings in its text. A passage is a
`task_block` when more than half of its lines (blank ones and headings aside) are tasks,
even below a heading; a `code_block` when it holds code alone; a `heading_section` when
it begins with a heading; and a `paragraph` otherwise.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import xxhash

from glassmind.model import Digest, Span
from glassmind.model.notes import Chunk, ChunkKind, Note, all_of
from glassmind.obsidian.positions import span_of
from glassmind.obsidian.split_cut import Cutting, Piece, pieces
from glassmind.obsidian.split_outline import Outline, Section, gather, outline
from glassmind.obsidian.split_zones import Limits, fits, stretches, zones
from glassmind.obsidian.tokens import QUARTERS, estimate_tokens

SPLITTER_VERSION = 2
"""Raised whenever a note would be split otherwise: part of the index fingerprint."""

_CODE = frozenset(("fence", "code"))


@dataclass(frozen=True, slots=True)
class SplitRules:
    """How long a passage is.

    A passage aims at `target_tokens`, its overlap included. It goes beyond them rather
    than leave a scrap or break a block that fits: by `min_chars` as a rule, and never
    to more than twice the target, unless it holds code, math, a table or a callout that
    is longer (see `split_zones`).
    """

    target_tokens: int = 500
    overlap_tokens: int = 80
    min_chars: int = 200
    max_chunks: int = 1000


class Split(NamedTuple):
    """The passages of a note in order, and what was unusual about making them."""

    chunks: tuple[Chunk, ...]
    warnings: tuple[str, ...] = ()


def split(note: Note, rules: SplitRules) -> Split:
    """Return the passages of a note; they cover it, and are `max_chunks` at most.

    A note that would give more has neighbouring passages joined, thematic breaks and
    headings notwithstanding, and a warning says so. An empty note has one empty
    passage, so that its title can be found.
    """
    if not note.text:
        return Split((_title_chunk(),))
    outlined = outline(note)
    parts = _pieces(note, outlined, _limits(rules), rules.min_chars)
    warnings: tuple[str, ...] = ()
    if len(parts) > max(rules.max_chunks, 1):
        joined = _joined(outlined, parts, max(rules.max_chunks, 1))
        long = f"The note is long: {len(parts)} passages joined into {len(joined)}."
        warnings = (long,)
        parts = joined
    return Split(tuple(all_of(Chunk, _chunks(note, outlined, parts))), warnings)


def _limits(rules: SplitRules) -> Limits:
    room = max(rules.target_tokens, 1) * QUARTERS
    overlap = min(max(rules.overlap_tokens, 0) * QUARTERS, room // 2)
    return Limits(room, overlap, slack=min(max(rules.min_chars, 0), room // 4))


def _pieces(
    note: Note, outlined: Outline, limits: Limits, min_chars: int
) -> list[Piece]:
    most = limits.room + limits.slack

    def is_whole(start: int, end: int) -> bool:
        return fits(note.text, start, end, most)

    inner = None
    found: list[Piece] = []
    for group in gather(outlined.sections, min_chars=min_chars, fits=is_whole):
        start, end = group[0].start, group[-1].end
        if is_whole(start, end):
            found.append(Piece(start, start, end))
            continue
        inner = stretches(note) if inner is None else inner
        kept, long = zones(outlined, inner, start, end, limits)
        heads = frozenset(section.start for section in group)
        found.extend(pieces(Cutting(outlined, kept, long, limits, heads), start, end))
    return found


def _joined(outlined: Outline, parts: list[Piece], most: int) -> list[Piece]:
    """Join neighbours into `most` pieces at most, as even in length as cuts allow.

    Frontmatter keeps to itself unless there is room for one piece only.
    """
    room = -(-len(outlined.text) // most)
    while True:
        joined: list[Piece] = []
        for part in parts:
            apart = most > 1 and part.start == outlined.body
            last = joined[-1] if joined else None
            if last is None or apart or part.end - last.start > room:
                joined.append(part)
            else:
                joined[-1] = last._replace(end=part.end)
        if len(joined) <= most:
            return joined
        room += -(-room // 4)


def _chunks(
    note: Note, outlined: Outline, parts: list[Piece]
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of each passage's `Chunk`."""
    text = note.text
    task_lines = sorted({task.line for task in note.tasks})
    heading_lines = sorted({h.line for h in note.headings}) if task_lines else []
    opened = [section.start for section in outlined.sections]
    line = 1
    for index, (back, start, end) in enumerate(parts):
        breaks = text.count("\n", start, end)
        last = max(line, line + breaks - (text[end - 1] == "\n"))
        top = line - text.count("\n", back, start) if back < start else line
        first = bisect_right(opened, start) - 1
        sections = outlined.sections[first : bisect_left(opened, end)]
        kind = _kind(outlined, sections[0], start, end)
        tasked = _between(task_lines, line, last) if task_lines else 0
        if tasked and kind != "frontmatter":
            headings = _between(heading_lines, line, last)
            lines = _filled_lines(text[start:end]) - headings
            kind = "task_block" if 2 * tasked > lines else kind
        passage = text[back:end]
        path = _path(sections) if len(sections) > 1 else sections[0].path
        span, tokens = span_of(top, last), estimate_tokens(passage)
        overlap, digest = start - back, _digest(passage)
        yield index, kind, path, span, passage, overlap, tokens, digest
        line += breaks


def _kind(outlined: Outline, section: Section, start: int, end: int) -> ChunkKind:
    if start < outlined.body:
        return "frontmatter"
    if section.headed and section.start == start:
        return "heading_section"
    first = bisect_right(outlined.starts, start) - 1
    last = bisect_left(outlined.starts, end)
    only_code = _CODE.issuperset(outlined.kinds[first:last])
    return "code_block" if only_code else "paragraph"


def _between(lines: list[int], first: int, last: int) -> int:
    return bisect_right(lines, last) - bisect_left(lines, first)


def _filled_lines(text: str) -> int:
    return sum(1 for line in text.split("\n") if line and not line.isspace())


def _path(sections: list[Section]) -> tuple[str, ...]:
    common = sections[0].path
    for section in sections[1:]:
        while section.path[: len(common)] != common:
            common = common[:-1]
    return common


def _title_chunk() -> Chunk:
    empty = _digest("")
    return Chunk(0, "heading_section", (), Span(1, 1), "", 0, 0, empty)


def _digest(text: str) -> Digest:
    return Digest(xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass")))
