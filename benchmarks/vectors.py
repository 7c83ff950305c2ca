"""The bars of the scan of vectors, each a ratio against the bandwidth of the same run.

    python benchmarks/vectors.py [--small]

The limit is the time that one thread takes to read as many bytes as the scan reads, by
`numpy.dot` over the mapped file of floats. A scan below it would not be reading its
rows: that fails too.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glassmind.model.vectors import ChunkVectors, NoteVectors
from glassmind.store.vectors.search import VectorIndex
from glassmind.store.vectors.write import VectorWriter

WIDTH, LIMIT = 384, 50
CLUSTERS, PER_NOTE, BATCH = 2_000, 10, 20_000
SIZES = {100_000: 2.0, 1_000_000: 2.5}
"""Rows, and how many times the limit a search over them may take."""

OPEN_MS = 300.0
SHARES = (0.01, 0.1, 0.5)

Rows = NDArray[np.float32]


class Row(NamedTuple):
    """One measurement; `limit_ms` is 0 where the bar is a time, `most` 0 for none."""

    name: str
    p50_ms: float
    p95_ms: float
    limit_ms: float = 0.0
    most: float = 0.0

    @property
    def ratio(self) -> float:
        """How many times the limit it took."""
        return self.p50_ms / self.limit_ms if self.limit_ms else 0.0

    @property
    def failed(self) -> bool:
        """Whether it missed its bar, or was faster than reading allows."""
        if not self.most:
            return False
        if not self.limit_ms:
            return self.p50_ms > self.most
        return not 1.0 <= self.ratio <= self.most

    def line(self) -> str:
        """Return a line of the table."""
        text = f"{self.name:<52}{self.p50_ms:>9.2f}{self.p95_ms:>9.2f}"
        if self.limit_ms:
            text += f"{self.limit_ms:>9.2f}{self.ratio:>7.2f}x"
        if self.most:
            bar = f"1x to {self.most:g}x" if self.limit_ms else f"< {self.most:g} ms"
            text += f"  {bar}  {'FAIL' if self.failed else 'ok'}"
        return text


def unit(rows: NDArray[np.float32]) -> Rows:
    """Return rows at unit length."""
    made: Rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def clustered(rng: np.random.Generator, count: int, centres: Rows) -> Rows:
    """Return unit rows that lie around centres, as vectors of texts do."""
    noise = unit(rng.standard_normal((count, WIDTH), np.float32))
    return unit(
        centres[rng.integers(len(centres), size=count)] + np.float32(0.8) * noise
    )


def notes(rng: np.random.Generator, total: int) -> Iterator[list[NoteVectors]]:
    """Yield notes of ten chunks with a row each, in batches; chunk ids from 1 on."""
    centres = unit(rng.standard_normal((CLUSTERS, WIDTH), np.float32))
    for begin in range(0, total, BATCH):
        rows = clustered(rng, min(BATCH, total - begin), centres)
        chunks = [
            ChunkVectors(begin + at + 1, row.tobytes()) for at, row in enumerate(rows)
        ]
        yield [
            NoteVectors((begin + at) // PER_NOTE + 1, chunks[at : at + PER_NOTE])
            for at in range(0, len(chunks), PER_NOTE)
        ]


def make(place: Path, total: int) -> float:
    """Write a matrix of `total` rows in one commit; return the seconds it took."""
    rng, spent = np.random.default_rng(total), 0.0
    writer = VectorWriter(place, width=WIDTH)
    for batch in notes(rng, total):
        began = time.perf_counter()
        writer.put([note.note_id for note in batch], batch)
        spent += time.perf_counter() - began
    began = time.perf_counter()
    writer.commit("made")
    writer.close()
    return spent + time.perf_counter() - began


def timed(work: Callable[[], object]) -> float:
    """Return how long the work took, in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def read_all(floats: Rows) -> float:
    """Read every number once, on one thread."""
    piece, total = 1 << 20, 0.0
    for at in range(0, floats.size, piece):
        part = floats[at : at + piece]
        total += float(np.dot(part, part))
    return total


def beside(
    work: Callable[[int], object], floats: Rows, turns: int
) -> tuple[list[float], float]:
    """Return the times of some work, and how long reading took in between.

    In turns, so that whatever else the machine does slows both. Of the readings, which
    are to be a limit, the median of the faster half counts.
    """
    ours, limit = [], []
    for turn in range(turns):
        limit.append(timed(lambda: read_all(floats)))
        ours.append(timed(lambda turn=turn: work(turn)))  # type: ignore[misc]
    return ours, statistics.median(sorted(limit)[: turns // 2])


def percentiles(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]


def opening(place: Path, total: int, most: float = 0.0) -> Row:
    """Time opening a matrix for reading."""
    times = [timed(lambda: VectorIndex.open(place, WIDTH)) for _ in range(20)]
    return Row(f"open {total:,}", *percentiles(times), most=most)


def searches(place: Path, total: int, most: float, turns: int = 40) -> list[Row]:
    """Time searches over a matrix: of all rows, and of shares of them."""
    vectors = VectorIndex.open(place, WIDTH)
    if vectors is None:
        raise SystemExit(f"{place} does not open")
    rng = np.random.default_rng(1)
    has_bytes = any(place.glob("small-*"))
    width_bytes, kernel = (1, "int8") if has_bytes else (4, "float32")
    (file,) = place.glob("vectors-*")
    floats = np.memmap(file, np.float32, "r", shape=(total * WIDTH * width_bytes // 4,))
    queries = unit(rng.standard_normal((turns, WIDTH), np.float32))
    first = timed(lambda: vectors.best(queries[0], LIMIT))
    name = f"top {LIMIT} of {total:,} x {WIDTH}"
    times, limit = beside(
        lambda turn: vectors.best(queries[turn], LIMIT), floats, turns
    )
    counted = f"{name} ({kernel} bytes)"
    found = [
        Row(f"{name}, first after opening", first, first),
        Row(counted, *percentiles(times), limit, most),
    ]
    for share in SHARES:
        among = (rng.choice(total, int(total * share), replace=False) + 1).tolist()
        times = [
            timed(lambda query=query: vectors.best(query, LIMIT, among=among))  # type: ignore[misc]  # noqa: B023
            for query in queries[:20]
        ]
        found.append(Row(f"{name}, filter of {share:.0%}", *percentiles(times)))
    times = [
        timed(lambda query=query: vectors.near(query, range(1, 201)))  # type: ignore[misc]
        for query in queries[:20]
    ]
    found.append(Row(f"cosines of 200 chunks of {total:,}", *percentiles(times)))
    return found


def rows(sizes: dict[int, float]) -> Iterator[Row]:
    """Yield every measurement at each size, with its bar."""
    for total, most in sizes.items():
        with tempfile.TemporaryDirectory(prefix="glassmind-bench-") as folder:
            place = Path(folder)
            spent = make(place, total) * 1_000
            yield Row(f"write {total:,} and commit", spent, spent)
            yield opening(place, total, OPEN_MS)
            yield from searches(place, total, most)


def main() -> int:
    """Print the table; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="100,001 rows at most")
    small = parser.parse_args().small
    print(f"{'':<52}{'p50 ms':>9}{'p95 ms':>9}{'limit':>9}{'ratio':>8}")
    missed = False
    for row in rows({100_000: 2.0, 100_001: 2.5} if small else SIZES):
        print(row.line(), flush=True)
        missed |= row.failed
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
