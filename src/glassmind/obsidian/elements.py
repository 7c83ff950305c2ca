"""Blocks, callouts, block ids, footnotes, tags, tasks and fields of a note.

Dataview fields are read from the raw lines, as Dataview does, so those inside code and
comments count as well.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from glassmind.model.notes import (
    BlockId,
    Callout,
    FieldForm,
    Footnote,
    FootnoteForm,
    InlineFieldValue,
    Region,
    Tag,
    Task,
    all_of,
)
from glassmind.obsidian.frontmatter import Property
from glassmind.obsidian.structure import Mask, Structure, span_at

_CALLOUT = re.compile(
    rb">[ \t]*\[!([^\[\]|\r\n]+)(?:\|[^\[\]\r\n]*)?\]([+-]?)[ \t]*([^\r\n]*)"
)
_BLOCK_ID = re.compile(rb"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_BRACKETS = re.compile(rb"\\.|[\[\]]|\n[ \t>]*\r?\n")
_BLANK = b" \t\r\n"
_GAP = re.compile(rb"[> \t\r\n]*")


def callouts(note: Structure) -> list[Callout]:
    source = note.source
    found: list[Callout] = []
    for start, stop in note.quotes:
        head = _CALLOUT.match(source, start)
        if head is None:
            continue
        kind = head[1].decode().strip().lower()
        title = head[3].decode().strip() or kind.replace("-", " ").title()
        end = trimmed(source, start, stop)
        span = span_at(note.starts, start, end)
        found.append(Callout(kind, title, head[2].decode(), span, start, end))
    return found


def block_ids(note: Structure) -> list[BlockId]:
    source, body = note.source, note.body
    if source.find(b"^", body) < 0:
        return []
    masked = note.region_mask()
    ends = sorted(note.ends)
    ids: list[BlockId] = []
    for match in _BLOCK_ID.finditer(source, body):
        start, end = match.start(), match.end(1)
        if start > body and source[start - 1] not in b" \t\n":
            continue
        index = bisect_left(ends, end)
        gap = _GAP.match(source, end)
        if index == len(ends) or (gap.end() if gap else end) < ends[index]:
            continue
        if not masked.covers(start):
            ids.append(BlockId(match[1].decode(), note.line_at(start), start, end))
    return ids


def footnotes(note: Structure) -> list[Footnote]:
    source, body = note.source, note.body
    found: list[Footnote] = []
    for name, defines, start, stop in note.footnotes:
        end = trimmed(source, start, stop)
        form: FootnoteForm = "definition" if defines else "reference"
        found.append(Footnote(name, form, note.line_at(start), start, end))
    if source.find(b"^", body) >= 0 and source.find(b"^[", body) >= 0:
        found.extend(_inline_footnotes(note))
        found.sort(key=lambda footnote: footnote.start)
    return found


def root_blocks(note: Structure) -> list[Region]:
    """Return the root blocks; equations and comments are one block each."""
    source = note.source
    math = {start: end for kind, start, end, _ in note.regions if kind == "math_block"}
    head = trimmed(source, 0, note.body)
    found: list[tuple[str, int, int, str]] = []
    if head:
        found.append(("frontmatter", 0, head, ""))
    for kind, start, stop, language in note.blocks:
        end = start + len(source[start:stop].rstrip(_BLANK))
        if kind == "paragraph":
            is_math = math and math.get(start) == end
            found.append(("math_block" if is_math else kind, start, end, ""))
        elif kind == "quote" and (callout := _CALLOUT.match(source, start)):
            name = callout[1].decode().strip().lower()
            found.append(("quote", start, end, name))
        else:
            first = start
            while kind == "code" and first and source[first - 1] in b" \t":
                first -= 1
            found.append((kind, first, end, language))
    blocks = all_of(Region, found)
    joined = [Region("math_block", start, end) for start, end in note.equations]
    joined += [Region("comment", start, end) for start, end in note.comments]
    joined.sort(key=lambda region: region.start)
    return _with_joined(blocks, joined) if joined else blocks


def trimmed(source: bytes, start: int, end: int) -> int:
    while end > start and source[end - 1] in _BLANK:
        end -= 1
    return end


def _with_joined(blocks: Sequence[Region], joined: Sequence[Region]) -> list[Region]:
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


def _inline_footnotes(note: Structure) -> list[Footnote]:
    source, body = note.source, note.body
    plain = note.text_mask()
    closing = _closing_brackets(source, body)
    found: list[Footnote] = []
    last = body
    start = source.find(b"^[", body)
    while start >= 0:
        end = closing.get(start + 1)
        free = start >= last and source[start - 1 : start] != b"\\"
        if end is not None and free and plain.covers(start):
            name = source[start + 2 : end].decode()
            found.append(Footnote(name, "inline", note.line_at(start), start, end + 1))
            last = end
        start = source.find(b"^[", start + 2)
    return found


def _closing_brackets(source: bytes, body: int) -> dict[int, int]:
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


_TAG = re.compile(
    rb"#((?:[^\x09-\x0d\x1c-\x20!\"#$%&'()*+,.:;<=>?@\[\\\]^`{|}~\x80-\xff]"
    # Outside ASCII all may stand but white space, U+2000-206F and U+2E00-2E7F.
    rb"|(?!\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80|\xe2\x81[\x80-\xaf]|\xe2[\xb8\xb9]"
    rb"|\xe3\x80\x80|\xef\xbb\xbf)[\xc2-\xf4][\x80-\xbf]+)+)"
)
_BLANKS = (b"", b" ", b"\t", b"\n", b"\r", b"\x0b", b"\x0c")
_LONGEST_ADDRESS = 2048
"""Bytes looked back over for the beginning of a web address; browsers take as many."""


def inline_tags(note: Structure, barred: Iterable[tuple[int, int]]) -> list[Tag]:
    source = note.source
    candidates = _TAG.finditer(source, note.body)
    first = next(candidates, None)
    if first is None:
        return []
    plain, mask = note.text_mask(), Mask.of(barred)
    tags: list[Tag] = []
    last_end = -1
    for match in (first, *candidates):
        start = match.start()
        run_end = plain.end_at(start)
        if run_end is None or mask.covers(start):
            continue
        if start != last_end and not _may_begin(source, start, plain):
            continue
        end = min(match.end(), run_end)
        name = source[start + 1 : end]
        if not is_tag_name(name):
            continue
        last_end = end
        tags.append(Tag(name.decode(), note.line_at(start), start, end))
    return tags


def property_tags(note: Structure, properties: Iterable[Property]) -> list[Tag]:
    """Return the tags listed under `tags` in the frontmatter, in order.

    As Obsidian does since 1.9: list items only; a text value, or the name `tag`, is no
    tag.
    """
    tags: list[Tag] = []
    for (path, value, _, _), first, last in properties:
        if len(path) != 2 or not isinstance(path[1], int):  # noqa: PLR2004  # name, index
            continue
        if str(path[0]).lower() != "tags" or not isinstance(value, str):
            continue
        name = value.strip().removeprefix("#")
        if not is_tag(name):
            continue
        written = name.encode()
        at = note.source.find(written, first, last)
        start, end = (first, last) if at < 0 else (at, at + len(written))
        tags.append(Tag(name, note.line_at(start), start, end, in_properties=True))
    return tags


def is_tag(name: str) -> bool:
    written = name.encode("utf-8", "surrogatepass")
    return bool(_TAG.fullmatch(b"#" + written)) and is_tag_name(written)


def is_tag_name(name: bytes) -> bool:
    return bool(name.strip(b"0123456789")) and bool(name.strip(b"/"))


def _may_begin(source: bytes, start: int, plain: Mask) -> bool:
    before = source[start - 1 : start]
    if before in _BLANKS or (before >= b"\x80" and _is_space_before(source, start)):
        return True
    if before == b"\\":  # which also cuts the run of text
        return False
    if before in (b"_", b"*"):
        # Obsidian takes `snake_case_#tag` for a tag, but an address is not cut up.
        word = source[max(0, start - _LONGEST_ADDRESS) : start].split()[-1]
        return b"://" not in word
    after_mark = source[max(0, start - 2) : start] in (b"==", b"%%")
    return after_mark or plain.starts[bisect_right(plain.starts, start) - 1] == start


def _is_space_before(source: bytes, offset: int) -> bool:
    before = source[max(0, offset - 3) : offset].decode(errors="ignore")[-1:]
    return before.isspace() or before == "\ufeff"


_BOX = re.compile(
    rb"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+"
    rb"\[((?!\])[^\r\n\x80-\xff]|[\xc2-\xf4][\x80-\xbf]+)\][ \t]+"
)
_LINE_LEAD = re.compile(rb"\r?\n[ \t>]*")


def tasks(note: Structure) -> list[Task]:
    source = note.source
    found: list[Task] = []
    for item in note.items:
        box = _BOX.match(source, item.start)
        if box is None:
            continue
        start, end = item.start, own_end(source, box.end(), item.own_end)
        text = _LINE_LEAD.sub(b"\n", source[box.end() : end]).decode()
        parent = None if item.parent is None else note.line_at(item.parent)
        line = note.line_at(start)
        found.append(Task(box[1].decode(), text, line, start, end, item.depth, parent))
    return found


def own_end(source: bytes, start: int, end: int) -> int:
    while end > start:
        line = max(start, source.rfind(b"\n", start, end) + 1)
        kept = source[line:end].rstrip()
        if kept.strip(b"> \t") or line == start:
            return max(start, line + len(kept))
        end = line - 1
    return start


LONGEST_LINE = 32_768
"""Dataview skips longer lines."""

_KEY = re.compile(r"[\[(]([^\[\]()]*?)::")
_BRACKET = re.compile(r"\\.|[\[\]()]")
_WHOLE = re.compile(r"\W*+([\w\s/-]*+)[*~`]*+")
_LIST_MARK = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(\[.\][ \t])?")
_EMOJI = re.compile(
    "(\u2795|\U0001f6eb|\u23f3|\U0001f4c5|\U0001f4c6|\U0001f5d3\ufe0f?|\u2705)"
    r"\s*(\d{4}-\d{2}-\d{2})"
)
_SIGNS = (
    "\u2795", "\u23f3", "\u2705",
    "\U0001f6eb", "\U0001f4c5", "\U0001f4c6", "\U0001f5d3",
)  # fmt: skip
_MEANING = {
    "\u2795": "created",
    "\U0001f6eb": "start",
    "\u23f3": "scheduled",
    "\u2705": "completion",
}
"""What a sign before a date says; the calendar signs say "due"."""


def bracketed_fields(line: str) -> list[InlineFieldValue]:
    """Return `[key:: value]` and `(key:: value)`; places count characters."""
    closing = _closings(line)
    values: list[InlineFieldValue] = []
    cursor = 0
    while match := _KEY.search(line, cursor):
        start = match.start()
        end = closing.get(start)
        if end is None or end < match.end():
            cursor = start + 1
            continue
        form: FieldForm = "bracket" if line[start] == "[" else "paren"
        value = line[match.end() : end].strip()
        values.append(
            InlineFieldValue(match[1].strip(), value, form, 0, start, end + 1)
        )
        cursor = end + 2
    return values


def dated_fields(line: str) -> list[InlineFieldValue]:
    return [
        InlineFieldValue(
            _MEANING.get(sign[1], "due"), sign[2], "emoji", 0, *sign.span()
        )
        for sign in _EMOJI.finditer(line)
    ]


def whole_line_field(line: str, lead: int = 0) -> InlineFieldValue | None:
    """Return the field that a line is, from the character `lead` on."""
    mark = line.find("::", lead)
    key = _WHOLE.fullmatch(line, lead, mark) if mark >= 0 else None
    if key is None:
        return None
    end = max(len(line.rstrip()), mark + 2)
    value = line[mark + 2 :].strip()
    return InlineFieldValue(key[1].strip(), value, "line", 0, key.start(1), end)


def inline_fields(note: Structure) -> list[InlineFieldValue]:
    """Return the fields of the body, in order; those without a key are left out."""
    source, starts = note.source, note.starts
    may_date = note.items and not note.text.isascii()
    items = note.items if may_date and any(map(note.text.count, _SIGNS)) else []
    if not items and source.find(b"::", note.body) < 0:
        return []
    listed = {note.line_at(item.start) for item in note.items}
    dated = listed if items else frozenset[int]()
    values: list[InlineFieldValue] = []
    for number in range(note.line_at(note.body), len(starts) + 1):
        start = starts[number - 1]
        end = starts[number] - 1 if number < len(starts) else len(source)
        raw = source[start:end]
        if b"::" not in raw and (number not in dated or raw.isascii()):
            continue
        line = raw.decode().rstrip("\r")
        if len(line) > LONGEST_LINE:
            continue
        for item in _line_fields(line, listed=number in listed):
            if not item.key:
                continue
            first = start + len(line[: item.start].encode())
            last = first + len(line[item.start : item.end].encode())
            values.append(item._replace(line=number, start=first, end=last))
    return values


def _line_fields(line: str, *, listed: bool) -> list[InlineFieldValue]:
    """Return the fields of one line; `listed` says that a list item begins on it."""
    values = bracketed_fields(line) if "::" in line else []
    mark = _LIST_MARK.match(line) if listed else None
    if listed:
        values = sorted(values + dated_fields(line), key=lambda item: item.start)
    if values or "::" not in line or (mark and mark[1]):
        return values
    whole = whole_line_field(line, mark.end() if mark else 0)
    return [whole] if whole else []


def _closings(line: str) -> dict[int, int]:
    waiting: dict[str, list[int]] = {"]": [], ")": []}
    closing: dict[int, int] = {}
    for match in _BRACKET.finditer(line):
        mark = match[0]
        if mark in "[(":
            waiting["]" if mark == "[" else ")"].append(match.start())
        elif mark in "])" and waiting[mark]:
            closing[waiting[mark].pop()] = match.start()
    return closing
