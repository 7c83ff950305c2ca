"""How well conflicts are found, and how long the sections of a bundle take.

Precision and recall on the planted set of the tests, where everything is selected at
once, and on its sets of pairs, each pair a vault. Then each section over a made-up
vault, for random notes as selected ones: `first` reads their lines, `again` knows them.

    python benchmarks/conflicts.py [--notes 10000] [--selected 12] [--rounds 40]
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from statistics import median
from time import perf_counter

import apsw
from vaults import write_vault

from glassmind import open_vault
from glassmind.context.conflicts import claims_of, conflicts
from glassmind.context.items import BundleRows, BundleScope, decisions, questions, tasks
from glassmind.context.sections import next_reads
from glassmind.store.sqlite.connection import open_reader
from glassmind.store.sqlite.rows import SqliteRows

PLANTED = Path(__file__).resolve().parent.parent / "tests" / "planted_conflicts"
TODAY = date(2026, 3, 20)
SECTIONS: dict[str, Callable[[BundleRows, BundleScope], Collection[object]]] = {
    "decisions": decisions,
    "questions": questions,
    "tasks": tasks,
    "suggested": lambda rows, scope: next_reads(rows, scope, 6),
    "conflicts": conflicts,
}


@contextmanager
def rows_of(vault: Path, place: Path) -> Iterator[apsw.Connection]:
    """Index a vault and open its rows."""
    settings = {"index.location": str(place), "embeddings.backend": "none"}
    with open_vault(vault, settings=settings, env={}) as engine:
        engine.index()
    db = open_reader(next(place.iterdir()))
    try:
        yield db
    finally:
        db.close()


def scope_of(note_ids: Sequence[int]) -> BundleScope:
    """Return a bundle about some notes."""
    return BundleScope(tuple(note_ids), frozenset(), "", TODAY, ".agent")


def ids_in(db: apsw.Connection) -> list[int]:
    """Return every note, by path."""
    rows = db.execute("select n.id from notes n join files f using (id) order by path")
    return [int(str(row[0])) for row in rows]


def planted(folder: Path) -> None:
    """Print how many of the planted conflicts are found, and how many others."""
    expected = json.loads((PLANTED / "expected.json").read_text("utf-8"))
    listed = [*expected["conflicts"], *expected["missed"]]
    wanted = {(one["kind"], *one["paths"]) for one in listed}
    with rows_of(PLANTED / "vault", folder) as db:
        found = conflicts(BundleRows(SqliteRows(db)), scope_of(ids_in(db)))
    keys = [(one.kind, *(side.path for side in one.sides)) for one in found]
    right = {key for key in keys if key in wanted}
    precision, recall = len(right) / max(len(keys), 1), len(right) / len(wanted)
    sys.stdout.write(
        f"planted {len(wanted)}, near misses {len(expected['near_misses'])}: "
        f"found {len(keys)}, precision {precision:.2f}, recall {recall:.2f}\n"
    )


def pairs(folder: Path) -> None:
    """Print in how many pairs of notes a conflict is found, where there is one or not.

    Of what was missed so far a set has a list of its own.
    """
    for number, place in enumerate(("", "second", "third", "fourth")):
        known = json.loads((PLANTED / place / "pairs.json").read_text("utf-8"))
        wrong = [*known["different"], *known.get("missed", ())]
        right = known["alike"]
        found = [
            _differs(files, folder / f"{number}-{at}")
            for at, files in enumerate((*wrong, *right))
        ]
        hits, false = sum(found[: len(wrong)]), sum(found[len(wrong) :])
        sys.stdout.write(
            f"pairs {place or 'first'}: {len(wrong)}, near misses {len(right)}: "
            f"precision {hits / max(hits + false, 1):.2f}, "
            f"recall {hits / len(wrong):.2f}\n"
        )


def _differs(files: Mapping[str, str], folder: Path) -> bool:
    for path, text in files.items():
        file = folder / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    with rows_of(folder / "vault", folder / "index") as db:
        return bool(conflicts(BundleRows(SqliteRows(db)), scope_of(ids_in(db))))


def timed(db: apsw.Connection, selected: int, rounds: int) -> None:
    """Print how long each section takes, the median in milliseconds."""
    chance, known = random.Random(3), ids_in(db)
    spent: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        scope = scope_of(chance.sample(known, selected))
        claims_of.cache_clear()
        for turn in ("first", "again"):
            rows, whole = BundleRows(SqliteRows(db)), perf_counter()
            for name, section in SECTIONS.items():
                start = perf_counter()
                section(rows, scope)
                spent.setdefault((name, turn), []).append(perf_counter() - start)
            spent.setdefault(("all", turn), []).append(perf_counter() - whole)
    for name in (*SECTIONS, "all"):
        first, again = (1000 * median(spent[name, turn]) for turn in ("first", "again"))
        sys.stdout.write(f"{name:<10} first {first:6.2f} ms  again {again:6.2f} ms\n")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--selected", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=40)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        planted(Path(folder) / "planted")
        pairs(Path(folder) / "pairs")
        vault = Path(folder) / "vault"
        write_vault(vault, wanted.notes)
        with rows_of(vault, Path(folder) / "index") as db:
            timed(db, wanted.selected, wanted.rounds)


if __name__ == "__main__":
    main()
