"""What changing notes safely costs, against doing it plainly in the same run.

    python benchmarks/edits.py [--notes N] [--links N] [--rounds N] [--place FOLDER]

Both are whole verbs of an engine that is open, over a vault that is indexed: judged,
kept to be undone, on record, put in place with every step on the disk, and in the index
when the call returns. One edit, against reading the file and writing the new bytes with
an `fsync`. A move of a note with a thousand links to it, against writing those files
anew one by one: read, write beside, `fsync`, rename. Both sides write files of the same
size, by turns: the notes that are edited grow by the same line each round. All is
loaded before. The folder must stand on a real disk. What of it is files is measured on
a note of its own, whose index does not follow, and shown below with what the index
takes, and a search by words right after an edit, which has the word index follow.
Exits with 1 where a bar is missed.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from glassmind import Engine, open_vault
from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.model.edits import Append

EDIT_MOST, MOVE_MOST = 3.0, 2.0
"""How many times the plain way each may cost."""

TEXT = "An oolong is steeped twice, and the second cup is the better one. " * 40
"""What stands in every note: about 2.6 KB, as in a vault of notes."""

LONG_AGO = (1_700_000_000, 1_700_000_000)
"""When the notes were written: those of this very moment are read twice."""

ASKING = EditRequest(client="bench")


def timed(work: Callable[[], object]) -> float:
    """Return how long the work took, in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def noted(root: Path, notes: int, text: str) -> list[Path]:
    """Make notes in folders of fifty, and return them."""
    files = [root / f"Folder {n // 50}" / f"Note {n}.md" for n in range(notes)]
    for file in (root / "Green" / "Leaf.md", *files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, LONG_AGO)
    return files


def opened(root: Path) -> Engine:
    """Return the engine of a vault that is indexed, beside it."""
    for name in ("Tea.md", "Bare.md", "Plain.md"):
        (root / name).write_text(f"{TEXT}\n")
        os.utime(root / name, LONG_AGO)
    settings = {
        "writes.mode": "allow",
        "index.location": str(root.parent / "index"),
        "embeddings.backend": "none",
    }
    engine = open_vault(root, settings=settings)
    engine.index()
    engine.editing.edit("Green/Leaf.md", [Append("x")], ASKING)  # all is loaded
    return engine


def plain_edit(file: Path, line: str) -> None:
    """Read a file, and write it with a line more and an `fsync`."""
    before = file.read_bytes()
    handle = os.open(file, os.O_WRONLY | os.O_TRUNC)
    os.write(handle, before + f"{line}\n".encode())
    os.fsync(handle)
    os.close(handle)


def unindexed(engine: Engine) -> Editing:
    """Return the verbs of a vault whose index does not follow."""
    return Editing(engine._vault)


def one_edit(place: Path, notes: int, rounds: int) -> tuple[float, ...]:
    """Return what an edit costs, plainly, of that the files, and a search after it."""
    root, plain_file = place / "Notes", place / "Notes" / "Plain.md"
    noted(root, notes, TEXT)
    ours, plain, files, found = [], [], [], []
    with opened(root) as engine:
        bare = unindexed(engine)
        for number in range(rounds):
            line = f"line {number}"
            edits = [Append(line)]
            plain.append(timed(lambda: plain_edit(plain_file, line)))  # noqa: B023
            ours.append(timed(lambda: engine.editing.edit("Tea.md", edits, ASKING)))  # noqa: B023
            files.append(timed(lambda: bare.edit("Bare.md", edits, ASKING)))  # noqa: B023
            if not number % 10:
                found.append(timed(lambda: engine.search("oolong", mode="fulltext")))
    texts = {(root / name).read_bytes() for name in ("Tea.md", "Bare.md", "Plain.md")}
    if len(texts) != 1:
        raise SystemExit("the sides wrote other bytes: nothing was measured")
    return median(ours), median(plain), median(files), median(found)


def plain_move(root: Path, files: Sequence[Path]) -> None:
    """Write every file anew beside its place, one by one, and move the note."""
    for file in files:
        raw, beside = file.read_bytes(), file.with_suffix(".part")
        handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        os.write(handle, raw.replace(b"[[Tea]]", b"[[Tee]]"))
        os.fsync(handle)
        os.close(handle)
        beside.rename(file)
    (root / "Tea.md").rename(root / "Green" / "Tee.md")


def one_move(place: Path, links: int, rounds: int) -> tuple[float, float]:
    """Return what a move costs, and what it costs plainly."""
    ours, plain = [], []
    text = f"{TEXT}\n\nSee [[Tea]].\n"
    for number in range(rounds):
        root = place / f"plain {number}" / "Notes"
        files = noted(root, links, text)
        (root / "Tea.md").write_text(f"{TEXT}\n")
        os.sync()
        plain.append(timed(lambda: plain_move(root, files)))  # noqa: B023
        root = place / f"ours {number}" / "Notes"
        files = noted(root, links, text)
        with opened(root) as engine:
            os.sync()
            moved = lambda: engine.editing.move("Tea.md", "Green/Tee.md", ASKING)  # noqa: E731
            ours.append(timed(moved))
        if any(b"[[Tee]]" not in file.read_bytes() for file in files):
            raise SystemExit("the links were not written anew: nothing was measured")
    return median(ours), median(plain)


def row(name: str, ours: float, plain: float, most: float) -> bool:
    """Print a line of the table, and return whether the bar is held."""
    held = ours / plain <= most
    print(f"{name:<44}{ours:>9.1f}{plain:>9.1f} ms {ours / plain:>6.2f}x  "
          f"<= {most:g}x  {'ok' if held else 'MISSED'}")  # fmt: skip
    return held


def main(given: Sequence[str] | None = None) -> int:
    """Measure both; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--links", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--place", help="a folder on a real disk")
    args = parser.parse_args(given)
    with tempfile.TemporaryDirectory(prefix="edits-", dir=args.place) as folder:
        place = Path(folder)
        edit, plain, files, found = one_edit(place, args.notes, args.rounds * 20)
        move = one_move(place, args.links, args.rounds)
    name = f"one edit among {args.notes:,} notes / fsynced write"
    held = [row(name, edit, plain, EDIT_MOST)]
    held += [row(f"a move with {args.links:,} links / plain writes", *move, MOVE_MOST)]
    print(f"of an edit, the files: {files:.1f} ms ({files / plain:.1f}x), ", end="")
    print(f"the index: {edit - files:.1f} ms; a search after it: {found:.0f} ms")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
