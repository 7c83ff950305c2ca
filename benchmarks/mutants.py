"""Mutation test: change the source in small ways and count how many the tests notice.

    python benchmarks/mutants.py [--check] [--list] [--seed N] [--count N] [--workers N]

Takes `--count` mutants from each package in PACKAGES. The tests of these packages first
run once on instrumented source, which shows which tests execute each mutated statement.
Then each mutant runs against those tests, up to the first failure. A mutant is killed
if a test fails or hangs, and survives otherwise. The result replaces
`benchmarks/mutants.json`. With `--check` that file is not changed, and the exit code
is 1 if the kill rate is lower than the recorded one.

Everything runs in temporary copies of the checkout. The same seed chooses the same
mutants, also after code has moved to another module or package.
"""

import argparse
import ast
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import mutants_recorder as recorder
from mutation import Mutant, choose, instrument, mutants_of

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_suffix(".json")
SEED, COUNT = 1, 25

READ_ONLY = frozenset(
    [
        "attachments",
        "behind",
        "decode",
        "entries",
        "ignore",
        "left_out",
        "looking",
        "names",
        "obsidian",
        "paths",
        "patterns",
        "placeholder",
        "quiet",
        "read",
        "resolve",
        "scan",
        "smart_connections",
        "spelling",
        "watch",
    ]
)
"""Modules that never write to a vault."""


class Package(NamedTuple):
    """Where to find a package, by any of its names, and the modules to leave out."""

    names: tuple[str, ...]
    without: frozenset[str] = frozenset()


PACKAGES = {
    "edit": Package(("edit", "editing")),
    "files": Package(("files", "vault"), READ_ONLY),
    "access": Package(("access",)),
    "store": Package(("store",)),
}

MOST_TESTS = 200
"""A mutant runs at most so many tests, the most specific first: about half a minute."""

HANG_S, RUN_S = 180, 900
"""A test, and a run of tests, that takes longer counts as hanging."""

TIMEOUT, CRASH = "timeout", "crash"
TIMED_OUT = 124
"""The exit code that `timeout` uses; pytest has no such code."""

NOT_COPIED = (
    ".git",
    ".venv",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "dist",
    "build",
)


def files_of(package: Package, root: Path) -> list[Path]:
    """Return the modules of a package that may be mutated."""
    folders = [root / "src" / "glassmind" / name for name in package.names]
    return sorted(
        file
        for folder in folders
        for file in folder.rglob("*.py")
        if file.stem not in package.without
    )


def chosen_mutants(root: Path, seed: int, count: int) -> list[Mutant]:
    """Return the mutants of all packages."""
    chosen = []
    for name, package in PACKAGES.items():
        sources = {
            file.relative_to(root).as_posix(): file.read_bytes()
            for file in files_of(package, root)
        }
        found = [
            mutant
            for path, source in sources.items()
            for mutant in mutants_of(source, name, path)
        ]
        chosen += choose(found, sources, seed, count)
    return chosen


def find_test_files(root: Path) -> list[str]:
    """Return the test files that import a package or are in a folder of its name."""
    names = {name for package in PACKAGES.values() for name in package.names}
    found = []
    for file in sorted((root / "tests").rglob("test_*.py")):
        path = file.relative_to(root)
        if names & {*path.parts, *imported_packages(file.read_bytes())}:
            found.append(path.as_posix())
    return found


def imported_packages(source: bytes) -> set[str]:
    """Return the packages directly below `glassmind` that a file imports."""
    modules = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules += [f"{node.module}.{alias.name}" for alias in node.names]
    parts = [module.split(".") for module in modules]
    return {names[1] for names in parts if names[0] == "glassmind" and len(names) > 1}


class RecordedTest(NamedTuple):
    """What one test did."""

    seconds: float
    outcome: str
    """The worst of its phases: passed, skipped or failed."""
    hits: frozenset[int]
    """The numbers of the mutants it executed."""

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def failed(self) -> bool:
        return self.outcome == "failed"


def tests_for(number: int, tests: Mapping[str, RecordedTest]) -> list[str]:
    """Return the passing tests that execute a mutant, the best first.

    The most specific tests come first (those that execute the fewest mutants), and of
    equally specific tests the fastest.
    """
    executing = [
        (len(test.hits), test.seconds, name)
        for name, test in tests.items()
        if test.passed and number in test.hits
    ]
    return [name for _, _, name in sorted(executing)]


