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
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from glassmind.errors.editing import HiddenWords
from glassmind.files.decode import Unreadable, decode
from glassmind.files.trash import is_trashed
from glassmind.model.editing import Draft, Step
from glassmind.obsidian.secret_spans import Letters, hidden_letters

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
    before, after = _sides(draft.steps)
    if _turned(before, after) or (draft.verb == "split" and _in_names(draft, before)):
        raise HiddenWords(HIDDEN)


def hidden_on_a_side(steps: Sequence[Step]) -> AbstractSet[str] | None:
    """Return what is hidden before some steps or after them, and not on both sides.

    None where every text was looked at, and nothing is hidden in any, as is usual.
    """
    before, after = _sides(steps)
    texts = sum((step.before is not None) + 1 for step in steps if not step.folder)
    sides = [*before, *after]
    if len(sides) == texts and not any(side.hidden for side in sides):
        return None
    return _turned(before, after) | _turned(after, before)


def is_bare(text: str, letters: Letters, hidden: Sequence[Letters]) -> bool:
    """Whether some letters of a text can be read, or a part of them that counts."""
    if _KEY_END.fullmatch(text[letters.start : letters.end]):
        return False
    least = min(LEAST_LETTERS, letters.end - letters.start)
    at = letters.start
    first = max(0, bisect_right(hidden, letters) - 1)
    for row in range(first, len(hidden)):
        start, end = hidden[row]
        if end <= at:
            continue
        if start >= letters.end:
            break
        if start - at >= least:
            return True
        at = end
    return letters.end - at >= least


def _in_names(draft: Draft, before: Sequence["_Side"]) -> bool:
    """Whether a note would be called by a credential that a heading holds."""
    values = _hidden_in(before)
    return any(value in step.to for step in draft.steps for value in values)


class _Side(NamedTuple):
    """A text, and what of it is hidden."""

    text: str
    hidden: Sequence[Letters]

    def values(self) -> Iterator[str]:
        for start, end in self.hidden:
            value = self.text[start:end]
            if len(value) >= LEAST_LETTERS and not _KEY_END.fullmatch(value):
                yield value

    def seen(self, values: AbstractSet[str]) -> Counter[str]:
        """Return how often each of some values can be read here.

        The text is gone through once, however many they are: by their last letters,
        as the first are often those of the issuer.
        """
        ends: dict[str, set[int]] = {}
        for value in values:
            ends.setdefault(value[-LEAST_LETTERS:], set()).add(len(value))
        found = Counter[str]()
        text = self.text
        for end in range(LEAST_LETTERS, len(text) + 1):
            for size in ends.get(text[end - LEAST_LETTERS : end], ()):
                value = text[max(0, end - size) : end]
                if value in values and is_bare(
                    text, Letters(end - size, end), self.hidden
                ):
                    found[value] += 1
        return found


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
    gone = _hidden_in(before) - _hidden_in(after)
    if not gone:
        return frozenset()
    now, then = _seen_in(after, gone.keys()), _seen_in(before, gone.keys())
    return {value for value in now if now[value] > then[value]}


def _hidden_in(sides: Sequence[_Side]) -> Counter[str]:
    return Counter(value for side in sides for value in side.values())


def _seen_in(sides: Sequence[_Side], values: AbstractSet[str]) -> Counter[str]:
    found = Counter[str]()
    for side in sides:
        found += side.seen(values)
    return found
