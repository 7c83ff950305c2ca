"""A program that appends lines to a note, one by one: a test's child."""

import sys
from pathlib import Path

from changing_harness import changer_of, edit

from glassmind.model import NotePath


def main(root: str, name: str, count: int) -> None:
    """Append so many lines to the note, each read and written in a turn of ours."""
    changer = changer_of(Path(root))
    for number in range(count):
        with changer.turn():
            raw = changer.read(NotePath("Log.md")) or b""
            step = edit("Log.md", raw, raw + f"{name} {number}\n".encode())
            changer.apply([step], why="append", client=name)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
