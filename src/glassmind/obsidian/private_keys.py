"""Private keys in PEM form: every line of a block is hidden, whole or cut off."""

import re
from collections.abc import Sequence

MOST_LINES = 400
"""No private key has as many; two marks further apart are of two blocks."""

KEY_BLOCK = "PRIVATE KEY"
"""The words without which there is none."""

PRIVATE_KEY = "private key"
"""What one is called where it is hidden."""

HIDDEN = f"(hidden: {PRIVATE_KEY})"

_MARK = re.compile(r"-----(BEGIN|END)[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_ONE_LINE = re.compile(
    r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"[^-\n\r]{16,}+-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
)
_MARGIN = re.compile(r"[ \t>]*+(?:(?:[-*+|#]|//|\d{1,3}[.)])[ \t]++)?+")
_INSIDE = re.compile(
    r"[ \t>]*+(?:[A-Za-z0-9+/]++={0,3}|=[A-Za-z0-9+/]{4}|[A-Z][A-Za-z-]++:.*+)?\s*+"
)

# A line of a key as it is quoted, listed, put into a table or behind slashes: a short
# margin, letters, and a short tail.
_BEFORE = (
    r"(?:[^A-Za-z0-9]{0,12}+(?:\d{1,4}[^A-Za-z0-9+/]{1,6}+)?"
    r"""|(?:(?!\(hidden)[^"'`]){0,40}["'`])"""
)
_BEHIND = r"={0,3}+(?:\\[nr]|<br ?/?>|&nbsp;|[^A-Za-z0-9]){0,16}+\s*+"
_WRITTEN = re.compile(
    _BEFORE
    + r"(?=[A-Za-z0-9+/]{0,63}(?:[0-9]|[a-z][A-Z]))"
    + r"(?:[A-Za-z0-9+/]{16,}+|[A-Za-z0-9+/]{2,15}+(?==))"
    + _BEHIND
)
_SHORT = re.compile(_BEFORE + r"[A-Za-z0-9+/]{1,15}+" + _BEHIND)
_EMPTY = re.compile(r"""[ \t>/#*"'\\]*+(?:\|[-:| \t]*+)?(?:<br ?/?>)?\s*+""")
_DRAWN = re.compile(r"[A-Za-z0-9+/]{40,}+")
_TURN = re.compile(r"[a-z][A-Z]")
_LETTERS = re.compile(r"[A-Za-z0-9+/]{16,}")
_FIGURE = re.compile(r"[0-9]")


def without_private_keys(text: str) -> str:
    """Return a text with every line of its private keys hidden.

    A block without an end runs as far as its lines look like one, and so does one
    without a beginning: a passage may have been cut out of the middle.
    """
    whole = _ONE_LINE.sub(HIDDEN, text)
    lines = whole.splitlines(keepends=True)
    marked = [
        (row, marks)
        for row, line in enumerate(lines)
        if KEY_BLOCK in line and (marks := _MARK.findall(line))
    ]
    hidden: set[int] = set()
    for at, (row, marks) in enumerate(marked):
        after = marked[at + 1] if at + 1 < len(marked) else (len(lines), ["BEGIN"])
        before = marked[at - 1][0] if at else -1
        if marks[-1] == "BEGIN":
            hidden.update(_block(lines, row, *after))
        elif marks[0] == "BEGIN":
            hidden.update(_if_a_key(lines, range(row, row + 1)))
        if marks[0] == "END" and row not in hidden:
            hidden.update(_if_a_key(lines, range(_start(lines, before, row), row + 1)))
    for row in hidden:
        lines[row] = _hidden_line(lines[row])
    return "".join(lines)


def _block(lines: Sequence[str], start: int, after: int, marks: Sequence[str]) -> range:
    """Return the lines of a block that begins at one: to its end, or to what is none.

    `after` is the line with the next marks.
    """
    if marks[0] == "END" and after - start < MOST_LINES:
        between = lines[start + 1 : after]
        alike = sum(map(_is_inside, between))
        if 2 * alike >= len(between):
            return _if_a_key(lines, range(start, after + 1), closed=True)
    end = start + 1
    while end < after and _is_inside(lines[end]):
        end += 1
    if end < after and _is_last(lines[end - 1], lines[end]):
        end += 1
    return _if_a_key(lines, range(start, end))


def _start(lines: Sequence[str], before: int, end: int) -> int:
    """Return the first line, behind another, of a block that ends at one."""
    start = end
    if end - 2 > before and _is_last(lines[end - 2], lines[end - 1]):
        start -= 1
    while start - 1 > before and _is_inside(lines[start - 1]):
        start -= 1
    return start


def _is_inside(line: str) -> bool:
    """Whether a line may be one of a key."""
    return any(one.fullmatch(line) for one in (_INSIDE, _WRITTEN, _EMPTY))


def _is_last(line: str, following: str) -> bool:
    """Whether a short line may be the last of a key, after one that looks like it."""
    return bool(_WRITTEN.fullmatch(line) and _SHORT.fullmatch(following))


def _if_a_key(lines: Sequence[str], block: range, *, closed: bool = False) -> range:
    """Return a block, or none of it where it is marks without a key.

    Where one of its ends is not there, what is listed or quoted beside the other may
    be anything: it counts where it is as long as lines of keys are.
    """
    for row in block:
        said = _MARK.sub(" ", lines[row])
        plain = closed or said != lines[row] or _INSIDE.fullmatch(said)
        found = (_LETTERS if plain else _DRAWN).findall(said)
        if any(_FIGURE.search(one) and (plain or _TURN.search(one)) for one in found):
            return block
    return range(0)


def _hidden_line(line: str) -> str:
    margin = _MARGIN.match(line)
    kept = margin[0] if margin else ""
    said = line.rstrip()
    if len(said) <= len(kept):
        return line
    return kept + HIDDEN + line[len(said) :]
