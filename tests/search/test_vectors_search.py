"""Finding chunks by their vectors: exactly, whole, and the same every time."""

from pathlib import Path

import numpy as np
import pytest
from vectors_harness import (
    WIDTH,
    clustered,
    ids,
    note,
    one_each,
    opened,
    plain_best,
    unit,
    units,
    write,
)

from glassmind.store.vectors import search
from glassmind.store.vectors.write import VectorWriter

FLOATS, BYTES = 1_000_000, 0
"""Values of `small_from` that keep floats alone, or bytes from the first row."""

both = pytest.mark.parametrize("small_from", [FLOATS, BYTES])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@both
def test_the_nearest_chunks_come_first_with_their_cosines(
    tmp_path: Path, rng: np.random.Generator, small_from: int
) -> None:
    known = one_each(units(rng, 500))
    write(tmp_path, known, small_from=small_from)
    query = units(rng, 1)[0]

    found = opened(tmp_path).best(query, 20)

    expected = plain_best(known, query, 20)
    assert [(c, n) for c, n, _ in found] == [(c, n) for c, n, _ in expected]
    assert [s for *_, s in found] == pytest.approx([s for *_, s in expected], abs=1e-6)


@pytest.mark.slow
@both
@pytest.mark.parametrize("strange", [False, True])
def test_nearly_nothing_that_belongs_to_the_best_ten_is_missed(
    tmp_path: Path, rng: np.random.Generator, small_from: int, strange: bool
) -> None:
    width, rows = 384, clustered(rng, 20_000, 384)
    write(tmp_path, one_each(rows), width=width, small_from=small_from)
    vectors = opened(tmp_path, width)
    asked = units(rng, 20, width) if strange else clustered(rng, 20, width)

    hit = 0
    for query in asked:
        exact = rows.astype(np.float64) @ query.astype(np.float64)
        best = {10 * (at + 1) for at in np.argsort(-exact)[:10].tolist()}
        hit += len(best & set(ids(vectors.best(query, 10))))

    assert hit >= 0.99 * 10 * len(asked)


@both
def test_the_best_of_disjoint_filters_are_the_best_of_all(
    tmp_path: Path, rng: np.random.Generator, small_from: int
) -> None:
    known = one_each(clustered(rng, 3_000, 64))
    write(tmp_path, known, width=64, small_from=small_from)
    vectors = opened(tmp_path, 64)
    everything = np.array([10 * key for key in known])
    groups = rng.integers(10, size=everything.size)

    for query in (*units(rng, 5, 64), *clustered(rng, 5, 64)):
        parts = [
            candidate
            for group in range(10)
            for candidate in vectors.best(
                query, 30, among=everything[groups == group].tolist()
            )
        ]
        union = sorted(parts, key=lambda found: (-found.score, found.chunk_id))[:30]

        assert union == vectors.best(query, 30)


@both
@pytest.mark.parametrize("share", [0.005, 0.1, 0.6, 1.0])
def test_a_filter_still_fills_the_limit_and_lets_nothing_else_in(
    tmp_path: Path, rng: np.random.Generator, small_from: int, share: float
) -> None:
    known = one_each(units(rng, 2_000))
    write(tmp_path, known, small_from=small_from)
    among = {10 * key for key in known if rng.random() < share}
    query = units(rng, 1)[0]

    found = opened(tmp_path).best(query, 10, among=among)

    assert ids(found) == ids(plain_best(known, query, 10, among))
    assert len(found) == min(10, len(among))


@both
def test_a_chunk_of_many_windows_takes_one_place_by_its_best(
    tmp_path: Path, rng: np.random.Generator, small_from: int
) -> None:
    query = units(rng, 1)[0]
    crowd = unit(query + 0.01 * units(rng, 4_000))
    known = {1: {5: crowd}, **one_each(units(rng, 3_000), first=2)}
    write(tmp_path, known, small_from=small_from)

    found = opened(tmp_path).best(query, 25)

    assert ids(found) == ids(plain_best(known, query, 25))
    assert found[0].chunk_id == 5
    assert len(set(ids(found))) == 25


@both
def test_equal_vectors_come_by_chunk_id_wherever_they_stand(
    tmp_path: Path, rng: np.random.Generator, small_from: int
) -> None:
    row = units(rng, 1)
    keys = rng.permutation(5_000) + 1
    write(tmp_path, {int(key): {int(key): row} for key in keys}, small_from=small_from)

    found = opened(tmp_path).best(row[0], 40)

    assert ids(found) == list(range(1, 41))
    assert len({candidate.score for candidate in found}) == 1


@both
def test_scores_do_not_depend_on_where_rows_stand_or_what_is_asked_with_them(
    tmp_path: Path, rng: np.random.Generator, small_from: int
) -> None:
    width = 100
    known = one_each(units(rng, 1_500, width))
    mixed = {int(key): known[int(key)] for key in rng.permutation(list(known))}
    write(tmp_path / "a", known, width=width, small_from=small_from)
    write(tmp_path / "b", mixed, width=width, small_from=FLOATS)
    query = units(rng, 1, width)[0]
    one, other = opened(tmp_path / "a", width), opened(tmp_path / "b", width)

    found = one.best(query, 50)

    assert found == other.best(query, 50)
    assert found == other.best(query, 50, among=ids(found))
    assert other.near(query, ids(found)) == {c: s for c, _, s in found}
    assert one.near(query, ids(found)[:1]) == {found[0].chunk_id: found[0].score}


