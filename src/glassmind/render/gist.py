"""What a memo says in short: of a summary, what it quotes first."""

import re
from itertools import dropwhile, takewhile

_OPENING = re.compile("(`{3,})note")
_CITED = re.compile(r"\[[0-9]+\] ")


def gist_of(kind: str, text: str) -> str:
    """Return what a memo says, on one line.

    Summaries begin with a title and a word of caution that all of them have; what tells
    one from another is the first text of notes in it.
    """
    own = _first_quoted(text) if kind == "summary" else ""
    return " ".join((own or text).split())


def _first_quoted(text: str) -> str:
    """Return the lines in the first fence of a packet, without their numbers."""
    lines = dropwhile(lambda line: not _OPENING.fullmatch(line), text.splitlines())
    opening = _OPENING.fullmatch(next(lines, ""))
    if opening is None:
        return ""
    inside = takewhile(lambda line: line != opening[1], lines)
    return "\n".join(_CITED.sub("", line, count=1) for line in inside)
