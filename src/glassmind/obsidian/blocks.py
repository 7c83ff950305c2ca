"""Root blocks, and what names or dresses a block: callouts, ids, footnotes."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from glassmind.model.notes import (
    BlockId,
    Callout,
    Footnote,
    FootnoteForm,
    Region,
    all_of,
)
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.positions import line_at, span_at
from glassmind.obsidian.structure import Block, Structure

_CALLOUT = re.compile(
    rb">[ \t]*\[!([^\[\]|\r\n]+)(?:\|[^\[\]\r\n]*)?\]([+-]?)[ \t]*([^\r\n]*)"
)
_BLOCK_ID = re.compile(rb"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_BRACKETS = re.compile(rb"\\.|[\[\]]|\n[ \t>]*\r?\n")
_BLANK = b" \t\r\n"
_GAP = re.compile(rb"[> \t\r\n]*")


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
        if index == len(ends) or _gap_end(source, end) < ends[index]:
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
    if source.find(b"^", body) >= 0 and source.find(b"^[", body) >= 0:
        found.extend(_inline_footnotes(source, body, structure, starts))
        found.sort(key=lambda footnote: footnote.start)
    return found


def root_blocks(
    source: bytes, body: int, structure: Structure, joined: Sequence[Region]
) -> list[Region]:
    """Return the root blocks in order, frontmatter first, without trailing blanks.

    Display math that fills a paragraph is a block of its own kind, and so is each
    stretch of `joined` that begins and ends with blocks; a callout's language is its
    kind.
    """
    math = {
        start: end for kind, start, end, _ in structure.regions if kind == "math_block"
    }
    head = trimmed(source, 0, body)
    found: list[Block] = [("frontmatter", 0, head, "")] if head else []
    for kind, start, stop, language in structure.blocks:
        end = start + len(source[start:stop].rstrip(_BLANK))
        if kind == "paragraph":
            is_math = math and math.get(start) == end
            found.append(("math_block" if is_math else kind, start, end, language))
        elif kind == "quote" and (callout := _CALLOUT.match(source, start)):
            name = callout[1].decode().strip().lower()
            found.append(("quote", start, end, name))
        else:
            first = _indented_start(source, start) if kind == "code" else start
            found.append((kind, first, end, language))
    blocks = all_of(Region, found)
    return _with_joined(blocks, joined) if joined else blocks


def trimmed(source: bytes, start: int, end: int) -> int:
    """Return `end` moved back over blanks and line ends, at most to `start`."""
    while end > start and source[end - 1] in _BLANK:
        end -= 1
    return end


def _with_joined(blocks: Sequence[Region], joined: Sequence[Region]) -> list[Region]:
    """Return the blocks, those that one stretch spans replaced by it."""
    merged: list[Region] = []
    first = {block.start: index for index, block in enumerate(blocks)}
    index = 0
    for kind, start, end, _ in joined:
        begin = first.get(start)
        if begin is None or begin < index:
            continue
        after = begin
        while after < len(blocks) and blocks[after].start < end:
            after += 1
        if blocks[after - 1].end > end:
            continue
        merged.extend(blocks[index:begin])
        merged.append(Region(kind, start, blocks[after - 1].end))
        index = after
    merged.extend(blocks[index:])
    return merged


def _inline_footnotes(
    source: bytes, body: int, structure: Structure, starts: Sequence[int]
) -> list[Footnote]:
    plain = Mask.of(zip(structure.text_starts, structure.text_ends, strict=True))
    closing = _closing_brackets(source, body)
    found: list[Footnote] = []
    last = body
    start = source.find(b"^[", body)
    while start >= 0:
        end = closing.get(start + 1)
        free = start >= last and source[start - 1 : start] != b"\\"
        if end is not None and free and plain.covers(start):
            name = source[start + 2 : end].decode()
            line = line_at(starts, start)
            found.append(Footnote(name, "inline", line, start, end + 1))
            last = end
        start = source.find(b"^[", start + 2)
    return found


def _closing_brackets(source: bytes, body: int) -> dict[int, int]:
    """Return where the `]` stands, in the same paragraph, that closes each `[`."""
    closing: dict[int, int] = {}
    waiting: list[int] = []
    for match in _BRACKETS.finditer(source, body):
        mark = match[0]
        if mark == b"[":
            waiting.append(match.start())
        elif mark == b"]":
            if waiting:
                closing[waiting.pop()] = match.start()
        elif mark[:1] == b"\n":
            waiting.clear()
    return closing


def _gap_end(source: bytes, start: int) -> int:
    """Return where the blanks and quote marks behind `start` end."""
    gap = _GAP.match(source, start)
    return gap.end() if gap else start


def _indented_start(source: bytes, start: int) -> int:
    """Return where the blanks before `start` begin, on its line."""
    while start > 0 and source[start - 1] in b" \t":
        start -= 1
    return start
