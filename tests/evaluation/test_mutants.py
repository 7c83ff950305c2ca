"""The mutation test: operators, choice of mutants, and a run on a tiny package."""

import ast
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import mutants
import mutants_recorder
import pytest
from mutants import RecordedTest, Result
from mutation import Mutant, choose, instrument, mutants_of

SOURCE = Path(mutants.__file__).read_bytes()
"""Any real module will do."""


def changes_of(text: str) -> set[tuple[str, str]]:
    """Return the operators and the whole changed texts."""
    source = text.encode()
    return {
        (mutant.operator, mutant.apply(source).decode())
        for mutant in mutants_of(source, "edit", "a.py")
    }


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("negated comparison", "x = a == b", ["x = (a != b)"]),
        ("negated comparison", "x = a not in b", ["x = (a in b)"]),
        ("shifted boundary", "x = a <= b", ["x = (a < b)"]),
        ("swapped and/or", "x = a or b", ["x = (a and b)"]),
        ("removed not", "x = not a", ["x = (a)"]),
        ("shifted constant", "x = a[1]", ["x = a[(2)]", "x = a[(0)]"]),
        ("changed return", "return a", ["return None"]),
        ("deleted statement", "a.b()", ["pass"]),
        ("deleted statement", "a.b = c", ["pass"]),
        ("deleted statement", "a += b", ["pass"]),
        ("deleted statement", "a = b", []),
        ("swapped arguments", "x = f('ä', b, c)", ["x = f(b, 'ä', c)"]),
        ("swapped arguments", "x = f(a, a)", []),
        ("swallowed error", "raise A(b == 1)", ["pass"]),
        ("swallowed error", "raise AssertionError(a)", []),
    ],
)
def test_an_operator_makes_these_changes(
    operator: str, before: str, after: list[str]
) -> None:
    changes = changes_of(f"def f(a, b, c):\n    {before}\n")

    expected = {f"def f(a, b, c):\n    {text}\n" for text in after}
    assert {text for name, text in changes if name == operator} == expected


def test_the_return_value_of_a_predicate_is_negated() -> None:
    changes = changes_of("def f(a) -> bool:\n    return a\n")

    assert changes == {("changed return", "def f(a) -> bool:\n    return not (a)\n")}


@pytest.mark.parametrize(
    "text",
    [
        '__all__ = ["f"]\nLIMIT = 5 if not x else 6\n',
        'def f(a: Literal[1] = 2):\n    """Not 3 and not 4."""\n    x: Literal[5]\n',
        'def f(a):\n    log("not 1", 2)\n    logger.info(f"{a + 1}", not a)\n',
        'def f(a):\n    x = f"{a + 1} and {not a}"\n',
        "def f(pid):\n    os.kill(pid, 0)\n",
        "@g(1, 2)\ndef f(a):\n    from a import b\n",
    ],
)
def test_some_places_are_never_mutated(text: str) -> None:
    assert changes_of(text) == set()


@pytest.mark.slow
def test_mutants_of_a_real_module_are_valid_and_different() -> None:
    found = choose(mutants_of(SOURCE, "edit", "a.py"), {"a.py": SOURCE}, 1, 40)

    original = ast.dump(ast.parse(SOURCE))
    trees = [ast.dump(ast.parse(mutant.apply(SOURCE))) for mutant in found]
    assert len({original, *trees}) == 41


def test_a_change_that_does_not_compile_is_not_chosen() -> None:
    source = b"def f(a):\n    return a\n"
    (good,) = mutants_of(source, "edit", "a.py")
    bad = replace(good, after="return (", statement=(1, 0))

    assert choose([bad, good], {"a.py": source}, 1, 2) == [good]


def chosen(seed: int, path: str = "a.py") -> list[tuple[str, int, str, str]]:
    found = choose(mutants_of(SOURCE, "edit", path), {path: SOURCE}, seed, 20)
    return [(each.operator, each.line, each.before, each.after) for each in found]


@pytest.mark.slow
def test_a_seed_repeats_its_choice_and_another_makes_another() -> None:
    assert chosen(1) == chosen(1)
    assert chosen(1) != chosen(2)


def test_a_choice_survives_the_renaming_of_a_file() -> None:
    assert chosen(1, "editing/a.py") == chosen(1, "edit/b.py")


def test_a_choice_has_many_operators_and_one_mutant_for_each_statement() -> None:
    found = choose(mutants_of(SOURCE, "edit", "a.py"), {"a.py": SOURCE}, 1, 20)

    assert len(found) == 20
    assert len({mutant.statement for mutant in found}) == 20
    assert len({mutant.operator for mutant in found}) >= 6


def test_a_choice_ends_when_there_are_no_more_mutants() -> None:
    source = b"def f(a):\n    return a\n"

    assert len(choose(mutants_of(source, "edit", "a.py"), {"a.py": source}, 1, 9)) == 1


def test_instrumented_source_reports_the_statements_it_executes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = (
        b'"""Doc."""\ndef f(a):\n    if a == 1:\n        return 1\n'
        b"    elif a == 2:\n        return 2\n    return 3\n"
    )
    hits: set[int] = set()
    monkeypatch.setattr(mutants_recorder, "hit", hits.add)
    names: dict[str, object] = {}
    exec(instrument(source, {(4, 8): 1, (5, 4): 2, (7, 4): 3}), names)  # noqa: S102

    assert names["__doc__"] == "Doc."
    assert names["f"](3) == 3  # type: ignore[operator]
    assert hits == {2, 3}


