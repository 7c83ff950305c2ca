"""What the tests of vectors share: notes made of rows, and a plain scan to hold to."""

import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassmind.model.vectors import ChunkVectors, NoteVectors
from glassmind.store.vectors.search import VectorIndex
from glassmind.store.vectors.write import VectorWriter

WIDTH = 16

Rows = NDArray[np.float32]
Known = Mapping[int, Mapping[int, Rows]]
"""The rows of each chunk of each note."""


def units(rng: np.random.Generator, count: int, width: int = WIDTH) -> Rows:
    """Return random rows of unit length."""
    rows = rng.standard_normal((count, width)).astype(np.float32)
    return unit(rows)


def unit(rows: NDArray[Any]) -> Rows:
    """Return rows at unit length."""
    made: Rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made.astype(np.float32)


def clustered(
    rng: np.random.Generator, count: int, width: int, clusters: int = 50
) -> Rows:
    """Return unit rows that lie close together in places, as those of texts do."""
    centres = units(rng, clusters, width)
    noise = units(rng, count, width)
    return unit(centres[rng.integers(clusters, size=count)] + 0.6 * noise)


def note(note_id: int, chunks: Mapping[int, Rows]) -> NoteVectors:
    """Return a note as the writer takes it."""
    found = [ChunkVectors(key, rows.tobytes()) for key, rows in chunks.items()]
    return NoteVectors(note_id, found)


def write(
    place: Path, known: Known, marker: str = "m", width: int = WIDTH, **options: Any
) -> None:
    """Put notes and commit."""
    writer = VectorWriter(place, width=width, **options)
    writer.put(list(known), [note(key, chunks) for key, chunks in known.items()])
    writer.commit(marker)
    writer.close()


def one_each(rows: Rows, first: int = 1) -> Known:
    """Return a note for each row, whose one chunk has ten times its id."""
    return {first + at: {10 * (first + at): row[None]} for at, row in enumerate(rows)}


def opened(place: Path, width: int = WIDTH) -> VectorIndex:
    """Return the vectors, open for reading."""
    found = VectorIndex.open(place, width)
    assert found is not None
    return found


def plain_best(
    known: Known, query: Rows, limit: int, among: Collection[int] | None = None
) -> list[tuple[int, int, float]]:
    """Return what a search must find, by doing it the long way in float64."""
    found = [
        (-float(np.max(rows.astype(np.float64) @ query.astype(np.float64))), key, owner)
        for owner, chunks in known.items()
        for key, rows in chunks.items()
        if len(rows) and (among is None or key in among)
    ]
    return [(key, owner, -score) for score, key, owner in sorted(found)[:limit]]


def ids(found: Iterable[tuple[int, int, float]]) -> list[int]:
    """Return the chunks of candidates, in order."""
    return [chunk_id for chunk_id, _, _ in found]


NOTES = 20
"""How many notes the driven writer has."""


def after(step: int) -> Known:
    """Return what is known after a step of `drive`: one note is put anew in each."""
    return {
        at % NOTES: rows_of_step(at) for at in range(max(1, step - NOTES + 1), step + 1)
    }


def rows_of_step(step: int) -> Mapping[int, Rows]:
    """Return what a step puts: chunks and rows by its number alone."""
    rows = units(np.random.default_rng(step), 12)
    return {step * 10 + at: rows[3 * at : 3 * at + 3] for at in range(4)}


def drive(place: str, steps: int) -> None:
    """Put one note a step, commit each, and say so; the marker is the step."""
    writer = VectorWriter(Path(place), width=WIDTH, small_from=100, dead_least=20)
    first = int(writer.marker() or 0) + 1
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for step in range(first, first + steps):
        writer.put([step % NOTES], [note(step % NOTES, rows_of_step(step))])
        writer.commit(str(step))


def check(place: Path) -> int:
    """See that a reader finds exactly what its marker says; return the step."""
    written = (place / "header").exists()  # before: a writer may be at its first now
    vectors = VectorIndex.open(place, WIDTH)
    if vectors is None:
        assert not written
        return 0
    return check_open(vectors)


def check_open(vectors: VectorIndex) -> int:
    """See that what is open shows exactly what its marker says; return the step."""
    step = int(vectors.marker or 0)
    query = units(np.random.default_rng(0), 1)[0]
    found = vectors.best(query, 1_000)
    expected = plain_best(after(step), query, 1_000)
    assert ids(found) == ids(expected)
    return step
