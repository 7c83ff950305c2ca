"""Whatever is done to vectors, in whatever order: they are what a dictionary says."""

import copy
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from vectors_harness import ids, note, plain_best, units

from glassmind.store.vectors.files import damage_in
from glassmind.store.vectors.search import VectorIndex
from glassmind.store.vectors.write import VectorWriter

WIDTH = 8

NOTES = st.integers(1, 6)
SHAPES = st.lists(st.integers(0, 3), max_size=3)
"""How many windows each chunk of a note has."""


class Vectors(RuleBasedStateMachine):
    """A writer and a reader of one folder, and dictionaries that say what is there."""

    @initialize(small_from=st.sampled_from([0, 8, 10_000]), least=st.integers(0, 8))
    def begin(self, small_from: int, least: int) -> None:
        self.folder: AbstractContextManager[str] = tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True
        )
        self.place = Path(self.folder.__enter__())
        self.make: Callable[[], VectorWriter] = lambda: VectorWriter(
            self.place, width=WIDTH, small_from=small_from, dead_least=least
        )
        self.writer = self.make()
        self.rng = np.random.default_rng(small_from + least)
        self.known: dict[int, dict[int, np.ndarray]] = {}
        self.committed: dict[int, dict[int, np.ndarray]] | None = None
        self.commits = 0
        self.store: VectorIndex | None = None

    @rule(shapes=st.dictionaries(NOTES, SHAPES), gone=st.sets(NOTES))
    def put(self, shapes: dict[int, list[int]], gone: set[int]) -> None:
        made = {
            key: {
                10 * key + at: units(self.rng, n, WIDTH) for at, n in enumerate(counts)
            }
            for key, counts in shapes.items()
        }
        self.writer.put(
            gone | set(made), [note(key, chunks) for key, chunks in made.items()]
        )
        self.known = {k: c for k, c in self.known.items() if k not in gone} | made

    @rule()
    def reset(self) -> None:
        self.writer.reset()
        self.known = {}

    @rule()
    def commit(self) -> None:
        self.commits += 1
        self.writer.commit(str(self.commits))
        self.committed = copy.copy(self.known)

    @rule()
    def rollback(self) -> None:
        self.writer.rollback()
        self.known = copy.copy(self.committed or {})

    @rule()
    def reopen(self) -> None:
        self.writer.close()
        self.writer = self.make()
        self.known = copy.copy(self.committed or {})

    @invariant()
    def what_is_found_is_what_was_committed(self) -> None:
        if self.committed is None:
            assert VectorIndex.open(self.place, WIDTH) is None
            return
        self.store = self.store or VectorIndex.open(self.place, WIDTH)
        assert self.store is not None
        assert self.store.reaches(str(self.commits))
        self.look(self.store)
        assert damage_in(self.place) is None

    def look(self, reader: VectorIndex) -> None:
        known = self.committed or {}
        chunks = [key for chunks in known.values() for key in chunks]
        assert reader.count == sum(
            len(rows) for chunks in known.values() for rows in chunks.values()
        )
        query = units(self.rng, 1, WIDTH)[0]
        for limit, among in ((100, None), (2, None), (2, chunks[::2]), (1, [10, 20])):
            found = reader.best(query, limit, among=among)
            expected = plain_best(known, query, limit, among)
            assert ids(found) == ids(expected)
            assert [c.note_id for c in found] == [owner for _, owner, _ in expected]

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.writer.close()
            self.folder.__exit__(None, None, None)


TestVectors = Vectors.TestCase
TestVectors.settings = settings(stateful_step_count=25)