def recorded(seconds: float, *hits: int, outcome: str = "passed") -> RecordedTest:
    return RecordedTest(seconds, outcome, frozenset(hits))


def test_specific_tests_run_first_then_fast_ones() -> None:
    tests = {
        "broad": recorded(0.1, 1, 2, 3),
        "slow": recorded(5, 1, 2),
        "fast": recorded(1, 1, 2),
        "skipped": recorded(0, 1, outcome="skipped"),
        "failed": recorded(0, 1, outcome="failed"),
        "other": recorded(0, 2),
    }

    assert mutants.tests_for(1, tests) == ["fast", "slow", "broad"]


def test_a_test_file_belongs_to_a_package_by_import_or_by_folder(
    tmp_path: Path,
) -> None:
    texts = {
        "tests/test_a.py": "from glassmind.edit.editing import Editing\n",
        "tests/test_b.py": "from glassmind import store\n",
        "tests/test_c.py": "from glassmind import open_vault\n",
        "tests/edit/test_d.py": "from glassmind import open_vault\n",
        "tests/helper.py": "import glassmind.store\n",
    }
    for path, text in texts.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    assert mutants.find_test_files(tmp_path) == [
        "tests/edit/test_d.py",
        "tests/test_a.py",
        "tests/test_b.py",
    ]


TINY = b"""\
def clamp(value, most):
    if value > most:
        return most
    return value


def unused(value):
    return value
"""
TINY_TEST = """\
import os
import subprocess
import sys

from glassmind.access.clamp import clamp


def test_a_large_value():
    assert clamp(9, 5) == 5


def test_a_program():
    code = "from glassmind.access.clamp import clamp; print(clamp(1, 5))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "1\\n"
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Mutant]:
    """A checkout with one module; its mutants."""
    root = tmp_path / "tiny"
    package, tests = root / "src" / "glassmind" / "access", root / "tests"
    package.mkdir(parents=True)
    tests.mkdir()
    (package / "__init__.py").touch()
    (package.parent / "__init__.py").touch()
    (package / "clamp.py").write_bytes(TINY)
    (tests / "test_clamp.py").write_text(TINY_TEST)
    (root / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nmarkers = ["slow"]\n'
    )
    monkeypatch.setattr(mutants, "ROOT", root)
    return mutants.chosen_mutants(root, 1, 25)


@pytest.mark.slow
def test_a_run_kills_what_tests_notice(tiny: list[Mutant]) -> None:
    killers = {each.mutant.line: each.killer for each in mutants.run(tiny, 1)}

    assert killers == {
        2: "tests/test_clamp.py::test_a_large_value",
        3: "tests/test_clamp.py::test_a_large_value",
        4: "tests/test_clamp.py::test_a_program",
        8: "",
    }
    assert mutants.ROOT.joinpath(tiny[0].path).read_bytes() == TINY


class FakeWorkspace:
    """Runs no tests: some fail with the mutant, and some always."""

    def __init__(self, noticing: set[str], unreliable: set[str]) -> None:
        self.noticing, self.unreliable = noticing, unreliable
        self.is_mutated = False

    def write(self, _path: str, content: bytes) -> None:
        self.is_mutated = content != TINY

    def failure(self, names: list[str]) -> str:
        failing = self.unreliable | (self.noticing if self.is_mutated else set())
        return next((name for name in names if name in failing), "")


@pytest.mark.parametrize(
    ("noticing", "unreliable", "killer"),
    [
        (set(), set(), ""),
        ({"b", "c"}, set(), "b"),
        (set(), {"a"}, ""),
        ({"c"}, {"a", "b"}, "c"),
        (set(), {"a", "b", "c"}, ""),
    ],
)
def test_a_test_that_fails_without_the_mutant_does_not_kill_it(
    tiny: list[Mutant], noticing: set[str], unreliable: set[str], killer: str
) -> None:
    space = FakeWorkspace(noticing, unreliable)
    tests = {name: recorded(1, 0) for name in "abc"}

    result = mutants.try_mutant(0, tiny[0], cast("mutants.Workspace", space), tests)

    assert (result.killer, result.executing) == (killer, 3)
    assert result.ran == 3 - len(unreliable)
    assert not space.is_mutated


def results_of(killed: int, survived: int) -> list[Result]:
    mutant = Mutant("edit", "a.py", 1, "removed not", "not a", "a", 0, 5, (1, 0), "f")
    return [
        *(Result(mutant, 1, 1, "tests/test_a.py::test_a") for _ in range(killed)),
        *(Result(mutant, 1, 1, "") for _ in range(survived)),
    ]


@pytest.mark.parametrize(("killed", "code"), [(7, 1), (8, 0), (9, 0)])
def test_a_check_fails_below_the_recorded_rate(
    killed: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "record.json"
    monkeypatch.setattr(mutants, "RECORD", file)
    monkeypatch.setattr(mutants, "chosen_mutants", lambda *_: [])
    monkeypatch.setattr(sys, "argv", ["mutants.py"])
    monkeypatch.setattr(mutants, "run", lambda *_: results_of(8, 2))
    assert mutants.main() == 0
    before = file.read_text()
    assert json.loads(before)["kill_rate"] == 0.8
    assert json.loads(before)["packages"]["edit"] == {"killed": 8, "survived": 2}

    monkeypatch.setattr(sys, "argv", ["mutants.py", "--check"])
    monkeypatch.setattr(mutants, "run", lambda *_: results_of(killed, 10 - killed))
    assert mutants.main() == code
    assert file.read_text() == before
