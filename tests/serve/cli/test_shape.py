"""Rules for the source tree: sizes, module docstrings, imports, layers, SQL."""

import ast
import gc
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import requires
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "glassmind"
MODULES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

LONGEST_FILE, LONGEST_FUNCTION = 1000, 60

HEAVY = frozenset(
    [
        "mcp",
        "mcp_types",
        "numkong",
        "numpy",
        "onnxruntime",
        "psycopg",
        "rich",
        "starlette",
        "tantivy",
        "tokenizers",
        "uvicorn",
        "watchfiles",
    ]
)
"""Libraries that are slow to import; starting the program must not load them."""

SURFACES = ("serve/",)
SEARCH = ("search/", "retrieval/search.py")

LARGE = {"networkx", "numkong", "pandas", "scipy", "sympy", "torch", "transformers"}
"""Packages that must not be installed by default: see docs/decisions/size.md."""

SQL = re.compile(
    r"\s*(select\s.+\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s"
    r"|delete\s+from\s|create\s+(table|index)\s|drop\s+(table|index)\s|pragma\s)",
    re.IGNORECASE | re.DOTALL,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def path_in_package(file: Path) -> str:
    """Return the path below the package, such as `store/lexical/query.py`."""
    return file.relative_to(SOURCE).as_posix()


class Outline(NamedTuple):
    """The facts about any file that the rules need."""

    has_docstring: bool
    functions: tuple[tuple[str, int, int], ...]
    """Names with their first and last lines."""


class Module(NamedTuple):
    """The facts about a file of the package that the rules need; ints are lines."""

    outline: Outline
    imports: tuple[tuple[str, int, bool], ...]
    prints: tuple[int, ...]
    swallows: tuple[int, ...]
    sql: tuple[int, ...]


@pytest.fixture(scope="module", autouse=True)
def no_garbage_collection() -> Iterator[None]:
    """Syntax trees have no cycles; looking for some takes longer than parsing."""
    gc.disable()
    yield
    gc.enable()


@cache
def outline_of(file: Path) -> Outline:
    if file.is_relative_to(SOURCE):
        return module_of(file).outline
    return outlined(ast.parse(file.read_text("utf-8")))


def outlined(tree: ast.Module) -> Outline:
    functions = [(f.name, f.lineno, f.end_lineno or 0) for f in functions_of(tree)]
    return Outline(ast.get_docstring(tree) is not None, tuple(functions))


@cache
def module_of(file: Path) -> Module:
    """Parse a file once for all rules, and keep only the facts, not the tree."""
    tree = ast.parse(file.read_text("utf-8"))
    nodes = list(ast.walk(tree))
    return Module(
        outlined(tree),
        tuple(imports_of(tree, nodes)),
        tuple(printing(nodes)),
        tuple(swallowing(nodes)),
        tuple(sql_lines(nodes)),
    )


def functions_of(node: ast.AST) -> Iterator[Function]:
    """Yield the functions; only statements are searched, which is faster."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        part = getattr(node, name, ())
        for child in part if isinstance(part, list) else ():
            if isinstance(child, Function):
                yield child
            yield from functions_of(child)


def imports_of(
    tree: ast.Module, nodes: Sequence[ast.AST]
) -> Iterator[tuple[str, int, bool]]:
    """Yield the top package of each import, its line, and whether it is local.

    Imports for type checkers only are skipped.
    """
    bodies = [range(f.lineno, (f.end_lineno or 0) + 1) for f in functions_of(tree)]
    unseen = {
        id(node)
        for branch in nodes
        if isinstance(branch, ast.If)
        and isinstance(branch.test, ast.Name)
        and branch.test.id == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    for node in nodes:
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [node.module or ""]
        else:
            continue
        if id(node) in unseen:
            continue
        for name in found:
            inside = any(node.lineno in lines for lines in bodies)
            yield name.partition(".")[0], node.lineno, inside


def docstrings_of(nodes: Sequence[ast.AST]) -> set[int]:
    """Return the ids of constants that are docstrings or bare string statements."""
    return {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def test_no_file_is_too_long_to_be_read_at_once() -> None:
    lengths = {
        name_of(file): len(file.read_text("utf-8").splitlines())
        for file in (*MODULES, *TESTS)
    }

    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_function_is_too_long_to_be_read_at_once() -> None:
    long = [
        f"{name_of(file)}:{first} {name}"
        for file in (*MODULES, *TESTS)
        for name, first, last in outline_of(file).functions
        if last - first + 1 > LONGEST_FUNCTION
    ]

    assert long == []


def test_every_module_has_a_docstring() -> None:
    missing = [
        name_of(file)
        for file in (*MODULES, *TESTS)
        if not outline_of(file).has_docstring
    ]

    assert missing == []


def printing(nodes: Sequence[ast.AST]) -> Iterator[int]:
    """Yield the lines that print."""
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        ):
            yield node.lineno


def test_only_surfaces_print() -> None:
    found = [
        f"{name_of(file)}:{line}"
        for file in MODULES
        if not path_in_package(file).startswith(SURFACES)
        for line in module_of(file).prints
    ]

    assert found == []


def catches_everything(node: ast.ExceptHandler) -> bool:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(
        kind is None
        or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"})
        for kind in kinds
    )


def swallowing(nodes: Sequence[ast.AST]) -> Iterator[int]:
    """Yield the lines that catch every error and do not raise it again."""
    for node in nodes:
        if (
            isinstance(node, ast.ExceptHandler)
            and catches_everything(node)
            and not isinstance(node.body[-1], ast.Raise)  # cleans up, then raises
        ):
            yield node.lineno


def test_only_surfaces_and_search_channels_catch_every_error() -> None:
    found = [
        f"{name_of(file)}:{line}"
        for file in MODULES
        if not path_in_package(file).startswith((*SURFACES, *SEARCH))
        for line in module_of(file).swallows
    ]

    assert found == []


def sql_lines(nodes: Sequence[ast.AST]) -> Iterator[int]:
    """Yield the lines of strings that are SQL; docstrings do not count."""
    docstrings = docstrings_of(nodes)
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and SQL.match(node.value)
        ):
            yield node.lineno


def test_only_the_store_contains_sql() -> None:
    found = [
        f"{name_of(file)}:{line}"
        for file in MODULES
        if not path_in_package(file).startswith("store/")
        for line in module_of(file).sql
    ]

    assert found == []


def test_only_the_store_imports_a_database_driver() -> None:
    drivers = {"apsw", "sqlite3", "psycopg", "tantivy"}

    found = [
        f"{name_of(file)}:{line} {package}"
        for file in MODULES
        if not path_in_package(file).startswith("store/")
        for package, line, _ in module_of(file).imports
        if package in drivers
    ]

    assert found == []


def imported_by(*arguments: str) -> set[str]:
    """Return the top packages that Python imports when run with these arguments."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    times = (line for line in done.stderr.splitlines() if line.count("|") == 2)
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in times}