class Workspace:
    """A copy of the checkout, in which one mutant at a time is tested."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(*NOT_COPIED))
        shutil.copy(recorder.__file__, self.root / "src")
        (self.root / "src" / recorder.FOLDER.name).mkdir()
        self._list, self._record = folder / "tests.json", folder / "record.json"
        self.output = folder / "output.txt"
        self._times = itertools.count(1_000_000_000)

    def write(self, path: str, content: bytes) -> None:
        """Replace a file; its time is new each time, so that no cached code is used."""
        file = self.root / path
        file.write_bytes(content)
        moment = next(self._times)
        os.utime(file, (moment, moment))

    def record(self, files: Sequence[str]) -> dict[str, RecordedTest]:
        """Run test files and return what each test executed."""
        words = ["-m", "not slow", *files]
        code, output = self._pytest(words, {recorder.RECORD: str(self._record)}, None)
        if code > 1:
            raise RuntimeError(f"pytest failed with exit code {code}:\n{output}")
        return self._read_record()

    def failure(self, names: Sequence[str]) -> str:
        """Run tests in this order and return the first that fails.

        Returns "" if all pass, and TIMEOUT or CRASH if no test could be blamed.
        """
        self._list.write_text(json.dumps(names), "utf-8")
        self._record.unlink(missing_ok=True)
        variables = {
            recorder.TESTS: str(self._list),
            recorder.RECORD: str(self._record),
        }
        files = dict.fromkeys(name.partition("::")[0] for name in names)
        words = ["-x", f"--timeout={HANG_S}", *files]
        code, output = self._pytest(words, variables, RUN_S)
        if code == 5:
            raise RuntimeError(f"pytest ran no test:\n{output}")
        if code in (0, TIMED_OUT):
            return "" if code == 0 else TIMEOUT
        failed = [name for name, test in self._read_record().items() if test.failed]
        return failed[0] if failed else CRASH

    def _read_record(self) -> dict[str, RecordedTest]:
        text = self._record.read_text("utf-8") if self._record.exists() else "{}"
        return {
            name: RecordedTest(
                entry["seconds"], entry["outcome"], frozenset(entry["hits"])
            )
            for name, entry in json.loads(text).items()
        }

    def _pytest(
        self, words: Sequence[str], variables: Mapping[str, str], limit_s: float | None
    ) -> tuple[int, str]:
        """Return the exit code (or TIMED_OUT) and the output."""
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", recorder.__name__]
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src"), **variables}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        # Not a pipe: programs that tests leave running would keep it open.
        with self.output.open("w+", encoding="utf-8", errors="replace") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *options, *words],
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                code = TIMED_OUT
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            output.seek(0)
            return code, output.read()


class Result(NamedTuple):
    """The outcome of one mutant."""

    mutant: Mutant
    executing: int
    """How many tests execute the mutated statement."""
    ran: int
    """How many of them were chosen to run."""
    killer: str
    """The test that failed, TIMEOUT or CRASH; "" if the mutant survived."""


def run(mutants: Sequence[Mutant], workers: int) -> list[Result]:
    """Record what the tests execute, and test every mutant."""
    with tempfile.TemporaryDirectory(prefix="glassmind-mutants-") as folder:
        places = [Path(folder) / str(number) for number in range(workers)]
        spaces = [Workspace(place) for place in places]
        tests = record(mutants, spaces)
        free: SimpleQueue[Workspace] = SimpleQueue()
        for space in spaces:
            free.put(space)

        def test(number: int) -> Result:
            space = free.get()
            try:
                return try_mutant(number, mutants[number], space, tests)
            finally:
                free.put(space)

        results = []
        with ThreadPoolExecutor(workers) as pool:
            for result in pool.map(test, range(len(mutants))):
                results.append(result)
                state = "killed" if result.killer else "SURVIVED"
                count = f"({result.ran} of {result.executing} tests)"
                line = f"{state:<8} {described(result.mutant)} {count}"
                print(f"{len(results):>3} {line} {result.killer}", flush=True)
        return results


def record(
    mutants: Sequence[Mutant], spaces: Sequence[Workspace]
) -> dict[str, RecordedTest]:
    """Run the tests on instrumented source, and put the real source back."""
    numbers: dict[str, dict[tuple[int, int], int]] = defaultdict(dict)
    for number, mutant in enumerate(mutants):
        numbers[mutant.path][mutant.statement] = number
    sources = {path: (ROOT / path).read_bytes() for path in numbers}
    for space, (path, source) in itertools.product(spaces, sources.items()):
        space.write(path, instrument(source, numbers[path]).encode())
    files = find_test_files(ROOT)
    print(f"Recording what {len(files)} test files execute.", flush=True)
    tests: dict[str, RecordedTest] = {}
    with ThreadPoolExecutor(len(spaces)) as pool:
        shares = [files[first :: len(spaces)] for first in range(len(spaces))]
        for part in pool.map(Workspace.record, spaces, shares):
            tests |= part
    for space, (path, source) in itertools.product(spaces, sources.items()):
        space.write(path, source)
    failed = sum(not test.passed for test in tests.values())
    print(f"{len(tests)} tests, {failed} not used: they failed or were skipped.")
    return tests


def try_mutant(
    number: int, mutant: Mutant, space: Workspace, tests: Mapping[str, RecordedTest]
) -> Result:
    """Run the tests that execute one mutant.

    A failure counts only if the same tests pass on the real source. A test that fails
    there (because it needs another test to run before it) is dropped.
    """
    executing = tests_for(number, tests)
    names = executing[:MOST_TESTS]
    source = (ROOT / mutant.path).read_bytes()
    killer = ""
    while names:
        space.write(mutant.path, mutant.apply(source))
        killer = space.failure(names)
        space.write(mutant.path, source)
        last = names.index(killer) if killer in names else len(names)
        unreliable = space.failure(names[: last + 1]) if killer else ""
        if not unreliable:
            break
        if unreliable not in names:
            output = space.output.read_text("utf-8", "replace")
            raise RuntimeError(f"{unreliable} without the mutant:\n{output}")
        print(f"Not used: {unreliable} also fails without the mutant.", flush=True)
        names.remove(unreliable)
        killer = ""
    return Result(mutant, len(executing), len(names), killer)


def described(mutant: Mutant) -> str:
    """Return one line about a mutant."""
    before = " ".join(mutant.before.split())
    return f"{mutant.path}:{mutant.line} {mutant.operator}: {before} -> {mutant.after}"


def summary(results: Sequence[Result], seed: int, count: int) -> dict[str, Any]:
    """Return the record that is kept."""
    packages = {name: {"killed": 0, "survived": 0} for name in PACKAGES}
    for result in results:
        state = "killed" if result.killer else "survived"
        packages[result.mutant.package][state] += 1
    killed = sum(counts["killed"] for counts in packages.values())
    return {
        "seed": seed,
        "count": count,
        "kill_rate": round(killed / len(results), 4),
        "packages": packages,
        "survivors": [
            {
                "place": f"{result.mutant.path}:{result.mutant.line}",
                "operator": result.mutant.operator,
                "before": result.mutant.before,
                "after": result.mutant.after,
                "tests_run": result.ran,
                "tests_executing": result.executing,
            }
            for result in results
            if not result.killer
        ],
    }


def main() -> int:
    """Run the program."""
    known = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare with the record")
    parser.add_argument("--list", action="store_true", help="print the mutants only")
    parser.add_argument("--seed", type=int, default=known.get("seed", SEED))
    parser.add_argument("--count", type=int, default=known.get("count", COUNT))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    mutants = chosen_mutants(ROOT, options.seed, options.count)
    if options.list:
        for mutant in mutants:
            print(described(mutant))
        return 0
    found = summary(run(mutants, options.workers), options.seed, options.count)
    for name, outcome in found["packages"].items():
        print(
            f"{name:<8}{outcome['killed']:>3} killed {outcome['survived']:>3} survived"
        )
    print(f"kill rate {found['kill_rate']:.0%}")
    if not options.check:
        RECORD.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
        return 0
    if found["kill_rate"] < known.get("kill_rate", 0):
        print(f"The recorded kill rate is {known['kill_rate']:.0%}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
