"""What changing files safely costs, against doing it plainly in the same run.

    python benchmarks/edits.py [--links N] [--rounds N] [--place FOLDER]

One edit: looked at, staged, kept to be undone, on record, put in its place, every step
on the disk, against reading the file and writing the new bytes with an `fsync`. A move
of a note with a thousand links to it, against writing those files anew one by one:
read, write beside, `fsync`, rename. Both sides get the same bytes, by turns. The folder
must stand on a real disk. Exits with 1 where a bar is missed.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from glassmind.types import NotePath
from glassmind.types.editing import Step
from glassmind.vault.audit import Record
from glassmind.vault.changing import VaultChanger

EDIT_MOST, MOVE_MOST = 3.0, 2.0
"""How many times the plain way each may cost."""

TEXT = "An oolong is steeped twice, and the second cup is the better one. " * 40
"""What stands in every note: about 2.6 KB, as in a vault of notes."""


def timed(work: Callable[[], object]) -> float:
    """Return how long the work took, in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def changer_of(root: Path, data: Path) -> VaultChanger:
    """Return what changes the files of a vault."""
    record = Record(root, NotePath(".agent/logs/writes.jsonl"))
    return VaultChanger(
        root, lock=data / "edits.lock", record=record, agent_folder=".agent"
    )


def keeper(data: Path, raw: bytes) -> Callable[[], None]:
    """Return what keeps a change outside of the vault, on the disk, to be undone."""
    folder = data / "applying"
    folder.mkdir(parents=True, exist_ok=True)

    def keep() -> None:
        file = folder / os.urandom(5).hex()
        opened = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        os.write(opened, raw)
        os.fsync(opened)
        os.close(opened)
        held = os.open(folder, os.O_RDONLY)
        os.fsync(held)
        os.close(held)

    return keep


def plain_edit(file: Path, after: bytes) -> None:
    """Read a file, and write it with an `fsync`."""
    file.read_bytes()
    opened = os.open(file, os.O_WRONLY | os.O_TRUNC)
    os.write(opened, after)
    os.fsync(opened)
    os.close(opened)


def safe_edit(changer: VaultChanger, after: bytes, data: Path) -> None:
    """Edit a file as a verb does, but for what it thinks about it."""
    path = NotePath("Tea.md")
    with changer.turn():
        before = changer.read(path)
        step = Step(path, path, before, after)
        meanwhile = keeper(data, (before or b"") + after)
        changer.apply([step], why="bench", client="bench", meanwhile=meanwhile)


def one_edit(place: Path, rounds: int) -> tuple[float, float]:
    """Return what an edit costs, and what it costs plainly."""
    root, data = place / "Notes", place / "data"
    root.mkdir()
    changer = changer_of(root, data)
    for name in ("Tea.md", "Plain.md"):
        (root / name).write_text(TEXT)
    ours, plain = [], []
    for number in range(rounds):
        after = f"{TEXT}{number}\n".encode()
        plain.append(timed(lambda: plain_edit(root / "Plain.md", after)))  # noqa: B023
        ours.append(timed(lambda: safe_edit(changer, after, data)))  # noqa: B023
    return statistics.median(ours), statistics.median(plain)


def linked(root: Path, links: int) -> list[Path]:
    """Make notes that link to one, in folders of fifty, and return them."""
    (root / "Tea.md").parent.mkdir(parents=True)
    (root / "Tea.md").write_text(TEXT)
    files = [root / f"Folder {n // 50}" / f"Note {n}.md" for n in range(links)]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{TEXT}\n\nSee [[Tea]].\n")
    return files


def rewritten(raw: bytes) -> bytes:
    """Return a note with its link written anew."""
    return raw.replace(b"[[Tea]]", b"[[Green/Tea]]")


def plain_move(root: Path, files: Sequence[Path]) -> None:
    """Write every file anew beside its place, one by one, and move the note."""
    for file in files:
        raw, beside = file.read_bytes(), file.with_suffix(".part")
        opened = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        os.write(opened, rewritten(raw))
        os.fsync(opened)
        os.close(opened)
        beside.rename(file)
    (root / "Green").mkdir()
    (root / "Tea.md").rename(root / "Green" / "Tea.md")


def safe_move(root: Path, files: Sequence[Path], data: Path) -> None:
    """Do the same as one change, on record and kept to be undone."""
    changer = changer_of(root, data)
    with changer.turn():
        steps, kept = [], []
        for file in files:
            path = NotePath(file.relative_to(root).as_posix())
            before = changer.read(path) or b""
            steps.append(Step(path, path, before, rewritten(before)))
            kept.append(before)
        tea = changer.read(NotePath("Tea.md"))
        steps.append(
            Step(NotePath("Tea.md"), NotePath("Green/Tea.md"), tea, tea or b"")
        )
        meanwhile = keeper(data, b"".join(kept))
        changer.apply(steps, why="bench", client="bench", meanwhile=meanwhile)


def one_move(place: Path, links: int, rounds: int) -> tuple[float, float]:
    """Return what a move costs, and what it costs plainly."""
    ours: list[float] = []
    plain: list[float] = []
    for number in range(rounds):
        for name, costs in (("plain", plain), ("ours", ours)):
            root = place / f"{name} {number}" / "Notes"
            files, data = linked(root, links), place / f"data {number}"
            os.sync()
            if name == "plain":
                costs.append(timed(lambda: plain_move(root, files)))  # noqa: B023
            else:
                costs.append(timed(lambda: safe_move(root, files, data)))  # noqa: B023
            shutil.rmtree(root)
    return statistics.median(ours), statistics.median(plain)


def row(name: str, pair: tuple[float, float], most: float) -> bool:
    """Print a line of the table, and return whether the bar is held."""
    ours, plain = pair
    held = ours / plain <= most
    print(f"{name:<44}{ours:>9.1f}{plain:>9.1f} ms {ours / plain:>6.2f}x  "
          f"<= {most:g}x  {'ok' if held else 'MISSED'}")  # fmt: skip
    return held


def main(given: Sequence[str] | None = None) -> int:
    """Measure both; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--links", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--place", help="a folder on a real disk")
    args = parser.parse_args(given)
    with tempfile.TemporaryDirectory(prefix="edits-", dir=args.place) as folder:
        place = Path(folder)
        (place / "edit").mkdir()
        edit = one_edit(place / "edit", args.rounds * 20)
        move = one_move(place, args.links, args.rounds)
    held = [
        row("one edit / read and fsynced write", edit, EDIT_MOST),
        row(f"a move with {args.links:,} links / plain writes", move, MOVE_MOST),
    ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
