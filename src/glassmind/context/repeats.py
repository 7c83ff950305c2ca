"""What a bundle shows already, so that no other note says it again.

Texts are told apart by their runs of three words.
"""

from collections import Counter
from collections.abc import Iterator

from glassmind.context.passages import Stretch

SAID = 0.8
"""Share of its runs of three words that makes a passage one that was shown already."""

Runs = set[tuple[str, ...]]


class Shown:
    """The passages that are shown."""

    def __init__(self) -> None:
        self._by: dict[tuple[str, ...], int] = {}
        self._around: list[str] = []

    def add(self, text: str, around: str) -> None:
        """Take on record that a text is shown, and may grow into what is around it."""
        for run in _runs(text):
            self._by.setdefault(run, len(self._around))
        self._around.append(around)

    def has(self, text: str) -> bool:
        """Whether a text is shown, all but to the letter."""
        runs = _runs(text)
        return len(runs & self._by.keys()) >= SAID * len(runs)

    def may_have(self, text: str, beside: str) -> bool:
        """Whether a text is shown, or may yet be where that beside it is."""
        if self.has(text):
            return True
        places = Counter(self._by[run] for run in _runs(beside) if run in self._by)
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
            yield stretch._replace(
                text=text,
                first_line=stretch.first_line + stretch.text.count("\n", 0, begun),
                focus=(0, len(text)),
                headings=tuple(
                    (max(at - begun, 0), path) for at, path in stretch.headings
                ),
            )


def _runs(text: str) -> Runs:
    words = text.lower().split()
    return {*zip(words, words[1:], words[2:], strict=False)} or {tuple(words)}
