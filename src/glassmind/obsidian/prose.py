"""Where a note is plain prose, text that a link could be put around, and what it says.

Code, math, comments, HTML, links with their labels, addresses, names of files, tags,
headings and the frontmatter are none. Neither is what marks a callout, a footnote or a
block, nor what a template's engine fills in.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import ascii_letters, digits

from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.elements import block_ids, footnotes, inline_tags
from glassmind.obsidian.links import wikilinks
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.structure import (
    Mask,
    Structure,
    block_equations,
    comments,
    inline_elements,
    line_starts,
    read_structure,
    with_equations,
)

_ADDRESS = re.compile(
    # Each begins where a word does, so that no run of letters is looked at twice.
    rb"(?<![\w.+-])(?:[A-Za-z][A-Za-z0-9+.-]*://|www\.|mailto:)[^\s<>]+"
    rb"|(?<![\w.+-])[\w.+-]+@[\w.-]+"
    rb"|(?<![\w.+-])[\w.+-]+/[\w./-]+"  # a path
)
_ENDING = re.compile(
    rb"\.(?:md|canvas|base|txt|pdf|png|jpe?g|svg|gif|webp|csv|json|ya?ml|toml|xml|html?"
    rb"|docx?|xlsx?|pptx?|zip|py|sh)(?!\.?\w)"
    rb"|\\[A-Za-z0-9][\w.\\-]*"
)
"""How the name of a file ends, or a path as Windows has it: with a link around what
stands before, it would be another's."""

_OF_NAMES = (ascii_letters + digits + "_.+-:").encode()
MOST_NAME_BYTES = 255
"""Of the name of a file, on the systems we know."""

_TEMPLATE = re.compile(rb"<%(?:[^%<]|%(?!>)|<(?!%))*%>|\{\{[^{}\n]*\}\}")
"""What a template's engine fills in; a mark that opens again ends the search."""

_MARKER = re.compile(rb"\[[!^][^\[\]\n]*\]")


def prose(text: str, body: int) -> list[tuple[int, int]]:
    """Return the stretches of prose from the byte `body` on, in order.

    Offsets are bytes of the text in UTF-8, half open; `body` is where the frontmatter
    ends. No stretch crosses the end of a line.
    """
    source = text.encode()
    head = source[:body].decode()
    structure = read_structure("\n" * body + text[len(head) :] if body else text)
    equations = block_equations(source, body, structure)
    structure.regions = with_equations(structure.regions, equations)
    barred = Mask.of(_barred(source, body, structure))
    # Brackets that close on another line make a stretch of that line's end.
    free = _free(structure, barred, body)
    return [(start, end) for start, end in free if b"\n" not in source[start:end]]


def readable_text(note: Note) -> str:
    """Return what a note says to who reads it, with its code and its links.

    Frontmatter, comments and addresses are left out.
    """
    source, at = note.text.encode(), note.frontmatter.end
    hidden = [
        (region.start, region.end)
        for region in note.regions
        if region.kind == "comment" or source.startswith(b"<!--", region.start)
    ]
    hidden += [match.span() for match in _ADDRESS.finditer(source, at)]
    parts = []
    for start, end in zip(*Mask.of(hidden), strict=True):
        parts.append(source[at:start])
        at = max(at, end)
    parts.append(source[at:])
    return b"\n".join(parts).decode()


def _barred(
    source: bytes, body: int, structure: Structure
) -> Iterator[tuple[int, int]]:
    starts = line_starts(source)
    links = wikilinks(source, body, structure, starts)
    elements = list(inline_elements(structure.html))
    closed = [*((link.start, link.end) for link in links), *elements]
    yield from closed
    yield from ((region.start, region.end) for region in structure.regions)
    yield from ((link.start, link.end) for link in structure.references)
    yield from ((start, end) for _, _, start, end in structure.titles)
    yield from comments(source, body, structure)
    tags = inline_tags(source, body, structure, closed, starts)
    yield from ((tag.start, tag.end) for tag in tags)
    named = block_ids(source, body, structure, starts)
    yield from ((mark.start, mark.end) for mark in named)
    for note in footnotes(source, body, structure, starts):
        if note.form == "reference":
            yield note.start, note.end
    yield from _file_names(source, body)
    for pattern in (_ADDRESS, _TEMPLATE, _MARKER):
        yield from (match.span() for match in pattern.finditer(source, body))


def _file_names(source: bytes, body: int) -> Iterator[tuple[int, int]]:
    for match in _ENDING.finditer(source, body):
        before = source[max(body, match.start() - MOST_NAME_BYTES) : match.start()]
        size = len(before) - len(before.rstrip(_OF_NAMES))
        if size:
            yield match.start() - size, match.end()


