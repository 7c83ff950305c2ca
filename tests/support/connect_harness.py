"""An entry as `glassmind connect` makes it, and files as the programs write them.

    python tests/support/connect_harness.py

writes what the files become, for a person to look at before it counts as right.
"""

import shutil
import tempfile
from pathlib import Path

from glassmind.serve.connect import PROGRAMS, Program, connect, entry_of

HERE = Path(__file__).parents[1] / "connect"

WORDS = (
    "/home/ines/.local/bin/glassmind",
    "mcp",
    "--vault",
    "/home/ines/Documents/Notes",
)


def entry_for(program: Program) -> dict[str, object]:
    """Return the entry of a program, as one user has it."""
    return entry_of(WORDS, program)


def golden(program: str, when: str) -> Path:
    """Return a file of a program, `before` or `after` it is connected."""
    (found,) = HERE.glob(f"{program}.{when}.*")
    return found


def main() -> None:
    for name, program in PROGRAMS.items():
        before = golden(name, "before")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(shutil.copy(before, folder))
            connect(file, program.form, "glassmind", entry_for(program))
            after = before.name.replace(".before.", ".after.")
            shutil.copy(file, before.with_name(after))


if __name__ == "__main__":
    main()
