"""Files of vectors that are not what was written: named, never believed."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fault_tools.strace import is_root
from vectors_harness import WIDTH, ids, note, one_each, opened, units, write

from glassmind.errors import IndexDamaged
from glassmind.store.vectors.files import damage_in, deleted_share, discard, marker_in
from glassmind.store.vectors.search import VectorIndex
from glassmind.store.vectors.write import VectorWriter

KINDS = ("vectors", "chunks", "notes", "small")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    rows = units(np.random.default_rng(1), 200)
    write(tmp_path / "space", one_each(rows), small_from=10)
    return tmp_path / "space"


def file_of(place: Path, kind: str) -> Path:
    (file,) = place.glob(f"{kind}*")
    return file


def assert_named(place: Path, said: str) -> None:
    """See that every way in says what is wrong, and that a new start works."""
    assert VectorIndex.open(place, WIDTH) is None
    with pytest.raises(IndexDamaged):
        VectorWriter(place, width=WIDTH)
    assert said in (damage_in(place) or "")

    discard(place)
    write(place, one_each(units(np.random.default_rng(2), 5)))

    assert damage_in(place) is None
    assert opened(place).count == 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_cut_short_is_not_mapped(place: Path, kind: str) -> None:
    file = file_of(place, kind)
    os.truncate(file, file.stat().st_size - 1)

    assert_named(place, f"{file.name} is cut short")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_missing_is_damage(place: Path, kind: str) -> None:
    file_of(place, kind).unlink()

    assert_named(place, "cannot be read: No such file")


def test_any_bit_of_the_header_that_changes_is_noticed(place: Path) -> None:
    header = place / "header"
    content = header.read_bytes()
    for at in range(len(content)):
        header.write_bytes(
            content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :]
        )

        assert VectorIndex.open(place, WIDTH) is None
        assert marker_in(place) is None

    with pytest.raises(IndexDamaged):
        deleted_share(place)
    assert_named(place, "the header cannot be used")


def test_a_header_cut_anywhere_is_noticed(place: Path) -> None:
    header = place / "header"
    content = header.read_bytes()
    for length in range(len(content)):
        header.write_bytes(content[:length])

        assert VectorIndex.open(place, WIDTH) is None

    assert_named(place, "the header cannot be used")


def test_a_header_longer_than_was_written_is_noticed(place: Path) -> None:
    with (place / "header").open("ab") as header:
        header.write(b"\0")

    assert_named(place, "the header cannot be used")


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_in_a_row_is_found_when_all_is_read(
    place: Path, kind: str
) -> None:
    file = file_of(place, kind)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)

    assert damage_in(place) == f"{file.name} has changed"


def test_numbers_that_are_none_are_damage_and_no_answer(place: Path) -> None:
    discard(place)
    write(place, one_each(units(np.random.default_rng(1), 200)))
    file = file_of(place, "vectors")
    content = bytearray(file.read_bytes())
    content[400:404] = np.float32(np.nan).tobytes()
    file.write_bytes(content)

    with pytest.raises(IndexDamaged, match="a vector in it is no vector"):
        opened(place).best(units(np.random.default_rng(2), 1)[0], 5)


def test_a_reader_that_meets_damage_reaches_nothing_and_recovers(place: Path) -> None:
    vectors, query = opened(place), units(np.random.default_rng(2), 1)[0]
    found = vectors.best(query, 5)
    (place / "header").write_bytes(b"nonsense")

    assert vectors.reaches("m")  # what it saw is whole
    assert not vectors.reaches("n")
    assert not vectors.reaches("m")
    assert vectors.best(query, 5) == found

    discard(place)
    assert not vectors.reaches("n")
    write(place, one_each(units(np.random.default_rng(2), 5)), marker="n")
    assert vectors.reaches("n")
    assert vectors.count == 5


def test_no_folder_and_an_empty_folder_hold_no_vectors(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")

    for place in (tmp_path / "none", tmp_path / "empty", tmp_path / "file"):
        assert VectorIndex.open(place, WIDTH) is None
        assert marker_in(place) is None
        assert deleted_share(place) == (0, 0.0)
        assert damage_in(place) == "there is no header"


@pytest.fixture
def still(place: Path) -> Iterator[Path]:
    for file in place.iterdir():
        file.chmod(stat.S_IRUSR)
    place.chmod(stat.S_IRUSR | stat.S_IXUSR)
    yield place
    place.chmod(stat.S_IRWXU)


def test_vectors_in_a_folder_that_cannot_be_written_are_read(still: Path) -> None:
    query = units(np.random.default_rng(2), 1)[0]

    vectors = opened(still)

    assert len(ids(vectors.best(query, 7))) == 7
    assert vectors.reaches("m")
    assert damage_in(still) is None
    assert {file.stat().st_mode & 0o222 for file in still.iterdir()} == {0}
    if not is_root():
        with pytest.raises(OSError, match="Permission denied"):
            (still / "new").touch()


def test_a_chunk_without_windows_is_no_damage(place: Path) -> None:
    writer = VectorWriter(place, width=WIDTH)
    writer.put([1], [note(1, {10: np.empty((0, WIDTH), np.float32)})])
    writer.commit("n")
    writer.close()

    assert opened(place).count == 199
    assert damage_in(place) is None
