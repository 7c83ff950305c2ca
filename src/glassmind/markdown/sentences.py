"""The sentence that a link stands in, as it is written."""

import re

ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")  # noqa: RUF001 - ends in Chinese
"""Where one sentence ends and the next begins."""

MARKER = re.compile(r"^\s*(?:>\s*)*(?:(?:[-+*]|\d+[.)])\s+(?:\[.\]\s+)?|#{1,6}\s+)?")
"""What makes a line a quotation, an item, a task or a heading."""

LONGEST = 300
"""Characters of a sentence; of a longer one, what is nearest to the link."""

_STANDS_ALONE = re.compile(r"\s*(?:>\s*)*(?:#{1,6}\s|\|)")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-+*]|\d+[.)])\s")
_BLANK = re.compile(r"[\s>]*$")


def sentence_at(text: str, line: int, link: str, nth: int = 0) -> str:
    """Return the sentence around the link on a line of a text, the first being 0.

    The link is the one before which `nth` others on that line begin like it. An item
    of a list, a heading and a row of a table are one sentence each. Line ends become
    blanks and the marks at the beginning of lines are left out. Where no such link is
    on the line it is the sentence at its beginning.
    """
    lines = text.split("\n")
    line = min(line, len(lines) - 1)
    first, last = _block(lines, line)
    parts = [MARKER.sub("", part).strip() for part in lines[first : last + 1]]
    before = len(" ".join(parts[: line - first])) + (line > first)
    joined = " ".join(parts)
    at = _found(joined, link, before, nth)
    if not (_ITEM.match(lines[first]) or _STANDS_ALONE.match(lines[first])):
        start, end = _sentence(joined, at, at + len(link))
        joined, at = joined[start:end], at - start
    return _near(joined, at)


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


def _found(text: str, link: str, before: int, nth: int) -> int:
    at = text.find(link, before)
    while nth and at >= 0:
        at, nth = text.find(link, at + 1), nth - 1
    return before if at < 0 else at


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence begins and ends that holds a stretch of text.

    A full stop inside the stretch ends nothing.
    """
    first, last = 0, len(text)
    for gap in ENDS.finditer(text):
        if gap.end() <= start:
            first = gap.end()
        elif gap.start() >= end:
            last = gap.start()
            break
    return first, last


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
