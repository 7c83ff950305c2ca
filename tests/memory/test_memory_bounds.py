"""Peak memory of indexing stays bounded: with the largest notes, and with many."""

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fault_tools.vaults import make_vault, write
from vault_harness import VaultHarness

from glassmind.files.read import MARKS_LIMIT, marks_in
from glassmind.model import MAX_NOTE_BYTES

DRIVE = Path(__file__).parents[1] / "support" / "bounds_program.py"

PEAK_MB = 600
"""The most that indexing may take; a vault of small notes takes about 60."""

LARGE = MAX_NOTE_BYTES - 100_000
"""About the size of the largest note that is indexed."""


def taken(vault: Path) -> Any:
    """Index a vault in a process of its own, and return what that took."""
    command = [sys.executable, str(DRIVE), str(vault), str(vault.parent / "index")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=3_000, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    print(f"{result}")  # noqa: T201 - figures to report
    return result


def repeated(unit: str, *, most: int = LARGE) -> str:
    return unit * (most // len(unit.encode()))


def numbered(line: Callable[[int], str], *, most: int = LARGE) -> str:
    """Return numbered pieces, as many as fit."""
    pieces, size = list[str](), 0
    for number in count():
        piece = line(number)
        size += len(piece.encode())
        if size > most:
            return "".join(pieces)
        pieces.append(piece)
    raise AssertionError


def dense(line: Callable[[int], str], spare: int = 100) -> str:
    """Return a note with nearly as many marks as allowed, filled up with words."""
    pieces, marks = list[str](), 0
    for number in count():
        piece = line(number)
        marks += marks_in(piece.encode())
        if marks > MARKS_LIMIT - spare:
            break
        pieces.append(piece)
    text = "".join(pieces)
    return text + "\n\n" + repeated("harbour lantern ", most=LARGE - len(text.encode()))


def word(number: int) -> str:
    """Return a word of its own for each number."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return letters[number % 26] + (word(number // 26) if number >= 26 else "")


SHAPES: dict[str, Callable[[], str]] = {
    "prose": lambda: repeated("harbour lantern sencha ledger orchard violin\n"),
    "one line": lambda: "x" * LARGE,
    "words of its own": lambda: numbered(lambda n: word(n) + " "),
    "wide words": lambda: numbered(lambda n: chr(0x20000 + n % 40_000) + " "),
    "escapes": lambda: dense(lambda _: "\\*a"),
    "entities": lambda: dense(lambda _: "&amp;"),
    "headings": lambda: dense(lambda n: f"# H{n}\n"),
    "paragraphs": lambda: dense(lambda _: "a\n\n"),
    "links": lambda: dense(lambda n: f"[[N{n}]]\n"),
    "tags": lambda: dense(lambda n: f"#t{n} "),
    "quotes": lambda: dense(lambda _: ">"),
    "nested lists": lambda: dense(lambda n: f"{' ' * (2 * (n % 20))}- x\n"),
    "nested quotes": lambda: dense(lambda n: ">" * (n % 50 + 1) + " x\n"),
    "table": lambda: "|a|b|\n|-|-|\n" + dense(lambda n: f"|{n}|d|\n"),
    "tasks": lambda: dense(lambda n: f"- [ ] t{n}\n"),
    "brackets": lambda: dense(lambda _: "["),
    "math": lambda: dense(lambda _: "$a$ "),
    "properties": lambda: (
        "---\n" + numbered(lambda n: f"k{n}: [a, b]\n", most=60_000) + "---\n"
        + dense(lambda n: f"k{n}:: v\n", spare=20_000)
    ),
    "huge properties": lambda: (
        "---\n" + dense(lambda n: f"k{n}: v\n").rstrip() + "\n---\nx\n"
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_largest_note_of_any_shape_is_indexed_in_bounded_memory(
    tmp_path: Path, shape: str
) -> None:
    vault = tmp_path / "Notes"
    for name, size in (("Sparse.md", 1_200_000_000), ("Medium.md", 62_000_000)):
        with write(vault, name, "# Large\n").open("ab") as opened:
            opened.truncate(size)
    write(vault, "Shape.md", SHAPES[shape]())
    write(vault, "Small.md", "oolong")

    result = taken(vault)

    assert set(result["skipped"]) == {"Sparse.md", "Medium.md"}
    assert result["notes"] == 2
    assert "Small.md" in result["found"]
    assert result["peak_mb"] < PEAK_MB


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_many_large_notes_are_indexed_in_bounded_memory(tmp_path: Path) -> None:
    vault = tmp_path / "Notes"
    for number in range(10):
        prose = SHAPES["prose"]()
        write(vault, f"Prose {number}.md", f"{number}\n{prose}")
        write(vault, f"Dense {number}.md", f"{number}\n" + "a\n\n" * 240_000)
    write(vault, "Small.md", "oolong")

    result = taken(vault)

    assert result["notes"] == 21
    assert result["peak_mb"] < PEAK_MB


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_a_vault_of_100_000_notes_keeps_its_bounds(tmp_path: Path) -> None:
    make_vault(tmp_path / "few" / "Notes", 10_000, 51)
    make_vault(tmp_path / "many" / "Notes", 100_000, 51)

    few = taken(tmp_path / "few" / "Notes")
    many = taken(tmp_path / "many" / "Notes")

    assert (few["notes"], many["notes"]) == (10_000, 100_000)
    assert few["found"]
    assert many["found"]
    assert few["changed_again"] == many["changed_again"] == 0
    assert many["peak_mb"] < PEAK_MB
    # Ten times the notes, against the same machine reading and hashing them.
    for step in ("index_s", "unchanged_s"):
        assert many[step] / many["read_s"] < 2 * few[step] / few["read_s"]


@pytest.mark.parametrize("mark", ["\n", "#", "[", ">", "|"])
def test_a_note_with_too_many_marks_is_skipped_with_the_reason(
    vault: VaultHarness, mark: str
) -> None:
    report = vault.indexed({"Dense.md": mark * (MARKS_LIMIT + 1), "Tea.md": "oolong"})

    (skipped,) = report.skipped
    assert skipped.path == "Dense.md"
    assert skipped.reason == (
        "it has more than 500,000 lines and Markdown marks; split it"
    )
    assert vault.found("oolong") == ["Tea.md"]


def test_a_note_with_thousands_of_tags_is_indexed_and_found(
    vault: VaultHarness,
) -> None:
    tags = " ".join(f"#t{number}" for number in range(20_000))

    vault.indexed({"Tags.md": f"{tags}\n\noolong", "Tea.md": "sencha"})

    assert vault.found("oolong") == ["Tags.md"]
    assert vault.found("tag:t10") == ["Tags.md"]
