"""The pass that pairs notes: exact, interrupted, resumed, killed, on its own scale."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from semantic_harness import MeaningHarness
from watch_harness import QUICK, Follower, until

from glassmind.errors import IndexAbsent
from glassmind.files.names import name_key
from glassmind.graph import similar as pair_pass
from glassmind.graph.similar import (
    USUAL,
    Numbers,
    linked_keys,
    measured,
    most_similar,
    strips,
    threshold_for,
    update_pairs,
)
from glassmind.model.index import Progress
from glassmind.store.sqlite.pairs import PairWrites
from glassmind.store.sqlite.rows import SqliteRows
from glassmind.store.sqlite.writer import SqliteTransaction

Floats = NDArray[np.float32]
Entry = tuple[int, int, float]


def unit(rows: NDArray[np.float64]) -> Floats:
    made: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("f4")
    return made


def never() -> bool:
    return False


def by_hand(
    rows: Floats,
    most: int,
    threshold: float,
    linked: set[tuple[int, int]] | None = None,
) -> list[Entry]:
    """Return every list, pair by pair."""
    one, other = np.triu_indices(len(rows), 1)
    found: dict[int, list[tuple[float, int]]] = {}
    values = measured(rows, one, other)
    for a, b, value in zip(one.tolist(), other.tolist(), values.tolist(), strict=True):
        if value >= threshold and not {(a, b), (b, a)} & (linked or set()):
            found.setdefault(a, []).append((-value, b))
            found.setdefault(b, []).append((-value, a))
    return [(a, b, -s) for a in sorted(found) for s, b in sorted(found[a])[:most]]


def listed(rows: Floats, threshold: float, linked: Numbers) -> list[Entry]:
    found: list[Entry] = []
    for some in strips(range(len(rows)), len(rows)):
        row, other, similarity = most_similar(rows, some, threshold, linked)
        columns = some[row].tolist(), other.tolist(), similarity.tolist()
        found += zip(*columns, strict=True)
    return found


@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(0, 120),
    copies=st.integers(0, 40),
    cells=st.integers(1, 5_000),
    links=st.integers(0, 400),
)
def test_strips_find_what_comparing_pair_by_pair_finds(
    seed: int, count: int, copies: int, cells: int, links: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = unit(rng.standard_normal((count, 6)) + 0.001)
    rows[rng.integers(0, max(count, 1), min(copies, count))] = rows[:1]
    ends = rng.integers(0, count, (links, 2)).tolist() if count else []
    linked = {(one, other) for one, other in ends if one != other}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_pass, "CELLS", cells)
        patch.setattr(pair_pass, "MOST_PARTNERS", 5)
        found = listed(rows, 0.4, linked_keys(sorted(linked), count))

    assert found == by_hand(rows, 5, 0.4, linked)


def test_a_similarity_does_not_depend_on_what_else_is_measured() -> None:
    rows = unit(np.random.default_rng(1).standard_normal((500, 384)))
    one, other = np.arange(0, 499), np.arange(1, 500)

    together = measured(rows, one, other)
    backwards = measured(rows, other, one)
    alone = [measured(rows, one[i : i + 1], other[i : i + 1])[0] for i in one]

    assert together.tolist() == backwards.tolist() == alone


def around(rng: np.random.Generator, count: int, common: float) -> Floats:
    """Return rows whose cosines lie around a value, as those of some models do."""
    rows = unit(rng.standard_normal((count, 384)))
    shared = np.zeros(384)
    shared[0] = 1.0
    return unit(np.sqrt(1 - common) * rows + np.sqrt(common) * shared)


def test_the_level_is_moved_to_the_scale_of_a_model() -> None:
    rng = np.random.default_rng(3)
    low, usual, high = (around(rng, 800, c) for c in (0.0, USUAL, 0.62))

    assert threshold_for(0.7, usual) == 0.7
    assert threshold_for(0.7, low) == pytest.approx(0.62, abs=0.02)
    assert threshold_for(0.7, high) == pytest.approx(0.85, abs=0.02)


def test_a_share_of_notes_is_paired_whatever_the_model() -> None:
    rng = np.random.default_rng(4)
    centres = unit(rng.standard_normal((100, 384)))
    shares = []
    for common in (0.0, USUAL, 0.62):
        rows = unit(centres[rng.integers(0, 100, 400)] + 0.5 * unit(
            rng.standard_normal((400, 384))))  # fmt: skip
        shared = np.zeros(384)
        shared[0] = 1.0
        rows = unit(np.sqrt(1 - common) * rows + np.sqrt(common) * shared)
        found = listed(rows, threshold_for(0.7, rows), linked_keys((), 400))
        shares.append(len(found) / 400)

    assert max(shares) < 1.3 * min(shares)
    assert min(shares) > 1


def test_a_few_notes_say_little_of_a_model() -> None:
    same = np.full((3, 4), 0.5, np.float32)

    assert threshold_for(0.7, same) < 0.75
    assert threshold_for(0.7, same[:0]) == threshold_for(0.7, same[:1]) == 0.7


def kinds(harness: MeaningHarness, count: int = 60) -> None:
    """Write notes that are alike in fours."""
    words = {f"{n:03}.md": f"word{n // 4} " * 40 for n in range(count)}
    harness.write(words)


def rows_of(harness: MeaningHarness) -> list[tuple[object, ...]]:
    return harness.rows(
        "select f.path, g.path from pairs p join files f on f.id = p.note_id "
        "join files g on g.id = p.other_id order by 1, 2"
    )


def test_what_it_has_come_to_is_shown(meaning: MeaningHarness) -> None:
    kinds(meaning)
    seen: list[Progress] = []

    meaning.index(progress=seen.append)

    assert [one for one in seen if one.stage == "pairs"][-1] == ("pairs", 60, 60)


def test_pairs_of_a_database_that_is_another_by_now_are_not_written(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds(meaning)
    meaning.index(embed=False)
    change = PairWrites.change_pairs
    asked: list[bool] = []

    def late(step: PairWrites, rows: object, state: object, basis: object) -> bool:
        if not asked:  # somebody has paired the notes while we did
            db = step._db
            db.execute("update settings set value = 'another' where key = 'epoch'")
        asked.append(change(step, rows, state, basis))  # type: ignore[arg-type]
        return asked[-1]

    monkeypatch.setattr(PairWrites, "change_pairs", late)
    meaning.index()

    assert asked == [False, True]
    assert ("059.md", "058.md") in rows_of(meaning)


@contextmanager
def reading(harness: MeaningHarness, seen: set[int]) -> Iterator[None]:
    """Count the pairs over and over, beside whoever writes them."""
    stop = Event()

    def read() -> None:
        while not stop.is_set():
            try:
                seen.add(harness.value("select count(*) from pairs"))
            except IndexAbsent:
                continue

    thread = Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=60)


def test_nobody_ever_sees_half_of_the_pairs(meaning: MeaningHarness) -> None:
    meaning.write({f"{n:03}.md": f"word{n % 50} " * (20 + n % 9) for n in range(300)})
    meaning.index()
    seen: set[int] = set()
    whole = {meaning.value("select count(*) from pairs")}

    with reading(meaning, seen):
        for level in (0.999, 0.2, 0.99, 0.7):
            meaning.open(graph__similarity=level)
            meaning.index()
            whole.add(meaning.value("select count(*) from pairs"))

    assert len(whole) > 1
    assert seen <= whole


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from semantic_harness import MeaningHarness
from glassmind.store.sqlite.pairs import PairWrites
from glassmind.vault import Vault

harness = MeaningHarness(Path({root!r}))
Vault.embedder = lambda _: harness.model
Vault.embedder_of = lambda _, space: harness.models.get(space.name)
put = PairWrites.set

def die(step, *values):
    put(step, *values)
    os.kill(os.getpid(), signal.SIGKILL)

PairWrites.set = die
harness.index()
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
def test_a_pass_that_is_killed_leaves_the_pairs_as_they_were(
    meaning: MeaningHarness, tmp_path: Path
) -> None:
    kinds(meaning)
    meaning.index()
    before = rows_of(meaning)
    meaning.write({f"{n:03}.md": f"word{n % 7} " * 40 for n in range(60)})
    meaning.close()
    (meaning.root / ".obsidian").rmdir()  # a harness makes it
    support = Path(__file__).parents[1] / "support"
    script = KILLED.format(tests=str(support), root=str(tmp_path))

    done = subprocess.run([sys.executable, "-c", script], timeout=60, check=False)

    assert done.returncode == -signal.SIGKILL
    assert rows_of(meaning) == before
    meaning.open()
    meaning.index()
    assert len(rows_of(meaning)) > 60
    assert rows_of(meaning) != before


def test_a_vault_that_is_followed_pairs_what_is_written(
    meaning: MeaningHarness,
) -> None:
    meaning.settings |= QUICK
    kinds(meaning, 8)
    meaning.index()

    def paired() -> bool:
        return ("New.md", "000.md") in rows_of(meaning)

    with Follower(meaning.open()) as follower:
        until(lambda: follower.brought, "it has looked at the vault")
        meaning.write({"New.md": "word0 " * 40})
        until(paired, "the new note is paired")


STATE_OF = "select value from settings where key = 'pairs'"


class Side:
    """Two who pair the notes of one index side by side, each with what it knows."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db
        self.rng = np.random.default_rng(3)
        self.ids = [row[0] for row in db.execute("select id from notes order by id")]
        self.space = db.execute("select max(id) from spaces").get
        self.centres = unit(self.rng.standard_normal((4, 32)))

    def put(self, *ids: int) -> None:
        for note in ids:
            near = self.centres[self.rng.integers(4)]
            row = unit((near + self.rng.normal(0, 0.1, 32)).reshape(1, -1))
            self.drop(note)
            bound = (note, self.space, row.tobytes())
            self.db.execute("insert into note_vectors values (?, ?, ?)", bound)

    def drop(self, *ids: int) -> None:
        for note in ids:
            self.db.execute("delete from note_vectors where note_id = ?", (note,))

    def pair(self, level: float = 0.7) -> None:
        source = SqliteRows(self.db)
        step = partial(SqliteTransaction, self.db, name_key, lambda: None)
        assert update_pairs(source, step, level, lambda _: None, never)

    def rows(self) -> list[tuple[Any, ...]]:
        return self.db.execute("select * from pairs order by 1, 2").fetchall()

    def anew(self) -> list[tuple[Any, ...]]:
        """Return what somebody finds who knows nothing."""
        self.db.execute("delete from pairs; delete from settings where key = 'pairs'")
        self.pair()
        return self.rows()