def _free(structure: Structure, barred: Mask, body: int) -> Iterator[tuple[int, int]]:
    """Yield the text that is not barred, stretches that touch joined."""
    for start, end in _joined(structure.text_starts, structure.text_ends):
        at = max(start, body)
        while at < end:
            hidden = barred.end_at(at)
            if hidden is not None:
                at = hidden
                continue
            index = bisect_right(barred.starts, at)
            until = min((end, *barred.starts[index : index + 1]))
            yield at, until
            at = until


def _joined(starts: Sequence[int], ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    first, last = -1, -1
    for start, end in sorted(zip(starts, ends, strict=True)):
        if start == last:
            last = end
            continue
        if first >= 0:
            yield first, last
        first, last = start, end
    if first >= 0:
        yield first, last


ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")  # noqa: RUF001 - ends in Chinese
"""Where one sentence may end and the next begin."""

SHORTENED = frozenset((
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "cf", "ca", "fig", "eq", "vol",
    "approx", "bzw", "vgl", "resp", "hr", "fr", "nr",
))  # fmt: skip
"""Words that a full stop shortens, of English and German; seldom a sentence's last."""

OFTEN_LAST = frozenset(("etc", "usw"))
"""Such words as end a sentence too: it goes on where a small letter follows."""

LONGEST_WORD = 20
"""Characters that are looked at of a word before a full stop: more than any above."""

MARKER = re.compile(r"^\s*(?:>\s*)*(?:(?:[-+*]|\d+[.)])\s+(?:\[.\]\s+)?|#{1,6}\s+)?")
"""What makes a line a quotation, an item, a task or a heading."""

HEADING = re.compile(r"#{1,6}(?:\s|$)")
"""What makes a line a heading, behind the marks of quotations."""

PROPERTY = re.compile(r"[^\s#:-][^:\n]*:(?:\s|$)")
"""What makes a line of the frontmatter the beginning of a property."""

LONGEST = 300
"""Characters of a sentence; of a longer one, what is nearest to the link."""

_STANDS_ALONE = re.compile(r"\s*(?:>\s*)*(?:#{1,6}\s|\||```|~~~)")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-+*]|\d+[.)])\s")
_BLANK = re.compile(r"[\s>]*$")
_LETTERS = re.compile(r"[^\W\d_](?:\w?\.[^\W\d_]{1,2})*\.")
"""An initial, or letters that stand for words: `J.`, `e.g.`, `z.B.`"""
_UNIT = re.compile(r"\d\s?[a-z]\.$")
"""A number with a unit of one letter, `2.15 m.`: an end before a capital."""
_BRACKET = re.compile("[()]")
_OPENING = "([{\"'*_“‘«„"  # noqa: RUF001 - quotation marks as people write them


def sentence_at(text: str, start: int, end: int) -> str:
    """Return the sentence around a stretch of a text, such as a link.

    An item of a list, a heading and a row of a table are one sentence each. Line ends
    become blanks and the marks at the beginning of lines are left out. A stretch that
    is not in the text is taken for the nearest that is.
    """
    lines = text.split("\n")
    first, last = _block(lines, text.count("\n", 0, start))
    parts = [MARKER.sub("", part).strip() for part in lines[first : last + 1]]
    joined = " ".join(parts)
    before = len("\n".join(lines[:first])) + (first > 0)
    at, until = (_joined_at(lines[first:], parts, at - before) for at in (start, end))
    if not (_ITEM.match(lines[first]) or _STANDS_ALONE.match(lines[first])):
        begun, over = _sentence(joined, at, until)
        joined, at = joined[begun:over], at - begun
    return _near(joined, at)


def sentences_in(text: str) -> list[str]:
    """Return the sentences of a paragraph in order, to the letter."""
    found = (text[start:end].strip() for start, end in sentence_spans(text))
    return [sentence for sentence in found if sentence]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a paragraph begin and end, in order.

    None ends inside a bracket, unless that is never closed.
    """
    found, start = [], 0
    for gap in ENDS.finditer(text):
        if gap.start() > start and _ends(text, gap) and not _inside(text, start, gap):
            found.append((start, gap.start()))
            start = gap.end()
    found.append((start, len(text)))
    return found


def _joined_at(lines: list[str], parts: list[str], at: int) -> int:
    """Return where a place in some lines is when what is left of them is joined."""
    before = 0
    for line, part in zip(lines, parts, strict=False):
        if at <= len(line):
            return before + min(max(at - line.rfind(part), 0), len(part))
        at -= len(line) + 1
        before += len(part) + 1
    return max(before - 1, 0)


def _block(lines: list[str], line: int) -> tuple[int, int]:
    """Return the first and the last line of the paragraph or item that holds a line."""
    first = last = line
    if _STANDS_ALONE.match(lines[line]):
        return first, last
    while first > 0 and not _ITEM.match(lines[first]) and _goes_on(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and _goes_on(lines[last + 1]):
        if _ITEM.match(lines[last + 1]):
            break
        last += 1
    return first, last


def _goes_on(line: str) -> bool:
    return not (_BLANK.match(line) or _STANDS_ALONE.match(line))


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence begins and ends that holds a stretch of text.

    A full stop inside the stretch ends nothing. Further away than can be shown, no end
    is looked for.
    """
    first, last = max(0, start - LONGEST), min(len(text), end + LONGEST)
    for gap in ENDS.finditer(text, first, last):
        inside = start < gap.end() and gap.start() < end
        if inside or not _ends(text, gap):
            continue
        if gap.end() > start:
            return first, gap.start()
        first = gap.end()
    return first, last


