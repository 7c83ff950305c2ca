"""Credentials that a change would let be read: hidden before it, and not after it.

A credential is told by what stands around it: an `Authorization` before a token, the
first line of a key, the id beside the secret of AWS. Who changes those words, or takes
the text elsewhere, would turn what is hidden into what is shown.

Where the change is one of text, it is known which letters stayed. Of any other change
only both texts are: a credential counts where fewer of it are hidden afterwards, and
more of it can be read. Merely to write what may be a part of one changes neither count,
so that nobody finds one out by trying.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from glassmind.errors.editing import HiddenWords
from glassmind.markdown.secret_spans import Letters, hidden_letters
from glassmind.types.editing import Draft, Step
from glassmind.vault.decode import Unreadable, decode
from glassmind.vault.trash import is_trashed

LEAST_LETTERS = 8
"""So many letters in a row of a credential are a part of it that counts."""

HIDDEN = "(hidden)"
"""What stands for a credential of whichever kind."""

_KEY_END = re.compile(r"-----(?:BEGIN|END)[A-Z0-9 ]+-----")
"""The first or last line of a private key, which by itself says nothing."""


def refuse_unhiding(draft: Draft) -> None:
    """Refuse a change after which a credential can be read that was hidden before.

    Raises:
        HiddenWords: it is such a one.
    """
    if unhidden(draft.steps):
        raise HiddenWords(HIDDEN)


def unhidden(steps: Sequence[Step]) -> AbstractSet[str]:
    """Return what is hidden before some steps and can be read after them."""
    return _turned(*_sides(steps))


def hidden_on_a_side(steps: Sequence[Step]) -> AbstractSet[str]:
    """Return what is hidden before some steps or after them, and not on both sides."""
    before, after = _sides(steps)
    return _turned(before, after) | _turned(after, before)


def is_bare(text: str, letters: Letters, hidden: Sequence[Letters]) -> bool:
    """Whether some letters of a text can be read, or a part of them that counts."""
    if _KEY_END.fullmatch(text[letters.start : letters.end]):
        return False
    least = min(LEAST_LETTERS, letters.end - letters.start)
    at = letters.start
    for start, end in hidden:
        if end <= at:
            continue
        if start >= letters.end:
            break
        if start - at >= least:
            return True
        at = end
    return letters.end - at >= least


class _Side(NamedTuple):
    """A text, and what of it is hidden."""

    text: str
    hidden: Sequence[Letters]

    def values(self) -> Iterator[str]:
        for start, end in self.hidden:
            value = self.text[start:end]
            if len(value) >= LEAST_LETTERS and not _KEY_END.fullmatch(value):
                yield value

    def told(self, value: str) -> tuple[int, int]:
        """Return how often a value is hidden here, and how often it can be read."""
        hidden = bare = 0
        at = self.text.find(value)
        while at >= 0:
            if is_bare(self.text, Letters(at, at + len(value)), self.hidden):
                bare += 1
            else:
                hidden += 1
            at = self.text.find(value, at + len(value))
        return hidden, bare


def _sides(steps: Sequence[Step]) -> tuple[list[_Side], list[_Side]]:
    """Return texts before and after; what is in the trash is read by nobody."""
    before: list[_Side] = []
    after: list[_Side] = []
    for step in steps:
        if step.folder:
            continue
        if step.before is not None and step.path and not is_trashed(step.path):
            before += _side(step.before)
        if not is_trashed(step.to):
            after += _side(step.after)
    return before, after


def _side(raw: bytes) -> list[_Side]:
    found = decode(raw)
    if isinstance(found, Unreadable):
        return []
    return [_Side(found.text, hidden_letters(found.text))]


def _turned(before: Sequence[_Side], after: Sequence[_Side]) -> AbstractSet[str]:
    """Return what is hidden less often after, and can be read more often."""
    values = {value for side in before for value in side.values()}
    found = set()
    for value in values:
        was_hidden, was_bare = _counted(before, value)
        is_hidden, can_be_read = _counted(after, value)
        if is_hidden < was_hidden and can_be_read > was_bare:
            found.add(value)
    return found


def _counted(sides: Sequence[_Side], value: str) -> tuple[int, int]:
    counts = [side.told(value) for side in sides]
    return sum(hidden for hidden, _ in counts), sum(bare for _, bare in counts)