@pytest.fixture
def side(meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    monkeypatch.setattr(pair_pass, "MOST_PARTNERS", 5)
    meaning.indexed({f"{n:02}.md": f"word{n} " * 9 for n in range(60)})
    meaning.close()
    db = meaning.database()
    db.execute("delete from note_vectors; update spaces set width = 32")
    yield Side(db)
    db.close()


def test_two_who_pair_in_turn_come_to_what_one_from_nothing_does(side: Side) -> None:
    side.put(*side.ids)
    for turn in range(24):
        note = side.ids[int(side.rng.integers(60))]
        side.drop(note) if turn % 3 == 2 else side.put(note)
        if turn % 8 == 7:
            side.pair(0.6)
        side.pair()
        made, state = side.rows(), side.db.execute(STATE_OF).get

        assert made == side.anew(), turn
        # what it was, that the next goes on with it and not with that from nothing
        side.db.execute("update settings set value = ? where key = 'pairs'", (state,))


def test_who_lives_while_a_backup_is_put_back_pairs_what_the_backup_holds(
    side: Side,
) -> None:
    side.put(*side.ids[:40])
    side.pair()
    backup = apsw.Connection(":memory:")
    with backup.backup("main", side.db, "main") as copy:
        copy.step()
    side.put(*side.ids[30:50])
    side.pair()

    with side.db.backup("main", backup, "main") as copy:
        copy.step()
    backup.close()
    side.put(*side.ids[:3])
    side.put(*side.ids[50:])
    side.pair()

    assert side.rows() == side.anew() != []