def _ends(text: str, gap: re.Match[str]) -> bool:
    """Whether a sentence ends at a gap: not behind a word that is shortened."""
    if text[gap.start() - 1] != ".":
        return True
    begun = max(0, gap.start() - LONGEST_WORD)
    word = text[begun : gap.start()].rsplit(None, 1)[-1].lstrip(_OPENING)
    short = word[:-1].lower()
    if short in OFTEN_LAST:
        return not text[gap.end() : gap.end() + 1].islower()
    if _UNIT.search(text, begun, gap.start()):
        return text[gap.end() : gap.end() + 1].isupper()
    return not (_LETTERS.fullmatch(word) or short in SHORTENED)


def _inside(text: str, start: int, gap: re.Match[str]) -> bool:
    """Whether a bracket is open at a gap that is closed behind it, not far away."""
    over = gap.start()
    opened = text.count("(", start, over) - text.count(")", start, over)
    if opened <= 0:
        return False
    for sign in _BRACKET.finditer(text, over, over + LONGEST):
        opened += 1 if sign[0] == "(" else -1
        if not opened:
            return True
    return False


def _near(text: str, at: int) -> str:
    """Return a text, or of a long one the words around a place in it."""
    if len(text) <= LONGEST:
        return text
    start = max(0, min(at - LONGEST // 2, len(text) - LONGEST))
    end = start + LONGEST
    if start:
        blank = text.find(" ", start, at)
        start = start if blank < 0 else blank + 1
    if end < len(text):
        blank = text.rfind(" ", at, end)
        end = end if blank <= at else blank
    cut = text[start:end]
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"


INVISIBLE = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f"
"""Letters without width."""

_UNSEEN = re.compile(f"[{INVISIBLE}]+")
_BLANK_LINE = re.compile(r"\n[ \t>]*\r?\n")
_COMMENT = re.compile("<!--|%%")
_LEADING = re.compile(r"^[ \t>]*(?=%%)", re.MULTILINE)
_IN_HTML = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def visible_text(text: str) -> str:
    """Return what is seen of a text of a note; it has as many lines."""
    if text.isascii() and "<!--" not in text and "%%" not in text:
        return text  # as most
    parts, at = [], 0
    for start, end in comment_spans(text):
        parts += [text[at:start], "\n" * text.count("\n", start, end) or " "]
        at = end
    return _UNSEEN.sub("", "".join([*parts, text[at:]]))


def comment_spans(text: str) -> list[tuple[int, int]]:
    """Return where comments stand in a text, in order.

    One of HTML that is not closed goes on to the end, and so does one of Obsidian that
    begins a line; one inside a line is closed before the next blank line, or is none.
    """
    found, at = [], 0
    leading = {match.end() for match in _LEADING.finditer(text)}
    while (mark := _COMMENT.search(text, at)) is not None:
        start, at = mark.span()
        close = "-->" if mark[0] == "<!--" else "%%"
        over = text.find(close, at)
        end = over + len(close) if over >= 0 else len(text)
        if close == "%%" and start not in leading and not _closes(text, start, over):
            continue
        found.append((start, end))
        at = end
    return found


def _closes(text: str, start: int, over: int) -> bool:
    return over >= 0 and not _BLANK_LINE.search(text, start, over)


def without_comments(text: str) -> str:
    """Return a note without its comments; it has as many lines.

    What code shows of one is none. `hidden` is quicker and takes that for one, to hide
    rather too much; here nothing may go that is seen.
    """
    return _parsed(text) if "<!--" in text or "%%" in text else text


@lru_cache(maxsize=64)  # the sections of a bundle read the same notes, and so do others
def _parsed(text: str) -> str:
    note = read_note(NotePath("Seen.md"), text)
    source, parts, at = note.text.encode(), [], 0
    for start, end in zip(*Mask.of(_comments(note, source)), strict=True):
        parts += [source[at:start], b"\n" * source.count(b"\n", start, end) or b" "]
        at = end
    return b"".join([*parts, source[at:]]).decode()


def _comments(note: Note, source: bytes) -> Iterator[tuple[int, int]]:
    for kind, start, end, _ in note.regions:
        if kind == "comment":
            yield start, end
        elif kind == "html":
            for found in _IN_HTML.finditer(source[start:end]):
                yield start + found.start(), start + found.end()
