"""How a link is written, in the one or the other style: for all who propose one."""

import re

from glassmind.vault.resolve import NOTE_SUFFIX

_UNSAFE = re.compile(r"[ #%()<>\\\[\]\"`\t]")
"""What ends or changes the target of a Markdown link."""

_BRACKET = re.compile(r"([\\\[\]])")


def written(target: str, shown: str, *, markdown: bool, heading: str = "") -> str:
    """Return a link to a target, the end of a path, that shows these words.

    A Markdown target has its suffix, and shows its name where no words are given; a
    wikilink shows its target then.
    """
    if markdown:
        words = shown or target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        place = f"{_safe(target)}#{_safe(heading)}" if heading else _safe(target)
        shielded = _BRACKET.sub(r"\\\1", words)
        return f"[{shielded}]({place})"
    place = f"{target}#{heading}" if heading else target
    return f"[[{place}]]" if shown in {"", place} else f"[[{place}|{shown}]]"


def _safe(text: str) -> str:
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", text)
