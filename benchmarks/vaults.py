"""Vaults of any size, the same each time: words of a made-up language, true to life.

Word frequencies follow Zipf's law, as in real text; notes have headings, links, tags,
tasks, properties, code and tables in about the proportions of real vaults.
"""

import random
import shutil
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

VOCABULARY = 30_000
WORDS_PER_NOTE = 400
"""The mean of four real vaults (57, 103, 708 and 741 words a note), code left out."""

_STARTS = (
    "b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p",
    "pl", "qu", "r", "s", "sh", "st", "t", "th", "tr", "v", "w",
)  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "oo", "ou")
_ENDS = ["", "n", "r", "s", "t", "l", "m", "nd", "st", "ck"]


def vocabulary(size: int = VOCABULARY) -> list[str]:
    """Return made-up words, the most frequent first."""
    chance = random.Random(1)
    words: dict[str, None] = {}
    while len(words) < size:
        parts = 1 + (len(words) > 400) + (chance.random() < 0.4)
        word = "".join(
            chance.choice(_STARTS) + chance.choice(_VOWELS) + chance.choice(_ENDS)
            for _ in range(parts)
        )
        words[word] = None
    return list(words)


class Writer:
    """Writes notes with a seeded chance of its own."""

    def __init__(self, seed: int, count: int) -> None:
        self._chance = random.Random(seed)
        self._words = vocabulary()
        weights = accumulate(1 / (rank + 2.7) for rank in range(len(self._words)))
        self._weights = list(weights)
        self._count = count

    def words(self, count: int) -> list[str]:
        """Return words as frequent as in real text."""
        return self._chance.choices(self._words, cum_weights=self._weights, k=count)

    def name(self, number: int) -> str:
        """Return the path of a note."""
        return f"area {number % 40}/topic {number % 400}/{self.title(number)}.md"

    def title(self, number: int) -> str:
        """Return the title of a note."""
        first = self._words[300 + number % 5_000]
        return f"{first} {self._words[6_000 + number % 9_000]} {number}"

    def note(self, number: int) -> str:
        """Return the text of a note."""
        chance, parts = self._chance, []
        day = f"20{20 + number % 6}-{1 + number % 12:02}-{1 + number % 28:02}"
        tags = ", ".join(f"t{chance.randrange(300)}" for _ in range(2))
        parts.append(f"---\ntags: [{tags}]\ncreated: {day}\nstatus: open\n---\n")
        left = max(20, int(chance.gauss(WORDS_PER_NOTE, WORDS_PER_NOTE / 2)))
        while left > 0:
            heading = " ".join(self.words(3))
            parts.append(f"\n## {heading}\n\n")
            for _ in range(chance.randrange(1, 4)):
                count = min(left, chance.randrange(20, 70))
                parts.append(self.paragraph(count))
                left -= count
            if chance.random() < 0.15:
                parts.append(f"\n```python\n{' '.join(self.words(12))}\n```\n")
            if chance.random() < 0.2:
                parts.append(f"\n- [ ] {' '.join(self.words(6))}\n- [x] done\n")
        return "".join(parts)

    def paragraph(self, count: int) -> str:
        """Return a paragraph with a link or a tag now and then."""
        words = self.words(max(count, 2))
        if self._chance.random() < 0.6:
            target = self.title(self._chance.randrange(self._count))
            words.insert(len(words) // 2, f"[[{target}]]")
        if self._chance.random() < 0.1:
            words.append(f"#t{self._chance.randrange(300)}")
        words[0] = words[0].capitalize()
        return " ".join(words) + ".\n\n"


def write_vault(root: Path, count: int, *, seed: int = 5) -> None:
    """Write a vault of `count` notes; one that is there already is kept."""
    done, made = root / ".complete", f"{count} {seed} {WORDS_PER_NOTE}"
    if done.is_file() and done.read_text() == made:
        return
    if done.is_file():  # one of another kind, which we made
        shutil.rmtree(root)
    writer = Writer(seed, count)
    for number in range(count):
        file = root / writer.name(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(writer.note(number), "utf-8")
    done.write_text(made)


def queries(count: int, *, seed: int = 9) -> Sequence[str]:
    """Return queries of one to five words, rare and frequent ones mixed."""
    writer = Writer(seed, 1)
    chance = random.Random(seed)
    return [" ".join(writer.words(chance.randrange(1, 6))) for _ in range(count)]
