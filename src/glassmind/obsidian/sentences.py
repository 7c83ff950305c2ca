"""The sentences of a text, as they are written, and the one that a link stands in."""

import re

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
