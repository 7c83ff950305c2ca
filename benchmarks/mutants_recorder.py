"""Records which tests execute which mutated statements, and runs chosen tests in order.

`benchmarks/mutants.py` copies this module next to a copy of the package. It is a pytest
plugin, and it has the function that instrumented source calls. Programs that tests
start import it too, so it must be fast to import.
"""

import atexit
import json
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "mutants_recorder_hits"
"""Where other processes leave the numbers they executed, for the running test."""

RECORD, TESTS = "MUTANTS_RECORD", "MUTANTS_TESTS"
"""Variables: the file to write the record to, and the file with the tests to run."""

OUTCOMES = ("passed", "skipped", "failed")

hits: set[int] = set()
hit = hits.add
"""Called by instrumented source right before a statement that has a mutant."""

tests: dict[str, dict[str, Any]] = {}
_is_pytest = False


def pytest_configure() -> None:
    """Keep what this process executes in memory: tests may break file access."""
    global _is_pytest  # noqa: PLW0603 - set once, when pytest loads the plugin
    _is_pytest = True


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Keep only the chosen tests, in the order they are listed in."""
    hits.clear()  # executed on import, by no test
    if TESTS in os.environ:
        by_id = {item.nodeid: item for item in items}
        chosen = json.loads(Path(os.environ[TESTS]).read_text("utf-8"))
        items[:] = [by_id[name] for name in chosen if name in by_id]


def pytest_runtest_logreport(report: Any) -> None:
    """Add one phase of a test to its record; the worst outcome counts."""
    new = {"seconds": 0.0, "outcome": "passed", "hits": set()}
    test = tests.setdefault(report.nodeid, new)
    test["seconds"] += report.duration
    test["outcome"] = max(test["outcome"], report.outcome, key=OUTCOMES.index)
    test["hits"] |= hits | set(_left_by_other_processes())
    hits.clear()


def pytest_sessionfinish() -> None:
    """Write the record."""
    if RECORD in os.environ:
        record = {
            name: {**test, "hits": sorted(test["hits"])} for name, test in tests.items()
        }
        Path(os.environ[RECORD]).write_text(json.dumps(record), "utf-8")


def _left_by_other_processes() -> Iterable[int]:
    for file in FOLDER.glob("*.json") if FOLDER.exists() else ():
        yield from json.loads(file.read_text("utf-8"))
        file.unlink()


@atexit.register
def _leave() -> None:
    """Hand what a program executed to the test that started it."""
    if hits and not _is_pytest and FOLDER.exists():
        unfinished = FOLDER / uuid.uuid4().hex
        unfinished.write_text(json.dumps(sorted(hits)), "utf-8")
        unfinished.rename(unfinished.with_suffix(".json"))