def test_near_tells_of_chunks_that_have_vectors_and_of_no_others(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    known = {1: {10: units(rng, 3), 11: units(rng, 1)}, 2: {20: units(rng, 2)}}
    write(tmp_path, known)
    query = units(rng, 1)[0]

    found = opened(tmp_path).near(query, [20, 10, 99, -4, 10])

    expected = {c: s for c, _, s in plain_best(known, query, 9, {10, 20})}
    assert found == pytest.approx(expected, abs=1e-6)
    assert opened(tmp_path).near(query, []) == {}


@both
def test_ids_may_be_far_apart_or_below_zero(
    tmp_path: Path, rng: np.random.Generator, small_from: int
) -> None:
    rows = units(rng, 300)
    keys = [int(key) for key in rng.integers(-(2**62), 2**62, size=300)]
    known = {at + 1: {key: rows[at][None]} for at, key in enumerate(keys)}
    write(tmp_path, known, small_from=small_from)
    query = units(rng, 1)[0]

    found = opened(tmp_path).best(query, 10, among=keys[:200])

    assert ids(found) == ids(plain_best(known, query, 10, keys[:200]))


@both
def test_dead_rows_are_never_found(
    tmp_path: Path, rng: np.random.Generator, small_from: int
) -> None:
    known = one_each(units(rng, 1_000))
    write(tmp_path, known, small_from=small_from)
    query = units(rng, 1)[0]
    best = ids(opened(tmp_path).best(query, 100))
    writer = VectorWriter(tmp_path, width=WIDTH, small_from=small_from)
    writer.put([key // 10 for key in best], [])
    writer.commit("n")
    writer.close()

    vectors = opened(tmp_path)

    assert vectors.count == 900
    left = {key: chunks for key, chunks in known.items() if 10 * key not in best}
    assert ids(vectors.best(query, 50)) == ids(plain_best(left, query, 50))
    assert vectors.best(query, 5, among=best) == []
    assert vectors.near(query, best) == {}


def test_bytes_lead_to_the_same_answers_when_most_rows_are_nearly_alike(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    width, query = 64, units(rng, 1, 64)[0]
    rows = unit(query + 0.002 * units(rng, 4_000, width))
    write(tmp_path / "f", one_each(rows), width=width, small_from=FLOATS)
    write(tmp_path / "b", one_each(rows), width=width, small_from=BYTES)

    found = opened(tmp_path / "b", width).best(query, 10)

    assert found == opened(tmp_path / "f", width).best(query, 10)


def test_results_are_the_same_without_numkong(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, one_each(clustered(rng, 2_000, WIDTH)), small_from=BYTES)
    query, some = units(rng, 1)[0], range(10, 5_000, 10)
    with_numkong = opened(tmp_path)
    expected = with_numkong.best(query, 20), with_numkong.best(query, 20, among=some)

    monkeypatch.setattr(search, "numkong", None)

    without = opened(tmp_path)
    assert (without.best(query, 20), without.best(query, 20, among=some)) == expected


def test_rows_that_outgrow_the_scale_of_the_bytes_are_still_found(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    width = 64
    flat = unit(np.sign(units(rng, 500, width)))
    write(tmp_path, one_each(flat), width=width, small_from=BYTES)
    spikes = np.eye(width, dtype=np.float32)
    writer = VectorWriter(tmp_path, width=width, small_from=BYTES)
    writer.put([900], [note(900, {7_000 + at: spikes[at][None] for at in range(64)})])
    writer.commit("n")

    found = opened(tmp_path, width).best(spikes[9], 1)

    assert found == [(7_009, 900, 1.0)]
    assert sum(file.name.startswith("small-") for file in tmp_path.iterdir()) == 1


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_finds_nothing(
    tmp_path: Path, rng: np.random.Generator, limit: int
) -> None:
    write(tmp_path, one_each(units(rng, 3)))

    assert opened(tmp_path).best(units(rng, 1)[0], limit) == []


def test_an_empty_matrix_answers_with_nothing(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    write(tmp_path, {})
    vectors = opened(tmp_path)

    assert vectors.count == 0
    assert vectors.best(units(rng, 1)[0], 5) == []
    assert vectors.best(units(rng, 1)[0], 5, among=[1]) == []
    assert vectors.near(units(rng, 1)[0], [1]) == {}


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(WIDTH, np.nan)])
def test_a_query_of_another_space_is_refused(tmp_path: Path, bad: np.ndarray) -> None:
    write(tmp_path, {})

    with pytest.raises(ValueError, match="no vector of 16 numbers"):
        opened(tmp_path).best(bad.astype(np.float32), 5)


def test_a_zero_query_is_as_near_to_all(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    write(tmp_path, one_each(units(rng, 300)), small_from=BYTES)

    found = opened(tmp_path).best(np.zeros(WIDTH, np.float32), 3)

    assert found == [(10, 1, 0.0), (20, 2, 0.0), (30, 3, 0.0)]


def test_what_is_let_go_of_finds_nothing(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    write(tmp_path, one_each(units(rng, 3)))
    vectors = opened(tmp_path)

    vectors.close()

    assert vectors.best(units(rng, 1)[0], 3) == []
    assert vectors.near(units(rng, 1)[0], [10]) == {}
    assert vectors.count == 0
