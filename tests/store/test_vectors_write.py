"""Writing vectors: all of a commit or nothing, and no more files than are needed."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from vectors_harness import (
    NOTES,
    WIDTH,
    after,
    check,
    ids,
    note,
    one_each,
    opened,
    plain_best,
    rows_of_step,
    units,
    write,
)

from glassmind.errors import IndexDamaged, IndexUnwritable
from glassmind.model.vectors import ChunkVectors, NoteVectors
from glassmind.store.vectors import search
from glassmind.store.vectors.files import (
    damage_in,
    deleted_share,
    discard,
    marker_in,
    place_of,
    places_in,
    slug,
)
from glassmind.store.vectors.search import VectorIndex
from glassmind.store.vectors.write import VectorWriter


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[VectorWriter]:
    made = VectorWriter(tmp_path, width=WIDTH, dead_least=20)
    yield made
    made.close()


def test_nothing_is_seen_before_a_commit(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    writer.put([1], [note(1, {10: units(rng, 2)})])

    assert VectorIndex.open(tmp_path, WIDTH) is None
    assert marker_in(tmp_path) is None
    assert writer.marker() is None

    writer.commit("one")

    assert opened(tmp_path).count == 2
    assert marker_in(tmp_path) == writer.marker() == "one"


def test_a_reader_sees_a_commit_when_it_looks_for_it(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    writer.commit("one")
    vectors = opened(tmp_path)
    writer.put([1], [note(1, {10: units(rng, 2)})])
    writer.commit("two")

    assert vectors.reaches("one")
    assert vectors.count == 0
    assert vectors.reaches("two")
    assert vectors.count == 2
    assert not vectors.reaches("three")


def test_putting_a_note_again_replaces_all_of_it(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    query = units(rng, 1)[0]
    writer.put([1, 2], [note(1, {10: units(rng, 3), 11: units(rng, 1)})])
    writer.put([2], [note(2, {20: units(rng, 1)})])
    writer.put([2], [note(2, {21: units(rng, 1)})])
    writer.commit("one")
    writer.put([1, 3], [note(1, {12: units(rng, 1)})])
    writer.commit("two")

    assert sorted(ids(opened(tmp_path).best(query, 9))) == [12, 21]
    assert deleted_share(tmp_path) == (5, 5 / 7)


def test_a_reset_takes_effect_with_the_commit(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    query = units(rng, 1)[0]
    writer.put([1], [note(1, {10: units(rng, 1)})])
    writer.commit("one")

    writer.reset()
    writer.put([2], [note(2, {20: units(rng, 1)})])

    assert ids(opened(tmp_path).best(query, 9)) == [10]
    writer.commit("two")
    assert ids(opened(tmp_path).best(query, 9)) == [20]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_rollback_leaves_the_last_commit(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    query = units(rng, 1)[0]
    writer.put([1], [note(1, {10: units(rng, 1)})])
    writer.commit("one")
    writer.put([1, 2], [note(2, {20: units(rng, 5)})])
    writer.reset()
    writer.put([3], [note(3, {30: units(rng, 1)})])

    writer.rollback()
    writer.put([4], [note(4, {40: units(rng, 1)})])
    writer.commit("two")

    assert sorted(ids(opened(tmp_path).best(query, 9))) == [10, 40]
    assert damage_in(tmp_path) is None


def test_what_a_killed_writer_left_behind_is_written_over(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    known = one_each(units(rng, 5))
    write(tmp_path, known)
    killed = VectorWriter(tmp_path, width=WIDTH)
    killed.put([9], [note(9, {90: units(rng, 50)})])
    killed._growing().sync()
    stray = tmp_path / f"vectors-{'0' * 16}.bin"
    stray.write_bytes(b"x")

    write(tmp_path, {7: {70: units(rng, 1)}})

    assert opened(tmp_path).count == 6
    assert not stray.exists()
    assert damage_in(tmp_path) is None
    killed.close()


def test_many_dead_rows_are_left_behind_and_their_readers_stay_whole(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    known = one_each(units(rng, 100))
    writer.put(list(known), [note(*pair) for pair in known.items()])
    writer.commit("one")
    vectors, query = opened(tmp_path), units(rng, 1)[0]
    before = vectors.best(query, 100)
    files = {file.name for file in tmp_path.iterdir()}

    writer.put(range(1, 25), [])
    writer.commit("two")
    assert deleted_share(tmp_path) == (24, 0.24)
    writer.put([25, 26], [])
    writer.commit("three")

    assert deleted_share(tmp_path) == (0, 0.0)
    assert files & {file.name for file in tmp_path.iterdir()} == {"header"}
    assert vectors.best(query, 100) == before
    assert vectors.reaches("three")
    assert ids(vectors.best(query, 100)) == [c for c in ids(before) if c > 260]
    assert damage_in(tmp_path) is None


def test_bytes_are_kept_once_there_are_many_rows(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    write(tmp_path, one_each(units(rng, 30)), small_from=30)
    assert not list(tmp_path.glob("small-*"))

    write(tmp_path, one_each(units(rng, 1), first=50), small_from=30)
    write(tmp_path, one_each(units(rng, 7), first=60), small_from=30)

    (small,) = tmp_path.glob("small-*")
    assert small.stat().st_size == 38 * WIDTH
    assert damage_in(tmp_path) is None


def test_without_numkong_existing_int8_files_grow_but_none_is_started(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "old", one_each(units(rng, 30)), small_from=0)

    monkeypatch.setattr(search, "numkong", None)
    write(tmp_path / "old", one_each(units(rng, 8), first=50), small_from=0)
    write(tmp_path / "new", one_each(units(rng, 38)), small_from=0)

    (small,) = (tmp_path / "old").glob("small-*")
    assert small.stat().st_size == 38 * WIDTH
    assert damage_in(tmp_path / "old") is None
    assert not list((tmp_path / "new").glob("small-*"))


def test_a_window_with_a_number_that_is_none_is_left_out(
    tmp_path: Path, writer: VectorWriter, rng: np.random.Generator
) -> None:
    rows = units(rng, 3)
    rows[1, 4] = np.nan
    bad = np.full((1, WIDTH), np.inf, np.float32)

    writer.put([1], [note(1, {10: rows, 11: bad})])
    writer.commit("one")

    vectors = opened(tmp_path)
    assert vectors.count == 2
    assert list(vectors.near(rows[0], [10, 11])) == [10]


def test_rows_of_another_width_are_refused_and_so_is_the_commit(
    tmp_path: Path, writer: VectorWriter
) -> None:
    with pytest.raises(IndexDamaged, match="chunk 10 has 12 bytes"):
        writer.put([1], [NoteVectors(1, [ChunkVectors(10, bytes(12))])])
    with pytest.raises(IndexUnwritable, match="an earlier step failed"):
        writer.commit("one")

    writer.rollback()
    writer.commit("one")
    assert opened(tmp_path).count == 0


def test_a_folder_of_another_width_is_damage(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    write(tmp_path, one_each(units(rng, 2)))

    assert VectorIndex.open(tmp_path, WIDTH + 1) is None
    with pytest.raises(IndexDamaged, match="16 wide, not 17"):
        VectorWriter(tmp_path, width=WIDTH + 1)


class Died(BaseException):
    """Stands for the end of the program at one of its calls."""


@pytest.mark.parametrize("call", ["fsync", "replace", "unlink"])
@pytest.mark.parametrize("fatal", [False, True])
def test_whichever_call_fails_the_last_commit_or_the_next_is_there_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, fatal: bool
) -> None:
    owner = os if call == "fsync" else Path
    real, steps = getattr(owner, call), 3 * NOTES
    left = 0

    def failing(*arguments: object, **options: object) -> object:
        nonlocal left
        left -= 1
        if left == 0:
            raise Died if fatal else OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **options)

    monkeypatch.setattr(owner, call, failing)
    writer = VectorWriter(tmp_path, width=WIDTH, small_from=100, dead_least=20)
    for step in range(1, steps):
        left = 1 + step % 13
        try:
            writer.put([step % NOTES], [note(step % NOTES, rows_of_step(step))])
            writer.commit(str(step))
        except (Died, IndexUnwritable):
            left = 0
            assert check(tmp_path) in {step - 1, step}
            if fatal:
                writer.close()
                writer = VectorWriter(
                    tmp_path, width=WIDTH, small_from=100, dead_least=20
                )
            else:
                writer.rollback()
            if int(writer.marker() or 0) < step:
                writer.put([step % NOTES], [note(step % NOTES, rows_of_step(step))])
                writer.commit(str(step))
        left = 0
        assert check(tmp_path) == step

    writer.close()
    assert damage_in(tmp_path) is None
    left = 0
    write(tmp_path, {})
    assert len(list(tmp_path.iterdir())) <= 5


def test_discarding_leaves_what_is_not_ours(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    place = place_of(tmp_path, "a model")
    write(place, one_each(units(rng, 2)))
    (place / "mine.txt").write_text("hers")

    discard(place)
    assert [file.name for file in place.iterdir()] == ["mine.txt"]
    (place / "mine.txt").unlink()
    discard(place)
    discard(place)

    assert not place.exists()


def test_each_space_has_a_folder_of_its_own(tmp_path: Path) -> None:
    spaces = ["all-MiniLM/L6 v2 ü", "all-minilm-l6-v2-", "", "x" * 500]

    for space in spaces:
        write(place_of(tmp_path, space), {})

    assert places_in(tmp_path) == sorted(place_of(tmp_path, s) for s in spaces)
    assert len({slug(space) for space in spaces}) == 4
    assert slug(spaces[0]).startswith("all-minilm-l6-v2-")
    assert places_in(tmp_path / "none") == []


def test_what_the_desk_drives_is_what_it_says(tmp_path: Path) -> None:
    query = units(np.random.default_rng(3), 1)[0]
    writer = VectorWriter(tmp_path, width=WIDTH)
    for step in range(1, 30):
        writer.put([step % NOTES], [note(step % NOTES, rows_of_step(step))])
    writer.commit("29")
    writer.close()

    assert ids(opened(tmp_path).best(query, 500)) == ids(
        plain_best(after(29), query, 500)
    )
