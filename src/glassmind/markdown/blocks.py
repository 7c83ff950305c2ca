"""Root blocks, and what names or dresses a block: callouts, ids, footnotes."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from glassmind.markdown.masks import Mask
from glassmind.markdown.positions import line_at, span_at
from glassmind.markdown.structure import Range, Stretch, Structure
from glassmind.types.notes import BlockId, Callout, Footnote, FootnoteForm, Region

_CALLOUT = re.compile(
    rb">[ \t]*\[!([^\[\]|\r\n]+)(?:\|[^\[\]\r\n]*)?\]([+-]?)[ \t]*([^\r\n]*)"
)
_BLOCK_ID = re.compile(rb"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_BRACKETS = re.compile(rb"\\.|[\[\]]|\n[ \t>]*\r?\n")
_BLANK = b" \t\r\n"
_LONGEST_NOTE = 4096
"""Bytes an inline footnote may hold; bounds the search for its closing bracket."""


def callouts(
    source: bytes, quotes: Iterable[tuple[int, int]], starts: Sequence[int]
) -> list[Callout]:
    """Return the quotes that are callouts, nested ones too, in order.

    The kind is in lower case; a callout without a title is called by its kind.
    """
    found: list[Callout] = []
    for start, stop in quotes:
        head = _CALLOUT.match(source, start)
        if head is None:
            continue
        kind = head[1].decode().strip().lower()
        title = head[3].decode().strip() or kind.replace("-", " ").title()
        end = trimmed(source, start, stop)
        span = span_at(starts, start, end)
        found.append(Callout(kind, title, head[2].decode(), span, start, end))
    return found


def block_ids(
    source: bytes, body: int, structure: Structure, starts: Sequence[int]
) -> list[BlockId]:
    """Return the `^ids` that end a paragraph, heading or list item, in order."""
    if source.find(b"^", body) < 0:
        return []
    masked = Mask.of((start, end) for _, start, end, _ in structure.regions)
    ends = sorted(structure.ends)
    found: list[BlockId] = []
    for match in _BLOCK_ID.finditer(source, body):
        start, end = match.start(), match.end(1)
        if start > body and source[start - 1] not in b" \t\n":
            continue
        index = bisect_left(ends, end)
        if index == len(ends) or source[end : ends[index]].strip(b"> \t\r\n"):
            continue
        if not masked.covers(start):
            name = match[1].decode()
            found.append(BlockId(name, line_at(starts, start), start, end))
    return found


def footnotes(
    source: bytes, body: int, structure: Structure, starts: Sequence[int]
) -> list[Footnote]:
    """Return references, definitions and inline footnotes, in order."""
    found: list[Footnote] = []
    for name, defines, start, stop in structure.footnotes:
        end = trimmed(source, start, stop)
        line = line_at(starts, start)
        form: FootnoteForm = "definition" if defines else "reference"
        found.append(Footnote(name, form, line, start, end))
    if source.find(b"^[", body) >= 0:
        found.extend(_inline_footnotes(source, body, structure.texts, starts))
        found.sort(key=lambda footnote: footnote.start)
    return found


def root_blocks(
    source: bytes,
    head: Stretch,
    structure: Structure,
    comments: Sequence[tuple[int, int]],
    starts: Sequence[int],
) -> list[Region]:
    """Return the root blocks in order, frontmatter first, without trailing blanks.

    Display math that fills a paragraph and comments that begin and end with blocks are
    blocks of their own kind; a callout's language is its kind.
    """
    math = {
        start: end for kind, start, end, _ in structure.regions if kind == "math_block"
    }
    plain: list[Stretch] = [head] if head[2] else []
    for kind, start, stop, language in structure.blocks:
        end = trimmed(source, start, stop)
        if kind == "paragraph" and math.get(start) == end:
            plain.append(("math_block", start, end, ""))
        elif kind == "quote" and (callout := _CALLOUT.match(source, start)):
            plain.append(("quote", start, end, callout[1].decode().strip().lower()))
        else:
            first = _indented_start(source, start) if kind == "code" else start
            plain.append((kind, first, end, language))
    if comments:
        plain = _with_comments(plain, comments)
    return regions(plain, starts)


def regions(stretches: Iterable[Stretch], starts: Sequence[int]) -> list[Region]:
    """Return stretches with their lines."""
    return [
        Region(kind, start, end, span_at(starts, start, end), language)
        for kind, start, end, language in stretches
    ]


def trimmed(source: bytes, start: int, end: int) -> int:
    """Return `end` moved back over blanks and line ends, at most to `start`."""
    while end > start and source[end - 1] in _BLANK:
        end -= 1
    return end


def _with_comments(
    blocks: Sequence[Stretch], comments: Sequence[tuple[int, int]]
) -> list[Stretch]:
    """Return the blocks with those that one comment spans joined into it."""
    merged: list[Stretch] = []
    first = {block[1]: index for index, block in enumerate(blocks)}
    index = 0
    for start, end in comments:
        begin = first.get(start)
        if begin is None or begin < index:
            continue
        after = begin
        while after < len(blocks) and blocks[after][1] < end:
            after += 1
        if blocks[after - 1][2] > end:
            continue
        merged.extend(blocks[index:begin])
        merged.append(("comment", start, blocks[after - 1][2], ""))
        index = after
    merged.extend(blocks[index:])
    return merged


def _inline_footnotes(
    source: bytes, body: int, texts: Sequence[Range], starts: Sequence[int]
) -> list[Footnote]:
    plain = Mask.of((text["start"], text["end"]) for text in texts)
    found: list[Footnote] = []
    start = source.find(b"^[", body)
    while start >= 0:
        end = _closing_bracket(source, start + 2) if plain.covers(start) else None
        if end is not None and source[start - 1 : start] != b"\\":
            name = source[start + 2 : end - 1].decode()
            line = line_at(starts, start)
            found.append(Footnote(name, "inline", line, start, end))
        start = source.find(b"^[", start + 2)
    return found


def _closing_bracket(source: bytes, start: int) -> int | None:
    """Return the offset behind the bracket that closes one opened before `start`."""
    depth, limit = 1, min(len(source), start + _LONGEST_NOTE)
    for match in _BRACKETS.finditer(source, start, limit):
        mark = match[0]
        if mark == b"[":
            depth += 1
        elif mark == b"]":
            depth -= 1
            if not depth:
                return match.end()
        elif mark[:1] == b"\n":
            return None
    return None


def _indented_start(source: bytes, start: int) -> int:
    """Return where the blanks before `start` begin, on its line."""
    while start > 0 and source[start - 1] in b" \t":
        start -= 1
    return start
