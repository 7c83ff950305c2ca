"""Edits of who is not shown credentials: judged by what was shown.

Whoever reads `(hidden: AWS key)` may want to replace that, or write it back with the
line around it. The one finds nothing, and the other would put the words in the place of
the key: both are refused with a sentence that says so. Whether a text stands in a note
is told by the note as it was shown, so that nobody finds out a key by trying letters.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from glassmind.errors.editing import (
    EditRefused,
    HiddenWords,
    NoMatch,
    SeveralMatches,
)
from glassmind.markdown.secrets import redacted
from glassmind.types.editing import Draft

Made = TypeVar("Made")

_WORDS = re.compile(r"\(hidden(?:: [^()\n]{1,40})?\)")
_MARK = re.compile(rb"\(hidden(?:: [A-Za-z0-9 .-]{1,40})?\)")


def as_shown(raw: bytes, edit: Callable[[bytes], Made]) -> Made:
    """Return what an edit makes of a note of which credentials were not shown.

    Raises:
        EditRefused: it cannot be made of what was shown.
        HiddenWords: it is about what stands in the place of a credential.
    """
    shown = _shown(raw)
    if shown == raw:
        return edit(raw)
    try:
        edit(shown)
    except (NoMatch, SeveralMatches) as error:
        mark = _MARK.search(error.wanted.encode())
        if mark is None:
            raise
        raise HiddenWords(mark[0].decode()) from error
    except EditRefused:
        return edit(raw)  # such as properties that hidden words make unreadable
    try:
        return edit(raw)
    except (NoMatch, SeveralMatches) as error:
        raise HiddenWords("(hidden)") from error


def refuse_marks(draft: Draft) -> None:
    """Refuse a change that would write, into a note, what stands for a credential.

    Raises:
        HiddenWords: it would.
    """
    before, after = Counter[bytes](), Counter[bytes]()
    for step in draft.steps:
        if step.before is not None:
            before.update(_MARK.findall(step.before))
            after.update(_MARK.findall(step.after))
    for mark in after - before:
        raise HiddenWords(mark.decode())


def _shown(raw: bytes) -> bytes:
    """Return a note without its credentials, words in their place that YAML takes."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return raw  # edits of other encodings are refused
    safe = redacted(text)
    if safe == text:
        return raw
    pairs = zip(text.split("\n"), safe.split("\n"), strict=True)
    lines = [
        before if before == after else _WORDS.sub("hidden-credential", after)
        for before, after in pairs
    ]
    return "\n".join(lines).encode()
