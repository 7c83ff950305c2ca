"""What a bundle shows already, so that no other note says it again.

Texts are told apart by their runs of three words.
"""

from collections import Counter
from collections.abc import Iterator

from glassmind.context.passages import Stretch, part_of

SAID = 0.8
"""Share of its runs of three words that makes a passage one that was shown already."""

Runs = set[tuple[str, ...]]


class Shown:
    """The passages that are shown."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._texts: list[str] = []
        self._around: list[str] = []
        self._by: dict[tuple[str, ...], int] = {}
        self._read = 0

    def add(self, text: str, around: str) -> None:
        """Take on record that a text is shown, and may grow into what is around it."""
        self._words.update(text.lower().split())
        self._texts.append(text)
        self._around.append(around)

    def has(self, text: str) -> bool:
        """Whether a text is shown, all but to the letter."""
        words = text.lower().split()
        # each word that is new, but for the last two, begins a run that is
        if len(set(words) - self._words) > (1 - SAID) * len(words) + 2:
            return False
        runs = _runs(text)
        return len(runs & self._places().keys()) >= SAID * len(runs)

    def _places(self) -> dict[tuple[str, ...], int]:
        """Return the runs that are shown, and the first text that holds each."""
        for at in range(self._read, len(self._texts)):
            for run in _runs(self._texts[at]):
                self._by.setdefault(run, at)
        self._read = len(self._texts)
        return self._by

    def may_have(self, text: str, beside: str) -> bool:
        """Whether a text is shown, or may yet be where that beside it is."""
        if self.has(text):
            return True
        by = self._places()
        places = Counter(by[run] for run in _runs(beside) if run in by)
        if not places:
            return False
        runs, there = _runs(text), _runs(self._around[places.most_common(1)[0][0]])
        return len(runs & there) >= SAID * len(runs)


def beside(stretch: Stretch, start: int, end: int) -> Iterator[Stretch]:
    """Yield the lines behind some characters, then those before, if any speak."""
    first, last = stretch.lines(start, end)
    for begun, over in ((last + 1, len(stretch.text)), (stretch.body, first)):
        text = stretch.text[begun:over]
        if any(line.strip() and line[0] != "#" for line in text.split("\n")):
            yield part_of(stretch, begun, over)


def _runs(text: str) -> Runs:
    words = text.lower().split()
    return {*zip(words, words[1:], words[2:], strict=False)} or {tuple(words)}
