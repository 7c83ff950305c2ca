"""A vault with a model of words: texts that share some are near each other."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from vault_harness import VaultHarness

from glassmind.errors import ModelFailed
from glassmind.model.vectors import Embeddable
from glassmind.store.vectors.files import place_of
from glassmind.store.vectors.search import VectorIndex

Rows = NDArray[np.float32]

LONG = "{} and then a good many more words, so that nobody takes the note for thin"
"""What fills a note, around a word of its own."""

COVERED = """
select f.path, c.chunk_index from chunk_vectors v join chunks c on c.id = v.chunk_id
join files f on f.id = c.note_id order by 1, 2
"""
"""The chunks that have a vector, by path."""

ANSWERING = """
select id, name, width from spaces
where name = (select value from settings where key = 'space')
"""

PATH_OF = """
select f.path from chunks c join files f on f.id = c.note_id where c.id = ?
"""

WINDOW = 60
"""Words of one window."""


def vector_of(text: str, width: int) -> Rows:
    """Return the unit vector of a text: each word adds to a few places."""
    found = np.full(width, 0.01, np.float32)
    for word in text.lower().split():
        found[zlib.crc32(word.encode()) % width] += 1
    unit: Rows = found / np.linalg.norm(found)
    return unit


class WordModel:
    """Embeds by words and remembers what it was given.

    `before` is called ahead of each text, to let something happen meanwhile.
    """

    def __init__(self, space: str = "words one", width: int = 32) -> None:
        self.space, self.width = space, width
        self.seen: list[Embeddable] = []
        self.before: Callable[[Embeddable], None] = lambda _: None

    @property
    def texts(self) -> list[str]:
        return [part.text for part in self.seen]

    def passages(self, parts: Sequence[Embeddable], /) -> Iterator[Rows]:
        for part in parts:
            self.before(part)
            self.seen.append(part)
            words = f"{part.context} {part.text}".split()
            windows = range(0, max(len(words), 1), WINDOW)
            rows = [" ".join(words[at : at + WINDOW]) for at in windows]
            yield np.stack([vector_of(row, self.width) for row in rows])

    def query(self, text: str, /) -> Rows:
        return vector_of(text, self.width)


def fails_on(word: str) -> Callable[[Embeddable], None]:
    """Return what lets a model fail on texts with a word."""

    def fail(part: Embeddable) -> None:
        if word in part.text:
            raise ModelFailed("words", f"cannot read {word}")

    return fail


class MeaningHarness(VaultHarness):
    """A vault, its index, and a model that the test chooses."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.settings = {"embeddings.backend": "onnx"}
        self.model = WordModel()
        self.models = {self.model.space: self.model}

    def use(self, model: WordModel) -> None:
        """Choose another model; the ones before stay at hand."""
        self.model = model
        self.models[model.space] = model
        self.open(embeddings__model=model.space)

    def covered(self) -> list[str]:
        """Return the note of each chunk that has a vector."""
        return [path for path, _ in self.rows(COVERED)]

    def nearest(self, text: str) -> list[str]:
        """Return the notes nearest to a text, by the sidecar, nearest first."""
        space_id, name, width = self.rows(ANSWERING)[0]
        found = VectorIndex.open(place_of(self.folder, name), width)
        assert found is not None
        try:
            hits = found.best(vector_of(text, width), 1_000)
        finally:
            found.close()
        ids = self.rows(
            "select chunk_id from chunk_vectors where space_id = ?", (space_id,)
        )
        assert sorted(hit.chunk_id for hit in hits) == sorted(row[0] for row in ids)
        return [self.value(PATH_OF, hit.chunk_id) for hit in hits]

    def check_level(self) -> None:
        """The sidecar has exactly the chunks that have a vector."""
        self.nearest("anything")
