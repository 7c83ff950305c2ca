"""The bars of pairing similar notes, against a bare product of the same matrix.

    python benchmarks/pairs.py [--notes N]

Vectors of our own making go into an index of their own, and a process of its own pairs
them, from the rows and back into the rows. After each strip of ours the same strip is
multiplied bare, so that whatever else the machine does slows both. The bare one keeps
nothing: it is no answer to anything.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from glassmind.files.names import name_key
from glassmind.graph import similar as passing
from glassmind.graph.similar import Measures, Numbers, most_similar, update_pairs
from glassmind.store.sqlite.connection import open_writer
from glassmind.store.sqlite.rows import SqliteRows
from glassmind.store.sqlite.writer import SqliteTransaction

WIDTH, GROUPS = 384, 20_000
NOTES = 100_000
MOST_TIMES, MOST_MB = 2.0, 1_000
CHANGED = 20
"""Notes that change one by one, to time what follows from each."""

Floats = NDArray[np.float32]


def unit(rows: Floats) -> Floats:
    """Return rows at unit length."""
    made: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def vectors(count: int) -> Iterator[Floats]:
    """Yield rows in groups of about five that are much alike, as notes of a vault."""
    rng = np.random.default_rng(7)
    centres = unit(rng.standard_normal((GROUPS, WIDTH), np.float32))
    for begin in range(0, count, 10_000):
        some = min(10_000, count - begin)
        noise = unit(rng.standard_normal((some, WIDTH), np.float32))
        yield unit(centres[rng.integers(GROUPS, size=some)] + np.float32(0.6) * noise)


def fill(folder: Path, count: int) -> None:
    """Write an index that holds nothing but notes with vectors."""
    db = open_writer(folder)
    with db:
        db.execute("insert into spaces values (1, 'made', ?, '{}', '')", (WIDTH,))
        db.execute("insert into settings values ('space', 'made')")
        number = 0
        for rows in vectors(count):
            for row in rows:
                number += 1
                path = f"{number:07}.md"
                db.execute(
                    "insert into files values (?, ?, 'markdown', 0, 0, 0, null, '')",
                    (number, path),
                )
                db.execute(
                    "insert into notes values (?, 'markdown', ?, '', 'utf-8', null, "
                    "'[]', null, '')",
                    (number, path),
                )
                db.execute(
                    "insert into note_vectors values (?, 1, ?)", (number, row.tobytes())
                )
    db.close()


class Beside:
    """Multiplies bare what was just multiplied by ours, and keeps its time apart."""

    def __init__(self) -> None:
        self.spent_s = 0.0

    def most_similar(
        self, rows: Floats, owners: Numbers, threshold: float, linked: Numbers
    ) -> tuple[Numbers, Numbers, Measures]:
        """Compare one strip by ours, then multiply it bare."""
        found = most_similar(rows, owners, threshold, linked)
        began = time.perf_counter()
        rows[owners] @ rows.T
        self.spent_s += time.perf_counter() - began
        return found


def pair(db: apsw.Connection) -> None:
    """Pair the notes of an open index, without locks."""
    step: Callable[[], AbstractContextManager[SqliteTransaction]]
    step = lambda: SqliteTransaction(db, name_key, lambda: None)  # noqa: E731
    update_pairs(SqliteRows(db), step, 0.7, lambda _: None, lambda: False)


def measure(folder: Path) -> dict[str, float]:
    """Pair every note, then change some, and say what it took."""
    db = open_writer(folder)
    beside = Beside()
    passing.most_similar = beside.most_similar
    began = time.perf_counter()
    pair(db)
    whole_s = time.perf_counter() - began - beside.spent_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = []
    for number in range(1, CHANGED + 1):
        moved = "update note_vectors set vector = vector where note_id = ?"
        db.execute(moved, (number,))
        db.execute("insert into pair_changes (note_id) values (?)", (number,))
        began = time.perf_counter()
        pair(db)
        times.append(time.perf_counter() - began)
    rows = SqliteRows(db)
    ids = list(range(1, 11))
    began = time.perf_counter()
    for _ in range(100):
        rows.partners(ids)
    asked_s = (time.perf_counter() - began) / 100
    found = rows.pair_status("made")
    db.close()
    return {
        "whole_s": whole_s,
        "bare_s": beside.spent_s,
        "peak_mb": peak_mb,
        "changed_s": statistics.median(times),
        "asked_s": asked_s,
        "pairs": found.count,
    }


def main() -> int:
    """Print the bars; 1 when one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        print(json.dumps(measure(given.child)))
        return 0
    with tempfile.TemporaryDirectory(prefix="glassmind-bench-") as folder:
        fill(Path(folder), given.notes)
        command = [sys.executable, __file__, "--child", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        size = os.path.getsize(Path(folder) / "index.db") / 2**20  # noqa: PTH202
    found = json.loads(done.stdout)
    return shown(given.notes, found, size)


def shown(notes: int, found: dict[str, float], size_mb: float) -> int:
    """Print what was measured; return whether a bar was missed."""
    ratio, peak = found["whole_s"] / found["bare_s"], found["peak_mb"]
    slow, large = ratio > MOST_TIMES, peak > MOST_MB
    print(f"{notes:,} notes x {WIDTH}: {found['pairs']:,.0f} pairs")
    print(
        f"pair all, rows to rows        {found['whole_s']:8.2f} s; bare product of the "
        f"same {found['bare_s']:.2f} s: {ratio:.2f}x  <= {MOST_TIMES:g}x  "
        f"{'FAIL' if slow else 'ok'}"
    )
    print(f"peak memory                   {peak:8.0f} MB  < {MOST_MB:,} MB  "
          f"{'FAIL' if large else 'ok'}")  # fmt: skip
    print(f"one note changed              {found['changed_s'] * 1000:8.1f} ms")
    print(f"partners of ten hits          {found['asked_s'] * 1000:8.2f} ms")
    print(f"index with vectors and pairs  {size_mb:8.0f} MB")
    return int(slow or large)


if __name__ == "__main__":
    sys.exit(main())
