"""Notes and vaults beyond any usual size: bounded time, nothing lost in silence."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_tools.dump import dump
from fault_tools.harness import Harness
from fault_tools.vaults import age, write

from glassmind.engine import Engine
from glassmind.model.index import IndexReport

POOL = ("harbour", "lantern", "sencha", "ledger", "orchard", "violin", "glacier")


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def paths(engine: Engine, query: str) -> list[str]:
    return [hit.path for hit in engine.search(query, limit=50).hits]


def index_within(harness: Harness, seconds: float) -> IndexReport:
    began = time.perf_counter()
    with harness.engine() as engine:
        report = engine.index()
    assert time.perf_counter() - began < seconds
    return report


def prose(size: int) -> str:
    line = " ".join(POOL) + "\n"
    return line * (size // len(line))


def check_large_note(harness: Harness, size: int, within_s: float) -> None:
    write(harness.vault, "Large.md", f"# Large\noolong first\n\n{prose(size)}")
    write(harness.vault, "Small.md", "oolong small")

    report = index_within(harness, within_s)

    assert report.notes == 2
    with harness.engine() as engine:
        assert set(paths(engine, "oolong")) == {"Large.md", "Small.md"}
        _, chunks = engine.chunks("Large")
        assert len(chunks) <= 1_000
        assert engine.read("Large", lines=(2, 2)).text == "oolong first\n"


def test_a_note_of_three_megabytes_is_indexed(harness: Harness) -> None:
    check_large_note(harness, 3_000_000, 30)


def test_a_note_of_too_many_chunks_is_found_to_its_end_or_the_index_says_so(
    harness: Harness,
) -> None:
    write(harness.vault, "Large.md", prose(200_000) + "\n\nthe last oolong\n")

    with harness.engine(**{"index.max_chunks_per_note": 10}) as engine:
        engine.index()

        assert len(engine.chunks("Large")[1]) <= 10
        found = paths(engine, "oolong")
    (warnings,) = [row[-1] for row in dump(harness.folder)["notes"]]
    assert found == ["Large.md"] or "10" in warnings


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_note_of_sixteen_megabytes_is_indexed(harness: Harness) -> None:
    check_large_note(harness, 16_000_000, 300)


def test_a_file_over_the_limit_is_named_and_skipped(harness: Harness) -> None:
    write(harness.vault, "Large.md", prose(300_000))
    write(harness.vault, "Small.md", "oolong small")

    with harness.engine(**{"index.max_note_bytes": 100_000}) as engine:
        report = engine.index()

        assert [(s.path, "larger" in s.reason) for s in report.skipped] == [
            ("Large.md", True)
        ]
        assert paths(engine, "oolong") == ["Small.md"]


SHAPES: dict[str, Callable[[int], str]] = {
    "one line": lambda n: "oolong " + "x" * (n * 10),
    "one line of words": lambda n: "oolong " + "word " * n * 2,
    "headings": lambda n: "oolong\n" + "".join(f"# H{i}\n" for i in range(n)),
    "deep headings": lambda n: (
        "oolong\n" + "".join(f"{'#' * (i % 6 + 1)} H{i}\ntext\n" for i in range(n))
    ),
    "open links": lambda n: "oolong " + "[[" * n * 10,
    "links": lambda n: "oolong " + "[[Small]] " * n,
    "tags": lambda n: "oolong " + " ".join(f"#tag{i}" for i in range(n // 10)),
    "quotes": lambda n: "oolong\n\n" + ">" * n + " x",
    "list": lambda n: "oolong\n" + "".join(f"{' ' * (i % 50)}- x\n" for i in range(n)),
    "open fence": lambda n: "oolong\n```\n" + "x\n" * n,
    "tasks": lambda n: "oolong\n" + "- [ ] harbour\n" * n,
    "emphasis": lambda n: "oolong " + "*_" * n,
    "brackets": lambda n: "oolong " + "[" * n * 5 + "](" * n,
    "comments": lambda n: "oolong " + "%%" * (n + 1),
}


def check_shape(harness: Harness, shape: str, size: int, within_s: float) -> None:
    write(harness.vault, "Odd.md", SHAPES[shape](size))
    write(harness.vault, "Small.md", "oolong small")
    age(harness.vault)

    report = index_within(harness, within_s)

    assert report.notes == 2
    with harness.engine() as engine:
        assert "Small.md" in paths(engine, "oolong")
        assert "Odd.md" in paths(engine, "file:odd")
        wrong = [c for c in engine.doctor() if c.state != "ok"]
        assert {c.name for c in wrong} <= {"notes"}  # a long note is told of
        engine.read("Odd")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_note_of_an_odd_shape_is_indexed_in_bounded_time(
    harness: Harness, shape: str
) -> None:
    check_shape(harness, shape, 3_000, 20)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_note_of_an_odd_shape_and_size_is_indexed_in_bounded_time(
    harness: Harness, shape: str
) -> None:
    check_shape(harness, shape, 100_000, 120)


def check_hub(harness: Harness, count: int, within_s: float) -> None:
    """A note linked from many: renaming it settles every link again."""
    write(harness.vault, "Hub.md", "the oolong hub")
    for number in range(0, count, 10):
        write(harness.vault, f"in/{number // 1000}/N{number}.md", "[[Hub]] " * 10)
    age(harness.vault)
    index_within(harness, within_s)
    (harness.vault / "Hub.md").rename(harness.vault / "in" / "Hub.md")
    index_within(harness, within_s)
    with harness.engine() as engine:
        assert engine.stats().ghosts == 0
    (harness.vault / "in" / "Hub.md").rename(harness.vault / "Other.md")

    index_within(harness, within_s)

    with harness.engine() as engine:
        assert engine.stats().ghosts == 1
        assert engine.stats().links == count


def test_a_note_linked_five_thousand_times_may_be_renamed(harness: Harness) -> None:
    check_hub(harness, 5_000, 20)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_note_linked_fifty_thousand_times_may_be_renamed(harness: Harness) -> None:
    check_hub(harness, 50_000, 200)