def test_importing_the_package_loads_no_heavy_library() -> None:
    assert imported_by("-c", "import glassmind") & HEAVY == set()


def test_printing_the_version_loads_no_heavy_library() -> None:
    assert imported_by("-m", "glassmind", "--version") & HEAVY == set()


def test_importing_open_vault_loads_no_model_and_no_protocol() -> None:
    found = imported_by("-c", "from glassmind import open_vault")

    assert found & (HEAVY - {"tantivy"}) == set()


def test_imports_go_down_the_layers() -> None:
    program = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("import-linter is not installed")

    done = subprocess.run(
        [program, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def runtime_packages() -> set[str]:
    """Return the names of all packages that a plain installation brings along."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    todo = [Requirement(line) for line in pyproject["project"]["dependencies"]]
    visited = set[tuple[str, str]]()
    while todo:
        needed = todo.pop()
        for extra in ("", *sorted(needed.extras)):
            key = canonicalize_name(needed.name), extra
            if key in visited:
                continue
            visited.add(key)
            for line in requires(needed.name) or ():
                found = Requirement(line)
                if found.marker is None or found.marker.evaluate({"extra": extra}):
                    todo.append(found)
    return {name for name, _ in visited}


def test_no_large_package_comes_with_a_dependency() -> None:
    packages = runtime_packages()

    assert {"onnxruntime", "numpy", "cryptography"} <= packages
    assert not packages & LARGE


def test_no_tracked_file_names_the_machine_it_was_written_on() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, timeout=60, check=True
    )
    here = {os.fsencode(ROOT)}
    if len(Path.home().parts) > 2:
        here.add(os.fsencode(Path.home()))

    found = [
        name
        for name in listed.stdout.decode().split("\0")
        if name and (ROOT / name).is_file()
        for content in [(ROOT / name).read_bytes()]
        if any(place in content for place in here)
    ]

    assert found == []
