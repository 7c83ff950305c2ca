"""A vault that is edited by the program: two notes, and a person who answers."""

from pathlib import Path

from cli_harness import LIMIT_S, Done, Inside, Program

from glassmind import errors as exits


def indexed_program(place: Path, tea: str, cups: str) -> Inside:
    """Return the program with a vault of two notes, which it has indexed."""
    made = Inside(Program(place))
    (made.vault / ".obsidian").mkdir(parents=True)
    (made.vault / "Tea.md").write_text(tea, "utf-8")
    (made.vault / "Cups.md").write_text(cups, "utf-8")
    assert made.run("index").returncode == exits.OK
    return made


def allowed(program: Inside) -> Inside:
    """Return the same where edits are made at once."""
    program.env["GLASSMIND_WRITES_MODE"] = "allow"
    return program


def tea(program: Inside) -> str:
    """Return what stands in the note about tea."""
    return (program.vault / "Tea.md").read_text("utf-8")


def good(done: Done) -> Done:
    """Return what a program did, if it did it."""
    assert done.returncode == exits.OK, done.stderr
    return done


def answered(program: Program, answer: bytes, *args: str) -> tuple[int, str]:
    """Run on a terminal where a person types an answer, and return what it showed."""
    with program.terminal(*args) as screen:
        screen.until("[y/N]")
        screen.type(answer)
        shown = screen.until_the_end()
        return screen.started.wait(timeout=LIMIT_S), shown
